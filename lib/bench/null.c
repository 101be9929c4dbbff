// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * null.c - one value per line, for tests of the whole pipeline without hardware. A line
 * "# param NAME=INTEGER" states a parameter of the runs that follow; other lines that
 * begin with '#' and empty lines are skipped. A line that is no number ends the text: the
 * program that wrote it was cut.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"

#define PARAMS_MAX 16

struct state {
	struct reading r;
	struct bench_param params[PARAMS_MAX];
	size_t n_params;
};

static void take_param(struct state *s, const char *p)
{
	const char *eq = strchr(p, '=');
	int64_t v;
	const char *end, *name;

	if (!eq || eq == p || !bench_integer(eq + 1, &v, &end) || *end)
		return;
	name = arena_strndup(s->r.a, p, (size_t)(eq - p));
	for (size_t i = 0; i < s->n_params; i++)
		if (strcmp(s->params[i].name, name) == 0) {
			s->params[i].number = v;
			return;
		}
	if (s->n_params < PARAMS_MAX)
		s->params[s->n_params++] =
			(struct bench_param){.name = name, .number = v};
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = r->lines.lines[i], *end, *rest;
	double v;

	if (bench_starts(line, "# param ", &rest))
		take_param(s, rest);
	if (line[0] == '#' || !line[0])
		return;
	if (!bench_number(line, false, &v, &end) || *end) {
		r->next = r->lines.n;
		return;
	}
	for (size_t k = 0; k < s->n_params; k++)
		reading_number(r, s->params[k].name, s->params[k].number);
	reading_metric(r, "value", NULL, BENCH_LOWER, v)->primary = true;
	reading_keep(r);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no line holds a number";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.line = take_line,
	.why = why,
};

const struct bench_parser bench_null = {
	.name = "null",
	.summary = "one value per line, for tests of the pipeline",
	.version = 1,
	.rules = &rules,
};
