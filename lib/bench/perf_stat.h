/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_stat.h - the counters of perf stat, as text, as CSV (-x) and as JSON (-j).
 * Internal to lib/bench.
 */
#ifndef WL_BENCH_PERF_STAT_H
#define WL_BENCH_PERF_STAT_H

#include "bench/reading.h"

#define PERF_COUNTERS_MAX 512 /* of one run */

struct perf_counter {
	const char *event;
	uint32_t hash;      /* of event */
	const char *number; /* as printed; in the line it came from */
	size_t number_len;
	const char *missing; /* "not supported", "not counted"; NULL: counted */
	bool ms;
};

enum perf_part {
	PERF_NONE,
	PERF_REPORT, /* counters of a text report; it lacks its elapsed time yet */
	PERF_TAIL,   /* behind that */
	PERF_TABLE,  /* rows of -x or objects of -j */
};

struct perf_stat {
	struct reading r;
	bool any_text; /* a text report's header is somewhere */
	enum perf_part part;
	struct perf_counter *counters;
	size_t n_counters, cap_counters;
	int64_t runs; /* of the report's header, -1: not said */
	char point;
	unsigned int tail; /* bits: user, sys were met */
	const char *died;  /* who a signal ended since the last report */
	bool interrupted;
	size_t n_fields; /* of the longest row of a table */
	bool table_cut;
	bool ever_interval; /* for the reason */
};

/* Bytes of the number at p with the separators of its groups, whatever the locale; 0 when
 * there is none. */
size_t perf_stat_number_len(const char *p);
/* Its value with this decimal point, all else between digits being separators. */
bool perf_stat_value(const char *p, size_t len, char point, double *ret);
bool perf_stat_is_event(const char *p); /* a word an event may be called */
bool perf_stat_is_unit(const char *p);
void perf_stat_counter(struct perf_stat *s, struct perf_counter c);
bool perf_stat_has(const struct perf_stat *s, const char *event);
/* The counters become metrics and notes. Point 0: each number tells its own. */
void perf_stat_metrics(struct perf_stat *s, char point);
/* Ends what was begun: kept where it is whole. */
void perf_stat_end(struct perf_stat *s);
/* perf_stat_table.c: true when line i belongs to a table; and its end. */
bool perf_stat_table_line(struct perf_stat *s, size_t i);
void perf_stat_table_end(struct perf_stat *s);

#endif
