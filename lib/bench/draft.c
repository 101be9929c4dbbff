// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/draft.h"
#include <math.h>

void draft_begin(struct bench_draft *d, struct arena *a)
{
	*d = (struct bench_draft){.a = a};
}

static struct bench_param *new_param(struct bench_draft *d, const char *name)
{
	struct bench_param *p;

	for (size_t i = 0; i < d->run.n_params; i++)
		if (strcmp(d->run.params[i].name, name) == 0)
			return NULL;
	p = ARENA_PUSH(d->a, d->run.params, d->run.n_params, d->params_cap);
	p->name = name;
	return p;
}

void draft_text(struct bench_draft *d, const char *name, const char *text)
{
	struct bench_param *p = text ? new_param(d, name) : NULL;

	if (p)
		p->text = text;
}

void draft_number(struct bench_draft *d, const char *name, double v)
{
	struct bench_param *p = isfinite(v) ? new_param(d, name) : NULL;

	if (p)
		p->number = v;
}

void draft_note(struct bench_draft *d, const char *note)
{
	*ARENA_PUSH(d->a, d->run.notes, d->run.n_notes, d->notes_cap) = note;
}

struct bench_metric *draft_metric(struct bench_draft *d, const char *name,
	const char *unit, enum bench_better better, double v)
{
	struct bench_metric *m;

	if (!isfinite(v) || d->run.n_metrics == DRAFT_METRICS_MAX)
		return NULL;
	for (size_t i = 0; i < d->run.n_metrics; i++)
		if (strcmp(d->run.metrics[i].name, name) == 0)
			return NULL;
	m = ARENA_PUSH(d->a, d->run.metrics, d->run.n_metrics, d->metrics_cap);
	*m = (struct bench_metric){
		.name = name,
		.unit = unit,
		.better = better,
		.value = v,
		.percentile = NAN,
		.samples = -1,
	};
	return m;
}

struct bench_metric *draft_lower(
	struct bench_draft *d, const char *name, const char *unit, double v)
{
	return v < 0 ? NULL : draft_metric(d, name, unit, BENCH_LOWER, v);
}

struct bench_metric *draft_rate(
	struct bench_draft *d, const char *name, const char *unit, double v)
{
	return v > 0 ? draft_metric(d, name, unit, BENCH_HIGHER, v) : NULL;
}

int draft_keep(struct bench_draft *d, struct bench_output *o, size_t *cap, struct err *e)
{
	struct bench_run *r;

	if (o->n_runs >= BENCH_RUNS_MAX)
		return err_set(e, ERR_TOO_BIG, "more than %d runs", BENCH_RUNS_MAX);
	r = ARENA_PUSH(d->a, o->runs, o->n_runs, *cap);
	*r = d->run;
	draft_begin(d, d->a);
	return 0;
}
