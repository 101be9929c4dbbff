/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h - the kinds of jobs a runner does. A kind is one row of the table in kinds.c
 * and one file; it runs blocking, in a process of its own (job.h), with a folder of its
 * own.
 */
#ifndef WL_RUNNERS_KINDS_H
#define WL_RUNNERS_KINDS_H

#include "runners/api.h"
#include "runners/cache.h"
#include "runners/sandbox.h"

struct job_env {
	struct arena *a;
	const char *id;  /* of the job */
	const char *dir; /* of this try; "log" in it is sent to the server as it grows */
	struct cache cache;
	int64_t cache_limit_bytes;
	struct api *api;
	struct sandbox box;
	int cores; /* that this job may keep busy */
};

/* What the server is told. result: taken from the job, owner: caller. */
struct job_outcome {
	const char *outcome; /* "done" "failed" "retry" "park" */
	const char *why;     /* NULL: nothing to say */
	json_t *result;      /* NULL: none */
	bool has_log;        /* "log" is whole: keep it as a blob */
};

struct job_kind {
	const char *name, *help;
	/* 0 with *ret filled; an error of ours becomes retry or park by its code. */
	int (*run)(struct job_env *env, json_t *payload, struct job_outcome *ret,
		struct err *e);
};

extern const struct job_kind *const job_kinds[]; /* NULL ended */
extern const struct job_kind kind_null, kind_build, kind_boot;
const struct job_kind *job_kind_find(const char *name); /* NULL if unknown */

/* Says how far the job is; written for the agent, at most once a second. */
void job_progress(struct job_env *env, int64_t done, int64_t total, const char *unit,
	const char *text);
/* Appends a line to the job's log. */
void job_note(struct job_env *env, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A kernel image from the cache or the server; arena. */
int job_kernel(
	struct job_env *env, const char *sha, const char **ret, struct err *e) MUST_CHECK;
/* Puts bytes on the server as a blob. */
int job_put_text(struct job_env *env, const char *name, const char *text,
	char ret_sha[SHA256_HEX], struct err *e) MUST_CHECK;

#endif
