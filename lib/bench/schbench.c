// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schbench.c - schbench from 2016 on: blocks of percentiles (wakeup latencies, request
 * latencies, requests per second), printed at every interval and at the end; within a run
 * the last block of each kind counts. What begins a run: starts_run(). Its JSON counts
 * only in a text without such blocks (schbench_json.c).
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"
#include "bench/schbench.h"
#include <math.h>
#include <strings.h>

#define ROWS_MAX 64

enum kind { WAKEUP, REQUEST, RPS, N_KINDS };

struct row {
	double percentile;
	int64_t value, samples; /* samples -1: not printed */
};

struct block {
	bool seen;
	bool current_since;     /* a "current rps:" line stood behind the header */
	int64_t runtime, total; /* -1: not printed */
	int64_t min, max;       /* -1: not printed, or cut */
	struct row rows[ROWS_MAX];
	size_t n_rows;
};

/* The last value of each of the other lines; NAN: none. */
struct values {
	double average_rps, loops, transfer_ops, transfer, delay_message, delay_worker;
	const char *transfer_unit;
};

struct state {
	struct reading r;
	bool open;         /* some header of the run was there */
	bool any_header;   /* ... of the text */
	bool closing;      /* the closing line of the run was there */
	bool current_last; /* its last word was "current rps:" */
	struct block blocks[N_KINDS];
	struct block *at; /* the one whose rows are expected; NULL: none */
	struct values v;
};

static bool ends_in(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && strncasecmp(p + len - n, word, n) == 0;
}

/* "usec)", "requests)": the unit of the kind, or the part of it that was not cut. */
static bool has_its_unit(const char *p, enum kind kind)
{
	const char *unit = kind == RPS ? "requests" : "usec";
	size_t n = strcspn(p, ") \x7f");

	return strncmp(p, unit, n) == 0 && (n == strlen(unit) || !p[n]);
}

/* "Wakeup Latencies percentiles (usec) runtime 2 (s) (58 total samples)", at the end of
 * any other text. *rest stands behind the label. */
static bool is_header(const char *line, enum kind *ret, const char **rest)
{
	const char *p = strstr(line, "percentiles (");
	size_t n;

	if (!p)
		return false;
	*rest = p;
	for (n = (size_t)(p - line); n && line[n - 1] == ' ';)
		n--;
	if (ends_in(line, n, "rps"))
		*ret = RPS;
	else if (ends_in(line, n, "request latencies") ||
		 ends_in(line, n, "request latency"))
		*ret = REQUEST;
	else if (ends_in(line, n, "latencies") || ends_in(line, n, "latency"))
		*ret = WAKEUP;
	else
		return false;
	return has_its_unit(p + strlen("percentiles ("), *ret);
}

/* "* 99.0th: 44736      (13 samples)". *rest stands behind the colon. */
static bool is_row(const char *line, bool comma, double *percentile, const char **rest)
{
	const char *end;

	while (*line == '*' || *line == ' ')
		line++;
	return bench_number(line, comma, percentile, &end) && *percentile > 0 &&
	       *percentile < 100 && bench_starts(end, "th:", rest);
}

static bool is_limits(const char *line)
{
	const char *rest;

	return bench_starts(line, "min=", &rest) ||
	       (bench_starts(line, "Over=", &rest) && strstr(rest, "min="));
}

/* "(58 total samples" or "(13 samples", perhaps cut in the words. -1: not there. */
static int64_t samples_in(const char *p, const char *word)
{
	const char *end;
	int64_t n;

	for (; (p = strchr(p, '(')); p++) {
		if (!bench_whole(p + 1, &n, &end) || *end != ' ')
			continue;
		end = bench_blanks(end);
		if (strncmp(end, word, strnlen(end, strlen(word))) == 0)
			return n;
	}
	return -1;
}

/* "(13" at the end of a line and "samples)" in the next, or all of it there. */
static int64_t wrapped_samples(const char *p, const char *next)
{
	const char *end, *open = strrchr(p, '(');
	int64_t n = -1;

	if (!*bench_blanks(p) && *next == '(')
		return samples_in(next, "sample");
	if (open && bench_whole(open + 1, &n, &end) && !*end &&
		bench_starts(next, "sample", &end))
		return n;
	return -1;
}

static void begin_run(struct state *s)
{
	s->open = s->closing = s->current_last = false;
	s->at = NULL;
	for (size_t i = 0; i < N_KINDS; i++) {
		s->blocks[i].seen = false;
		s->blocks[i].n_rows = 0;
	}
	s->v = (struct values){NAN, NAN, NAN, NAN, NAN, NAN, NULL};
	reading_drop(&s->r);
}

static bool has_row(const struct block *b, double percentile)
{
	for (size_t i = 0; i < b->n_rows; i++)
		if (fabs(b->rows[i].percentile - percentile) < 1e-9)
			return true;
	return false;
}

/* No samples: so it says or, where it says nothing, all is 0; so are rates of 0. */
static bool is_idle(const struct block *b, enum kind kind)
{
	if (b->total == 0 || (b->total > 0 && kind != RPS))
		return b->total == 0;
	for (size_t i = 0; i < b->n_rows; i++)
		if (b->rows[i].value != 0)
			return false;
	return b->max <= 0;
}

static const char *const labels[] = {"wakeup_latency", "request_latency", "rps"};

static void add_block(struct state *s, enum kind kind)
{
	const struct block *b = &s->blocks[kind];

	for (size_t i = 0; i < b->n_rows; i++)
		schbench_percentile(&s->r, labels[kind], b->rows[i].percentile,
			(double)b->rows[i].value, b->rows[i].samples);
	if (b->min >= 0)
		schbench_limit(&s->r, labels[kind], "min", (double)b->min);
	if (b->max >= 0)
		schbench_limit(&s->r, labels[kind], "max", (double)b->max);
}

static void add_values(struct state *s)
{
	reading_rate(&s->r, "average_rps", "requests/s", s->v.average_rps);
	reading_rate(&s->r, "loops_per_sec", "loops/s", s->v.loops);
	reading_rate(&s->r, "worker_transfer_ops", "ops/s", s->v.transfer_ops);
	reading_rate(&s->r, "worker_transfer", s->v.transfer_unit, s->v.transfer);
	reading_cost(&s->r, "sched_delay_message", "us", s->v.delay_message);
	reading_cost(&s->r, "sched_delay_worker", "us", s->v.delay_worker);
}

/* NULL when the run under construction is whole, else what is wrong with it. */
static const char *is_broken(const struct state *s)
{
	if (s->current_last)
		return "stopped before its end";
	for (enum kind k = WAKEUP; k <= REQUEST; k++)
		if (s->blocks[k].seen && !has_row(&s->blocks[k], 99.9))
			return "a percentile block was cut";
	return NULL;
}

static void end_run(struct state *s)
{
	const char *broken;
	int64_t runtime = -1;

	if (!s->open)
		return;
	broken = is_broken(s);
	if (broken) {
		reading_left_out(&s->r, broken);
	} else {
		for (enum kind k = WAKEUP; k < N_KINDS; k++) {
			if (!s->blocks[k].seen)
				continue;
			if (runtime < 0)
				runtime = s->blocks[k].runtime;
			if (!is_idle(&s->blocks[k], k))
				add_block(s, k);
			else
				reading_note(&s->r, arena_printf(s->r.a, "%s: no samples",
							    labels[k]));
		}
		if (runtime >= 0)
			reading_number(&s->r, "runtime", (double)runtime);
		if (s->r.run.n_metrics) {
			add_values(s);
			reading_keep(&s->r);
		} else {
			reading_left_out(&s->r, "no samples");
		}
	}
	begin_run(s);
}

/* A header of a kind already seen: the next interval of this run, or another run? */
static bool starts_run(const struct state *s, enum kind kind, int64_t runtime)
{
	const struct block *b = &s->blocks[kind];

	if (!b->seen)
		return false;
	return runtime < 0 || runtime < b->runtime || s->closing ||
	       (runtime == b->runtime && !b->current_since);
}

/* What stands behind the label of a header; the line may be wrapped. */
static const char *header_text(struct state *s, size_t i, const char *rest)
{
	for (size_t k = 1; k <= 3 && i + k < s->r.lines.n; k++) {
		const char *next = reading_line(&s->r, i + k), *p;
		enum kind kind;
		double v;

		if (strstr(rest, "total samples") || is_row(next, s->r.comma, &v, &p) ||
			is_limits(next) || is_header(next, &kind, &p))
			break;
		rest = arena_printf(s->r.a, "%s %s", rest, next);
	}
	return rest;
}

static void take_header(struct state *s, enum kind kind, const char *text)
{
	const char *p = strstr(text, "runtime "), *end;
	int64_t runtime = -1;
	struct block *b = &s->blocks[kind];

	if (p && !bench_whole(bench_blanks(p + strlen("runtime ")), &runtime, &end))
		runtime = -1;
	if (starts_run(s, kind, runtime))
		end_run(s);
	s->open = s->any_header = true;
	s->current_last = false;
	s->at = b;
	b->seen = true;
	b->current_since = false;
	b->runtime = runtime;
	b->total = samples_in(text, "total samples");
	b->min = b->max = -1;
	b->n_rows = 0;
}

static void take_row(struct state *s, size_t i, double percentile, const char *rest)
{
	struct row row = {.percentile = percentile, .samples = -1};
	const char *end;

	if (s->at->n_rows == ROWS_MAX)
		return;
	if (!*bench_blanks(rest) &&
		!is_row(reading_join(&s->r, i, 1), s->r.comma, &percentile, &rest))
		return;
	if (!bench_whole(bench_blanks(rest), &row.value, &end))
		return;
	row.samples = samples_in(end, "sample");
	if (row.samples < 0)
		row.samples = wrapped_samples(end, reading_line(&s->r, i + 1));
	s->at->rows[s->at->n_rows++] = row;
}

/* "Over=23, min=0, max=90857" ends a block. */
static void take_limits(struct state *s, size_t i)
{
	const char *line = reading_line(&s->r, i), *p, *end;
	struct block *b = s->at;
	int64_t v;

	if (!strstr(line, "max="))
		line = reading_join(&s->r, i, 1);
	p = strstr(line, "min=");
	if (p && bench_whole(p + strlen("min="), &v, &end))
		b->min = v;
	p = strstr(line, "max=");
	/* the last number of a text may be cut: then it is below the percentiles */
	if (p && bench_integer(p + strlen("max="), &v, &end) &&
		(*end != BENCH_CUT ||
			(b->n_rows && v > b->rows[b->n_rows - 1].value / 10 * 9)))
		b->max = v;
	s->at = NULL;
}

/* The number of the given decimals behind a word; NAN when it is none. */
static double number_after(const struct state *s, const char *p, int decimals)
{
	const char *end;
	double v;

	return bench_fixed(bench_blanks(p), s->r.comma, decimals, &v, &end) ? v : NAN;
}

static double integer_after(const char *line, const char *word)
{
	const char *p = strstr(line, word), *end;
	int64_t v;

	if (!p || !bench_whole(bench_blanks(p + strlen(word)), &v, &end))
		return NAN;
	return (double)v;
}

/* "9845.00 ops/sec 9.61MB/s" */
static void take_transfer(struct state *s, const char *p)
{
	const char *end;
	size_t n;
	double v;

	s->v.transfer_ops = s->v.transfer = NAN;
	if (!bench_fixed(bench_blanks(p), s->r.comma, 2, &v, &end))
		return;
	s->v.transfer_ops = v;
	end = bench_blanks(end);
	if (!bench_starts(end, "ops/s", &p))
		return;
	p = bench_blanks(p + strcspn(p, " "));
	n = bench_fixed(p, s->r.comma, 2, &v, &end) ? strcspn(end, " (\x7f") : 0;
	if (n < 3 || end[n - 2] != '/')
		return;
	s->v.transfer = v;
	s->v.transfer_unit = arena_strndup(s->r.a, end, n);
}

/* Whether the line goes on in the next one: what stands behind its word is not all. */
static bool is_wrapped(const char *word, const char *rest)
{
	const char *p = strstr(rest, "worker");

	if (strcmp(word, "sched delay:") == 0)
		return !p || !*bench_blanks(p + strlen("worker"));
	if (strcmp(word, "avg worker transfer:") == 0)
		return !strstr(rest, "B/s");
	return !*bench_blanks(rest);
}

/* Other lines of a run. False: the line is none of them. */
static bool take_value(struct state *s, size_t i)
{
	static const char *const words[] = {
		"average rps:", "rps:", "avg worker transfer:", "avg loops per second:",
		"sched delay:", "final rps ", "current rps:"};
	const char *rest = NULL;
	size_t w = 0;

	while (w < ARRAY_LEN(words) &&
		!bench_starts(reading_line(&s->r, i), words[w], &rest))
		w++;
	if (w == ARRAY_LEN(words))
		return false;
	if (is_wrapped(words[w], rest))
		(void)bench_starts(reading_join(&s->r, i, 1), words[w], &rest);
	switch (w) {
	case 0:
	case 1:
		s->v.average_rps = number_after(s, rest, 2);
		s->closing |= w == 0 || strstr(rest, " p95");
		break;
	case 2:
		take_transfer(s, rest);
		s->closing = true;
		break;
	case 3:
		s->v.loops = number_after(s, rest, 4);
		break;
	case 4:
		s->v.delay_message = integer_after(rest, "message ");
		s->v.delay_worker = integer_after(rest, "worker ");
		break;
	case 5:
		s->closing = true;
		break;
	default:
		for (size_t k = 0; k < N_KINDS; k++)
			s->blocks[k].current_since = true;
	}
	s->current_last = w == 6;
	s->at = NULL;
	return true;
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest;
	enum kind kind;
	double v;

	if (is_header(line, &kind, &rest))
		take_header(s, kind, header_text(s, i, rest));
	else if (strstr(line, "percentiles ("))
		s->at = NULL; /* in a unit that is none of schbench's */
	else if (!s->open || take_value(s, i) || !s->at)
		return;
	else if (is_limits(line))
		take_limits(s, i);
	else if (is_row(line, r->comma, &v, &rest))
		take_row(s, i, v, rest);
}

static bool ends_in_label(const char *line)
{
	size_t n = strlen(line);

	return ends_in(line, n, "latencies") || ends_in(line, n, "latency") ||
	       ends_in(line, n, "rps");
}

/* The words of a header that a mail program put into two lines. */
static void unwrap_headers(struct reading *r)
{
	struct bench_lines *l = &r->lines;

	for (size_t i = 0; i + 1 < l->n; i++) {
		const char *rest, *line = l->lines[i], *next = l->lines[i + 1];

		if ((bench_starts(next, "percentiles", &rest) && ends_in_label(line)) ||
			(*next == '(' && ends_in(line, strlen(line), "percentiles"))) {
			l->lines[i + 1] = reading_join(r, i, 1);
			l->lines[i] = "";
		}
	}
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	const char *line = reading_line(r, i);

	while (*line == '*' || *line == ' ')
		line++;
	if (strstr(line, "th:") || strstr(line, "rps: ") || strstr(line, "avg worker") ||
		strstr(line, "avg loops"))
		bench_votes(line, n_comma, n_point);
}

static void begin(struct reading *r)
{
	unwrap_headers(r);
	begin_run((struct state *)r);
}

static void end(struct reading *r)
{
	struct state *s = (struct state *)r;
	const char *last = r->lines.n ? reading_line(r, r->lines.n - 1) : "", *rest;

	if (strlen(last) > 2 && bench_starts("current rps:", last, &rest))
		s->current_last = true; /* cut within the words */
	end_run(s);
	if (!s->any_header && schbench_json(r))
		reading_left_out(r, "the JSON was cut or holds no samples");
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no percentile block";
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

const struct bench_parser bench_schbench = {
	.name = "schbench",
	.summary = "latencies of woken workers that answer requests",
	.version = 1,
	.rules = &rules,
};
