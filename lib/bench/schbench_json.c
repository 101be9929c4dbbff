// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * schbench_json.c - the JSON of schbench -j, read as a stream of keys, since host names
 * and command lines are not always valid JSON and a mail may wrap them. Three forms: keys
 * "wakeup_latency_pct99.0", "wakeup_latency_min" ... in "int" or in "normal", and the
 * first one's "wakeup_latency": {"percentiles": {"99.0": 12}, "min": 3, "max": 15}. The
 * last key is "runtime", and the object ends behind it.
 */
#include "base/base.h"

#include "base/sbuf.h"
#include "bench/schbench.h"
#include <math.h>

#define LABELS 3

static const char *const labels[LABELS] = {"wakeup_latency", "request_latency", "rps"};

struct group {
	struct bench_draft draft; /* only its metrics are used */
	bool busy;                /* some value is not 0 */
};

struct reader {
	struct arena *a;
	struct bench_output *out;
	size_t cap;
	struct group groups[LABELS];
	int label; /* of the nested form: index of the object we are in; -1: none */
	bool any;  /* a percentile was seen since the last run */
};

static void begin(struct reader *r)
{
	for (int i = 0; i < LABELS; i++) {
		draft_begin(&r->groups[i].draft, r->a);
		r->groups[i].busy = false;
	}
	r->label = -1;
	r->any = false;
}

void schbench_percentile(struct bench_draft *d, const char *label, double percentile,
	double v, int64_t samples)
{
	const char *name = arena_printf(d->a, "%s_p%.10g", label, percentile);
	bool is_rps = label[0] == 'r' && label[1] == 'p';
	struct bench_metric *m;

	m = draft_metric(d, name, is_rps ? "requests/s" : "us",
		is_rps ? BENCH_HIGHER : BENCH_LOWER, v);
	if (!m)
		return;
	m->percentile = percentile;
	m->samples = samples;
	m->primary = strcmp(name, "wakeup_latency_p99") == 0;
}

void schbench_limit(struct bench_draft *d, const char *label, const char *which, double v)
{
	bool is_rps = label[0] == 'r' && label[1] == 'p';

	draft_metric(d, arena_printf(d->a, "%s_%s", label, which),
		is_rps ? "requests/s" : "us", is_rps ? BENCH_HIGHER : BENCH_LOWER, v);
}

/* One number of the object. */
static void take_number(struct reader *r, const char *key, int64_t v)
{
	int label = r->label;
	const char *rest = key, *end;
	double percentile;

	for (int i = 0; label < 0 && i < LABELS; i++)
		if (bench_starts(key, labels[i], &rest) && *rest == '_') {
			label = i;
			rest++;
		}
	if (label < 0)
		return;
	if (strcmp(rest, "min") == 0 || strcmp(rest, "max") == 0)
		schbench_limit(&r->groups[label].draft, labels[label], rest, (double)v);
	else if ((bench_starts(rest, "pct", &rest) || r->label >= 0) &&
		 bench_number(rest, false, &percentile, &end) && !*end &&
		 percentile > 0 && percentile < 100)
		schbench_percentile(&r->groups[label].draft, labels[label], percentile,
			(double)v, -1);
	else
		return;
	r->any = true;
	r->groups[label].busy |= v != 0;
}

/* The object is whole. A group in which all is 0 had no samples. */
static int keep(struct reader *r, int64_t runtime, struct err *e)
{
	struct bench_draft all;

	draft_begin(&all, r->a);
	for (int i = 0; i < LABELS; i++) {
		const struct bench_run *from = &r->groups[i].draft.run;

		for (size_t k = 0; r->groups[i].busy && k < from->n_metrics; k++)
			*ARENA_PUSH(r->a, all.run.metrics, all.run.n_metrics,
				all.metrics_cap) = from->metrics[k];
	}
	begin(r);
	if (!all.run.n_metrics)
		return 0;
	draft_number(&all, "runtime", (double)runtime);
	return draft_keep(&all, r->out, &r->cap, e);
}

/* Reads a string whose opening quote is at p; returns p behind the closing one, or NULL.
 */
static const char *take_string(struct arena *a, const char *p, const char **ret)
{
	const char *q = p + 1;

	while (*q && *q != '"')
		q += q[0] == '\\' && q[1] ? 2 : 1;
	if (!*q)
		return NULL;
	*ret = q - p > 200 ? "" : arena_strndup(a, p + 1, (size_t)(q - p - 1));
	return q + 1;
}

static int take_key(
	struct reader *r, const char *key, const char **p, bool *cut, struct err *e)
{
	const char *end;
	int64_t v;

	if (**p == '{') {
		for (int i = 0; i < LABELS; i++)
			if (strcmp(key, labels[i]) == 0)
				r->label = i;
		if (strcmp(key, "schbench") == 0 || strcmp(key, "normal") == 0) {
			*cut |= r->any;
			if (r->any)
				begin(r);
		}
		return 0;
	}
	if (!bench_whole(*p, &v, &end))
		return 0;
	*p = end;
	if (strcmp(key, "runtime") != 0) {
		take_number(r, key, v);
		return 0;
	}
	if (*bench_blanks(end) != '}') {
		*cut = true;
		begin(r);
		return 0;
	}
	*cut |= !r->any;
	return keep(r, v, e);
}

/* The first object of a text: quotes before it are somebody's words. */
static const char *first_object(const char *p)
{
	while ((p = strchr(p, '{')) && *bench_blanks(p + 1) != '"')
		p++;
	return p;
}

int schbench_json(struct arena *a, const struct bench_lines *l, struct bench_output *ret,
	bool *cut, struct err *e)
{
	struct reader r = {.a = a, .out = ret};
	CLEANUP(sbuf_release) struct sbuf all = SBUF_INIT;
	int status = 0;

	for (size_t i = 0; i < l->n; i++) {
		sbuf_adds(&all, l->lines[i]);
		sbuf_adds(&all, " ");
	}
	begin(&r);
	for (const char *p = first_object(all.len ? all.buf : "");
		p && *p && status == 0;) {
		const char *key;

		if (*p != '"') {
			p++;
			continue;
		}
		p = take_string(a, p, &key);
		if (!p || *bench_blanks(p) != ':')
			continue;
		p = bench_blanks(bench_blanks(p) + 1);
		status = take_key(&r, key, &p, cut, e);
	}
	*cut |= r.any;
	return status;
}
