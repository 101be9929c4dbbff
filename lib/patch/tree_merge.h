/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_merge.h - a change of some files, known by what they were and what they become,
 * merged into a tree in which they may have changed meanwhile: the rules of git's
 * recursive merge, path by path.
 */
#ifndef WL_PATCH_TREE_MERGE_H
#define WL_PATCH_TREE_MERGE_H

#include "patch/merge3.h"
#include "patch/stage.h"

struct merge_side {
	bool there;
	unsigned mode;
	git_oid id;
};

struct merge_path {
	const char *path;               /* where the change has it */
	struct merge_side base, theirs; /* before and after the change */
	/* what tree_merge() finds */
	struct merge_side ours; /* what the tree has of it */
	const char *was;        /* renamed by the change: its path before; or NULL */
	const char *dest;       /* where the result is, usually path */
	const char *moved; /* the tree has it elsewhere: how that is known; or NULL */
	const char *why;   /* conflict, one sentence; NULL: merged */
	bool lines;        /* why: both changed the same lines */
	bool left;         /* renamed by the change to another path of the set */
};

struct tree_merge {
	struct stage *s;    /* fresh, on the tree; gets what differs from it */
	const git_oid *tip; /* commit of the tree, for its history */
	struct arena *a;    /* for sentences */
	struct merge_path *v;
	size_t n, cap;
	size_t n_sought; /* files looked for that the tree does not have */
	bool conflict;   /* some path has a why */
};

/* Fills v[] and the stage. Contents in v[] must be blobs of the repository. */
int tree_merge_run(struct tree_merge *m, struct err *e) MUST_CHECK;
struct merge_path *tree_merge_find(const struct tree_merge *m, const char *path);

#endif
