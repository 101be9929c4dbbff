// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * unixbench.c - UnixBench 4 to 6: a pass ("running 2 parallel copies of tests") is a run,
 * with one row per test and an index table behind them; index tables alone are runs too.
 * A pass without its index score was cut. A text of bare test programs has only
 * "COUNT|n|base|unit" lines, of which the first counts.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"
#include <math.h>

#define TABLES_MAX 8

struct state {
	struct reading r;
	bool wants_score; /* the run has a head, so an index score must follow */
	bool head_alone;  /* ... and nothing but "Benchmark Run:" yet */
	bool no_index;    /* "No index results available": none will */
	bool in_table;
	const char *tables[TABLES_MAX]; /* categories of its index tables */
	size_t n_tables;
	double score; /* of the system tests, else of the first table; NAN: none yet */
	bool score_is_system, partial;
	bool left_out; /* some run */
};

static void begin_run(struct state *s)
{
	reading_drop(&s->r);
	s->wants_score = s->head_alone = s->no_index = s->in_table = false;
	s->n_tables = 0;
	s->score = NAN;
	s->score_is_system = s->partial = false;
}

static void end_run(struct state *s)
{
	const char *why = NULL;

	if (!isnan(s->score) && s->score <= 0)
		why = "the index score is 0";
	else if (isnan(s->score) && s->wants_score && !s->no_index)
		why = "the index score is missing";
	if (s->head_alone && !s->n_tables && !s->r.run.n_metrics && isnan(s->score)) {
		begin_run(s); /* the head of the pass that follows */
		return;
	}
	if (why) {
		s->left_out = true;
		reading_left_out(&s->r, why);
	} else if (s->r.run.n_metrics || !isnan(s->score)) {
		reading_rate(&s->r, "index_score", "index", s->score)->primary = true;
		if (s->partial)
			reading_note(&s->r, "partial index");
		reading_keep(&s->r);
	}
	begin_run(s);
}

/* ---- rows ---- */

/* A number with one decimal, a blank or the end behind it. */
static bool tenths(const struct state *s, const char *p, double *ret, const char **end)
{
	return *p >= '0' && *p <= '9' && bench_fixed(p, s->r.comma, 1, ret, end) &&
	       (!**end || **end == ' ');
}

/* Where the last "(10.1 s, 1 samples)" of a line begins; NULL: it has none. */
static const char *duration(const struct state *s, const char *line)
{
	const char *found = NULL, *end;
	double v;

	for (const char *p = line; (p = strchr(p, '(')); p++)
		if (bench_fixed(p + 1, s->r.comma, 1, &v, &end)) {
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
	ret->unit = arena_strndup(s->r.a, unit, (size_t)(end - unit));
	end = unit;
	value = last_word(line, &end);
	if (!value || value == line || !tenths(s, value, &ret->v, &p))
		return false;
	for (end = value; end > line && end[-1] == ' ';)
		end--;
	ret->name = arena_strndup(s->r.a, line, (size_t)(end - line));
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
		*name = arena_strndup(s->r.a, line, (size_t)(q - line));
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
static size_t read_result(const struct state *s, size_t i, struct result *ret)
{
	const char *line = reading_line(&s->r, i), *next;
	struct result own;

	if (!is_name(line))
		return 0;
	for (size_t k = 0; k <= 2; k++) {
		next = reading_line(&s->r, i + k);
		if (k && (!*next || result_row(s, next, &own)))
			break;
		if (result_row(s, k ? reading_join(&s->r, i, k) : line, ret)) {
			next = reading_line(&s->r, i + k + 1);
			if (ret->samples < 0 && *next >= '0' && *next <= '9')
				result_row(s, reading_join(&s->r, i, k + 1), ret);
			k += strncmp(next, "samples)", 8) == 0 ||
			     (*next >= '0' && *next <= '9' && strstr(next, " samples)"));
			return k + 1;
		}
	}
	return 0;
}

static size_t read_index(const struct state *s, size_t i, const char **name, double *v)
{
	const char *line = reading_line(&s->r, i), *next, *other;
	double x;

	if (!is_name(line))
		return 0;
	for (size_t k = 0; k <= 2; k++) {
		next = reading_line(&s->r, i + k);
		if (k && (!*next || index_row(s, next, &other, &x)))
			break;
		if (index_row(s, k ? reading_join(&s->r, i, k) : line, name, v))
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

static void take_pass(struct state *s, const char *line, int64_t copies)
{
	const char *end;
	int64_t cpus;

	end_run(s);
	s->wants_score = true;
	reading_number(&s->r, "copies", (double)copies);
	if (bench_integer(line, &cpus, &end) && strncmp(end, " CPU", 4) == 0)
		reading_number(&s->r, "cpus", (double)cpus);
}

static bool is_table(const char *line)
{
	return strstr(line, "BASELINE") && strstr(line, "RESULT");
}

/* A second table of one category begins another run. */
static void take_table(struct state *s, const char *line)
{
	size_t n = (size_t)(strstr(line, "BASELINE") - line);
	const char *category, *p;

	p = memmem(line, n, " Index", 6);
	p = p ? p : memmem(line, n, " Partial", 8);
	n = p ? (size_t)(p - line) : n;
	while (n && line[n - 1] == ' ')
		n--;
	category = arena_strndup(s->r.a, line, n);
	for (size_t i = 0; i < s->n_tables; i++)
		if (strcmp(s->tables[i], category) == 0) {
			end_run(s);
			break;
		}
	if (s->n_tables < TABLES_MAX)
		s->tables[s->n_tables++] = category;
	s->wants_score = s->in_table = true;
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

static void take_score(struct state *s, size_t i)
{
	const char *line = reading_line(&s->r, i), *p = "", *end;
	bool is_system = strstr(line, "System") || strstr(line, "FINAL");
	double v;

	s->in_table = false;
	s->wants_score = true;
	for (size_t k = 0; k <= 2; k++) {
		const char *text = score_text(reading_join(&s->r, i, k));

		p = text ? bench_blanks(text) : "";
		if (*p == '(') {
			const char *close = strchr(p, ')');

			p = close ? bench_blanks(close + 1) : "";
		}
		if (*p)
			break;
	}
	s->partial |= strstr(line, "Partial") != NULL;
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

	if (s->r.out->version || !p || (!strstr(line, "UNIX") && !strstr(line, "Unix")))
		return;
	p += strlen("Version ");
	n = strspn(p, "0123456789.");
	if (n)
		s->r.out->version = arena_strndup(s->r.a, p, n);
}

static void take_result(struct state *s, const struct result *row)
{
	if (s->n_tables) /* rows stand before their table: another run */
		end_run(s);
	if (row->v <= 0)
		reading_note(&s->r, arena_printf(s->r.a, "%s is 0", row->name));
	reading_rate(&s->r, row->name, row->unit, row->v)->samples = row->samples;
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *name;
	struct result row;
	int64_t copies;
	size_t n;
	double v;

	if (is_pass(line, &copies) ||
		(strstr(line, "running") && !strstr(line, "parallel") &&
			is_pass(reading_join(&s->r, i, 1), &copies))) {
		take_pass(s, line, copies);
	} else if (strstr(line, "Benchmark Run:")) {
		end_run(s);
		s->wants_score = s->head_alone = true;
	} else if (is_table(line)) {
		take_table(s, line);
	} else if (score_text(line)) {
		take_score(s, i);
	} else if (strstr(line, "No index results available")) {
		s->no_index = true;
	} else if (s->in_table && (n = read_index(s, i, &name, &v))) {
		reading_rate(&s->r, arena_printf(s->r.a, "%s index", name), "index", v);
		r->next = i + n;
	} else if (!s->in_table && (n = read_result(s, i, &row))) {
		take_result(s, &row);
		r->next = i + n;
	} else {
		take_version(s, line);
	}
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
	if (!bench_starts(line, "COUNT|", &p) || !bench_number(p, s->r.comma, v, &end) ||
		*end++ != '|')
		return false;
	if (!bench_integer(end, &base, &p) || *p++ != '|')
		return true;
	n = strcspn(p, " |\x7f");
	for (size_t i = 0; units[i]; i++)
		if (strlen(units[i]) > n && strncmp(units[i], p, n) == 0)
			return true; /* the unit was cut */
	if (n)
		*unit = arena_strndup(s->r.a, p, n);
	return true;
}

static void take_count(struct state *s)
{
	for (size_t i = 0; i < s->r.lines.n; i++) {
		const char *unit;
		double v;

		if (!count_line(s, s->r.lines.lines[i], &v, &unit))
			continue;
		if (v <= 0) {
			reading_left_out(&s->r, "the count is 0");
			return;
		}
		reading_rate(&s->r, "count", unit, v)->primary = true;
		reading_keep(&s->r);
		return;
	}
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	const char *p = reading_line(r, i), *rest;

	if (bench_starts(p, "COUNT|", &rest))
		bench_votes(rest, n_comma, n_point);
	else if (is_name(p) && !strstr(p, "load average"))
		bench_votes(p, n_comma, n_point);
}

/* A table's header that a mail program wrapped. */
static void unwrap_tables(struct reading *r)
{
	struct bench_lines *l = &r->lines;

	for (size_t i = 0; i + 1 < l->n; i++) {
		const char *line = l->lines[i], *next = l->lines[i + 1], *rest;
		bool begins = strstr(line, "Partial Index") ||
			      strstr(line, "Index Values") ||
			      bench_starts(line, "TEST ", &rest);

		if (begins && !strstr(line, "INDEX") &&
			(strstr(next, "RESULT") || strcmp(next, "INDEX") == 0)) {
			l->lines[i + 1] = reading_join(r, i, 1);
			l->lines[i] = "";
		}
	}
}

static void begin(struct reading *r)
{
	unwrap_tables(r);
	begin_run((struct state *)r);
}

static void end(struct reading *r)
{
	struct state *s = (struct state *)r;

	end_run(s);
	if (r->out->n_runs == 0 && !s->left_out)
		take_count(s);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no result line";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.marks_cut = true,
	.begin = begin,
	.votes = votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_unixbench = {
	.name = "unixbench",
	.summary = "the index of UnixBench",
	.version = 1,
	.rules = &rules,
};
