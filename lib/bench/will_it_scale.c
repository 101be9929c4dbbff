// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * will_it_scale.c - the table of will-it-scale's runtest.py ("tasks,processes,...", one
 * run a table) and the "average:" line of one of its programs (one run each). A table
 * whose last row was cut inside a number that counts is no result.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/rows.h"
#include <math.h>

#define COLUMNS_MAX 16

struct row {
	int64_t tasks;
	double processes, threads; /* NAN: no such column */
};

struct state {
	struct rows rows;
	bool open_end;
	/* the table */
	int tasks_at, processes_at, threads_at, n_columns; /* columns; -1: none */
	bool in_table, cut;
	struct row *table;
	size_t n, cap;
	/* the reasons */
	bool ever_cut, any_row, any_average;
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
static bool take_header(struct state *s, const char *line)
{
	const char *rest, *p = line;

	if (!bench_starts(line, "tasks,", &rest))
		return false;
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
	return true;
}

/* Numbers between commas; the number of them that are whole. *closed when the last of
 * them has a comma behind it, *plain when nothing but numbers was met. */
static int take_numbers(
	const char *line, double v[COLUMNS_MAX], bool *closed, bool *plain)
{
	struct rows_number num;
	const char *p = line;
	char copy[40];
	int n = 0;

	*closed = *plain = false;
	while (n < COLUMNS_MAX) {
		size_t len;

		while (*p == ' ')
			p++;
		len = strcspn(p, ", ");
		if (len == 0 || len >= sizeof(copy)) {
			*plain = len == 0;
			return n;
		}
		memcpy(copy, p, len);
		copy[len] = 0;
		if (!rows_number(copy, false, &num) || *num.end)
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

static int finish_table(struct state *s, struct err *e)
{
	const struct row *best = NULL;
	bool processes = false;
	size_t n = s->n;

	s->n = 0;
	s->in_table = false;
	s->ever_cut |= s->cut;
	if (s->cut) {
		s->cut = false;
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		processes |= s->table[i].processes > 0;
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &s->table[i];

		if ((processes ? r->processes : r->threads) > 0 &&
			(!best || r->tasks > best->tasks))
			best = r;
	}
	if (!best)
		return 0;
	if (s->testcase)
		rows_param(&s->rows, "testcase", s->testcase, -1);
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &s->table[i];
		long long tasks = r->tasks;

		if (r->processes > 0)
			rows_metric(&s->rows,
				arena_printf(s->rows.a, "processes_%lld", tasks), "ops/s",
				BENCH_HIGHER, r->processes)
				->primary = processes && r == best;
		if (r->threads > 0)
			rows_metric(&s->rows,
				arena_printf(s->rows.a, "threads_%lld", tasks), "ops/s",
				BENCH_HIGHER, r->threads)
				->primary = !processes && r == best;
	}
	return rows_keep(&s->rows, e);
}

/* A row of the table, or one that was cut at the end of the text. */
static int take_row(struct state *s, const char *line, bool last, struct err *e)
{
	double v[COLUMNS_MAX];
	bool closed, plain;
	int n, need = s->processes_at > s->threads_at ? s->processes_at : s->threads_at;
	int status;
	struct row r = {0, NAN, NAN};

	n = take_numbers(line, v, &closed, &plain);
	if (n == 0)
		return 0;
	if (n <= need || (n == need + 1 && n < s->n_columns && !closed)) {
		/* the last line was cut inside a number that counts, or before it */
		if (last && s->open_end && s->in_table && plain)
			s->cut = true;
		return 0;
	}
	if (s->tasks_at < 0 || v[s->tasks_at] < 0 || v[s->tasks_at] > 1e9 ||
		v[s->tasks_at] != floor(v[s->tasks_at]))
		return 0;
	/* without a header only the table's own shape counts */
	if (!s->in_table && n != s->n_columns)
		return 0;
	r.tasks = (int64_t)v[s->tasks_at];
	if (s->processes_at >= 0)
		r.processes = v[s->processes_at];
	if (s->threads_at >= 0)
		r.threads = v[s->threads_at];
	if (s->n && r.tasks <= s->table[s->n - 1].tasks) {
		status = finish_table(s, e);
		if (status != 0)
			return status;
	}
	s->in_table = true;
	if (r.tasks > 0)
		s->any_row = true;
	*ARENA_PUSH(s->rows.a, s->table, s->n, s->cap) = r;
	return 0;
}

/* The last number of a program. Where the text ends in it, the totals it is the mean of
 * tell whether it was cut. */
static int take_average(struct state *s, const char *p, bool last, struct err *e)
{
	struct rows_number num;
	const char *testcase = s->testcase;
	double least = s->least_total;

	s->any_average = true;
	s->testcase = NULL;
	s->least_total = 0;
	if (!rows_number(p, false, &num) || num.value <= 0)
		return 0;
	if (last && s->open_end && !*num.end && num.value < floor(least)) {
		s->ever_cut = true;
		return 0;
	}
	if (testcase)
		rows_param(&s->rows, "testcase", testcase, -1);
	rows_metric(&s->rows, "average", "ops/s", BENCH_HIGHER, num.value)->primary =
		true;
	return rows_keep(&s->rows, e);
}

static int take_line(
	struct state *s, const struct bench_lines *l, size_t i, struct err *e)
{
	const char *line = l->lines[i], *rest;
	struct rows_number num;
	int status = 0;

	if (rows_words(line, "testcase:", &rest)) {
		s->testcase = *rest ? rest : NULL;
	} else if (rows_words(line, "average:", &rest)) {
		status = finish_table(s, e);
		if (!*rest && i + 1 < l->n)
			rest = l->lines[i + 1];
		if (status == 0)
			status = take_average(s, rest, i + 1 == l->n, e);
	} else if (rows_words(line, "measurement", &rest)) {
		s->least_total = 0;
	} else if (rows_words(line, "min:", &rest)) {
		const char *total = strstr(rest, "total:");

		if (total && rows_number(total + 6, false, &num) &&
			(s->least_total <= 0 || num.value < s->least_total))
			s->least_total = num.value;
	} else if (bench_starts(line, "tasks,", &rest)) {
		status = finish_table(s, e);
		take_header(s, line);
		s->in_table = true;
	} else {
		status = take_row(s, line, i + 1 == l->n, e);
	}
	return status;
}

static int will_it_scale_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state s = {
		.rows = {.a = a, .out = ret}, .open_end = rows_open_end(buf, len)};
	struct bench_lines l = {0};
	int status = bench_lines(a, buf, len, &l, e);

	usual_columns(&s);
	for (size_t i = 0; i < l.n && status == 0; i++)
		status = take_line(&s, &l, i, e);
	if (status == 0)
		status = finish_table(&s, e);
	if (status != 0 || ret->n_runs)
		return status;
	ret->why = s.ever_cut                   ? "the output was cut"
		   : s.any_row || s.any_average ? "nothing was measured"
						: "no table and no average line";
	return 0;
}

const struct bench_parser bench_will_it_scale = {
	.name = "will-it-scale",
	.summary = "operations of 1..N processes and threads (will-it-scale)",
	.version = 1,
	.parse = will_it_scale_parse,
};
