// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hackbench.c - hackbench of rt-tests, and the older one ("Running with 10*40 (== 400)
 * tasks."). One run per "Time:" line with three decimals; after a signal or an error the
 * line may be printed too, and is no result.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"

struct state {
	struct reading r;
	bool open;        /* a banner without its Time line yet */
	bool broken;      /* a signal or an error since the banner */
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
static const char *unwrapped(const struct reading *r, size_t i, const char *ends_with)
{
	const char *line = reading_line(r, i);

	for (size_t k = 1; k <= 2 && !strstr(line, ends_with); k++)
		line = reading_join(r, i, k);
	return line;
}

#define BROKEN "interrupted by a signal or an error"

/* The run ends here; a banner that got no Time line is a run left out. */
static void leave_open(struct state *s)
{
	if (s->open || s->broken)
		reading_left_out(&s->r, s->broken ? BROKEN : "no Time line");
	s->open = s->broken = false;
	forget_banner(s);
}

/* What hackbench, old or new, says when it fails. */
static bool is_error(const char *line)
{
	static const char *const heads[] = {"SENDER", "RECEIVER", "fork()",
		"fork:", "pthread_create", "No measurements available", "Creating fdpair",
		"longjmp'ed out"};
	const char *rest;

	if (bench_starts(line, "hackbench: ", &rest))
		line = rest;
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (bench_starts(line, heads[i], &rest))
			return true;
	return (bench_starts(line, "Signal ", &rest) && strstr(rest, "caught")) ||
	       strstr(line, " (error: ") ||
	       (strstr(line, "fdpair") && strstr(line, "fail"));
}

static void take_banner(struct state *s, const char *line)
{
	const char *rest;

	leave_open(s);
	s->open = true;
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

/* Whether the word at p is a unit of time that hackbench does not print. */
static bool is_other_unit(const char *p)
{
	static const char *const units[] = {"ns", "nsec", "nsecs", "us", "usec", "usecs",
		"ms", "msec", "msecs", "min"};
	size_t n;

	p += *p == '[' || *p == '(';
	n = strspn(p, "abcdefghijklmnopqrstuvwxyz");
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strlen(units[i]) == n && strncmp(p, units[i], n) == 0)
			return true;
	return false;
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
	if (*end == ' ' && is_other_unit(bench_blanks(end)))
		return false;
	return !((*end >= 'a' && *end <= 'z' && *end != 's') ||
		 (*end >= 'A' && *end <= 'Z'));
}

/* What the banner said; -1: nothing. */
static void add_param(struct reading *r, const char *name, int64_t v)
{
	if (v >= 0)
		reading_number(r, name, (double)v);
}

static void add_run(struct state *s, double time)
{
	struct reading *r = &s->r;

	reading_text(r, "mode", s->mode);
	add_param(r, "groups", s->groups);
	add_param(r, "fds", s->fds);
	add_param(r, "tasks", s->tasks);
	add_param(r, "loops", s->loops);
	add_param(r, "bytes", s->bytes);
	reading_cost(r, "time", "s", time)->primary = true;
	reading_keep(r);
}

/* The value's text of a Time line, NULL for another line; a wrapped value counts. */
static const char *time_text(const struct reading *r, size_t i)
{
	const char *rest;

	if (!bench_starts(r->lines.lines[i], "Time:", &rest))
		return NULL;
	rest = bench_blanks(rest);
	return *rest ? rest : reading_line(r, i + 1);
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	const char *text = time_text(r, i);
	double v;

	if (!text)
		return;
	*n_point += time_value(text, false, &v);
	*n_comma += time_value(text, true, &v);
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = r->lines.lines[i], *rest, *text = time_text(r, i);
	double v;

	if (bench_starts(line, "Running in ", &rest) ||
		bench_starts(line, "Running with ", &rest)) {
		take_banner(s, unwrapped(r, i, "tasks"));
	} else if (bench_starts(line, "Each sender will pass", &rest)) {
		line = unwrapped(r, i, "bytes");
		s->loops = integer_after(line, "will pass ");
		s->bytes = integer_after(line, "messages of ");
	} else if (bench_starts(line, "hackbench V ", &rest)) {
		r->out->version = arena_strndup(r->a, rest, strcspn(rest, " "));
	} else if (is_error(line)) {
		s->broken = true;
	} else if (text) {
		if (s->broken)
			reading_left_out(r, BROKEN);
		else if (!time_value(text, r->comma, &v))
			reading_left_out(r, "the Time line holds no complete value");
		else
			add_run(s, v);
		s->open = s->broken = false;
		forget_banner(s);
	}
}

static void begin(struct reading *r)
{
	forget_banner((struct state *)r);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no Time line";
}

static void end(struct reading *r)
{
	leave_open((struct state *)r);
	if (r->out->n_runs == 0)
		r->out->version = NULL;
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.votes = votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_hackbench = {
	.name = "hackbench",
	.summary = "time of groups of tasks that pass messages (rt-tests)",
	.version = 1,
	.rules = &rules,
};
