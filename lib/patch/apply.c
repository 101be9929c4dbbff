// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "mail/mail.h"
#include "patch/apply.h"
#include "patch/apply_try.h"
#include "patch/commit.h"
#include "patch/damage.h"
#include "patch/diff.h"
#include "patch/objects.h"
#include "patch/place.h"
#include "patch/refuse.h"
#include "patch/since.h"
#include "patch/stage.h"
#include "patch/threeway.h"

/* A series on its way onto one base. */
struct run {
	struct objects *made;
	git_repository *repo;
	const struct apply_request *req;
	struct arena *a;
	struct apply_outcome *out;
	git_oid tip;
	int64_t tip_time_s;
	git_tree *tree;
	/* A patch of the series had to be repaired and all of it applied: it is gone
	 * through again, and readings has how each was read the first time. */
	bool again;
	uint8_t *readings;
	struct err *e;
};

/* Values of readings: the patch, which of its other readings + 1, or a repair. */
enum { READ_AS_RECEIVED = 0, READ_MENDED = UINT8_MAX };

static const char *const result_names[] = {
	[APPLY_APPLIED] = "applied",
	[APPLY_ALREADY] = "already",
	[APPLY_CONFLICT] = "conflict",
	[APPLY_REJECTED] = "rejected",
	[APPLY_NO_BASE] = "no_base",
};

static const char *const patch_names[] = {
	[PATCH_EXACT] = "exact",
	[PATCH_OFFSET] = "offset",
	[PATCH_3WAY] = "3way",
	[PATCH_ALREADY] = "already",
	[PATCH_CONFLICT] = "conflict",
	[PATCH_REJECTED] = "rejected",
	[PATCH_SKIPPED] = "skipped",
};

const char *apply_result_name(enum apply_result r)
{
	return result_names[r];
}

const char *patch_result_name(enum patch_result r)
{
	return patch_names[r];
}

/* --- one patch --- */

static void add_note(struct arena *a, struct apply_patch_outcome *out, const char *code,
	const char *detail)
{
	struct apply_note *notes = ARENA_ARRAY(a, struct apply_note, out->n_notes + 1);

	if (out->n_notes)
		memcpy(notes, out->notes, out->n_notes * sizeof(*notes));
	notes[out->n_notes++] = (struct apply_note){code, detail};
	out->notes = notes;
}

/* Text that is no diff: damaged mails do not fit any tree, the rest is refused. */
static void parse_failed(
	struct arena *a, const struct err *why, struct apply_patch_outcome *out)
{
	out->result = why->code == ERR_INVALID ? PATCH_CONFLICT : PATCH_REJECTED;
	out->error = arena_strdup(a, why->msg);
}

/* Writes the tree of a stage. A file where a folder is, or the other way round, makes the
 * patch a conflict. */
static int write_tree(struct run *r, struct stage *s, struct apply_patch_outcome *out,
	git_oid *ret_tree)
{
	struct err inner = {0};
	int rc = stage_write(s, ret_tree, &inner);

	if (rc == ERR_CONFLICT) {
		out->result = PATCH_CONFLICT;
		out->error = arena_strdup(r->a, inner.msg);
		return 0;
	}
	if (rc)
		*r->e = inner;
	return rc;
}

/* The base has all of it, whatever was said of a hunk before that was known. */
static void all_already(struct apply_patch_outcome *out)
{
	out->result = PATCH_ALREADY;
	for (size_t i = 0; i < out->n_files; i++) {
		struct apply_file *f = &out->files[i];

		f->error = NULL;
		for (size_t k = 0; k < f->n_hunks; k++) {
			f->hunks[k].result = PATCH_ALREADY;
			f->hunks[k].error = f->hunks[k].closest = NULL;
		}
	}
}

/* Does the base have the whole patch already? */
static int check_applied(struct run *r, const struct diff *d, struct arena *scratch,
	struct apply_patch_outcome *out)
{
	struct stage s;
	bool here;
	int rc;

	stage_init(&s, r->made, r->tree, scratch);
	rc = place_is_applied(&s, d, &here, r->e);
	if (!rc && here)
		all_already(out);
	return rc;
}

/* A hunk without context fits nowhere, not even in the file that it was made from. */
static bool lacks_context(const struct diff *d)
{
	for (size_t i = 0; i < d->n_files; i++) {
		for (uint32_t k = 0; k < d->files[i].n_hunks; k++) {
			const struct diff_hunk *h = &d->files[i].hunks[k];

			if (!h->leading && !h->trailing)
				return true;
		}
	}
	return false;
}

/* The patch does not fit as it is: merge, else see whether it is there. */
static int try_3way(struct run *r, const struct diff *d, struct arena *scratch,
	struct apply_patch_outcome *out, git_oid *ret_tree)
{
	enum patch_result plain = out->result;
	struct threeway three = {.end = THREEWAY_NO_BLOBS};
	struct stage s;
	int rc = 0;

	stage_init(&s, r->made, r->tree, scratch);
	if (!r->req->no_3way)
		rc = threeway_place(&s, &r->tip, d, r->a, out, &three, r->e);
	if (!rc && three.end == THREEWAY_MERGED) {
		rc = write_tree(r, &s, out, ret_tree);
		if (!rc && out->result == PATCH_3WAY &&
			git_oid_equal(ret_tree, git_tree_id(r->tree)))
			all_already(out);
		return rc;
	}
	if (rc)
		return rc;
	if (plain == PATCH_ALREADY)
		out->result = PATCH_ALREADY;
	else
		rc = check_applied(r, d, scratch, out);
	out->blanks = three.end == THREEWAY_BLANKS;
	if (!rc && out->result == PATCH_CONFLICT && three.end == THREEWAY_EDITED &&
		!lacks_context(d)) {
		out->result = PATCH_REJECTED;
		out->error = three.why;
		out->edited = true;
	}
	return rc;
}

static void count_already(struct arena *a, struct apply_patch_outcome *out)
{
	size_t n = 0, n_all = 0;

	for (size_t i = 0; i < out->n_files; i++) {
		n_all += out->files[i].n_hunks;
		for (size_t k = 0; k < out->files[i].n_hunks; k++)
			n += out->files[i].hunks[k].result == PATCH_ALREADY;
	}
	if (n)
		out->error =
			arena_printf(a, "%s; %zu of its %zu hunks %s in the base already",
				out->error, n, n_all, n == 1 ? "is" : "are");
}

/* What of the patch is in the base already, and by which commit. */
static int tell_already(
	struct run *r, const struct diff *d, struct apply_patch_outcome *out)
{
	const char *since = NULL;
	int rc = 0;

	if (out->result == PATCH_CONFLICT)
		count_already(r->a, out);
	if (out->result == PATCH_ALREADY || out->result == PATCH_CONFLICT)
		rc = since_find(r->repo, &r->tip, d, out, r->a, &since, r->e);
	if (since)
		add_note(r->a, out, "in_base_since", since);
	return rc;
}

/* Tries one reading of the patch. On success the new tree is written to *ret_tree. */
static int try_reading(struct run *r, const char *p, size_t len, struct arena *scratch,
	struct apply_patch_outcome *out, git_oid *ret_tree)
{
	struct err inner = {0};
	struct stage s;
	struct diff *d;
	int rc = diff_parse(p, len, scratch, &d, &inner);

	if (rc) {
		parse_failed(r->a, &inner, out);
		return 0;
	}
	if (!d->n_files) {
		out->result = PATCH_CONFLICT;
		out->error = "the mail holds no diff";
		return 0;
	}
	stage_init(&s, r->made, r->tree, scratch);
	rc = place_diff(&s, d, r->a, out, r->e);
	if (!rc && (out->result == PATCH_EXACT || out->result == PATCH_OFFSET))
		rc = write_tree(r, &s, out, ret_tree);
	if (!rc && (out->result == PATCH_CONFLICT || out->result == PATCH_ALREADY))
		rc = try_3way(r, d, scratch, out, ret_tree);
	if (out->result == PATCH_ALREADY)
		out->error = NULL;
	return rc ? rc : tell_already(r, d, out);
}

bool patch_is_placed(enum patch_result r)
{
	return r == PATCH_EXACT || r == PATCH_OFFSET || r == PATCH_3WAY;
}

bool patch_is_done(enum patch_result r)
{
	return patch_is_placed(r) || r == PATCH_ALREADY;
}

static int write_commit(struct run *r, const struct apply_patch *patch,
	const git_oid *tree, struct apply_patch_outcome *out)
{
	const char *name = r->req->committer_name, *email = r->req->committer_email;
	struct commit_spec spec = {.tree = *tree,
		.parent = r->tip,
		.parent_time_s = r->tip_time_s,
		.patch = patch,
		.committer_name = name ? name : "wakelist",
		.committer_email = email ? email : "wakelist@invalid",
		.link_prefix = r->req->link_prefix};
	struct err inner = {0};
	const char *buf;
	size_t len;
	bool repaired;
	int rc;

	if (!*patch->author_email) {
		out->result = PATCH_REJECTED;
		out->error = MAIL_NO_FROM;
		return 0;
	}
	rc = commit_bytes(&spec, r->a, &buf, &len, &r->tip_time_s, &repaired, &inner);

	if (rc) {
		out->result = PATCH_REJECTED;
		out->error = arena_strdup(r->a, inner.msg);
		return 0;
	}
	rc = objects_write(r->made, GIT_OBJECT_COMMIT, buf, len, &r->tip, r->e);
	if (rc)
		return rc;
	git_tree_free(r->tree);
	r->tree = NULL;
	rc = git_tree_lookup(&r->tree, r->repo, tree);
	if (rc)
		return repo_err(r->e, rc, "cannot read a tree that was made");
	git_oid_tostr(out->commit, REPO_HEX, &r->tip);
	memcpy(r->out->commits[r->out->n_commits++], out->commit, REPO_HEX);
	if (repaired)
		add_note(r->a, out, "message_repaired", "the text was not UTF-8");
	return 0;
}

/* --- damaged mails --- */

/* The repaired patch counts, or the answer names the damage. */
static int take_mended(struct run *r, const struct apply_patch *patch,
	const struct damage_base *base, const struct mend *m, struct arena *scratch,
	struct apply_patch_outcome *out, git_oid *ret_tree)
{
	int rc;

	if (m->end != MEND_MENDED || !r->req->mend)
		return damage_tell(
			base, patch, m, r->req->mend_how, scratch, r->a, out, r->e);
	*out = (struct apply_patch_outcome){.n = out->n, .message_id = out->message_id};
	rc = try_reading(r, m->patch, m->len, scratch, out, ret_tree);
	out->mended = true;
	for (size_t i = 0; i < m->n_notes && !rc; i++)
		add_note(r->a, out, m->notes[i].code,
			arena_strdup(r->a, m->notes[i].detail));
	return rc;
}

/* Nothing of the mail applies as it came. */
static int try_mended(struct run *r, const struct apply_patch *patch,
	struct arena *scratch, struct apply_patch_outcome *out, git_oid *ret_tree)
{
	struct damage_base base = {r->made, r->tree, &r->tip};
	struct mend m;

	damage_look(&base, patch, r->req->unquote, out, scratch, &m);
	return take_mended(r, patch, &base, &m, scratch, out, ret_tree);
}

/* Another patch of the series was damaged on its way, so that this one is taken as it was
 * read the first time only if nothing speaks against it. *ret: it is not, out is the
 * answer. */
static int look_again(struct run *r, size_t i, struct arena *scratch,
	struct apply_patch_outcome *out, git_oid *ret_tree, bool *ret)
{
	const struct apply_patch *patch = &r->req->patches[i];
	struct damage_base base = {r->made, r->tree, &r->tip};
	struct apply_reading read = {.p = patch->patch, .len = patch->patch_len};
	uint8_t how = r->readings[i];
	struct mend m;

	*ret = false;
	if (!r->again || i < r->req->n_before || patch->buried)
		return 0;
	if (how != READ_AS_RECEIVED && how != READ_MENDED)
		read = patch->other[how - 1];
	damage_suspect(&base, read.p, read.len, scratch, &m);
	if (m.end == MEND_NONE)
		return 0;
	*ret = true;
	out->result = PATCH_CONFLICT;
	return take_mended(r, patch, &base, &m, scratch, out, ret_tree);
}

/* As it came, in any of its readings, else repaired. */
static int read_patch(struct run *r, size_t i, struct arena *scratch,
	struct apply_patch_outcome *out, git_oid *ret_tree)
{
	const struct apply_patch *patch = &r->req->patches[i];
	const struct apply_patch_outcome before = *out;
	int rc = try_reading(r, patch->patch, patch->patch_len, scratch, out, ret_tree);

	r->readings[i] = READ_AS_RECEIVED;
	for (size_t k = 0;
		k < ARRAY_LEN(patch->other) && !rc && !patch_is_done(out->result); k++) {
		const struct apply_reading *other = &patch->other[k];
		struct apply_patch_outcome now = before;

		if (!other->p)
			continue;
		rc = try_reading(r, other->p, other->len, scratch, &now, ret_tree);
		if (!rc && patch_is_done(now.result)) {
			*out = now;
			add_note(r->a, out, other->note,
				other->detail ? other->detail : "the diff was read so");
			out->copied = other->copy;
			r->readings[i] = (uint8_t)(k + 1);
		}
	}
	if (rc || !damage_may_be(out))
		return rc;
	r->readings[i] = READ_MENDED;
	return try_mended(r, patch, scratch, out, ret_tree);
}

static int run_patch(struct run *r, size_t i)
{
	const struct apply_patch *patch = &r->req->patches[i];
	struct apply_patch_outcome *out = &r->out->patches[i];
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	bool settled;
	git_oid tree;
	int rc = look_again(r, i, scratch, out, &tree, &settled);

	if (!rc && !settled)
		rc = read_patch(r, i, scratch, out, &tree);
	if (!rc && patch_is_placed(out->result))
		rc = write_commit(r, patch, &tree, out);
	else if (!rc && out->result == PATCH_ALREADY)
		git_oid_tostr(out->commit, REPO_HEX, &r->tip);
	if (rc == ERR_TOO_BIG) {
		out->result = PATCH_REJECTED;
		out->error = arena_strdup(r->a, r->e->msg);
		rc = 0;
	}
	return rc;
}

/* --- the series --- */

static const char *place_name(struct arena *a, const struct apply_patch *p, size_t i)
{
	return p->n ? p->n : arena_printf(a, "%zu", i + 1);
}

void apply_skip_all(
	const struct apply_request *req, struct arena *a, struct apply_outcome *out)
{
	out->n_before = req->n_before;
	out->n_patches = req->n_patches;
	out->patches = ARENA_ARRAY(a, struct apply_patch_outcome, req->n_patches);
	for (size_t i = 0; i < req->n_patches; i++)
		out->patches[i] = (struct apply_patch_outcome){
			.n = place_name(a, &req->patches[i],
				i < req->n_before ? i : i - req->n_before),
			.message_id = req->patches[i].message_id,
			.result = PATCH_SKIPPED};
}

static int run_open(struct run *r, const char *base_hex)
{
	git_commit *c = NULL;
	int rc = git_oid_fromstr(&r->tip, base_hex);

	if (!rc)
		rc = git_commit_lookup(&c, r->repo, &r->tip);
	if (!rc) {
		r->tip_time_s = git_commit_time(c);
		rc = git_commit_tree(&r->tree, c);
	}
	git_commit_free(c);
	return rc ? repo_err(r->e, rc, "cannot read base %.40s", base_hex) : 0;
}

/* The sentence that names the patch, when there are several. */
static const char *series_error(struct run *r, size_t i)
{
	const struct apply_patch_outcome *p = &r->out->patches[i];
	size_t n_own = r->out->n_patches - r->out->n_before;

	if (i < r->out->n_before)
		return arena_printf(r->a, "prerequisite %s: %s",
			p->message_id ? p->message_id : p->n, p->error);
	if (n_own == 1)
		return p->error;
	return arena_printf(r->a, "patch %s of %zu: %s", p->n, n_own, p->error);
}

static void settle(struct run *r, size_t n_already)
{
	struct apply_outcome *out = r->out;

	for (size_t i = 0; i < out->n_patches; i++) {
		const struct apply_patch_outcome *p = &out->patches[i];

		if (patch_is_done(p->result))
			continue;
		out->result =
			p->result == PATCH_REJECTED ? APPLY_REJECTED : APPLY_CONFLICT;
		out->error = series_error(r, i);
		out->n_commits = 0;
		return;
	}
	out->result = n_already == out->n_patches - out->n_before ? APPLY_ALREADY
								  : APPLY_APPLIED;
	out->tree = arena_strdup(r->a, git_oid_tostr_s(git_tree_id(r->tree)));
}

static int run_all(struct run *r, const char *base_hex, size_t *ret_n_already)
{
	int rc;

	apply_skip_all(r->req, r->a, r->out);
	r->out->n_commits = 0;
	*ret_n_already = 0;
	rc = run_open(r, base_hex);
	for (size_t i = 0; i < r->req->n_patches && !rc; i++) {
		const struct apply_patch_outcome *p = &r->out->patches[i];

		rc = run_patch(r, i);
		*ret_n_already += i >= r->req->n_before && p->result == PATCH_ALREADY;
		if (!patch_is_done(p->result))
			break;
	}
	return rc;
}

/* One mailer damages all parts of a series: where one had to be repaired, one that
 * applies as it came may be damaged in what it adds. So may one in a charset that it is
 * not in. */
static bool may_be_damaged(const struct run *r)
{
	size_t n_mended = 0, n_doubtful = 0;

	for (size_t i = 0; i < r->req->n_patches; i++) {
		if (!patch_is_done(r->out->patches[i].result))
			return false;
		n_mended += r->readings[i] == READ_MENDED;
		n_doubtful += r->req->patches[i].doubtful;
	}
	return n_doubtful || (n_mended && r->req->n_patches > 1);
}

int apply_try(struct objects *made, const char *base_hex, const struct apply_request *req,
	struct arena *a, struct apply_outcome **ret, struct err *e)
{
	struct apply_outcome *out = ARENA_NEW(a, struct apply_outcome);
	struct run r = {.made = made,
		.repo = objects_repo(made),
		.req = req,
		.a = a,
		.out = out,
		.e = e};
	size_t n_already;
	int rc;

	if (!req->n_patches || req->n_patches > APPLY_PATCHES_MAX)
		return err_set(e, ERR_INVALID, "%zu patches; 1 to %d are possible",
			req->n_patches, APPLY_PATCHES_MAX);
	out->base_commit = arena_strdup(a, base_hex);
	out->commits = arena_zalloc(a, req->n_patches * REPO_HEX);
	r.readings = arena_zalloc(a, req->n_patches);
	rc = run_all(&r, base_hex, &n_already);
	if (!rc && may_be_damaged(&r)) {
		git_tree_free(r.tree);
		r.tree = NULL;
		objects_drop(made);
		r.again = true;
		rc = run_all(&r, base_hex, &n_already);
	}
	if (!rc)
		settle(&r, n_already);
	git_tree_free(r.tree);
	if (rc)
		return rc;
	*ret = out;
	return 0;
}

int apply_series(struct git_repository *r, const char *base_hex,
	const struct apply_request *req, struct arena *a, struct apply_outcome **ret,
	struct err *e)
{
	struct objects *made;
	int rc = objects_hold(r, &made, e);

	return rc ? rc : apply_try(made, base_hex, req, a, ret, e);
}
