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

#define LABELS 3

static const char *const labels[LABELS] = {"wakeup_latency", "request_latency", "rps"};

/* One number of a label: a percentile, or a limit. */
struct figure {
	const char *limit; /* "min", "max"; NULL: a percentile */
	double percentile, v;
};

struct group {
	struct figure *figures;
	size_t n, cap;
	bool busy; /* some value is not 0 */
};

struct object {
	struct reading *r;
	struct group groups[LABELS];
	int label; /* of the nested form: index of the object we are in; -1: none */
	bool any;  /* a figure was seen since the last run */
	bool cut;
};

static void begin(struct object *o)
{
	for (int i = 0; i < LABELS; i++) {
		o->groups[i].n = 0;
		o->groups[i].busy = false;
	}
	o->label = -1;
	o->any = false;
}

static bool is_rate(const char *label)
{
	return strcmp(label, "rps") == 0;
}

static struct bench_metric *add(
	struct reading *r, const char *label, const char *name, double v)
{
	return reading_metric(r, name, is_rate(label) ? "requests/s" : "us",
		is_rate(label) ? BENCH_HIGHER : BENCH_LOWER, v);
}

void schbench_percentile(struct reading *r, const char *label, double percentile,
	double v, int64_t samples)
{
	const char *name = arena_printf(r->a, "%s_p%.10g", label, percentile);
	struct bench_metric *m = add(r, label, name, v);

	m->percentile = percentile;
	m->samples = samples;
	m->primary = strcmp(name, "wakeup_latency_p99") == 0;
}

void schbench_limit(struct reading *r, const char *label, const char *which, double v)
{
	add(r, label, arena_printf(r->a, "%s_%s", label, which), v);
}

/* One number of the object. */
static void take_number(struct object *o, const char *key, int64_t v)
{
	struct figure f = {.v = (double)v};
	int label = o->label;
	const char *rest = key, *end;

	for (int i = 0; label < 0 && i < LABELS; i++)
		if (bench_starts(key, labels[i], &rest) && *rest == '_') {
			label = i;
			rest++;
		}
	if (label < 0)
		return;
	if (strcmp(rest, "min") == 0 || strcmp(rest, "max") == 0)
		f.limit = rest;
	else if (!(bench_starts(rest, "pct", &rest) || o->label >= 0) ||
		 !bench_number(rest, false, &f.percentile, &end) || *end ||
		 f.percentile <= 0 || f.percentile >= 100)
		return;
	*ARENA_PUSH(o->r->a, o->groups[label].figures, o->groups[label].n,
		o->groups[label].cap) = f;
	o->any = true;
	o->groups[label].busy |= v != 0;
}

/* The object is whole. A group in which all is 0 had no samples. */
static void keep(struct object *o, int64_t runtime)
{
	for (int i = 0; i < LABELS; i++) {
		const struct group *g = &o->groups[i];

		for (size_t k = 0; g->busy && k < g->n; k++) {
			const struct figure *f = &g->figures[k];

			if (f->limit)
				schbench_limit(o->r, labels[i], f->limit, f->v);
			else
				schbench_percentile(
					o->r, labels[i], f->percentile, f->v, -1);
		}
	}
	reading_number(o->r, "runtime", (double)runtime);
	reading_keep(o->r);
	begin(o);
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

static void take_key(struct object *o, const char *key, const char **p)
{
	const char *end;
	int64_t v;

	if (**p == '{') {
		for (int i = 0; i < LABELS; i++)
			if (strcmp(key, labels[i]) == 0)
				o->label = i;
		if (strcmp(key, "schbench") == 0 || strcmp(key, "normal") == 0) {
			o->cut |= o->any;
			if (o->any)
				begin(o);
		}
		return;
	}
	if (!bench_whole(*p, &v, &end))
		return;
	*p = end;
	if (strcmp(key, "runtime") != 0) {
		take_number(o, key, v);
	} else if (*bench_blanks(end) != '}') {
		o->cut = true;
		begin(o);
	} else {
		o->cut |= !o->any;
		keep(o, v);
	}
}

/* The first object of a text: quotes before it are somebody's words. */
static const char *first_object(const char *p)
{
	while ((p = strchr(p, '{')) && *bench_blanks(p + 1) != '"')
		p++;
	return p;
}

bool schbench_json(struct reading *r)
{
	struct object o = {.r = r};
	CLEANUP(sbuf_release) struct sbuf all = SBUF_INIT;

	for (size_t i = 0; i < r->lines.n; i++) {
		sbuf_adds(&all, r->lines.lines[i]);
		sbuf_adds(&all, " ");
	}
	begin(&o);
	for (const char *p = first_object(all.buf); p && *p && !r->too_many;) {
		const char *key;

		if (*p != '"') {
			p++;
			continue;
		}
		p = take_string(r->a, p, &key);
		if (!p || *bench_blanks(p) != ':')
			continue;
		p = bench_blanks(bench_blanks(p) + 1);
		take_key(&o, key, &p);
	}
	return o.cut || o.any;
}
