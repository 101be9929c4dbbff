// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * will_it_scale.c - the table of will-it-scale's runtest.py ("tasks,processes,...", one
 * run a table) and the "average:" line of one of its programs (one run each). A table
 * whose last row was cut inside a number that counts is no result.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"
#include <math.h>

#define COLUMNS_MAX 16

struct row {
	int64_t tasks;
	double processes, threads; /* NAN: no such column */
};

struct state {
	struct reading r;
	/* the table */
	int tasks_at, processes_at, threads_at, n_columns; /* columns; -1: none */
	bool in_table, cut;
	struct row *table;
	size_t n, cap;
	const char *testcase;
	double least_total; /* of the lines since "measurement"; 0: none */
};

static void usual_columns(struct state *s)
{
	s->tasks_at = 0;
	s->processes_at = 1;
	s->threads_at = 3;
	s->n_columns = 6;
}

/* "tasks,processes,processes_idle,threads,threads_idle,linear": where the columns are. */
static void take_header(struct state *s, const char *line)
{
	const char *p = line;

	s->tasks_at = s->processes_at = s->threads_at = -1;
	s->n_columns = 0;
	while (s->n_columns < COLUMNS_MAX) {
		size_t n = strcspn(p, ", ");

		if (n == 5 && strncmp(p, "tasks", n) == 0)
			s->tasks_at = s->n_columns;
		else if (n == 9 && strncmp(p, "processes", n) == 0)
			s->processes_at = s->n_columns;
		else if (n == 7 && strncmp(p, "threads", n) == 0)
			s->threads_at = s->n_columns;
		s->n_columns++;
		if (p[n] != ',')
			break;
		p += n + 1;
	}
}

/* Numbers between commas; the number of them that are whole. *closed when the last of
 * them has a comma behind it, *plain when nothing but numbers was met. */
static int take_numbers(
	const char *line, double v[COLUMNS_MAX], bool *closed, bool *plain)
{
	struct bench_decimal num;
	const char *p = line;
	char copy[40];
	int n = 0;

	*closed = *plain = false;
	while (n < COLUMNS_MAX) {
		size_t len;

		p = bench_blanks(p);
		len = strcspn(p, ", ");
		if (len == 0 || len >= sizeof(copy)) {
			*plain = len == 0;
			return n;
		}
		memcpy(copy, p, len);
		copy[len] = 0;
		if (!bench_decimal(copy, false, &num) || *num.end)
			return n;
		v[n++] = num.value;
		*closed = p[len] == ',';
		*plain = true;
		if (!*closed)
			return n;
		p += len + 1;
	}
	return n;
}

#define NOTHING "nothing was measured"

static void finish_table(struct state *s)
{
	const struct row *best = NULL;
	bool processes = false, any = false;
	size_t n = s->n;

	s->n = 0;
	s->in_table = false;
	if (s->cut) {
		s->cut = false;
		reading_left_out(&s->r, "the output was cut");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		any |= s->table[i].tasks > 0;
		processes |= s->table[i].processes > 0;
	}
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &s->table[i];

		if ((processes ? r->processes : r->threads) > 0 &&
			(!best || r->tasks > best->tasks))
			best = r;
	}
	if (!best) {
		if (any)
			reading_left_out(&s->r, NOTHING);
		return;
	}
	reading_text(&s->r, "testcase", s->testcase);
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &s->table[i];
		long long tasks = r->tasks;

		if (r->processes > 0)
			reading_metric(&s->r,
				arena_printf(s->r.a, "processes_%lld", tasks), "ops/s",
				BENCH_HIGHER, r->processes)
				->primary = processes && r == best;
		if (r->threads > 0)
			reading_metric(&s->r, arena_printf(s->r.a, "threads_%lld", tasks),
				"ops/s", BENCH_HIGHER, r->threads)
				->primary = !processes && r == best;
	}
	reading_keep(&s->r);
}

/* A row of the table, or one that was cut at the end of the text. */
static void take_row(struct state *s, const char *line, bool last)
{
	double v[COLUMNS_MAX];
	bool closed, plain;
	int n, need = s->processes_at > s->threads_at ? s->processes_at : s->threads_at;
	struct row r = {0, NAN, NAN};

	n = take_numbers(line, v, &closed, &plain);
	if (n == 0)
		return;
	if (n <= need || (n == need + 1 && n < s->n_columns && !closed)) {
		/* the last line was cut inside a number that counts, or before it */
		if (last && s->r.open_end && s->in_table && plain)
			s->cut = true;
		return;
	}
	if (s->tasks_at < 0 || v[s->tasks_at] < 0 || v[s->tasks_at] > 1e9 ||
		v[s->tasks_at] != floor(v[s->tasks_at]))
		return;
	/* without a header only the table's own shape counts */
	if (!s->in_table && n != s->n_columns)
		return;
	r.tasks = (int64_t)v[s->tasks_at];
	if (s->processes_at >= 0)
		r.processes = v[s->processes_at];
	if (s->threads_at >= 0)
		r.threads = v[s->threads_at];
	if (s->n && r.tasks <= s->table[s->n - 1].tasks)
		finish_table(s);
	s->in_table = true;
	*ARENA_PUSH(s->r.a, s->table, s->n, s->cap) = r;
}

/* The last number of a program. Where the text ends in it, the totals it is the mean of
 * tell whether it was cut. */
static void take_average(struct state *s, const char *p, bool last)
{
	struct bench_decimal num;
	const char *testcase = s->testcase;
	double least = s->least_total;

	s->testcase = NULL;
	s->least_total = 0;
	if (!bench_decimal(p, false, &num) || num.value <= 0) {
		reading_left_out(&s->r, NOTHING);
		return;
	}
	if (last && s->r.open_end && !*num.end && num.value < floor(least)) {
		reading_left_out(&s->r, "the output was cut");
		return;
	}
	reading_text(&s->r, "testcase", testcase);
	reading_metric(&s->r, "average", "ops/s", BENCH_HIGHER, num.value)->primary =
		true;
	reading_keep(&s->r);
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest;
	struct bench_decimal num;
	bool last = i + 1 == r->lines.n;

	if (bench_words(line, "testcase:", &rest)) {
		s->testcase = *rest ? rest : NULL;
	} else if (bench_words(line, "average:", &rest)) {
		finish_table(s);
		take_average(s, *rest ? rest : reading_line(r, i + 1), last);
	} else if (bench_words(line, "measurement", &rest)) {
		s->least_total = 0;
	} else if (bench_words(line, "min:", &rest)) {
		const char *total = strstr(rest, "total:");

		if (total && bench_decimal(total + 6, false, &num) &&
			(s->least_total <= 0 || num.value < s->least_total))
			s->least_total = num.value;
	} else if (bench_starts(line, "tasks,", &rest)) {
		finish_table(s);
		take_header(s, line);
		s->in_table = true;
	} else {
		take_row(s, line, last);
	}
}

static void begin(struct reading *r)
{
	usual_columns((struct state *)r);
}

static void end(struct reading *r)
{
	finish_table((struct state *)r);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no table and no average line";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_will_it_scale = {
	.name = "will-it-scale",
	.summary = "operations of 1..N processes and threads (will-it-scale)",
	.version = 1,
	.rules = &rules,
};
