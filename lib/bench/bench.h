/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench.h - what a benchmark printed, as runs of metrics.
 *
 * A parser is pure: bytes in (stdout and stderr as they came, any encoding, quoted,
 * coloured, cut), runs out in the order of the text. Values stand as printed, never
 * converted; only names of units are normalised. A run that was cut, interrupted or
 * measured nothing is left out, and so is one whose tool says that it failed: a note of
 * the run beside it says so or, where no run is left, the reason. What makes a value less
 * sure is a note too. Everything returned lives in the arena.
 */
#ifndef WL_BENCH_BENCH_H
#define WL_BENCH_BENCH_H

#include "base/arena.h"
#include "base/jx.h"

/* What one parse accepts: ERR_TOO_BIG above. Its time grows with the text, no faster. */
#define BENCH_TEXT_MAX  (16 << 20) /* bytes */
#define BENCH_LINES_MAX 500000
#define BENCH_RUNS_MAX  100000

enum bench_better { BENCH_LOWER, BENCH_HIGHER };
const char *bench_better_name(enum bench_better b);               /* "lower", "higher" */
int bench_better_parse(const char *name, enum bench_better *ret); /* 0, or -1 */

struct bench_metric {
	const char *name, *unit; /* unit NULL: unknown */
	enum bench_better better;
	double value;      /* finite */
	bool primary;      /* the one a table would show */
	double percentile; /* NAN: none */
	int64_t samples;   /* -1: not printed */
};

/* What the text states about how it ran: mode, groups, loops ... */
struct bench_param {
	const char *name;
	const char *text; /* NULL: a number */
	double number;
};

struct bench_run {
	struct bench_param *params;
	size_t n_params;
	struct bench_metric *metrics;
	size_t n_metrics;
	const char **notes;
	size_t n_notes;
};

struct bench_output {
	const char *bench;
	const char *version; /* of the tool, when printed; else NULL */
	struct bench_run *runs;
	size_t n_runs;   /* 0: no complete result, and why says so */
	const char *why; /* NULL when there are runs */
};

/* One parser. A new one is a file of its own and one line in the table of bench.c. */
struct bench_parser {
	const char *name, *summary;
	int version;                       /* of the parser; goes into stored samples */
	const struct reading_rules *rules; /* reading.h */
};

extern const struct bench_parser *const bench_parsers[];        /* NULL terminated */
const struct bench_parser *bench_parser_find(const char *name); /* NULL if unknown */
/* Finds the parser and runs it. 0 also when nothing was found (then n_runs is 0 and why
 * says so). ERR_NOT_FOUND: no such benchmark. ERR_TOO_BIG: the text, or its runs. */
int bench_parse(struct arena *a, const char *name, const char *buf, size_t len,
	struct bench_output **ret, struct err *e) MUST_CHECK;
/* The metric marked primary, or NULL. */
const struct bench_metric *bench_run_primary(const struct bench_run *r);
/* {"v","bench","version","runs":[..]} of DESIGN section 3, plus "why" when there are no
 * runs. Owner: caller. */
json_t *bench_output_json(const struct bench_output *o);

#endif
