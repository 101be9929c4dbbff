/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - kernel trees: a folder or tarball becomes one commit of a bare repository,
 * with the same id wherever it is done; branches of applied series are put beside it.
 *
 * import: in {"name","kind","source","branch"}; out {"label","commit","tree","n_files",
 * "pack","files":[pack]}. publish: in {"name","pack","commit","branch"}; out {}.
 *
 * fetch: branches of a git repository into ours, whatever they pointed at before, and the
 * releases among its tags that these hold; commits are never removed. in
 * {"name","url","branches":[NAME..]}, none: the one HEAD names; out
 * {"tree","branches":[{"name","commit","label","behind"}..],"missing":[NAME..]}, the
 * default branch first and its tree. Beside the objects it keeps the index of old file
 * contents (lib/patch/blob_index.h); behind: commits that are not in it yet. NOT_FOUND:
 * none of the branches is there; UNAVAILABLE: libgit2's words; TOO_BIG.
 *
 * base: one commit without its history as a pack, for runners. in {"name","commit"}; out
 * {"pack","n_objects","files":[pack]}.
 */
#ifndef WL_WORKERS_TREE_TREE_H
#define WL_WORKERS_TREE_TREE_H

#include "workers/kind.h"

#define TREE_MAKEFILE_MAX (1u << 20)

/* "6.1.192", "6.12.0-rc3" from the top Makefile. INVALID: none of a kernel. */
int tree_label(struct arena *a, const char *makefile, size_t len, const char **ret,
	struct err *e) MUST_CHECK;

int tree_import_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int tree_import_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int tree_import_check(json_t *out, struct err *e) MUST_CHECK;

#define TREE_BRANCHES_MAX 32
#define TREE_BRANCH_MAX   200 /* bytes of a name */

int tree_fetch_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int tree_fetch_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int tree_fetch_check(json_t *out, struct err *e) MUST_CHECK;

int tree_base_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int tree_base_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int tree_base_check(json_t *out, struct err *e) MUST_CHECK;

int tree_publish_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int tree_publish_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int tree_publish_check(json_t *out, struct err *e) MUST_CHECK;

#endif
