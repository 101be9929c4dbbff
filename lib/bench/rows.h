/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h - a run under construction, and labelled values in clean lines.
 * Internal to lib/bench.
 */
#ifndef WL_BENCH_ROWS_H
#define WL_BENCH_ROWS_H

#include "bench/bench.h"
#include "bench/text.h"

#define ROWS_METRICS_MAX 20000 /* of one run; further ones are left out */

/* Starts as {.a, .out}. Names and texts given to it are kept, not copied. */
struct rows {
	struct arena *a;
	struct bench_output *out;
	struct bench_run run; /* under construction */
	size_t cap_runs, cap_metrics, cap_params, cap_notes;
};

/* Appends; the metric is neither primary nor a percentile until the caller says so. The
 * address holds until the next one is added. Never NULL. */
struct bench_metric *rows_metric(struct rows *r, const char *name, const char *unit,
	enum bench_better better, double value);
bool rows_has(const struct rows *r, const char *name); /* a metric of this name */
void rows_param(struct rows *r, const char *name, const char *text, int64_t number);
void rows_note(struct rows *r, const char *text);
/* The run is whole: appends it. ERR_TOO_BIG above BENCH_RUNS_MAX. */
int rows_keep(struct rows *r, struct err *e) MUST_CHECK;
void rows_drop(struct rows *r);

struct rows_number {
	double value;
	int decimals;    /* digits behind the point, -1 without one */
	bool exponent;   /* "2.72040e+02" */
	const char *end; /* behind it */
};

/* A number with an optional sign at p, blanks before it skipped; the point is ',' when
 * comma. False where what follows continues it ("1.2.3", "1,5" with a decimal point). */
bool rows_number(const char *p, bool comma, struct rows_number *ret);
/* True when p starts with these words, whatever blanks lie between; *rest behind them and
 * the blanks that follow. */
bool rows_words(const char *p, const char *words, const char **rest);
/* The first word at p, "" at the end; *rest as above. Arena. */
const char *rows_word(struct arena *a, const char *p, const char **rest);
/* Line i and n more, as a mail program wrapped them, with blanks between. Long lines are
 * cut. Arena. */
const char *rows_joined(struct arena *a, const struct bench_lines *l, size_t i, size_t n);
/* True when the text does not end with a line's end: its last line may have been cut. */
bool rows_open_end(const char *buf, size_t len);

#endif
