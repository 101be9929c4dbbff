/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source.h - a folder or a tarball, file by file, into a tree_import. The one folder that
 * a tarball holds is left out of the paths; folders named .git are left out.
 */
#ifndef WL_WORKERS_TREE_SOURCE_H
#define WL_WORKERS_TREE_SOURCE_H

#include "base/sbuf.h"
#include "patch/pack.h"
#include "workers/kind.h"

#define SOURCE_BYTES_MAX (INT64_C(8) << 30)

struct source {
	struct job_ctx *j;
	struct tree_import *import; /* borrowed */
	struct sbuf makefile;       /* of the top folder, "" when there is none */
	bool has_sched;             /* something is below kernel/sched/ */
	int64_t n_files, n_bytes;
};

/* NOT_FOUND, INVALID, TOO_BIG: in words for people, naming the file. */
int source_read_dir(struct source *s, const char *path, struct err *e) MUST_CHECK;
int source_read_tarball(struct source *s, const char *path, struct err *e) MUST_CHECK;

/* For both: one file or link. */
int source_add_file(struct source *s, const char *path, unsigned mode, const void *p,
	size_t len, struct err *e) MUST_CHECK;
int source_add_link(
	struct source *s, const char *path, const char *target, struct err *e) MUST_CHECK;

#endif
