/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h - kernel trees: a folder or tarball becomes one commit of a bare repository,
 * with the same id wherever it is done; branches of applied series are put beside it.
 *
 * import: in {"name","kind","source","branch"}; out {"label","commit","tree","n_files",
 * "pack","files":[pack]}. publish: in {"name","pack","commit","branch"}; out {}.
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

int tree_publish_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int tree_publish_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int tree_publish_check(json_t *out, struct err *e) MUST_CHECK;

#endif
