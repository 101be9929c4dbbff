/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tree_changes.h - the files that differ between two trees, by name and id only. */
#ifndef WL_PATCH_TREE_CHANGES_H
#define WL_PATCH_TREE_CHANGES_H

#include "base/err.h"

struct git_oid;
struct git_repository;
struct git_tree;

#define TREE_DEPTH_MAX 256 /* folders in folders; what is deeper is not looked at */

/* One path (not NUL terminated) with its new id; NULL: it is gone. Links and submodules
 * are files here. Other than 0 stops the walk. */
typedef int (*tree_change_fn)(
	void *arg, const char *path, size_t len, const struct git_oid *id);

/* Subtrees with equal ids are not read. before or after may be NULL: an empty tree. The
 * callback's result, or an error of the repository. */
int tree_changes(struct git_repository *r, const struct git_tree *before,
	const struct git_tree *after, tree_change_fn fn, void *arg,
	struct err *e) MUST_CHECK;

#endif
