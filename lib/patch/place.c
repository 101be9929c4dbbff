// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/binary.h"
#include "patch/explain.h"
#include "patch/hunk.h"
#include "patch/place.h"
#include "patch/refuse.h"

#define BASE_COUNT_MAX 2000000
/* Below this many deletions their share of the tree is nobody's concern. */
#define DELETES_FEW 50

/* One file of the diff on its way. */
struct job {
	struct stage *s;
	struct arena *a; /* of the outcome */
	const struct diff_file *f;
	struct apply_file *out;
	struct apply_patch_outcome *patch;
	size_t *notes_cap;
	enum patch_result result;
	bool only_already; /* a conflict of hunks that are all in the base already */
	/* what the old side is */
	bool has_old; /* false: the file is made */
	unsigned old_mode;
	git_oid old_id; /* when buf is NULL */
	const char *buf;
	size_t len;
	/* what it becomes */
	bool new_is_buf;
	const char *new_buf;
	size_t new_len;
	struct err *e;
};

static const char *show(const struct job *j, const char *path)
{
	return refuse_show_path(path, j->a);
}

/* Settles the file as failed; the first failure of the patch is its sentence. */
static void fail(struct job *j, enum patch_result result, const char *sentence)
{
	j->result = result;
	if (!j->out->error)
		j->out->error = sentence;
}

#define CONFLICT(j, ...) fail((j), PATCH_CONFLICT, arena_printf((j)->a, __VA_ARGS__))
#define REJECT(j, ...)   fail((j), PATCH_REJECTED, arena_printf((j)->a, __VA_ARGS__))

static void note(struct job *j, const char *code, const char *detail)
{
	struct apply_patch_outcome *p = j->patch;

	*ARENA_PUSH(j->a, p->notes, p->n_notes, *j->notes_cap) =
		(struct apply_note){code, detail};
}

static bool failed(const struct job *j)
{
	return j->result == PATCH_CONFLICT || j->result == PATCH_REJECTED;
}

/* --- the old side --- */

static const char *kind_words(enum stage_kind kind)
{
	return kind == STAGE_LINK        ? "a link"
	       : kind == STAGE_SUBMODULE ? "a submodule"
	       : kind == STAGE_FOLDER    ? "a folder"
					 : "a file";
}

static void old_from_tree(struct job *j, const struct stage_found *found)
{
	const char *path = j->f->old_path;

	switch (found->kind) {
	case STAGE_FILE:
		j->has_old = true;
		j->old_mode = found->mode;
		j->old_id = found->id;
		return;
	case STAGE_BEYOND:
		REJECT(j, "%s goes through %s, which is %s", show(j, path),
			show(j, found->via), kind_words(found->via_kind));
		return;
	case STAGE_LINK:
	case STAGE_SUBMODULE:
		REJECT(j, "%s is %s", show(j, path), kind_words(found->kind));
		return;
	case STAGE_FOLDER:
		CONFLICT(j, "%s is a folder at this base", show(j, path));
		return;
	case STAGE_ABSENT:
		break;
	}
	if (j->f->is_new == DIFF_UNKNOWN)
		return; /* a traditional diff that only adds: the file is new */
	if (j->f->is_rename || j->f->is_copy)
		CONFLICT(j, "%s, the source of the %s, does not exist at this base",
			show(j, path), j->f->is_rename ? "rename" : "copy");
	else
		CONFLICT(j, "%s does not exist at this base", show(j, path));
}

static int old_side(struct job *j)
{
	const struct diff_file *f = j->f;
	const struct stage_entry *before = NULL;
	struct stage_found found;
	int rc;

	if (!f->old_path || f->is_new == DIFF_YES)
		return 0;
	/* git's renames and copies do not depend on the order of the diffs; what it does
	 * not know as one does */
	if ((!f->is_rename || f->is_unsaid) && !f->is_copy)
		before = stage_find(j->s, f->old_path);
	if (before && before->gone) {
		CONFLICT(j, "%s was renamed or deleted by an earlier diff of this patch",
			show(j, f->old_path));
		return 0;
	}
	if (before && before->present) {
		j->has_old = true;
		j->old_mode = before->mode;
		j->old_id = before->id;
		j->buf = before->has_buf ? before->buf : NULL;
		j->len = before->len;
	} else {
		rc = stage_look(j->s, f->old_path, &found, j->e);
		if (rc)
			return rc;
		old_from_tree(j, &found);
	}
	if (j->has_old && f->old_mode && f->old_mode != j->old_mode)
		note(j, "mode_differs",
			arena_printf(j->a, "%s has mode 0%o, the patch says 0%o",
				show(j, f->old_path), j->old_mode, f->old_mode));
	return 0;
}

static int load_old(struct job *j)
{
	struct err inner = {0};
	int rc;

	if (!j->has_old || j->buf)
		return 0;
	rc = stage_blob(j->s, &j->old_id, REFUSE_RESULT_MAX, &j->buf, &j->len, &inner);
	if (rc == ERR_TOO_BIG) {
		REJECT(j, "%s has %s", show(j, j->f->old_path), inner.msg);
		return 0;
	}
	if (rc)
		*j->e = inner;
	return rc;
}

/* --- the new side --- */

static bool makes_path(const struct job *j)
{
	return !j->has_old || j->f->is_rename || j->f->is_copy;
}

static int check_new_path(struct job *j)
{
	const char *path = j->f->new_path;
	const struct stage_entry *entry = path ? stage_find(j->s, path) : NULL;
	struct stage_found found;
	int rc;

	if (!path)
		return 0;
	rc = stage_look(j->s, path, &found, j->e);
	if (rc)
		return rc;
	if (found.kind == STAGE_BEYOND) {
		const struct stage_entry *via = stage_find(j->s, found.via);

		/* a file on the way may be deleted by this patch, a link never */
		if (found.via_kind != STAGE_FILE || !via || (!via->gone && !via->leaving))
			REJECT(j, "%s goes through %s, which is %s", show(j, path),
				show(j, found.via), kind_words(found.via_kind));
		return 0;
	}
	if (!makes_path(j))
		return 0;
	if (entry && entry->present) {
		CONFLICT(j, "%s: two diffs of this patch make it", show(j, path));
		return 0;
	}
	if (entry && (entry->gone || entry->leaving))
		return 0;
	if (found.kind != STAGE_ABSENT && found.kind != STAGE_FOLDER)
		CONFLICT(j, "%s exists already at this base", show(j, path));
	return 0;
}

/* --- hunks --- */

static void hunk_report(struct job *j, const struct image *img, const struct diff_hunk *h,
	struct apply_hunk *out, const struct hunk_place *place)
{
	int64_t fn = image_function(img, place->at);

	out->at = (int64_t)place->at + 1;
	out->offset = place->offset;
	out->result = place->offset ? PATCH_OFFSET : PATCH_EXACT;
	if (fn >= 0) {
		const char *p;
		size_t len;

		image_line_text(img, (size_t)fn, &p, &len);
		out->function = explain_text(p, len, j->a);
	}
	if (!place->offset || !h->func_len)
		return;
	if (!hunk_function_is(h, img, fn))
		note(j, "other_function",
			arena_printf(j->a, "%s: the hunk for \"%s\" landed after \"%s\"",
				show(j, diff_file_path(j->f)),
				explain_text(h->func, h->func_len, j->a),
				out->function ? out->function : "the top of the file"));
}

/* The same lines are at a second place: taken as git takes it, unless the function that
 * the hunk names speaks for the other place alone. */
static bool second_place(struct job *j, const struct image *img,
	const struct diff_hunk *h, uint32_t k, struct apply_hunk *out,
	const struct hunk_place *place)
{
	bool here, there;

	note(j, "ambiguous_place",
		arena_printf(j->a, "%s: hunk %u fits at line %zu and at line %zu",
			show(j, diff_file_path(j->f)), k, place->at + 1,
			place->other + 1));
	if (!h->func_len)
		return true;
	here = hunk_function_is(h, img, image_function(img, place->at));
	there = hunk_function_is(h, img, image_function(img, place->other));
	if (here || !there)
		return true;
	out->result = PATCH_CONFLICT;
	out->error = arena_printf(j->a,
		"hunk %u of %u: context matches at 2 places, %zu and %zu, and \"%s\" "
		"speaks "
		"for the farther one",
		k, j->f->n_hunks, place->at + 1, place->other + 1,
		explain_text(h->func, h->func_len, j->a));
	return false;
}

/* Is the new side of a hunk that does not fit at exactly one place of the file? */
static bool hunk_already(struct job *j, const struct diff_hunk *h, size_t *ret_at)
{
	struct diff_file one = *j->f;
	struct diff d = {.files = &one, .n_files = 1};
	struct diff *back;
	struct image img;
	struct hunk_place place;

	one.hunks = arena_memdup(j->s->a, h, sizeof(*h));
	one.n_hunks = 1;
	back = diff_reverse(&d, j->s->a);
	image_init(&img, j->s->a, j->buf, j->len);
	place = hunk_find(&img, &back->files[0].hunks[0], true);
	*ret_at = place.at;
	return place.fit == HUNK_FITS && !place.second;
}

static void hunk_failed(struct job *j, struct image *img, const struct diff_hunk *h,
	uint32_t k, struct apply_hunk *out, const struct hunk_place *place)
{
	struct explain_hunk why;
	size_t at;

	if (j->has_old && hunk_already(j, h, &at)) {
		out->result = PATCH_ALREADY;
		out->at = (int64_t)at + 1;
		out->error = arena_printf(j->a,
			"hunk %u of %u is already in the base (%s:%zu)", k, j->f->n_hunks,
			show(j, diff_file_path(j->f)), at + 1);
		return;
	}
	explain_hunk(img, h, k, j->f->n_hunks, place, j->a, &why);
	out->result = PATCH_CONFLICT;
	out->error = why.error;
	out->closest = why.closest;
	out->blanks = why.blanks;
	if (why.at >= 0) {
		int64_t fn = image_function(img, (size_t)why.at);
		const char *p;
		size_t len;

		if (fn < 0)
			return;
		image_line_text(img, (size_t)fn, &p, &len);
		out->function = explain_text(p, len, j->a);
	}
}

static void apply_hunks(struct job *j)
{
	const struct diff_file *f = j->f;
	struct image img;
	const char *first = NULL, *already = NULL;

	image_init(&img, j->s->a, j->buf ? j->buf : "", j->len);
	for (uint32_t i = 0; i < f->n_hunks; i++) {
		const struct diff_hunk *h = &f->hunks[i];
		struct apply_hunk *out = &j->out->hunks[i];
		struct hunk_place place = hunk_find(&img, h, true);

		if (place.fit != HUNK_FITS) {
			hunk_failed(j, &img, h, i + 1, out, &place);
		} else if (!place.second ||
			   second_place(j, &img, h, i + 1, out, &place)) {
			hunk_report(j, &img, h, out, &place);
			hunk_put(&img, h, &place);
		}
		if (out->result == PATCH_ALREADY)
			already = already ? already : out->error;
		else if (out->error && !first)
			first = out->error;
		if (out->result == PATCH_OFFSET && j->result == PATCH_EXACT)
			j->result = PATCH_OFFSET;
		if (place.fit == HUNK_TOO_LONG)
			break;
	}
	if (first || already) {
		j->only_already = !first;
		CONFLICT(
			j, "%s: %s", show(j, diff_file_path(f)), first ? first : already);
		return;
	}
	j->new_buf = image_text(&img, &j->new_len);
	j->new_is_buf = true;
	if (j->new_len > REFUSE_RESULT_MAX)
		REJECT(j, "%s would have %.1f MB; limit %u MiB",
			show(j, diff_file_path(f)), (double)j->new_len / 1e6,
			REFUSE_RESULT_MAX >> 20);
}

/* --- binary --- */

static bool id_is(const char *hex, const char *buf, size_t len)
{
	git_oid id;

	return !git_odb_hash(&id, buf, len, GIT_OBJECT_BLOB) &&
	       !strcmp(git_oid_tostr_s(&id), hex);
}

static void apply_binary(struct job *j)
{
	static const char zeros[] = "0000000000000000000000000000000000000000";
	const struct diff_file *f = j->f;
	const char *path = show(j, diff_file_path(f)), *old = j->buf ? j->buf : "";
	struct err inner = {0};
	unsigned char *data;
	size_t n;
	int rc;

	if (strlen(f->old_id) != 40 || strlen(f->new_id) != 40) {
		CONFLICT(j, "binary file %s: the index line has no full ids", path);
		return;
	}
	if (j->has_old ? !id_is(f->old_id, old, j->len) : strcmp(f->old_id, zeros)) {
		CONFLICT(j, "binary file %s: the patch is for other contents (%.12s)",
			path, f->old_id);
		return;
	}
	j->new_is_buf = true;
	j->new_buf = "";
	if (!strcmp(f->new_id, zeros))
		return;
	rc = binary_decode(&f->forward, REFUSE_BINARY_MAX, j->s->a, &data, &n, &inner);
	if (!rc && f->binary == DIFF_BINARY_DELTA)
		rc = binary_delta(data, n, old, j->len, REFUSE_RESULT_MAX, j->s->a,
			(char **)&j->new_buf, &j->new_len, &inner);
	else if (!rc) {
		j->new_buf = (const char *)data;
		j->new_len = n;
	}
	if (rc)
		CONFLICT(j, "binary file %s: %s", path, inner.msg);
	else if (!id_is(f->new_id, j->new_buf, j->new_len))
		CONFLICT(
			j, "binary file %s: the result is not what the patch says", path);
}

/* --- one file --- */

static void stage_result(struct job *j)
{
	const struct diff_file *f = j->f;
	bool deleted = f->is_delete == DIFF_YES;

	if (deleted && (j->new_is_buf ? j->new_len : j->len)) {
		CONFLICT(j,
			"%s: the patch deletes it, but does not know all of its lines",
			show(j, f->old_path));
		return;
	}
	if ((deleted || f->is_rename) && f->old_path) {
		struct stage_entry *entry = stage_touch(j->s, f->old_path);

		if (deleted && entry->present) { /* git keeps the changed file */
			CONFLICT(j,
				"%s: one diff of this patch changes it, another deletes "
				"it",
				show(j, f->old_path));
			return;
		}
		/* an earlier diff may have renamed another file to here: it stays */
		entry->leaving = false;
		entry->gone = true;
	}
	if (deleted || !f->new_path)
		return;

	struct stage_entry *entry = stage_touch(j->s, f->new_path);

	entry->present = true;
	entry->gone = entry->leaving = false;
	entry->mode = f->new_mode ? f->new_mode : j->has_old ? j->old_mode : 0100644;
	entry->has_buf = true;
	if (j->new_is_buf) {
		entry->buf = j->new_buf;
		entry->len = j->new_len;
	} else if (j->buf) {
		entry->buf = j->buf;
		entry->len = j->len;
	} else if (j->has_old) {
		entry->has_buf = false;
		entry->id = j->old_id;
	} else {
		entry->buf = "";
		entry->len = 0;
	}
}

static int place_file(struct job *j)
{
	const struct diff_file *f = j->f;
	bool needs_bytes =
		f->n_hunks || f->binary != DIFF_TEXT || f->is_delete == DIFF_YES;
	int rc = old_side(j);

	if (!rc && !failed(j))
		rc = check_new_path(j);
	if (!rc && !failed(j) && needs_bytes)
		rc = load_old(j);
	if (rc || failed(j))
		return rc;
	if (f->binary != DIFF_TEXT)
		apply_binary(j);
	else if (f->n_hunks)
		apply_hunks(j);
	if (!failed(j))
		stage_result(j);
	return 0;
}

static void file_report_init(
	const struct diff_file *f, struct arena *a, struct apply_file *out)
{
	out->path = refuse_show_path(diff_file_path(f), a);
	out->old_path = f->old_path ? refuse_show_path(f->old_path, a) : out->path;
	out->status = diff_file_status(f);
	out->n_hunks = f->n_hunks;
	out->hunks = ARENA_ARRAY(a, struct apply_hunk, f->n_hunks);
	for (uint32_t i = 0; i < f->n_hunks; i++) {
		out->hunks[i].header =
			arena_strndup(a, f->hunks[i].header, f->hunks[i].header_len);
		out->hunks[i].result = PATCH_SKIPPED;
	}
}

/* Later deletions and renames make room for what this patch puts there. */
static void mark_leaving(struct stage *s, const struct diff *d)
{
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		if (f->old_path && (f->is_delete == DIFF_YES || f->is_rename))
			stage_touch(s, f->old_path)->leaving = true;
	}
}

/* Two names that differ only in case are none of this patch's doing when the base has
 * both. */
static int refuse_twins(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e)
{
	const char *before = NULL;
	size_t n;
	const char **paths = refuse_paths(d, s->a, &n);
	bool was_made = false;
	int rc = 0;

	for (size_t i = 0; i < n && !rc && !out->error; i++) {
		const char *twin = NULL;
		struct stage_found found;
		bool made;

		rc = stage_look(s, paths[i], &found, e);
		made = found.kind == STAGE_ABSENT;
		if (!rc && before && (made || was_made) &&
			refuse_is_twin(before, paths[i]))
			twin = before;
		else if (!rc && made)
			rc = stage_twin(s, paths[i], &twin, e);
		if (!rc && twin)
			out->error = arena_printf(a, "%s and %s differ only in case",
				refuse_show_path(twin, a), refuse_show_path(paths[i], a));
		before = paths[i];
		was_made = made;
	}
	return rc;
}

/* What section 8 of the rules asks of the tree as a whole. */
static int refuse_by_tree(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e)
{
	struct err inner = {0};
	size_t n_deleted = 0, n;
	int rc = refuse_diff(d, a, &inner);

	if (rc) {
		out->error = arena_strdup(a, inner.msg);
		return 0;
	}
	for (size_t i = 0; i < d->n_files; i++)
		n_deleted += d->files[i].is_delete == DIFF_YES;
	if (n_deleted > DELETES_FEW) {
		rc = stage_count_files(s, BASE_COUNT_MAX, &n, e);
		if (!rc && n_deleted * 20 > n)
			out->error =
				arena_printf(a, "deletes %zu of %zu files", n_deleted, n);
	}
	return rc || out->error ? rc : refuse_twins(s, d, a, out, e);
}

/* All hunks that do not fit are in the base already, and nothing else is asked for. */
static bool all_already(const struct diff *d, const struct apply_patch_outcome *out)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		if (!f->n_hunks || f->is_rename || f->is_copy || f->new_mode)
			return false;
		for (uint32_t k = 0; k < f->n_hunks; k++, n++) {
			if (out->files[i].hunks[k].result != PATCH_ALREADY)
				return false;
		}
	}
	return n > 0;
}

static void report_init(
	const struct diff *d, struct arena *a, struct apply_patch_outcome *out)
{
	out->files = ARENA_ARRAY(a, struct apply_file, d->n_files);
	out->n_files = d->n_files;
	out->notes = NULL;
	out->n_notes = 0;
	out->error = NULL;
	for (size_t i = 0; i < d->n_files; i++)
		file_report_init(&d->files[i], a, &out->files[i]);
}

static int place_files(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e)
{
	size_t notes_cap = 0;
	bool only_already = false;

	out->result = PATCH_EXACT;
	for (size_t i = 0; i < d->n_files; i++) {
		struct job j = {.s = s,
			.a = a,
			.f = &d->files[i],
			.out = &out->files[i],
			.patch = out,
			.notes_cap = &notes_cap,
			.result = PATCH_EXACT,
			.e = e};
		int rc = place_file(&j);

		if (rc)
			return rc;
		/* the worst, and of these the first; but what is there stops nothing */
		if (j.result > out->result ||
			(j.result == out->result && only_already && !j.only_already)) {
			out->result = j.result;
			out->error = j.out->error;
			only_already = j.only_already;
		}
	}
	if (d->n_blank_context)
		*ARENA_PUSH(a, out->notes, out->n_notes, notes_cap) = (struct apply_note){
			"blank_context", "empty lines of hunks were read as context"};
	return 0;
}

int place_judged(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e)
{
	report_init(d, a, out);
	mark_leaving(s, d);
	return place_files(s, d, a, out, e);
}

int place_diff(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e)
{
	int rc;

	report_init(d, a, out);
	out->result = PATCH_REJECTED;
	mark_leaving(s, d);
	rc = refuse_by_tree(s, d, a, out, e);
	if (rc || out->error)
		return rc;
	rc = place_files(s, d, a, out, e);
	if (!rc && out->result == PATCH_CONFLICT && all_already(d, out))
		out->result = PATCH_ALREADY;
	return rc;
}

/* A binary whose new contents are here is here, whether or not the mail can go back. */
static void drop_present_binaries(struct stage *s, struct diff *back)
{
	size_t n = 0;

	for (size_t i = 0; i < back->n_files; i++) {
		struct diff_file *f = &back->files[i];
		struct stage_found found;
		struct err inner;

		if (f->binary != DIFF_TEXT && f->forward.kind == DIFF_TEXT &&
			f->old_path && !stage_look(s, f->old_path, &found, &inner) &&
			found.kind == STAGE_FILE &&
			!strcmp(git_oid_tostr_s(&found.id), f->old_id))
			continue;
		back->files[n++] = *f;
	}
	back->n_files = n;
}

int place_is_applied(struct stage *s, const struct diff *d, bool *ret, struct err *e)
{
	struct diff *back = diff_reverse(d, s->a);
	struct apply_patch_outcome out = {0};
	int rc;

	drop_present_binaries(s, back);
	rc = place_diff(s, back, s->a, &out, e);
	*ret = !rc && (out.result == PATCH_EXACT || out.result == PATCH_OFFSET);
	return rc;
}
