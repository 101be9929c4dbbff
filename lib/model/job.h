/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job.h - kinds of jobs, outcomes, and what travels between the server and runners: the
 * payloads of build, boot and null jobs and their results. One strict parser and one
 * packer per object; unknown keys, wrong types and values over a limit are refused.
 *
 * Parsed strings and arrays are in the arena. Packed objects: owner caller.
 * sha256 texts are 64, object ids 40 lower-case hex digits.
 */
#ifndef WL_MODEL_JOB_H
#define WL_MODEL_JOB_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

#define JOB_NAME_MAX    256   /* bytes of a name, path or unit */
#define JOB_TEXT_MAX    4096  /* bytes of one message */
#define JOB_NOTES_MAX   500   /* errors or warnings of a build, events of a boot */
#define JOB_STACK_MAX   64    /* lines of a call trace */
#define JOB_BENCHES_MAX 64    /* benchmark loads of one boot */
#define JOB_ARGV_MAX    256   /* arguments of one command */
#define JOB_SAMPLES_MAX 20000 /* of one boot */

/* ---- kinds and outcomes ---- */

struct job_kind {
	const char *name;
	const char *pool; /* "worker" or "runner" */
	const char *what; /* one clause, for people */
};
extern const struct job_kind job_kinds[];
extern const size_t job_n_kinds;
const struct job_kind *job_kind_find(const char *name); /* NULL: no such kind */

enum job_outcome { JOB_DONE, JOB_FAILED, JOB_RETRY, JOB_PARK };
const char *job_outcome_name(enum job_outcome o); /* "done failed retry park" */
int job_outcome_parse(const char *name, enum job_outcome *ret, struct err *e) MUST_CHECK;
/* What a job that failed with this code becomes (err_outcome). */
enum job_outcome job_outcome_of(enum err_code code);

/* {"done","total","unit","text"}; total 0: unknown */
struct job_progress {
	int64_t done, total;
	const char *unit, *text;
};
int job_progress_parse(
	struct arena *a, json_t *j, struct job_progress *ret, struct err *e) MUST_CHECK;
json_t *job_progress_pack(const struct job_progress *p);

/* ---- build ---- */

struct job_build {
	const char *arch, *config, *tree_name, *label;
	const char *base_commit, *base_tree; /* object ids */
	const char *base_pack;               /* sha256 */
	const char *commit, *tree;           /* object ids of what is built */
	const char *patch_pack;              /* sha256; NULL: the base itself */
	const char *before_tree; /* base_tree with the patches of others that the series
				  * builds on; NULL: none */
};
int job_build_parse(
	struct arena *a, json_t *j, struct job_build *ret, struct err *e) MUST_CHECK;
json_t *job_build_pack(const struct job_build *p);

enum job_status { JOB_STATUS_OK, JOB_STATUS_BROKEN };

struct job_note { /* what a compiler said */
	const char *path;
	int64_t line; /* 0: none */
	const char *text;
};

struct job_build_result {
	enum job_status status;
	const char *kernel; /* sha256; NULL when broken, and from the null kind */
	const char *release;
	const struct job_note *errors, *warnings;
	size_t n_errors, n_warnings;
	int64_t compiles; /* files that were compiled */
	int64_t wall_ms;
	const char *cc, *sandbox;
};
int job_build_result_parse(struct arena *a, json_t *j, struct job_build_result *ret,
	struct err *e) MUST_CHECK;
json_t *job_build_result_pack(const struct job_build_result *r);

/* ---- boot ---- */

struct job_bench {
	const char *bench, *load;
	const char *const *argv; /* NULL terminated */
	size_t n_argv;
};

struct job_boot {
	const char *arch, *topology, *config;
	int64_t block, runs, timeout_s;
	const struct job_bench *benches;
	size_t n_benches;
	const char *kernel; /* sha256; NULL until the job is leased */
};
int job_boot_parse(
	struct arena *a, json_t *j, struct job_boot *ret, struct err *e) MUST_CHECK;
json_t *job_boot_pack(const struct job_boot *p);

struct job_event { /* of `log check` */
	const char *kind;
	int64_t line;
	const char *text;
	const char *function; /* NULL: not known */
	const char *const *stack;
	size_t n_stack;
};

struct job_sample {
	const char *bench, *load, *metric, *unit;
	const char *better; /* "lower" or "higher" */
	int64_t n;          /* run within the boot, from 0 */
	double value;
};

struct job_boot_result {
	enum job_status status;
	bool booted;
	const char *release, *accel, *accel_why, *qemu, *sandbox;
	const char *const *argv;
	size_t n_argv;
	const char *serial; /* sha256; NULL from the null kind */
	const char *raw;    /* sha256 or NULL */
	const struct job_event *events;
	size_t n_events;
	const struct job_sample *samples;
	size_t n_samples;
	int64_t wall_ms;
};
int job_boot_result_parse(struct arena *a, json_t *j, struct job_boot_result *ret,
	struct err *e) MUST_CHECK;
json_t *job_boot_result_pack(const struct job_boot_result *r);

/* ---- null: known distributions without hardware ---- */

struct job_null {
	bool is_build; /* role "build": the result is a build's, else a boot's */
	bool is_patched;
	uint64_t seed;
	const char *topology;
	int64_t block, runs;
	const struct job_bench *benches;
	size_t n_benches;
	double mean, boot_sd_pct, run_sd_pct, effect_pct;
	const char *fail; /* NULL, "build" or "panic" */
};
int job_null_parse(
	struct arena *a, json_t *j, struct job_null *ret, struct err *e) MUST_CHECK;
json_t *job_null_pack(const struct job_null *p);

#endif
