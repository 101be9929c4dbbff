// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schbench.c - schbench from 2016 on: blocks of percentiles (wakeup latencies, request
 * latencies, requests per second), printed at every interval and at the end; within a run
 * the last block of each kind counts. What begins a run: starts_run(). Its JSON counts
 * only in a text without such blocks (schbench_json.c).
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/schbench.h"
#include "bench/text.h"
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
	struct arena *a;
	struct bench_output *out;
	size_t cap;
	struct bench_draft draft;
	bool comma, open;
	bool closing;            /* the closing line of the run was there */
	bool current_last;       /* its last word was "current rps:" */
	bool cut, stopped, idle; /* runs without a result, for the reason */
	struct block blocks[N_KINDS];
	struct block *at; /* the one whose rows are expected; NULL: none */
	struct values v;
};

static bool ends_in(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && strncasecmp(p + len - n, word, n) == 0;
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
	return true;
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

static void begin(struct state *s)
{
	s->open = s->closing = s->current_last = false;
	s->at = NULL;
	for (size_t i = 0; i < N_KINDS; i++) {
		s->blocks[i].seen = false;
		s->blocks[i].n_rows = 0;
	}
	s->v = (struct values){NAN, NAN, NAN, NAN, NAN, NAN, NULL};
	draft_begin(&s->draft, s->a);
}

static bool has_row(const struct block *b, double percentile)
{
	for (size_t i = 0; i < b->n_rows; i++)
		if (fabs(b->rows[i].percentile - percentile) < 1e-9)
			return true;
	return false;
}

/* No samples: so it says or, where it says nothing, all is 0. */
static bool is_idle(const struct block *b)
{
	if (b->total >= 0)
		return b->total == 0;
	for (size_t i = 0; i < b->n_rows; i++)
		if (b->rows[i].value != 0)
			return false;
	return b->max <= 0;
}

static void add_block(struct state *s, enum kind kind)
{
	static const char *const labels[] = {"wakeup_latency", "request_latency", "rps"};
	const struct block *b = &s->blocks[kind];

	for (size_t i = 0; i < b->n_rows; i++)
		schbench_percentile(&s->draft, labels[kind], b->rows[i].percentile,
			(double)b->rows[i].value, b->rows[i].samples);
	if (b->min >= 0)
		schbench_limit(&s->draft, labels[kind], "min", (double)b->min);
	if (b->max >= 0)
		schbench_limit(&s->draft, labels[kind], "max", (double)b->max);
}

static void add_values(struct state *s)
{
	draft_rate(&s->draft, "average_rps", "requests/s", s->v.average_rps);
	draft_rate(&s->draft, "loops_per_sec", "loops/s", s->v.loops);
	draft_rate(&s->draft, "worker_transfer_ops", "ops/s", s->v.transfer_ops);
	draft_rate(&s->draft, "worker_transfer", s->v.transfer_unit, s->v.transfer);
	draft_lower(&s->draft, "sched_delay_message", "us", s->v.delay_message);
	draft_lower(&s->draft, "sched_delay_worker", "us", s->v.delay_worker);
}

/* Whether the run under construction is whole; if not, remembers why. */
static bool is_whole(struct state *s)
{
	if (s->current_last) {
		s->stopped = true;
		return false;
	}
	for (enum kind k = WAKEUP; k <= REQUEST; k++)
		if (s->blocks[k].seen && !has_row(&s->blocks[k], 99.9)) {
			s->cut = true;
			return false;
		}
	return true;
}

static int end_run(struct state *s, struct err *e)
{
	int64_t runtime = -1;
	int status = 0;

	if (!s->open)
		return 0;
	if (is_whole(s)) {
		for (enum kind k = WAKEUP; k < N_KINDS; k++) {
			if (!s->blocks[k].seen)
				continue;
			if (runtime < 0)
				runtime = s->blocks[k].runtime;
			if (!is_idle(&s->blocks[k]))
				add_block(s, k);
		}
		if (runtime >= 0)
			draft_number(&s->draft, "runtime", (double)runtime);
		if (s->draft.run.n_metrics) {
			add_values(s);
			status = draft_keep(&s->draft, s->out, &s->cap, e);
		} else {
			s->idle = true;
		}
	}
	begin(s);
	return status;
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
static const char *header_text(
	struct state *s, const struct bench_lines *l, size_t i, const char *rest)
{
	for (size_t k = 1; k <= 3 && i + k < l->n; k++) {
		const char *next = l->lines[i + k], *p;
		enum kind kind;
		double v;

		if (strstr(rest, "total samples") || is_row(next, s->comma, &v, &p) ||
			is_limits(next) || is_header(next, &kind, &p))
			break;
		rest = arena_printf(s->a, "%s %s", rest, next);
	}
	return rest;
}

static int take_header(struct state *s, enum kind kind, const char *text, struct err *e)
{
	const char *p = strstr(text, "runtime "), *end;
	int64_t runtime = -1;
	struct block *b = &s->blocks[kind];
	int status = 0;

	if (p && !bench_whole(bench_blanks(p + strlen("runtime ")), &runtime, &end))
		runtime = -1;
	if (starts_run(s, kind, runtime))
		status = end_run(s, e);
	s->open = true;
	s->at = b;
	b->seen = true;
	b->current_since = false;
	b->runtime = runtime;
	b->total = samples_in(text, "total samples");
	b->min = b->max = -1;
	b->n_rows = 0;
	return status;
}

static void take_row(struct state *s, const struct bench_lines *l, size_t i,
	double percentile, const char *rest)
{
	struct row r = {.percentile = percentile, .samples = -1};
	const char *end;

	if (s->at->n_rows == ROWS_MAX)
		return;
	if (!*bench_blanks(rest) &&
		!is_row(bench_join(s->a, l, i, 1), s->comma, &percentile, &rest))
		return;
	if (!bench_whole(bench_blanks(rest), &r.value, &end))
		return;
	r.samples = samples_in(end, "sample");
	if (r.samples < 0 && i + 1 < l->n)
		r.samples = wrapped_samples(end, l->lines[i + 1]);
	s->at->rows[s->at->n_rows++] = r;
}

/* "Over=23, min=0, max=90857" ends a block. */
static void take_limits(struct state *s, const struct bench_lines *l, size_t i)
{
	const char *line = l->lines[i], *p, *end;
	struct block *b = s->at;
	int64_t v;

	if (!strstr(line, "max="))
		line = bench_join(s->a, l, i, 1);
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

	return bench_fixed(bench_blanks(p), s->comma, decimals, &v, &end) ? v : NAN;
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
	if (!bench_fixed(bench_blanks(p), s->comma, 2, &v, &end))
		return;
	s->v.transfer_ops = v;
	end = bench_blanks(end);
	if (!bench_starts(end, "ops/s", &p))
		return;
	p = bench_blanks(p + strcspn(p, " "));
	n = bench_fixed(p, s->comma, 2, &v, &end) ? strcspn(end, " (\x7f") : 0;
	if (n < 3 || end[n - 2] != '/')
		return;
	s->v.transfer = v;
	s->v.transfer_unit = arena_strndup(s->a, end, n);
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
static bool take_value(struct state *s, const struct bench_lines *l, size_t i)
{
	static const char *const words[] = {
		"average rps:", "rps:", "avg worker transfer:", "avg loops per second:",
		"sched delay:", "final rps ", "current rps:"};
	const char *rest = NULL;
	size_t w = 0;

	while (w < ARRAY_LEN(words) && !bench_starts(l->lines[i], words[w], &rest))
		w++;
	if (w == ARRAY_LEN(words))
		return false;
	if (is_wrapped(words[w], rest))
		(void)bench_starts(bench_join(s->a, l, i, 1), words[w], &rest);
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

static int take_line(
	struct state *s, const struct bench_lines *l, size_t i, struct err *e)
{
	const char *line = l->lines[i], *rest;
	enum kind kind;
	double v;

	if (is_header(line, &kind, &rest)) {
		int status = take_header(s, kind, header_text(s, l, i, rest), e);

		s->current_last = false;
		return status;
	}
	if (!s->open || take_value(s, l, i) || !s->at)
		return 0;
	if (is_limits(line))
		take_limits(s, l, i);
	else if (is_row(line, s->comma, &v, &rest))
		take_row(s, l, i, v, rest);
	return 0;
}

static bool ends_in_label(const char *line)
{
	size_t n = strlen(line);

	return ends_in(line, n, "latencies") || ends_in(line, n, "latency") ||
	       ends_in(line, n, "rps");
}

/* The words of a header that a mail program put into two lines. */
static void unwrap_headers(struct arena *a, struct bench_lines *l)
{
	for (size_t i = 0; i + 1 < l->n; i++) {
		const char *rest, *line = l->lines[i], *next = l->lines[i + 1];

		if ((bench_starts(next, "percentiles", &rest) && ends_in_label(line)) ||
			(*next == '(' && ends_in(line, strlen(line), "percentiles"))) {
			l->lines[i + 1] = bench_join(a, l, i, 1);
			l->lines[i] = "";
		}
	}
}

/* The locale of the program: decimal comma when more of its values have one. */
static bool uses_comma(const struct bench_lines *l)
{
	size_t n_comma = 0, n_point = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *line = l->lines[i];

		while (*line == '*' || *line == ' ')
			line++;
		if (strstr(line, "th:") || strstr(line, "rps: ") ||
			strstr(line, "avg worker") || strstr(line, "avg loops"))
			bench_votes(line, &n_comma, &n_point);
	}
	return n_comma > n_point;
}

static int schbench_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state *s = ARENA_NEW(a, struct state);
	struct bench_lines l;
	bool any_header = false, cut_json = false;
	const char *rest;
	int status = bench_lines(a, buf, len, &l, e);

	if (status != 0)
		return status;
	bench_mark_cut(a, buf, len, &l);
	unwrap_headers(a, &l);
	s->a = a;
	s->out = ret;
	s->comma = uses_comma(&l);
	begin(s);
	for (size_t i = 0; i < l.n && status == 0; i++) {
		status = take_line(s, &l, i, e);
		any_header |= s->open;
	}
	if (l.n && strlen(l.lines[l.n - 1]) > 2 &&
		bench_starts("current rps:", l.lines[l.n - 1], &rest))
		s->current_last = true; /* cut within the words */
	if (status == 0)
		status = end_run(s, e);
	if (status == 0 && !any_header)
		status = schbench_json(a, &l, ret, &cut_json, e);
	if (status == 0 && ret->n_runs == 0)
		ret->why = s->stopped ? "stopped before its end"
			   : s->cut   ? "a percentile block was cut"
			   : s->idle  ? "no samples"
			   : cut_json ? "the JSON was cut or holds no samples"
				      : "no percentile block";
	return status;
}

const struct bench_parser bench_schbench = {
	.name = "schbench",
	.summary = "latencies of woken workers that answer requests",
	.version = 1,
	.parse = schbench_parse,
};
