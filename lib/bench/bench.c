// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/bench.h"
#include "bench/parsers.h"
#include "bench/reading.h"
#include <math.h>

const struct bench_parser *const bench_parsers[] = {
	&bench_cyclictest,
	&bench_hackbench,
	&bench_netperf,
	&bench_null,
	&bench_perf_sched_messaging,
	&bench_perf_sched_pipe,
	&bench_perf_stat,
	&bench_schbench,
	&bench_stress_ng,
	&bench_sysbench,
	&bench_tbench,
	&bench_unixbench,
	&bench_will_it_scale,
	NULL,
};

const char *bench_better_name(enum bench_better b)
{
	return b == BENCH_LOWER ? "lower" : "higher";
}

int bench_better_parse(const char *name, enum bench_better *ret)
{
	if (strcmp(name, "lower") != 0 && strcmp(name, "higher") != 0)
		return -1;
	*ret = name[0] == 'l' ? BENCH_LOWER : BENCH_HIGHER;
	return 0;
}

const struct bench_parser *bench_parser_find(const char *name)
{
	for (size_t i = 0; bench_parsers[i]; i++)
		if (strcmp(bench_parsers[i]->name, name) == 0)
			return bench_parsers[i];
	return NULL;
}

int bench_parse(struct arena *a, const char *name, const char *buf, size_t len,
	struct bench_output **ret, struct err *e)
{
	const struct bench_parser *p = bench_parser_find(name);
	struct bench_output *o;
	int status;

	if (!p)
		return err_set(e, ERR_NOT_FOUND, "no benchmark is called '%.60s'", name);
	o = ARENA_NEW(a, struct bench_output);
	o->bench = p->name;
	status = reading_parse(p->rules, a, buf, len, o, e);
	if (status != 0)
		return status;
	if (o->n_runs == 0 && !o->why)
		BUG("%s: no runs and no reason", name);
	*ret = o;
	return 0;
}

const struct bench_metric *bench_run_primary(const struct bench_run *r)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (r->metrics[i].primary)
			return &r->metrics[i];
	return NULL;
}

/* ---- JSON ---- */

static json_t *text_or_null(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}

/* A parameter that is a whole number, as most are, is an integer in JSON. */
static json_t *param_json(const struct bench_param *p)
{
	if (p->text)
		return text_or_null(p->text);
	if (fabs(p->number) < 9007199254740992.0 && p->number == trunc(p->number))
		return json_integer((json_int_t)p->number);
	return json_real(p->number);
}

static json_t *run_json(const struct bench_run *r)
{
	json_t *params = json_object(), *metrics = json_array(), *notes = json_array();

	for (size_t i = 0; i < r->n_params; i++)
		json_object_set_new(params, r->params[i].name, param_json(&r->params[i]));
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct bench_metric *m = &r->metrics[i];

		json_array_append_new(metrics,
			jx_pack("{s:o, s:o, s:s, s:f, s:b, s:o, s:o}", "name",
				text_or_null(m->name), "unit", text_or_null(m->unit),
				"better", bench_better_name(m->better), "value", m->value,
				"primary", m->primary, "percentile",
				isnan(m->percentile) ? json_null()
						     : json_real(m->percentile),
				"samples",
				m->samples < 0 ? json_null() : json_integer(m->samples)));
	}
	for (size_t i = 0; i < r->n_notes; i++)
		json_array_append_new(notes, text_or_null(r->notes[i]));
	return jx_pack(
		"{s:o, s:o, s:o}", "params", params, "metrics", metrics, "notes", notes);
}

json_t *bench_output_json(const struct bench_output *o)
{
	json_t *runs = json_array();
	json_t *j;

	for (size_t i = 0; i < o->n_runs; i++)
		json_array_append_new(runs, run_json(&o->runs[i]));
	j = jx_pack("{s:i, s:s, s:o, s:o}", "v", 1, "bench", o->bench, "version",
		text_or_null(o->version), "runs", runs);
	if (o->n_runs == 0)
		json_object_set_new(j, "why", text_or_null(o->why));
	return j;
}
