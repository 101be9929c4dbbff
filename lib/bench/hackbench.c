// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hackbench.c - hackbench of rt-tests, and the older one ("Running with 10*40 (== 400)
 * tasks."). One run per "Time:" line with three decimals; after a signal or an error of a
 * sender or receiver the line is printed too, and is no result.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/text.h"
#include <math.h>

struct state {
	struct arena *a;
	struct bench_output *out;
	size_t cap;
	bool comma;       /* decimal comma */
	bool broken;      /* a signal or an error since the banner */
	bool ever_broken; /* for the reason */
	bool bad_time;    /* a Time line that is no result was seen */
	const char *mode; /* what the banner said; NULL: nothing */
	int64_t groups, fds, tasks, loops, bytes; /* -1: not said */
};

static void forget_banner(struct state *s)
{
	s->mode = NULL;
	s->groups = s->fds = s->tasks = s->loops = s->bytes = -1;
}

/* Blanks and then an integer; -1 leaves it unsaid. */
static const char *take_integer(const char *p, int64_t *ret)
{
	const char *end;

	while (*p == ' ' || *p == '(' || *p == '=')
		p++;
	if (!bench_integer(p, ret, &end)) {
		*ret = -1;
		return p;
	}
	return end;
}

/* Integer after the first appearance of word in text, -1 when there is none. */
static int64_t integer_after(const char *text, const char *word)
{
	const char *p = strstr(text, word);
	int64_t v = -1;

	if (p)
		(void)take_integer(p + strlen(word), &v);
	return v;
}

/* A line and what a mail program may have wrapped behind it. */
static const char *unwrapped(
	struct state *s, const struct bench_lines *l, size_t i, const char *ends_with)
{
	const char *line = l->lines[i];

	for (size_t k = 1; k <= 2 && i + k < l->n && !strstr(line, ends_with); k++)
		line = arena_printf(s->a, "%s %s", line, l->lines[i + k]);
	return line;
}

static void take_banner(struct state *s, const char *line)
{
	const char *rest;

	forget_banner(s);
	s->broken = false;
	if (bench_starts(line, "Running with ", &rest)) {
		s->groups = integer_after(line, "Running with ");
		s->tasks = integer_after(line, "== ");
		return;
	}
	if (strstr(line, "process mode"))
		s->mode = "process";
	else if (strstr(line, "threaded mode"))
		s->mode = "thread";
	s->groups = integer_after(line, "mode with ");
	s->fds = integer_after(line, "using ");
	s->tasks = integer_after(line, "(== ");
}

/* "3.169" behind "Time:", with three decimals and nothing that continues the number. */
static bool time_value(const char *p, bool comma, double *ret)
{
	const char *end, *point;

	while (*p == ' ')
		p++;
	if (*p == '-' || *p == '+' || !bench_number(p, comma, ret, &end))
		return false;
	point = memchr(p, comma ? ',' : '.', (size_t)(end - p));
	if (!point || end - point != 4)
		return false;
	if (*end == '.' || *end == ',')
		return end[1] < '0' || end[1] > '9';
	return !((*end >= 'a' && *end <= 'z' && *end != 's') ||
		 (*end >= 'A' && *end <= 'Z'));
}

static void add_param(struct bench_run *r, const char *name, const char *text, int64_t v)
{
	if (text || v >= 0)
		r->params[r->n_params++] = (struct bench_param){name, text, v};
}

static void add_run(struct state *s, double time)
{
	struct bench_run *r = ARENA_PUSH(s->a, s->out->runs, s->out->n_runs, s->cap);

	r->params = ARENA_ARRAY(s->a, struct bench_param, 6);
	add_param(r, "mode", s->mode, -1);
	add_param(r, "groups", NULL, s->groups);
	add_param(r, "fds", NULL, s->fds);
	add_param(r, "tasks", NULL, s->tasks);
	add_param(r, "loops", NULL, s->loops);
	add_param(r, "bytes", NULL, s->bytes);
	r->metrics = ARENA_NEW(s->a, struct bench_metric);
	r->n_metrics = 1;
	r->metrics[0] = (struct bench_metric){
		.name = "time",
		.unit = "s",
		.better = BENCH_LOWER,
		.value = time,
		.primary = true,
		.percentile = NAN,
		.samples = -1,
	};
}

/* The value's text of a Time line, NULL for another line; a wrapped value counts. */
static const char *time_text(const struct bench_lines *l, size_t i)
{
	const char *rest;

	if (!bench_starts(l->lines[i], "Time:", &rest))
		return NULL;
	while (*rest == ' ')
		rest++;
	return *rest || i + 1 == l->n ? rest : l->lines[i + 1];
}

/* The locale of the program: decimal comma when more of its values have one. */
static bool uses_comma(const struct bench_lines *l)
{
	size_t n_comma = 0, n_point = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *text = time_text(l, i);
		double v;

		if (!text)
			continue;
		n_point += time_value(text, false, &v);
		n_comma += time_value(text, true, &v);
	}
	return n_comma > n_point;
}

static void take_line(struct state *s, const struct bench_lines *l, size_t i)
{
	const char *line = l->lines[i], *rest, *text = time_text(l, i);
	double v;

	if (bench_starts(line, "Running in ", &rest) ||
		bench_starts(line, "Running with ", &rest)) {
		take_banner(s, unwrapped(s, l, i, "tasks"));
	} else if (bench_starts(line, "Each sender will pass", &rest)) {
		line = unwrapped(s, l, i, "bytes");
		s->loops = integer_after(line, "will pass ");
		s->bytes = integer_after(line, "messages of ");
	} else if (bench_starts(line, "hackbench V ", &rest)) {
		s->out->version = arena_strndup(s->a, rest, strcspn(rest, " "));
	} else if ((bench_starts(line, "Signal ", &rest) && strstr(rest, "caught")) ||
		   bench_starts(line, "SENDER", &rest) ||
		   bench_starts(line, "RECEIVER", &rest) || strstr(line, " (error: ")) {
		s->broken = s->ever_broken = true;
	} else if (text) {
		if (s->broken || !time_value(text, s->comma, &v))
			s->bad_time = true;
		else
			add_run(s, v);
		s->broken = false;
		forget_banner(s);
	}
}

static int hackbench_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state s = {.a = a, .out = ret};
	struct bench_lines l;
	int status = bench_lines(a, buf, len, &l, e);

	if (status != 0)
		return status;
	forget_banner(&s);
	s.comma = uses_comma(&l);
	for (size_t i = 0; i < l.n; i++) {
		if (ret->n_runs >= BENCH_RUNS_MAX)
			return err_set(
				e, ERR_TOO_BIG, "more than %d runs", BENCH_RUNS_MAX);
		take_line(&s, &l, i);
	}
	if (ret->n_runs)
		return 0;
	ret->version = NULL;
	ret->why = s.ever_broken ? "interrupted by a signal or an error"
		   : s.bad_time  ? "the Time line holds no complete value"
				 : "no Time line";
	return 0;
}

const struct bench_parser bench_hackbench = {
	.name = "hackbench",
	.summary = "time of groups of tasks that pass messages (rt-tests)",
	.version = 1,
	.parse = hackbench_parse,
};
