/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kind.h - what a worker job is: a row of the table in kinds.c.
 *
 * A job's input is made by SQL (work_load), its output stored by SQL (work_store), both
 * called by the supervisor alone. run() is the whole life of the child: it has no
 * database, and of network and files only what its row says.
 */
#ifndef WL_WORKERS_KIND_H
#define WL_WORKERS_KIND_H

#include "base/base.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/jx.h"

#define JOB_BINDS_MAX 16
#define JOB_FILES_MAX 1024 /* files of one result that go into the blob store */

enum job_needs {
	NEED_NET = 1 << 0,     /* network */
	NEED_BLOBS = 1 << 1,   /* reads the blob store */
	NEED_TRUSTED = 1 << 2, /* our own code on our own files: no sandbox, own rights */
};

/* Where things lie; all absolute. */
struct work_paths {
	const char *data;    /* --data */
	const char *blobs;   /* DATA/blobs */
	const char *trees;   /* DATA/trees */
	const char *inbox;   /* DATA/inbox: epochs fetched over HTTP */
	const char *scratch; /* DATA/scratch */
	uid_t child_uid;     /* 0: no own user, children run as we do */
	gid_t child_gid;
};

struct job_bind { /* a path the child may see, at the same place */
	const char *path;
	bool writable;
};

struct job_binds {
	struct arena *arena;
	struct job_bind v[JOB_BINDS_MAX];
	size_t n;
};

/* The child's view. */
struct job_ctx {
	struct arena *arena;
	int fd;              /* frames to the supervisor */
	const char *scratch; /* private folder, also the working folder */
	const char *blobs;
	const char *data;
	int64_t last_progress_ns;
};

struct worker_op {
	const char *kind, *op; /* op "": the kind has one */
	unsigned needs;
	int64_t deadline_ms;
	int64_t mem_bytes;  /* address space */
	int64_t file_bytes; /* size of one file */
	int64_t cpu_s;
	/* What it asks is asked again by a clock of its own: a child's own word that
	 * another try may help ends the job as failed. */
	bool own_clock;
	/* Supervisor, must not block: names what the child may see, and makes folders
	 * under DATA that it will write. NULL: nothing beyond scratch. */
	int (*binds)(const struct work_paths *p, json_t *in, struct job_binds *b,
		struct err *e);
	/* Child. *ret: owner caller. */
	int (*run)(struct job_ctx *j, json_t *in, json_t **ret, struct err *e);
	/* Supervisor: refuses a result that is not of the shape store expects. */
	int (*check)(json_t *out, struct err *e);
};

extern const struct worker_op worker_ops[];
extern const size_t n_worker_ops;
/* NULL when there is no such row. */
const struct worker_op *worker_op_find(const char *kind, const char *op);

/* Tells how far the job is, at most every 500 ms; total 0: unknown. */
void job_progress(struct job_ctx *j, int64_t done, int64_t total, const char *unit,
	const char *text);

/* Helpers of binds(). Paths are copied. INVALID: not absolute, or climbs with "..". */
int job_bind_add(
	struct job_binds *b, const char *path, bool writable, struct err *e) MUST_CHECK;
/* A folder under DATA, made if absent and given to the children's user. */
int job_bind_folder(const struct work_paths *p, struct job_binds *b, const char *path,
	struct err *e) MUST_CHECK;
/* Adopts files of scratch into the blob store and makes fetched ones visible; row of
 * the table for the supervisor itself. */
extern const struct worker_op op_blob_adopt;

/* Checks "files" of a result: names of scratch files, [A-Za-z0-9._-], no dot first.
 * Absent is fine. */
int job_files_check(json_t *out, struct err *e) MUST_CHECK;

#endif
