// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "patch/base_blobs.h"
#include "patch/diff.h"

#include <git2.h>
#include <unistd.h>

#define ID_DIGITS_MIN 7 /* of an index line; shorter ids say nothing */

/* One question. */
struct search {
	struct git_repository *repo;
	const struct blob_want *wants;
	size_t n;
	struct base_found best; /* newest of those with the most */
};

size_t base_old_blobs(const struct diff *const *diffs, size_t n_diffs, struct arena *a,
	struct blob_want **ret)
{
	size_t n = 0, cap = 0;
	const char **made = NULL;
	size_t n_made = 0, made_cap = 0;

	*ret = NULL;
	for (size_t i = 0; i < n_diffs; i++) {
		for (size_t k = 0; k < diffs[i]->n_files; k++) {
			const struct diff_file *f = &diffs[i]->files[k];
			const char *path =
				f->is_new == DIFF_YES ? f->new_path : f->old_path;
			bool known = !path || strlen(f->old_id) < ID_DIGITS_MIN;

			for (size_t j = 0; j < n && !known; j++)
				known = !strcmp((*ret)[j].path, path);
			for (size_t j = 0; j < n_made && !known; j++)
				known = !strcmp(made[j], path);
			if (!known && n < BLOB_WANTS_MAX)
				*ARENA_PUSH(a, *ret, n, cap) =
					(struct blob_want){path, f->old_id};
			if (f->new_path && n_made < DIFF_FILES_MAX)
				*ARENA_PUSH(a, made, n_made, made_cap) = f->new_path;
		}
	}
	return n;
}

/* --- commits --- */

static bool want_holds(git_tree *tree, const struct blob_want *w)
{
	git_tree_entry *te = NULL;
	bool none = strspn(w->id, "0") == strlen(w->id);
	bool same;

	if (git_tree_entry_bypath(&te, tree, w->path))
		return none;
	/* a folder of that name is no such file */
	if (git_tree_entry_type(te) == GIT_OBJECT_TREE)
		same = none;
	else
		same = !none && !strncmp(git_oid_tostr_s(git_tree_entry_id(te)), w->id,
					strlen(w->id));
	git_tree_entry_free(te);
	return same;
}

static size_t count_in(git_commit *c, const struct blob_want *wants, size_t n)
{
	git_tree *tree = NULL;
	size_t same = 0;

	if (git_commit_tree(&tree, c))
		return 0;
	for (size_t i = 0; i < n; i++)
		same += want_holds(tree, &wants[i]);
	git_tree_free(tree);
	return same;
}

size_t base_blobs_count(struct git_repository *r, const char *commit_hex,
	const struct blob_want *wants, size_t n)
{
	git_commit *c = NULL;
	struct err ignored;
	size_t same;

	if (repo_commit_get(r, commit_hex, &c, &ignored))
		return 0;
	same = count_in(c, wants, n);
	git_commit_free(c);
	return same;
}

static void take(struct search *s, git_commit *c, size_t same)
{
	git_oid_tostr(s->best.commit, REPO_HEX, git_commit_id(c));
	s->best.n_same = same;
	s->best.time_s = git_commit_time(c);
}

/* Goes to the first parent; false at the end, or the edge of a shallow history. */
static bool step_back(git_commit **c)
{
	git_commit *parent = NULL;

	if (!git_commit_parentcount(*c) || git_commit_parent(&parent, *c, 0))
		return false;
	git_commit_free(*c);
	*c = parent;
	return true;
}

/* Compares commit by commit, newest first, until all wants hold, the commit stop_hex
 * (may be "") is met, which is told, or a limit is. */
static bool walk(struct search *s, git_commit **c, size_t max, int64_t until_ns,
	const char *stop_hex)
{
	for (size_t i = 0; i < max && s->best.n_same < s->n; i++) {
		size_t same;

		if (i && !step_back(c))
			return false;
		if (!strcmp(git_oid_tostr_s(git_commit_id(*c)), stop_hex))
			return true;
		if (clock_mono_ns() > until_ns)
			return false;
		same = count_in(*c, s->wants, s->n);
		if (same > s->best.n_same)
			take(s, *c, same);
	}
	return false;
}

/* --- the index of a branch --- */

/* "DIR/0123456789abcdef.blobs", by the full name of the branch; false: rev is none. */
static bool index_path(struct git_repository *r, const struct base_index *index,
	const char *rev, struct sbuf *ret)
{
	git_reference *ref = NULL, *direct = NULL;
	char name[BLOB_INDEX_NAME];
	const char *full = index->ref;

	if (!full && !git_reference_dwim(&ref, r, rev) &&
		!git_reference_resolve(&direct, ref))
		full = git_reference_name(direct);
	if (full) {
		blob_index_name(full, name);
		sbuf_addf(ret, "%s/%s", index->dir, name);
	}
	git_reference_free(direct);
	git_reference_free(ref);
	return full != NULL;
}

/* What the index of a branch can say. */
struct indexed {
	struct base_found best;
	char last[REPO_HEX]; /* its newest commit; "": there is no usable index */
	bool is_of_branch;   /* that commit is known to be of the branch */
};

/* Asks it; an answer that the repository does not confirm makes it unusable. */
static bool index_ask(struct search *s, struct blob_index *x, struct indexed *ret)
{
	uint32_t n = blob_index_n_commits(x);
	struct blob_match m;
	struct err ignored;
	git_commit *c = NULL;
	bool good;

	if (!n || blob_index_commit(x, n - 1, ret->last, &ignored) ||
		blob_index_find(x, s->wants, s->n, &m, &ignored))
		return false;
	if (!m.n_same)
		return true;
	if (blob_index_commit(x, m.newest, ret->best.commit, &ignored) ||
		repo_commit_get(s->repo, ret->best.commit, &c, &ignored))
		return false;
	ret->best.n_same = m.n_same;
	ret->best.time_s = git_commit_time(c);
	good = count_in(c, s->wants, s->n) == m.n_same;
	git_commit_free(c);
	return good;
}

static void index_get(struct search *s, const char *rev, const char *tip_hex,
	const struct base_index *index, struct indexed *ret)
{
	CLEANUP(sbuf_release) struct sbuf path = SBUF_INIT;
	CLEANUP(blob_index_closep) struct blob_index *x = NULL;
	struct blob_update did;
	struct err ignored;
	bool updated = false;

	*ret = (struct indexed){.is_of_branch = false};
	if (!index->dir || !index_path(s->repo, index, rev, &path))
		return;
	if (index->budget_ms > 0 && !file_mkdir_p(index->dir, 0755, &ignored))
		updated = !blob_index_update(
			s->repo, path.buf, tip_hex, index->budget_ms, &did, &ignored);
	if (blob_index_open(path.buf, &x, &ignored) || !index_ask(s, x, ret)) {
		*ret = (struct indexed){.is_of_branch = false};
		return;
	}
	ret->is_of_branch = updated || !strcmp(ret->last, tip_hex);
}

/* The index, and commit by commit what it does not hold. */
static void search_all(struct search *s, git_commit *tip, const char *rev,
	const char *tip_hex, const struct base_index *index)
{
	struct indexed old;
	git_commit *c = NULL;

	index_get(s, rev, tip_hex, index, &old);
	if (strcmp(old.last, tip_hex) != 0 && !git_commit_dup(&c, tip)) {
		int64_t until_ns = clock_mono_ns() + BASE_FAR_MS * NS_PER_MS;

		if (walk(s, &c, BASE_FAR, until_ns, old.last))
			old.is_of_branch = true;
		git_commit_free(c);
	}
	if (old.is_of_branch && old.best.n_same > s->best.n_same)
		s->best = old.best;
}

int base_blobs_find(struct git_repository *r, const char *rev,
	const struct base_index *index, const struct blob_want *wants, size_t n,
	struct base_found *ret, struct err *e)
{
	struct search s = {.repo = r, .wants = wants, .n = n};
	char tip_hex[REPO_HEX];
	git_commit *tip = NULL, *c = NULL;
	int rc = repo_resolve(r, rev, tip_hex, e);

	if (!rc)
		rc = repo_commit_get(r, tip_hex, &tip, e);
	if (rc)
		return rc;
	if (n && !git_commit_dup(&c, tip)) {
		walk(&s, &c, BASE_NEAR, INT64_MAX, "");
		if (s.best.n_same < n && git_commit_parentcount(c))
			search_all(&s, tip, rev, tip_hex, index);
	}
	git_commit_free(c);
	git_commit_free(tip);
	*ret = s.best;
	return 0;
}

int base_at_time(struct git_repository *r, const char *rev, int64_t time_s,
	char ret_hex[REPO_HEX], struct err *e)
{
	char tip_hex[REPO_HEX];
	git_commit *c = NULL;
	int rc = repo_resolve(r, rev, tip_hex, e);
	size_t i = 0;

	if (!rc)
		rc = repo_commit_get(r, tip_hex, &c, e);
	if (rc)
		return rc;
	while (i < BASE_FAR && git_commit_time(c) > time_s && step_back(&c))
		i++;
	if (git_commit_time(c) <= time_s)
		git_oid_tostr(ret_hex, REPO_HEX, git_commit_id(c));
	else
		rc = err_set(e, ERR_NOT_FOUND, "no commit of %.60s is so old", rev);
	git_commit_free(c);
	return rc;
}
