/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - what the benchmarks of `perf bench sched` have in common: sections ("# Running
 * 'sched/pipe' benchmark:"), "Total time:" rows and the bare number of -f simple.
 * Internal to lib/bench.
 */
#ifndef WL_BENCH_PERF_H
#define WL_BENCH_PERF_H

#include "bench/bench.h"
#include "bench/text.h"

struct perf_state {
	struct arena *a;
	struct bench_output *out;
	const char *name; /* section that counts: "pipe" */
	size_t cap;
	bool comma;       /* decimal comma */
	bool any_section; /* some benchmark's head was seen: no -f simple */
	bool inside;      /* in the section that counts */
	struct bench_run run;
};

/* Cleans the text and hands its lines to take() while inside the section, until the text
 * or the section ends; the end is a NULL line. Values of -f simple become runs by itself.
 */
int perf_parse(struct perf_state *s, const char *buf, size_t len,
	void (*take)(struct perf_state *s, const char *line, const char *next),
	struct err *e);
/* "0.832" with exactly n decimals, a blank or the end behind it. */
bool perf_number(const char *p, bool comma, int decimals, double *ret, const char **end);
/* Value of a "Total time:" row, which may be wrapped. */
bool perf_total_time(
	struct perf_state *s, const char *line, const char *next, double *ret);
void perf_param(struct perf_state *s, const char *name, const char *text, int64_t v);
void perf_metric(struct perf_state *s, const char *name, const char *unit,
	enum bench_better better, double v, bool primary);
/* Keeps the run under construction, or forgets it. */
void perf_run_end(struct perf_state *s, bool keep);

#endif
