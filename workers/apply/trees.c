/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/apply/trees.h"

#include "patch/borrow.h"
#include "workers/tree/tree.h"

static void add_word(struct apply_trees *t, size_t *n, const char *word)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(t->words[i], word) == 0)
			return;
	t->words[(*n)++] = word;
}

static int read_tip(struct job_ctx *j, struct apply_trees *t, const struct apply_tree *of,
	json_t *in, bool first, struct err *e)
{
	struct base_tip *tip = &t->tips[t->n_tips];
	const char *name, *commit;
	int status = jx_unpack(
		in, e, "branch", "{s:s, s:s !}", "name", &name, "commit", &commit);

	if (status != 0)
		return status;
	t->n_tips++;
	*tip = (struct base_tip){.rev = commit,
		.tree = of->git ? arena_printf(j->arena, "%s/%s", of->name, name)
				: of->name,
		.home = of->repo,
		.fixed = !of->git};
	if (of->git)
		tip->ref = arena_printf(j->arena, "refs/heads/%s", name);
	tip->aliases[0] = first ? of->name : name;
	tip->aliases[1] = first ? name : NULL;
	return 0;
}

static int read_tree(struct job_ctx *j, struct apply_trees *t, json_t *in,
	size_t *n_words, struct err *e)
{
	struct apply_tree *one = &t->v[t->n];
	size_t first = t->n_tips, i;
	json_t *branches, *branch;
	int git = 0;
	int status = jx_unpack(in, e, "tree", "{s:s, s:b, s:s, s:o !}", "name",
		&one->name, "git", &git, "label", &one->label, "branches", &branches);

	if (status != 0)
		return status;
	if (json_array_size(branches) > TREE_BRANCHES_MAX)
		return err_set(
			e, ERR_TOO_BIG, "a tree of over %d branches", TREE_BRANCHES_MAX);
	t->n++;
	one->git = git;
	one->repo = arena_printf(j->arena, "%s/trees/%s.git", j->data, one->name);
	add_word(t, n_words, one->name);
	json_array_foreach(branches, i, branch)
	{
		status = read_tip(j, t, one, branch, i == 0, e);
		if (status != 0)
			return status;
	}
	for (i = first; i < t->n_tips && one->git; i++) {
		add_word(t, n_words, t->tips[i].tree);
		add_word(t, n_words, t->tips[i].ref + strlen("refs/heads/"));
	}
	return 0;
}

int trees_parse(struct job_ctx *j, json_t *in, struct apply_trees *ret, struct err *e)
{
	const size_t tips_max = (size_t)TREES_MAX * TREE_BRANCHES_MAX;
	size_t n_words = 0, i;
	json_t *one;

	*ret = (struct apply_trees){.n = 0};
	if (json_array_size(in) < 1 || json_array_size(in) > TREES_MAX)
		return err_set(
			e, ERR_INVALID, "apply: no list of 1 to %d trees", TREES_MAX);
	ret->v = ARENA_ARRAY(j->arena, struct apply_tree, TREES_MAX);
	ret->tips = ARENA_ARRAY(j->arena, struct base_tip, tips_max);
	ret->words = ARENA_ARRAY(j->arena, const char *, TREES_MAX + 2 * tips_max + 1);
	json_array_foreach(in, i, one)
	{
		int status = read_tree(j, ret, one, &n_words, e);

		if (status != 0)
			return status;
	}
	return 0;
}

int trees_borrow(const struct apply_trees *t, const char *path,
	struct git_repository **ret, struct err *e)
{
	const char *from[TREES_MAX + 1] = {NULL};

	for (size_t i = 0; i < t->n; i++)
		from[i] = t->v[i].repo;
	return repo_borrow(path, from, ret, e);
}

bool trees_have_history(const struct apply_trees *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].git)
			return true;
	return false;
}

/* The first tree where rev names a commit; NULL: none. */
static const struct apply_tree *find(
	const struct apply_trees *t, const char *rev, char ret_hex[REPO_HEX])
{
	for (size_t i = 0; i < t->n; i++) {
		CLEANUP(repo_closep) struct git_repository *r = NULL;
		struct err ignored;

		if (repo_open(t->v[i].repo, &r, &ignored) == 0 &&
			repo_resolve(r, rev, ret_hex, &ignored) == 0)
			return &t->v[i];
	}
	return NULL;
}

const char *trees_resolve(const struct apply_trees *t, const char *rev, struct arena *a)
{
	char hex[REPO_HEX];

	return find(t, rev, hex) ? arena_strdup(a, hex) : rev;
}

static const struct apply_tree *of_tip(
	const struct apply_trees *t, const struct base_tip *tip)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].repo == tip->home)
			return &t->v[i];
	return NULL;
}

const struct apply_tree *trees_of(
	const struct apply_trees *t, const char *called, const char *commit)
{
	const struct apply_tree *found = NULL;
	char hex[REPO_HEX];

	for (size_t i = 0; called && !found && i < t->n_tips; i++)
		if (strcmp(t->tips[i].tree, called) == 0)
			found = of_tip(t, &t->tips[i]);
	if (!found && commit)
		found = find(t, commit, hex);
	return found ? found : t->v;
}

const struct apply_tree *trees_named(const struct apply_trees *t, const char *word)
{
	for (size_t i = 0; word && i < t->n_tips; i++)
		if (base_tip_is(&t->tips[i], word))
			return of_tip(t, &t->tips[i]);
	return NULL;
}
