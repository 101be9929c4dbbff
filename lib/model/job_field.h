/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_field.h - inside lib/model only: checks and copies of single fields of job JSON. */
#ifndef WL_MODEL_JOB_FIELD_H
#define WL_MODEL_JOB_FIELD_H

#include "model/job.h"

/* "v" must be 1. */
int job_field_version(const char *what, int v, struct err *e) MUST_CHECK;
int job_field_range(const char *what, const char *key, int64_t v, int64_t min,
	int64_t max, struct err *e) MUST_CHECK;
/* These replace *s, which points into JSON, by a copy in the arena. NULL stays NULL. */
int job_field_text(struct arena *a, const char *what, const char *key, const char **s,
	size_t max, struct err *e) MUST_CHECK;
int job_field_sha256(struct arena *a, const char *what, const char *key, const char **s,
	struct err *e) MUST_CHECK;
int job_field_oid(struct arena *a, const char *what, const char *key, const char **s,
	struct err *e) MUST_CHECK;
/* "ok" or "broken". */
int job_field_status(const char *what, const char *text, enum job_status *ret,
	struct err *e) MUST_CHECK;
/* An array with at most max elements: its length. */
int job_field_array(const char *what, const char *key, const json_t *j, size_t max,
	size_t *ret_n, struct err *e) MUST_CHECK;
/* An array of strings; *ret_v is NULL terminated. */
int job_field_strings(struct arena *a, const char *what, const char *key, json_t *j,
	size_t max, const char *const **ret_v, size_t *ret_n, struct err *e) MUST_CHECK;
int job_field_benches(struct arena *a, const char *what, json_t *j,
	const struct job_bench **ret_v, size_t *ret_n, struct err *e) MUST_CHECK;

json_t *job_field_str(const char *s); /* cleaned text; NULL gives null */
json_t *job_field_strings_pack(const char *const *v, size_t n);
json_t *job_field_benches_pack(const struct job_bench *v, size_t n);
const char *job_status_name(enum job_status s);

#endif
