// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/base_pick.h"
#include "patch/diff.h"

#include <git2.h>
#include <strings.h>

/* How far back from a tip blobs are compared. */
#define BLOBS_BACK 64

struct picker {
	struct git_repository *repo;
	const struct base_want *want;
	struct arena *a;
	struct base_candidate *out;
	size_t n;
	struct err *e;
};

/* A file whose contents the series knows before it starts. */
struct old_blob {
	const char *path;
	const char *id; /* abbreviated; all zeros: must not exist */
};

const char *base_how_name(enum base_how how)
{
	static const char *const names[] = {
		[BASE_EXPLICIT] = "explicit",
		[BASE_TRAILER] = "base-commit",
		[BASE_PREVIOUS] = "previous",
		[BASE_BLOBS] = "blobs",
		[BASE_PREFIX] = "prefix",
		[BASE_LIST] = "list",
	};

	return names[how];
}

static void add(struct picker *p, enum base_how how, const char *commit, const char *tree,
	const char *why, bool dead)
{
	struct base_candidate *c;

	if (p->n == BASE_ATTEMPTS_MAX)
		return;
	for (size_t i = 0; i < p->n; i++) {
		if (!p->out[i].dead && !dead && !strcmp(p->out[i].commit, commit))
			return;
	}
	c = &p->out[p->n++];
	*c = (struct base_candidate){.how = how, .tree = tree, .why = why, .dead = dead};
	snprintf(c->commit, sizeof(c->commit), "%s", commit);
}

/* Adds rev, or an attempt that says it is unknown. */
static void add_rev(struct picker *p, enum base_how how, const char *rev,
	const char *tree, const char *why)
{
	char hex[REPO_HEX];
	struct err inner = {0};

	if (!repo_resolve(p->repo, rev, hex, &inner))
		add(p, how, hex, tree, why, false);
	else
		add(p, how, rev, tree,
			arena_printf(p->a, "%s: unknown commit %.60s", why, rev), true);
}

static int from_explicit(struct picker *p)
{
	if (p->want->explicit_rev)
		add_rev(p, BASE_EXPLICIT, p->want->explicit_rev, NULL, "asked for");
	return 0;
}

static int from_trailer(struct picker *p)
{
	if (p->want->base_commit)
		add_rev(p, BASE_TRAILER, p->want->base_commit, NULL,
			"base-commit: of the mail");
	return 0;
}

static int from_previous(struct picker *p)
{
	if (p->want->previous)
		add_rev(p, BASE_PREVIOUS, p->want->previous, NULL,
			"base of the previous version");
	return 0;
}

/* --- blobs --- */

/* First old id of each path of the series; names made by it and files it adds are out. */
static size_t old_blobs(struct picker *p, struct old_blob **ret)
{
	const struct base_want *w = p->want;
	size_t n = 0, cap = 0;
	const char **made = NULL;
	size_t n_made = 0, made_cap = 0;

	*ret = NULL;
	for (size_t i = 0; i < w->n_diffs; i++) {
		for (size_t k = 0; k < w->diffs[i]->n_files; k++) {
			const struct diff_file *f = &w->diffs[i]->files[k];
			const char *path =
				f->is_new == DIFF_YES ? f->new_path : f->old_path;
			bool known = !path || strlen(f->old_id) < 7;

			for (size_t j = 0; j < n && !known; j++)
				known = !strcmp((*ret)[j].path, path);
			for (size_t j = 0; j < n_made && !known; j++)
				known = !strcmp(made[j], path);
			if (!known && n < 256)
				*ARENA_PUSH(p->a, *ret, n, cap) =
					(struct old_blob){path, f->old_id};
			if (f->new_path && n_made < 256)
				*ARENA_PUSH(p->a, made, n_made, made_cap) = f->new_path;
		}
	}
	return n;
}

static bool blob_matches(git_tree *tree, const struct old_blob *b)
{
	git_tree_entry *te = NULL;
	bool none = strspn(b->id, "0") == strlen(b->id);
	bool same;

	if (git_tree_entry_bypath(&te, tree, b->path))
		return none;
	same = !none &&
	       !strncmp(git_oid_tostr_s(git_tree_entry_id(te)), b->id, strlen(b->id));
	git_tree_entry_free(te);
	return same;
}

static size_t count_matches(
	struct picker *p, const char *hex, const struct old_blob *v, size_t n)
{
	git_commit *c = NULL;
	git_tree *tree = NULL;
	git_oid id;
	size_t same = 0;

	if (!git_oid_fromstr(&id, hex) && !git_commit_lookup(&c, p->repo, &id) &&
		!git_commit_tree(&tree, c)) {
		for (size_t i = 0; i < n; i++)
			same += blob_matches(tree, &v[i]);
	}
	git_tree_free(tree);
	git_commit_free(c);
	return same;
}

/* The newest commit near a tip that has all the old blobs. */
static int from_blobs(struct picker *p)
{
	struct old_blob *v;
	size_t n = old_blobs(p, &v);

	for (size_t t = 0; t < p->want->n_tips && n; t++) {
		const struct base_tip *tip = &p->want->tips[t];
		struct err inner = {0};
		char **hexes;
		size_t n_hexes;

		if (repo_first_parents(p->repo, tip->rev, BLOBS_BACK, p->a, &hexes,
			    &n_hexes, &inner))
			continue; /* from_list() says that it is unknown */
		for (size_t i = 0; i < n_hexes; i++) {
			if (count_matches(p, hexes[i], v, n) != n)
				continue;
			add(p, BASE_BLOBS, hexes[i], tip->tree,
				n == 1 ? "its file is as the patch knows it"
				       : arena_printf(p->a,
						 "all %zu files are as the patch "
						 "knows them",
						 n),
				false);
			break;
		}
	}
	return 0;
}

/* --- trees --- */

static bool tip_is(const struct base_tip *tip, const char *word)
{
	if (tip->tree && !strcasecmp(tip->tree, word))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(tip->aliases) && tip->aliases[i]; i++) {
		if (!strcasecmp(tip->aliases[i], word))
			return true;
	}
	return false;
}

static void add_tip(
	struct picker *p, enum base_how how, const struct base_tip *tip, const char *why)
{
	struct old_blob *v;
	size_t n = old_blobs(p, &v);
	char hex[REPO_HEX];
	struct err inner = {0};

	if (n && !repo_resolve(p->repo, tip->rev, hex, &inner))
		why = arena_printf(p->a, "%s; %zu of %zu files as the patch knows them",
			why, count_matches(p, hex, v, n), n);
	add_rev(p, how, tip->rev, tip->tree, why);
}

static int from_prefix(struct picker *p)
{
	const char *word = p->want->prefix_tree;

	for (size_t i = 0; word && i < p->want->n_tips; i++) {
		if (tip_is(&p->want->tips[i], word))
			add_tip(p, BASE_PREFIX, &p->want->tips[i],
				arena_printf(p->a, "the subject names %.60s", word));
	}
	return 0;
}

static int from_list(struct picker *p)
{
	if (p->want->n_tips)
		add_tip(p, BASE_LIST, &p->want->tips[0], "default tree of the list");
	return 0;
}

/* Order of trial. An explicit base is the only one. */
static int (*const sources[])(struct picker *p) = {
	from_trailer,
	from_previous,
	from_blobs,
	from_prefix,
	from_list,
};

int base_pick(struct git_repository *r, const struct base_want *want, struct arena *a,
	struct base_candidate **ret, size_t *ret_n, struct err *e)
{
	struct picker p = {.repo = r, .want = want, .a = a, .e = e};
	int rc = 0;

	p.out = ARENA_ARRAY(a, struct base_candidate, BASE_ATTEMPTS_MAX);
	if (want->explicit_rev)
		rc = from_explicit(&p);
	for (size_t i = 0; !want->explicit_rev && i < ARRAY_LEN(sources) && !rc; i++)
		rc = sources[i](&p);
	if (rc)
		return rc;
	*ret = p.out;
	*ret_n = p.n;
	return 0;
}
