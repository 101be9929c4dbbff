/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trees.h - the configured trees that a series may be applied to. */
#ifndef WL_WORKERS_APPLY_TREES_H
#define WL_WORKERS_APPLY_TREES_H

#include "patch/base_pick.h"
#include "workers/kind.h"

#define TREES_MAX 12 /* each is a path that the child sees */

struct apply_tree {
	const char *name;
	const char *label; /* of an imported one: "6.1.192" */
	const char *repo;  /* path */
	bool git;          /* it has a history */
};

struct apply_trees {
	struct apply_tree *v; /* the default one first */
	size_t n;
	struct base_tip *tips; /* of all, in that order */
	size_t n_tips;
	const char **words; /* that a subject may name one by; NULL ends */
};

/* [{"name","git","label","branches":[{"name","commit"}]}], a default branch first.
 * INVALID: none or over TREES_MAX. Arena of j. */
int trees_parse(
	struct job_ctx *j, json_t *in, struct apply_trees *ret, struct err *e) MUST_CHECK;
/* A scratch repository that sees the objects of all. Owner: caller, repo_close(). */
int trees_borrow(const struct apply_trees *t, const char *path,
	struct git_repository **ret, struct err *e) MUST_CHECK;
bool trees_have_history(const struct apply_trees *t);
/* The commit that rev names in the first tree where it names one; names of branches are
 * known there only. rev itself when it names none. Arena. */
const char *trees_resolve(const struct apply_trees *t, const char *rev, struct arena *a);
/* The tree of a candidate that is called so (base_pick.h), else the first that has the
 * commit, else the first. */
const struct apply_tree *trees_of(
	const struct apply_trees *t, const char *called, const char *commit);

/* The tree that a word of a subject names; NULL: none. */
const struct apply_tree *trees_named(const struct apply_trees *t, const char *word);

#endif
