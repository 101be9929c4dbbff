/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * draft.h - a run under construction, shared by the parsers. Names of metrics and of
 * parameters are unique in a run: the first one stays. Internal to lib/bench.
 */
#ifndef WL_BENCH_DRAFT_H
#define WL_BENCH_DRAFT_H

#include "bench/bench.h"

#define DRAFT_METRICS_MAX 640 /* further ones are left out */

struct bench_draft {
	struct arena *a;
	struct bench_run run;
	size_t params_cap, metrics_cap, notes_cap;
};

void draft_begin(struct bench_draft *d, struct arena *a);
void draft_text(struct bench_draft *d, const char *name, const char *text);
void draft_number(struct bench_draft *d, const char *name, double v);
void draft_note(struct bench_draft *d, const char *note);
/* Adds a metric that is not primary, without percentile and samples, for the caller to
 * complete. NULL when the value is not finite, or the name is taken, or the run full. */
struct bench_metric *draft_metric(struct bench_draft *d, const char *name,
	const char *unit, enum bench_better better, double v);
/* draft_metric() of a time: nothing below 0. */
struct bench_metric *draft_lower(
	struct bench_draft *d, const char *name, const char *unit, double v);
/* draft_metric() of a rate: one of 0 or less is no result. */
struct bench_metric *draft_rate(
	struct bench_draft *d, const char *name, const char *unit, double v);
/* Appends the run to those of o and begins a new one. ERR_TOO_BIG above BENCH_RUNS_MAX.
 */
int draft_keep(struct bench_draft *d, struct bench_output *o, size_t *cap,
	struct err *e) MUST_CHECK;

#endif
