// SPDX-License-Identifier: GPL-2.0-or-later
/* apply_run(): one base after the other, and what of the one that takes the series is
 * kept. */
#include "base/base.h"

#include "patch/apply.h"
#include "patch/apply_try.h"
#include "patch/branch.h"
#include "patch/diff.h"
#include "patch/repo_broken.h"

/* Diffs for base_pick(); a patch that does not parse has none. */
static const struct diff *const *read_diffs(
	const struct apply_request *req, struct arena *a, size_t *ret_n)
{
	const struct diff **v = ARENA_ARRAY(a, const struct diff *, req->n_patches + 1);
	size_t n = 0;

	for (size_t i = 0; i < req->n_patches; i++) {
		struct diff *d;
		struct err ignored;

		if (!diff_parse(req->patches[i].patch, req->patches[i].patch_len, a, &d,
			    &ignored))
			v[n++] = d;
	}
	*ret_n = n;
	return v;
}

/* Patches that are done, up to the first that is not. */
static size_t n_done(const struct apply_outcome *o)
{
	size_t n = 0;

	while (n < o->n_patches && patch_is_done(o->patches[n].result))
		n++;
	return n;
}

static bool took_all(const struct apply_outcome *o)
{
	return n_done(o) == o->n_patches;
}

struct apply_outcome *apply_no_base(
	const struct apply_request *req, struct arena *a, const char *why)
{
	struct apply_outcome *out = ARENA_NEW(a, struct apply_outcome);

	out->result = APPLY_NO_BASE;
	out->error = why;
	apply_skip_all(req, a, out);
	return out;
}

struct apply_outcome *apply_refusal(struct arena *a, const char *why)
{
	struct apply_outcome *out = ARENA_NEW(a, struct apply_outcome);

	out->result = APPLY_REJECTED;
	out->error = arena_strdup(a, why);
	return out;
}

static void take_base(
	struct apply_outcome *o, const struct base_candidate *c, struct arena *a)
{
	size_t n = 0;

	o->base_how = base_how_name(c->how);
	o->base_why = c->why;
	o->base_tree = c->tree;
	for (size_t i = 0; i < o->n_before; i++)
		n += patch_is_placed(o->patches[i].result);
	if (n)
		o->base_why =
			arena_printf(a, "%s; %zu patch%s of its prerequisites first",
				c->why, n, n == 1 ? "" : "es");
	else if (o->n_before && n_done(o) >= o->n_before)
		o->base_why = arena_printf(a, "%s; it has its prerequisites", c->why);
}

/* All tries of a request. */
struct trial {
	git_repository *repo;
	struct objects *made; /* by the last try */
	struct arena *a;
	struct apply_attempt attempts[BASE_ATTEMPTS_MAX];
	size_t n;
	struct apply_outcome *best; /* the first that took all, else took most */
	const char *first_why;      /* of the first candidate; NULL: there was none */
};

/* Tries one candidate. */
static int try_base(struct trial *t, const struct apply_request *req,
	const struct base_candidate *c, struct err *e)
{
	struct apply_attempt *try = &t->attempts[t->n++];
	struct apply_outcome *o;
	int rc;

	if (!t->first_why)
		t->first_why = c->why;
	*try = (struct apply_attempt){.commit = c->commit,
		.how = base_how_name(c->how),
		.why = c->why,
		.tree = c->tree};
	if (c->dead) {
		try->result = "unknown";
		return 0;
	}
	objects_drop(t->made);
	rc = apply_try(t->made, c->commit, req, t->a, &o, e);
	if (rc)
		return rc;
	take_base(o, c, t->a);
	try->result = apply_result_name(o->result);
	try->why = o->error ? o->error : o->base_why;
	if (!took_all(o) && n_done(o) >= o->n_before)
		try->failed_patch = (int)(n_done(o) - o->n_before) + 1;
	if (!t->best || took_all(o) || n_done(o) > n_done(t->best))
		t->best = o;
	return 0;
}

/* Tries the candidates in order until one takes the series; with prerequisites half of
 * the attempts are kept for tries without them. */
static int try_bases(struct trial *t, const struct apply_request *req, struct err *e)
{
	struct base_want *want = ARENA_NEW(t->a, struct base_want);
	const struct base_candidate *c;
	struct base_picker *p;
	size_t max = ARRAY_LEN(t->attempts) / (req->n_before ? 2 : 1);
	int rc = 0;

	*want = req->base;
	want->diffs = read_diffs(req, t->a, &want->n_diffs);
	want->index = (struct base_index){
		.dir = arena_printf(t->a, "%swakelist", repo_folder(t->repo)),
		.budget_ms = req->keep == APPLY_KEEP_NOTHING ? 0 : req->index_ms};
	p = base_picker_new(t->repo, want, t->a);
	while (!rc && t->n < max && !(t->best && took_all(t->best)) &&
		(c = base_picker_next(p)) != NULL)
		rc = try_base(t, req, c, e);
	if (!rc && base_picker_failure(p) && !(t->best && took_all(t->best))) {
		*e = *base_picker_failure(p);
		rc = e->code;
	}
	return rc;
}

static void tell_missing(struct trial *t, const struct apply_request *req)
{
	for (size_t i = 0;
		req->missing && req->missing[i] && t->n < ARRAY_LEN(t->attempts) / 4; i++)
		t->attempts[t->n++] = (struct apply_attempt){.commit = req->missing[i],
			.how = "prerequisites",
			.result = "unknown",
			.why = arena_printf(t->a, "prerequisite %s", req->missing[i])};
}

/* What a base took goes to the disk, and the branch, if any, to its last commit: locked
 * before, so that what keeps it from moving is known while nothing is written. */
static int keep(struct objects *made, const struct apply_request *req,
	const struct apply_outcome *out, struct branch *branch, struct err *e)
{
	CLEANUP(branch_unlockp) struct branch *locked = NULL;
	git_oid tree;
	int rc = 0;

	if (req->keep == APPLY_KEEP_NOTHING)
		return 0;
	if (req->keep == APPLY_KEEP_TREE) {
		if (git_oid_fromstr(&tree, out->tree))
			BUG("a tree that no id names");
		return objects_store(made, &tree, e);
	}
	if (branch) {
		rc = branch_lock(branch, e);
		if (rc)
			return rc;
		locked = branch;
	}
	rc = objects_store(made, NULL, e);
	if (!rc && branch)
		rc = branch_set(branch,
			out->n_commits ? out->commits[out->n_commits - 1]
				       : out->base_commit,
			e);
	return rc;
}

/* --- repositories that are not whole --- */

/* An error while reading: which object it was, and where that lies. */
static int explain(struct objects *made, struct arena *a, struct err *e)
{
	const struct objects_failure *f = objects_failure(made);
	git_repository *repo = objects_repo(made);

	if (f->is)
		return repo_broken_object(repo, &f->id, f->why, a, e);
	if (e->code != ERR_NOT_FOUND && e->code != ERR_INTERNAL)
		return e->code;
	if (repo_broken_packs(repo, a, e))
		return e->code;
	if (strstr(e->msg, git_oid_tostr_s(objects_missing(made))))
		return repo_broken_missing(repo, objects_missing(made), a, e);
	return e->code;
}

/* "No" is no answer where some of what was looked at could not be read. */
static int check_read(struct objects *made, struct arena *a, struct err *e)
{
	if (objects_failure(made)->is)
		return explain(made, a, e);
	return repo_broken_packs(objects_repo(made), a, e) ? e->code : 0;
}

/* --- */

/* What it builds on and is not here is likely why. */
static void add_missing(
	const struct apply_request *req, struct arena *a, struct apply_outcome *out)
{
	size_t n = 0;

	while (req->missing && req->missing[n])
		n++;
	if (n)
		out->error = arena_printf(
			a, "%s; prerequisite %s", out->error, req->missing[0]);
	if (n > 1)
		out->error = arena_printf(a, "%s, and %zu more", out->error, n - 1);
}

static int try_all(struct trial *t, const struct apply_request *req, struct err *e)
{
	struct apply_request alone = *req;
	struct apply_outcome *with;
	int rc;

	tell_missing(t, req);
	rc = try_bases(t, req, e);
	if (rc || !req->n_before || !t->best || took_all(t->best))
		return rc;
	alone.patches += req->n_before;
	alone.n_patches -= req->n_before;
	alone.n_before = 0;
	with = t->best;
	t->best = NULL;
	rc = try_bases(t, &alone, e);
	if (!t->best || !took_all(t->best))
		t->best = with;
	return rc;
}

static int run_in(struct objects *made, const struct apply_request *req, struct arena *a,
	struct apply_outcome **ret, struct err *e)
{
	struct trial *t = ARENA_NEW(a, struct trial);
	struct branch *branch = NULL;
	struct apply_outcome *best;
	int rc = 0;

	*t = (struct trial){.repo = objects_repo(made), .made = made, .a = a};
	if (req->branch)
		rc = branch_look(t->repo, req->branch, a, &branch, e);
	if (rc)
		return rc;
	if (try_all(t, req, e))
		return explain(made, a, e);
	best = t->best;
	if (!best)
		best = apply_no_base(req, a,
			t->first_why ? arena_printf(a, "no base: %s", t->first_why)
				     : "no base: no tree is configured for the list");
	best->attempts = t->attempts;
	best->n_attempts = t->n;
	*ret = best;
	if (took_all(best))
		return keep(made, req, best, branch, e);
	add_missing(req, a, best);
	return check_read(made, a, e);
}

int apply_in(struct git_repository *r, const struct apply_request *req, struct arena *a,
	struct apply_outcome **ret, struct err *e)
{
	struct objects *made;
	int rc = objects_hold(r, &made, e);

	return rc ? rc : run_in(made, req, a, ret, e);
}

int apply_run(const struct apply_request *req, struct arena *a,
	struct apply_outcome **ret, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	int rc = repo_open(req->repo, &repo, e);

	return rc ? rc : apply_in(repo, req, a, ret, e);
}
