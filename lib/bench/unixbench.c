// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unixbench.c - UnixBench 4 to 6: a pass ("running 2 parallel copies of tests") is a run,
 * with one row per test and an index table behind them; index tables alone are runs too.
 * A pass without its index score was cut. A text of bare test programs has only
 * "COUNT|n|base|unit" lines, of which the first counts.
 */
#include "base/base.h"

#include "bench/draft.h"
#include "bench/parsers.h"
#include "bench/text.h"
#include <math.h>

#define TABLES_MAX 8

struct state {
	struct arena *a;
	struct bench_output *out;
	size_t cap;
	struct bench_draft draft;
	bool comma;
	bool wants_score; /* the run has a head, so an index score must follow */
	bool no_index;    /* "No index results available": none will */
	bool in_table;
	const char *tables[TABLES_MAX]; /* categories of its index tables */
	size_t n_tables;
	double score; /* of the system tests, else of the first table; NAN: none yet */
	bool score_is_system, partial;
	bool cut, zero; /* runs left out, for the reason */
};

static void begin(struct state *s)
{
	draft_begin(&s->draft, s->a);
	s->wants_score = s->no_index = s->in_table = false;
	s->n_tables = 0;
	s->score = NAN;
	s->score_is_system = s->partial = false;
}

static int end_run(struct state *s, struct err *e)
{
	bool any = s->draft.run.n_metrics > 0, seen = !isnan(s->score);
	struct bench_metric *m;
	int status = 0;

	if (seen) {
		m = draft_rate(&s->draft, "index_score", "index", s->score);
		if (m)
			m->primary = true;
		any = m != NULL;
		s->zero |= !m;
	} else if (s->wants_score && !s->no_index) {
		any = false;
		s->cut = true;
	}
	if (s->partial)
		draft_note(&s->draft, "partial index");
	if (any)
		status = draft_keep(&s->draft, s->out, &s->cap, e);
	begin(s);
	return status;
}

/* ---- rows ---- */

/* A number with one decimal, a blank or the end behind it. */
static bool tenths(const struct state *s, const char *p, double *ret, const char **end)
{
	return *p >= '0' && *p <= '9' && bench_fixed(p, s->comma, 1, ret, end) &&
	       (!**end || **end == ' ');
}

/* Where the last "(10.1 s, 1 samples)" of a line begins; NULL: it has none. */
static const char *duration(const struct state *s, const char *line)
{
	const char *found = NULL, *end;
	double v;

	for (const char *p = line; (p = strchr(p, '(')); p++)
		if (bench_fixed(p + 1, s->comma, 1, &v, &end)) {
			end = bench_blanks(end);
			if (*end == 's' && memchr(end, ',', strnlen(end, 8)))
				found = p;
		}
	return found;
}

/* Begins the word that ends at end; end becomes where the one before it ends. */
static const char *last_word(const char *line, const char **end)
{
	const char *p = *end, *start;

	while (p > line && p[-1] == ' ')
		p--;
	*end = p;
	while (p > line && p[-1] != ' ')
		p--;
	start = p;
	return start < *end ? start : NULL;
}

struct result {
	const char *name, *unit;
	double v;
	int64_t samples; /* -1: not printed, or cut */
};

/* "Process Creation   119.2 lps   (30.3 s, 1 samples)" */
static bool result_row(const struct state *s, const char *line, struct result *ret)
{
	const char *stop = duration(s, line), *unit, *value, *end, *p;

	if (!stop)
		return false;
	end = stop;
	unit = last_word(line, &end);
	if (!unit)
		return false;
	ret->unit = arena_strndup(s->a, unit, (size_t)(end - unit));
	end = unit;
	value = last_word(line, &end);
	if (!value || value == line || !tenths(s, value, &ret->v, &p))
		return false;
	for (end = value; end > line && end[-1] == ' ';)
		end--;
	ret->name = arena_strndup(s->a, line, (size_t)(end - line));
	p = strchr(stop, ',');
	/* the comma before the samples, not the decimal one */
	while (p && p[1] != ' ' && p[1] != 0)
		p = strchr(p + 1, ',');
	if (!p || !bench_whole(bench_blanks(p + 1), &ret->samples, &end))
		ret->samples = -1;
	return end > line && ret->name[0];
}

/* "Process Creation   126.0   119.2   9.5"; "---" where there is no baseline. NAN: no
 * index. */
static bool index_row(
	const struct state *s, const char *line, const char **name, double *v)
{
	for (const char *p = line; *p; p = bench_blanks(p + strcspn(p, " "))) {
		const char *q = p, *rest;
		double skip;
		bool none = bench_starts(q, "--- ", &rest);

		if (p == line || (!none && !tenths(s, q, &skip, &rest)))
			continue;
		q = bench_blanks(rest);
		if (!tenths(s, q, &skip, &rest))
			continue;
		q = bench_blanks(rest);
		*v = NAN;
		if (!tenths(s, q, v, &rest) && !bench_starts(q, "---", &rest))
			continue;
		for (q = p; q > line && q[-1] == ' ';)
			q--;
		*name = arena_strndup(s->a, line, (size_t)(q - line));
		return true;
	}
	return false;
}

static bool is_name(const char *line)
{
	return (*line >= 'A' && *line <= 'Z') || (*line >= 'a' && *line <= 'z') ||
	       (*line >= '0' && *line <= '9');
}

/* A row at line i, which may be wrapped. Lines it takes; 0: no row. */
static size_t read_result(
	const struct state *s, const struct bench_lines *l, size_t i, struct result *ret)
{
	struct result own;
	const char *next;

	if (!is_name(l->lines[i]))
		return 0;
	for (size_t k = 0; k <= 2 && i + k < l->n; k++) {
		if (k && (!*l->lines[i + k] || result_row(s, l->lines[i + k], &own)))
			break;
		if (result_row(s, k ? bench_join(s->a, l, i, k) : l->lines[i], ret)) {
			next = i + k + 1 < l->n ? l->lines[i + k + 1] : "";
			if (ret->samples < 0 && *next >= '0' && *next <= '9')
				result_row(s, bench_join(s->a, l, i, k + 1), ret);
			k += strncmp(next, "samples)", 8) == 0 ||
			     (*next >= '0' && *next <= '9' && strstr(next, " samples)"));
			return k + 1;
		}
	}
	return 0;
}

static size_t read_index(const struct state *s, const struct bench_lines *l, size_t i,
	const char **name, double *v)
{
	const char *other;
	double x;

	if (!is_name(l->lines[i]))
		return 0;
	for (size_t k = 0; k <= 2 && i + k < l->n; k++) {
		if (k && (!*l->lines[i + k] || index_row(s, l->lines[i + k], &other, &x)))
			break;
		if (index_row(s, k ? bench_join(s->a, l, i, k) : l->lines[i], name, v))
			return k + 1;
	}
	return 0;
}

/* ---- heads, tables, scores ---- */

/* "2 CPUs in system; running 4 parallel copies of tests" */
static bool is_pass(const char *line, int64_t *copies)
{
	const char *p = line, *end;

	while ((p = strstr(p, "running "))) {
		p += strlen("running ");
		if (bench_integer(bench_blanks(p), copies, &end) &&
			strncmp(bench_blanks(end), "parallel", 8) == 0)
			return true;
	}
	return false;
}

static int take_pass(struct state *s, const char *line, int64_t copies, struct err *e)
{
	int status = end_run(s, e);
	const char *end;
	int64_t cpus;

	s->wants_score = true;
	draft_number(&s->draft, "copies", (double)copies);
	if (bench_integer(line, &cpus, &end) && strncmp(end, " CPU", 4) == 0)
		draft_number(&s->draft, "cpus", (double)cpus);
	return status;
}

static bool is_table(const char *line)
{
	return strstr(line, "BASELINE") && strstr(line, "RESULT");
}

/* A second table of one category begins another run. */
static int take_table(struct state *s, const char *line, struct err *e)
{
	size_t n = (size_t)(strstr(line, "BASELINE") - line);
	const char *category, *p;
	int status = 0;

	p = memmem(line, n, " Index", 6);
	p = p ? p : memmem(line, n, " Partial", 8);
	n = p ? (size_t)(p - line) : n;
	while (n && line[n - 1] == ' ')
		n--;
	category = arena_strndup(s->a, line, n);
	for (size_t i = 0; i < s->n_tables; i++)
		if (strcmp(s->tables[i], category) == 0) {
			status = end_run(s, e);
			break;
		}
	if (s->n_tables < TABLES_MAX)
		s->tables[s->n_tables++] = category;
	s->wants_score = s->in_table = true;
	return status;
}

/* "System Benchmarks Index Score (Partial Only)   76.8", "FINAL SCORE   426.2" */
static const char *score_text(const char *line)
{
	const char *p = strstr(line, "Index Score");

	if (p)
		return p + strlen("Index Score");
	p = strstr(line, "FINAL SCORE");
	return p ? p + strlen("FINAL SCORE") : NULL;
}

static void take_score(struct state *s, const struct bench_lines *l, size_t i)
{
	const char *p, *end;
	bool is_system = strstr(l->lines[i], "System") || strstr(l->lines[i], "FINAL");
	double v;

	s->in_table = false;
	s->wants_score = true;
	for (size_t k = 0; k <= 2; k++) {
		p = bench_blanks(score_text(bench_join(s->a, l, i, k)));
		if (*p == '(') {
			const char *close = strchr(p, ')');

			p = close ? bench_blanks(close + 1) : "";
		}
		if (*p)
			break;
	}
	s->partial |= strstr(l->lines[i], "Partial") != NULL;
	if (!tenths(s, p, &v, &end) || (!isnan(s->score) && !is_system) ||
		s->score_is_system)
		return;
	s->score = v;
	s->score_is_system = is_system;
}

static void take_version(struct state *s, const char *line)
{
	const char *p = strstr(line, "Version ");
	size_t n;

	if (s->out->version || !p || (!strstr(line, "UNIX") && !strstr(line, "Unix")))
		return;
	p += strlen("Version ");
	n = strspn(p, "0123456789.");
	if (n)
		s->out->version = arena_strndup(s->a, p, n);
}

static int take_result(struct state *s, const struct result *r, struct err *e)
{
	struct bench_metric *m;
	int status = 0;

	if (s->n_tables) /* rows stand before their table: another run */
		status = end_run(s, e);
	m = draft_rate(&s->draft, r->name, r->unit, r->v);
	if (m)
		m->samples = r->samples;
	return status;
}

/* Lines taken, at least one. */
static size_t take_line(struct state *s, const struct bench_lines *l, size_t i,
	int *status, struct err *e)
{
	const char *line = l->lines[i], *name;
	struct result r;
	int64_t copies;
	size_t n;
	double v;

	if (is_pass(line, &copies) ||
		(strstr(line, "running") && !strstr(line, "parallel") &&
			is_pass(bench_join(s->a, l, i, 1), &copies))) {
		*status = take_pass(s, line, copies, e);
	} else if (strstr(line, "Benchmark Run:")) {
		*status = end_run(s, e);
		s->wants_score = true;
	} else if (is_table(line)) {
		*status = take_table(s, line, e);
	} else if (score_text(line)) {
		take_score(s, l, i);
	} else if (strstr(line, "No index results available")) {
		s->no_index = true;
	} else if (s->in_table && (n = read_index(s, l, i, &name, &v))) {
		draft_rate(&s->draft, arena_printf(s->a, "%s index", name), "index", v);
		return n;
	} else if (!s->in_table && (n = read_result(s, l, i, &r))) {
		*status = take_result(s, &r, e);
		return n;
	} else {
		take_version(s, line);
	}
	return 1;
}

/* ---- bare programs ---- */

/* "COUNT|74628|1|lps" */
static bool count_line(
	const struct state *s, const char *line, double *v, const char **unit)
{
	static const char *const units[] = {
		"lps", "lpm", "KBps", "MWIPS", "fps", "score", NULL};
	const char *p, *end;
	int64_t base;
	size_t n;

	*unit = NULL;
	if (!bench_starts(line, "COUNT|", &p) || !bench_number(p, s->comma, v, &end) ||
		*end++ != '|')
		return false;
	if (!bench_integer(end, &base, &p) || *p++ != '|')
		return true;
	n = strcspn(p, " |\x7f");
	for (size_t i = 0; units[i]; i++)
		if (strlen(units[i]) > n && strncmp(units[i], p, n) == 0)
			return true; /* the unit was cut */
	if (n)
		*unit = arena_strndup(s->a, p, n);
	return true;
}

static int take_count(struct state *s, const struct bench_lines *l, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		struct bench_metric *m;
		const char *unit;
		double v;

		if (!count_line(s, l->lines[i], &v, &unit))
			continue;
		m = draft_rate(&s->draft, "count", unit, v);
		s->zero |= !m;
		if (!m)
			return 0;
		m->primary = true;
		return draft_keep(&s->draft, s->out, &s->cap, e);
	}
	return 0;
}

/* The locale of the program: decimal comma when more of its values have one. */
static bool uses_comma(const struct bench_lines *l)
{
	size_t n_comma = 0, n_point = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *p = l->lines[i], *rest;

		if (bench_starts(p, "COUNT|", &rest))
			bench_votes(rest, &n_comma, &n_point);
		else if (is_name(p) && !strstr(p, "load average"))
			bench_votes(p, &n_comma, &n_point);
	}
	return n_comma > n_point;
}

/* A table's header that a mail program wrapped. */
static void unwrap_tables(struct arena *a, struct bench_lines *l)
{
	for (size_t i = 0; i + 1 < l->n; i++) {
		const char *line = l->lines[i], *next = l->lines[i + 1], *rest;
		bool begins = strstr(line, "Partial Index") ||
			      strstr(line, "Index Values") ||
			      bench_starts(line, "TEST ", &rest);

		if (begins && !strstr(line, "INDEX") &&
			(strstr(next, "RESULT") || strcmp(next, "INDEX") == 0)) {
			l->lines[i + 1] = bench_join(a, l, i, 1);
			l->lines[i] = "";
		}
	}
}

static int unixbench_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state *s = ARENA_NEW(a, struct state);
	struct bench_lines l;
	int status = bench_lines(a, buf, len, &l, e);

	if (status != 0)
		return status;
	bench_mark_cut(a, buf, len, &l);
	unwrap_tables(a, &l);
	s->a = a;
	s->out = ret;
	s->comma = uses_comma(&l);
	begin(s);
	for (size_t i = 0; i < l.n && status == 0;)
		i += take_line(s, &l, i, &status, e);
	if (status == 0)
		status = end_run(s, e);
	if (status == 0 && ret->n_runs == 0 && !s->cut && !s->zero)
		status = take_count(s, &l, e);
	if (status == 0 && ret->n_runs == 0)
		ret->why = s->zero  ? "the index score or the count is 0"
			   : s->cut ? "the index score is missing"
				    : "no result line";
	return status;
}

const struct bench_parser bench_unixbench = {
	.name = "unixbench",
	.summary = "the index of UnixBench",
	.version = 1,
	.parse = unixbench_parse,
};
