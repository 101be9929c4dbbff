// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * null.c - one value per line, for tests of the whole pipeline without hardware. A line
 * "# param NAME=INTEGER" states a parameter of the runs that follow; other lines that
 * begin with '#' and empty lines are skipped. A line that is no number ends the text: the
 * program that wrote it was cut.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/text.h"
#include <math.h>

#define PARAMS_MAX 16

struct state {
	struct bench_param params[PARAMS_MAX];
	size_t n_params;
	size_t cap;
};

static void take_param(struct arena *a, struct state *s, const char *p)
{
	const char *eq = strchr(p, '=');
	int64_t v;
	const char *end, *name;

	if (!eq || eq == p || !bench_integer(eq + 1, &v, &end) || *end)
		return;
	name = arena_strndup(a, p, (size_t)(eq - p));
	for (size_t i = 0; i < s->n_params; i++)
		if (strcmp(s->params[i].name, name) == 0) {
			s->params[i].number = v;
			return;
		}
	if (s->n_params < PARAMS_MAX)
		s->params[s->n_params++] =
			(struct bench_param){.name = name, .number = v};
}

static void add_run(
	struct arena *a, struct state *s, double value, struct bench_output *ret)
{
	struct bench_run *r = ARENA_PUSH(a, ret->runs, ret->n_runs, s->cap);

	r->params = arena_memdup(a, s->params, s->n_params * sizeof(*s->params));
	r->n_params = s->n_params;
	r->metrics = ARENA_NEW(a, struct bench_metric);
	r->n_metrics = 1;
	r->metrics[0] = (struct bench_metric){
		.name = "value",
		.unit = NULL,
		.better = BENCH_LOWER,
		.value = value,
		.primary = true,
		.percentile = NAN,
		.samples = -1,
	};
}

static int null_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state s = {.n_params = 0};
	struct bench_lines l;
	int status = bench_lines(a, buf, len, &l, e);

	if (status != 0)
		return status;
	for (size_t i = 0; i < l.n; i++) {
		const char *end, *rest;
		double v;

		if (bench_starts(l.lines[i], "# param ", &rest))
			take_param(a, &s, rest);
		if (l.lines[i][0] == '#' || !l.lines[i][0])
			continue;
		if (!bench_number(l.lines[i], false, &v, &end) || *end)
			break;
		if (ret->n_runs >= BENCH_RUNS_MAX)
			return err_set(
				e, ERR_TOO_BIG, "more than %d runs", BENCH_RUNS_MAX);
		add_run(a, &s, v, ret);
	}
	if (ret->n_runs == 0)
		ret->why = "no line holds a number";
	return 0;
}

const struct bench_parser bench_null = {
	.name = "null",
	.summary = "one value per line, for tests of the pipeline",
	.version = 1,
	.parse = null_parse,
};
