/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.h - what the benchmarks of `perf bench sched` have in common: sections ("# Running
 * 'sched/pipe' benchmark:"), "Total time:" rows and the bare number of -f simple.
 * Internal to lib/bench.
 */
#ifndef WL_BENCH_PERF_H
#define WL_BENCH_PERF_H

#include "bench/reading.h"

struct perf {
	struct reading r;
	bool any_section; /* some benchmark's head was seen: no -f simple */
	bool inside;      /* in the section that counts */
};

/* The rules of all of them are these, around those of one. */
void perf_begin(struct reading *r);
void perf_votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point);
/* Line i of the section "sched/<name>" goes to take(); where the section ends the run is
 * kept if it has need metrics. A value of -f simple becomes a run by itself. */
void perf_line(struct reading *r, size_t i, const char *name, size_t need,
	void (*take)(struct reading *r, size_t i));
void perf_end(struct reading *r, size_t need);
const char *perf_why(const struct reading *r, const char *name);

/* "0.832" with exactly n decimals, a blank or the end behind it. */
bool perf_number(const char *p, bool comma, int decimals, double *ret, const char **end);
/* Value and unit of a "Total time:" row, which may be wrapped. False also for a unit that
 * perf does not print. A unit that was cut is a note. */
bool perf_total_time(struct reading *r, size_t i, double *ret, const char **unit);

#endif
