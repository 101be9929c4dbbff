// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/perf.h"
#include <math.h>

#define ROOM 8 /* params or metrics of one run */

bool perf_number(const char *p, bool comma, int decimals, double *ret, const char **end)
{
	const char *point;

	while (*p == ' ')
		p++;
	if (*p < '0' || *p > '9' || !bench_number(p, comma, ret, end))
		return false;
	point = memchr(p, comma ? ',' : '.', (size_t)(*end - p));
	if ((point ? *end - point - 1 : 0) != decimals)
		return false;
	return !**end || **end == ' ' || **end == '[';
}

static bool is_total_time(const char *line, const char **rest)
{
	return bench_starts(line, "Total time:", rest);
}

bool perf_total_time(
	struct perf_state *s, const char *line, const char *next, double *ret)
{
	const char *rest, *end;

	if (!is_total_time(line, &rest))
		return false;
	while (*rest == ' ')
		rest++;
	return perf_number(*rest || !next ? rest : next, s->comma, 3, ret, &end);
}

void perf_param(struct perf_state *s, const char *name, const char *text, int64_t v)
{
	if (!s->run.params)
		s->run.params = ARENA_ARRAY(s->a, struct bench_param, ROOM);
	if (s->run.n_params < ROOM)
		s->run.params[s->run.n_params++] = (struct bench_param){name, text, v};
}

void perf_metric(struct perf_state *s, const char *name, const char *unit,
	enum bench_better better, double v, bool primary)
{
	if (!s->run.metrics)
		s->run.metrics = ARENA_ARRAY(s->a, struct bench_metric, ROOM);
	if (s->run.n_metrics == ROOM)
		return;
	s->run.metrics[s->run.n_metrics++] = (struct bench_metric){
		.name = name,
		.unit = unit,
		.better = better,
		.value = v,
		.primary = primary,
		.percentile = NAN,
		.samples = -1,
	};
}

void perf_run_end(struct perf_state *s, bool keep)
{
	if (keep && s->run.n_metrics) {
		struct bench_run *r =
			ARENA_PUSH(s->a, s->out->runs, s->out->n_runs, s->cap);

		*r = s->run;
	}
	s->run = (struct bench_run){0};
}

/* "# Running 'sched/pipe' benchmark:" and "# Running sched/pipe benchmark..." */
static bool section_name(const char *line, const char **ret, size_t *ret_len)
{
	const char *p;

	if (!bench_starts(line, "# Running ", &p))
		return false;
	if (*p == '\'')
		p++;
	*ret_len = strcspn(p, "' ");
	*ret = p;
	return strstr(p, "benchmark") != NULL;
}

/* The program's locale: whether more of its times have a decimal comma. */
static bool uses_comma(const struct bench_lines *l)
{
	int n_comma = 0, n_point = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *p = l->lines[i], *end;
		double v;

		if (is_total_time(p, &p) && !*p && i + 1 < l->n)
			p = l->lines[i + 1];
		n_point += perf_number(p, false, 3, &v, &end);
		n_comma += perf_number(p, true, 3, &v, &end);
	}
	return n_comma > n_point;
}

static void take_simple(struct perf_state *s, const char *line)
{
	const char *end;
	double v;

	if (!perf_number(line, s->comma, 3, &v, &end) || *end)
		return;
	perf_metric(s, "time", "s", BENCH_LOWER, v, true);
	perf_run_end(s, true);
}

int perf_parse(struct perf_state *s, const char *buf, size_t len,
	void (*take)(struct perf_state *s, const char *line, const char *next),
	struct err *e)
{
	const char *want = arena_printf(s->a, "sched/%s", s->name), *name;
	struct bench_lines l;
	size_t n;
	int status = bench_lines(s->a, buf, len, &l, e);

	if (status != 0)
		return status;
	s->comma = uses_comma(&l);
	for (size_t i = 0; i < l.n; i++)
		s->any_section |= section_name(l.lines[i], &name, &n);
	for (size_t i = 0; i < l.n; i++) {
		if (s->out->n_runs >= BENCH_RUNS_MAX)
			return err_set(
				e, ERR_TOO_BIG, "more than %d runs", BENCH_RUNS_MAX);
		if (!s->any_section) {
			take_simple(s, l.lines[i]);
		} else if (section_name(l.lines[i], &name, &n)) {
			if (s->inside)
				take(s, NULL, NULL);
			s->inside = n == strlen(want) && strncmp(name, want, n) == 0;
		} else if (s->inside) {
			take(s, l.lines[i], i + 1 < l.n ? l.lines[i + 1] : NULL);
		}
	}
	if (s->inside)
		take(s, NULL, NULL);
	if (s->out->n_runs == 0)
		s->out->why = s->any_section ? arena_printf(s->a,
						       "no complete result of %s", want)
					     : "no result of perf bench";
	return 0;
}
