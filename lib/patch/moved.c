// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/moved.h"
#include "patch/refuse.h"
#include "patch/repo.h"
#include "patch/similar.h"

#define HOPS_MAX   4     /* renames of one file that are followed */
#define ADDED_MAX  2000  /* files of one commit that are compared */
#define NAMES_MAX  64    /* files of the same name that are compared */
#define DEPTH_MAX  64    /* folders */
#define SCORE_NAME 36000 /* 60 % */

struct find {
	struct stage *s;
	const git_oid *tip;
	struct err *e;
};

/* Files that could be what is looked for. */
struct rank {
	const char *best;
	int score;
	size_t n_good;     /* at or above the score asked for */
	size_t n_equal;    /* byte for byte */
	const char *names; /* of these, for people */
};

static void rank_add(struct find *f, struct rank *r, const char *path, int score)
{
	const char *shown = refuse_show_path(path, f->s->a);

	if (r->n_good < 5)
		r->names = r->names ? arena_printf(f->s->a, "%s, %s", r->names, shown)
				    : shown;
	r->n_good++;
	r->n_equal += score == SIMILAR_MAX;
	if (score > r->score) {
		r->score = score;
		r->best = path;
	}
}

/* 0 when it cannot be read as a file of sane size. */
static int score_of(struct find *f, const struct similar *from, const git_oid *id)
{
	struct similar to;
	struct err ignored;
	const char *p;
	size_t len;

	if (stage_blob(f->s, id, REFUSE_RESULT_MAX, &p, &len, &ignored))
		return 0;
	similar_init(&to, f->s->a, p, len);
	return similar_score(from, &to);
}

/* --- by history --- */

static bool file_in(const git_tree *tree, const char *path, git_oid *ret)
{
	git_tree_entry *te = NULL;
	bool is_file;

	if (git_tree_entry_bypath(&te, tree, path))
		return false;
	is_file = git_tree_entry_type(te) == GIT_OBJECT_BLOB;
	*ret = *git_tree_entry_id(te);
	git_tree_entry_free(te);
	return is_file;
}

/* Where the commit that turned tree before into after put the file of id. */
static int added_like(struct find *f, git_tree *before, git_tree *after,
	const git_oid *id, struct rank *r)
{
	struct similar from;
	git_diff_options options;
	git_diff *diff = NULL;
	struct err ignored;
	const char *p;
	size_t len, n_added = 0;
	int rc;

	if (stage_blob(f->s, id, REFUSE_RESULT_MAX, &p, &len, &ignored))
		return 0;
	similar_init(&from, f->s->a, p, len);
	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	rc = git_diff_tree_to_tree(&diff, f->s->repo, before, after, &options);
	if (rc)
		return repo_err(f->e, rc, "cannot compare two commits");
	for (size_t i = 0; i < git_diff_num_deltas(diff) && n_added < ADDED_MAX; i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);
		int score;

		if (d->status != GIT_DELTA_ADDED)
			continue;
		n_added++;
		score = git_oid_equal(&d->new_file.id, id)
				? SIMILAR_MAX
				: score_of(f, &from, &d->new_file.id);
		if (score >= SIMILAR_RENAME)
			rank_add(f, r, arena_strdup(f->s->a, d->new_file.path), score);
	}
	git_diff_free(diff);
	return 0;
}

enum past { PAST_UNKNOWN, PAST_REMOVED };

/* Walks back to the commit that removed path; *r then tells what took its place. */
static int search_history(
	struct find *f, const char *path, enum past *ret, git_oid *ret_by, struct rank *r)
{
	git_commit *c = NULL;
	git_tree *after = NULL;
	int rc = git_commit_lookup(&c, f->s->repo, f->tip);

	*ret = PAST_UNKNOWN;
	if (!rc)
		rc = git_commit_tree(&after, c);
	if (rc)
		rc = repo_err(f->e, rc, "cannot read the base");
	for (int i = 0; i < MOVED_BACK && !rc && *ret == PAST_UNKNOWN; i++) {
		git_commit *parent = NULL;
		git_tree *before = NULL;
		git_oid id;

		/* none, or a missing one: the edge of what is known */
		if (git_commit_parent(&parent, c, 0) ||
			git_commit_tree(&before, parent)) {
			git_commit_free(parent);
			break;
		}
		if (file_in(before, path, &id)) {
			*ret = PAST_REMOVED;
			*ret_by = *git_commit_id(c);
			rc = added_like(f, before, after, &id, r);
		}
		git_commit_free(c);
		git_tree_free(after);
		c = parent;
		after = before;
	}
	git_tree_free(after);
	git_commit_free(c);
	return rc;
}

/* --- by contents or name --- */

struct names {
	struct find *f;
	const git_oid *old;
	const char *same; /* a file with these contents */
	size_t n_same;
	const char *base; /* last component */
	struct similar from;
	struct rank *r;
	size_t n;
};

static int search_names(
	struct names *w, const git_tree *tree, const char *folder, int depth)
{
	struct arena *a = w->f->s->a;

	for (size_t i = 0; i < git_tree_entrycount(tree); i++) {
		const git_tree_entry *te = git_tree_entry_byindex(tree, i);
		const char *name = git_tree_entry_name(te);
		git_filemode_t mode = git_tree_entry_filemode(te);
		git_tree *sub = NULL;
		int rc, score;

		if (mode != GIT_FILEMODE_TREE) {
			if (mode != GIT_FILEMODE_BLOB &&
				mode != GIT_FILEMODE_BLOB_EXECUTABLE)
				continue;
			if (git_oid_equal(git_tree_entry_id(te), w->old)) {
				w->same = arena_printf(a, "%s%s", folder, name);
				w->n_same++;
			}
			if (strcmp(name, w->base) != 0 || w->n == NAMES_MAX)
				continue;
			w->n++;
			score = score_of(w->f, &w->from, git_tree_entry_id(te));
			if (score >= SCORE_NAME)
				rank_add(w->f, w->r,
					arena_printf(a, "%s%s", folder, name), score);
			continue;
		}
		if (depth == DEPTH_MAX)
			continue;
		rc = git_tree_lookup(&sub, w->f->s->repo, git_tree_entry_id(te));
		if (rc)
			return repo_err(w->f->e, rc, "cannot read folder %.80s", name);
		rc = search_names(
			w, sub, arena_printf(a, "%s%s/", folder, name), depth + 1);
		git_tree_free(sub);
		if (rc)
			return rc;
	}
	return 0;
}

static int by_looks(
	struct find *f, const char *path, const git_oid *old, struct moved *ret)
{
	const char *slash = strrchr(path, '/'), *p;
	struct rank r = {0};
	struct names w = {.f = f, .old = old, .base = slash ? slash + 1 : path, .r = &r};
	size_t len;
	int rc = stage_blob(f->s, old, REFUSE_RESULT_MAX, &p, &len, f->e);

	if (rc)
		return rc;
	similar_init(&w.from, f->s->a, p, len);
	rc = search_names(&w, f->s->tree, "", 0);
	if (rc)
		return rc;
	if (w.n_same == 1) {
		ret->to = w.same;
		ret->how = arena_printf(f->s->a,
			"renamed to %s (the only file with the same contents)",
			refuse_show_path(w.same, f->s->a));
	} else if (r.n_good == 1) {
		ret->to = r.best;
		ret->how = arena_printf(f->s->a,
			"renamed to %s (the only file of its name with most of its "
			"lines)",
			refuse_show_path(r.best, f->s->a));
	} else if (r.n_good > 1) {
		ret->maybe = true;
		ret->how = arena_printf(f->s->a, "renamed? candidates: %s", r.names);
	} else {
		ret->how = "nothing in the base has its name and most of its lines";
	}
	return 0;
}

int moved_find(struct stage *s, const git_oid *tip, const char *path, const git_oid *old,
	struct moved *ret, struct err *e)
{
	struct find f = {.s = s, .tip = tip, .e = e};
	const char *at = path;

	*ret = (struct moved){0};
	for (int hop = 0; hop < HOPS_MAX; hop++) {
		struct rank r = {0};
		char by[13] = "";
		enum past past;
		git_oid id;
		int rc = search_history(&f, at, &past, &id, &r);

		if (rc)
			return rc;
		if (past == PAST_UNKNOWN)
			return hop ? 0 : by_looks(&f, path, old, ret);
		git_oid_tostr(by, sizeof(by), &id);
		if (!r.n_good) {
			ret->how = arena_printf(s->a, "removed by %s", by);
			return 0;
		}
		if (r.n_good > 1 && r.n_equal != 1) {
			ret->maybe = true;
			ret->how = arena_printf(s->a,
				"removed by %s; renamed? candidates: %s", by, r.names);
			return 0;
		}
		at = r.best;
		ret->how = arena_printf(
			s->a, "renamed to %s by %s", refuse_show_path(at, s->a), by);
		if (file_in(s->tree, at, &id)) {
			ret->to = at;
			return 0;
		}
	}
	return 0;
}
