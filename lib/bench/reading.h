/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reading.h - a text that a parser reads: its clean lines, its decimal point, and the
 * runs it becomes. Internal to lib/bench.
 *
 * A parser is a state of its own, which begins with a struct reading, and rules over it.
 * reading_parse() cleans the text (text.h), lets begin() look at all of it, asks every
 * line for its vote on the decimal comma, hands the lines to line() and closes with
 * end(). Limits are kept here: a run is full at READING_METRICS_MAX, a text that holds
 * more than BENCH_RUNS_MAX runs is refused. Names and texts are kept, not copied.
 * What is no result is never dropped in silence: reading_left_out().
 */
#ifndef WL_BENCH_READING_H
#define WL_BENCH_READING_H

#include "bench/bench.h"
#include "bench/text.h"
#include "bench/word.h"

#define READING_METRICS_MAX 20000 /* of one run; further ones are left out */

struct reading {
	struct arena *a;
	struct bench_output *out;
	struct bench_lines lines;
	size_t next;    /* the line that line() sees next; a rule may move it on */
	bool comma;     /* the program's decimal point is a comma */
	bool open_end;  /* no line's end at the text's end: the last line may be cut */
	bool tab_table; /* set by end(): without a run, read once more with ';' for tabs
			 */
	struct bench_run run; /* under construction; its names are unique */

	/* reading.c only */
	struct reading_left *left;
	size_t n_left, cap_left;
	size_t cap_runs, cap_metrics, cap_params, cap_notes;
	uint32_t *slots; /* of a hash of the metrics' names: index + 1, 0 for none */
	size_t n_slots, cap_slots; /* n_slots 0: too few metrics to need it */
	struct bench_metric spare;
	bool too_many;
};

/* Why runs of one place were left out. */
struct reading_left {
	size_t before; /* kept runs that stand before them */
	const char *why;
	size_t n;
};

/* How one benchmark's text is read. A rule that is absent (NULL) does nothing. */
struct reading_rules {
	size_t state_bytes; /* of the state, zeroed before begin() */
	bool marks_cut;     /* a number that ends the text has a BENCH_CUT behind it */
	void (*begin)(struct reading *r); /* may change the lines */
	/* Counts the numbers of line i that have a decimal comma, and a point. */
	void (*votes)(
		const struct reading *r, size_t i, size_t *n_comma, size_t *n_point);
	void (*line)(struct reading *r, size_t i);
	void (*end)(struct reading *r);
	/* The reason, when there is no run and none was left out. */
	const char *(*why)(const struct reading *r);
};

/* Fills ret, which is zeroed but for its name. ERR_TOO_BIG. */
int reading_parse(const struct reading_rules *rules, struct arena *a, const char *buf,
	size_t len, struct bench_output *ret, struct err *e) MUST_CHECK;

/* Line i, "" behind the end. */
const char *reading_line(const struct reading *r, size_t i);
/* Line i and, behind a blank each, the n lines that follow it (fewer at the end). */
const char *reading_join(const struct reading *r, size_t i, size_t n);

/* Adds a metric that is not primary, without percentile and samples, for the caller to
 * complete before the next one is added. Never NULL: where the value is not finite, the
 * name taken or the run full, nothing is added and what the caller writes is lost. */
struct bench_metric *reading_metric(struct reading *r, const char *name, const char *unit,
	enum bench_better better, double v);
/* reading_metric() of what should be low: nothing below 0. */
struct bench_metric *reading_cost(
	struct reading *r, const char *name, const char *unit, double v);
/* reading_metric() of what should be high: 0 or less is no result. */
struct bench_metric *reading_rate(
	struct reading *r, const char *name, const char *unit, double v);
bool reading_has(const struct reading *r, const char *name); /* a metric */
/* Parameters; NULL and what is not finite are left out. */
void reading_text(struct reading *r, const char *name, const char *text);
void reading_number(struct reading *r, const char *name, double v);
void reading_note(struct reading *r, const char *note);
/* The run is whole: appends it, unless it has no metric, and begins another. */
void reading_keep(struct reading *r);
/* Forgets the run. */
void reading_drop(struct reading *r);
/* Forgets the run, which is no result; why is a literal. Where the text has runs, the one
 * before it (else the first) gets a note that says so; where it has none, the last why is
 * the output's. */
void reading_left_out(struct reading *r, const char *why);

#endif
