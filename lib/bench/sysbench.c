// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysbench.c - the statistics sysbench prints at its end: 0.4 and 0.5 ("per-request
 * statistics", "approx.  95 percentile"), 1.0 ("General statistics", "Latency (ms)") and
 * 1.1 ("Throughput", "time elapsed"). Intermediate and checkpoint reports and those of a
 * forced shutdown are no results.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/rows.h"

enum field { EPS, TIME, EVENTS, MIN, AVG, MAX, PCT, SUM, N_FIELDS };

static const struct label {
	const char *text;
	enum field field;
} labels[] = {
	{"events per second:", EPS},
	{"events/s (eps):", EPS},
	{"total time:", TIME},
	{"time elapsed:", TIME},
	{"total number of events:", EVENTS},
	{"min:", MIN},
	{"avg:", AVG},
	{"max:", MAX},
	{"sum:", SUM},
};

static const struct {
	const char *name, *unit;
	enum bench_better better;
} metrics[N_FIELDS] = {
	[EPS] = {"events_per_second", "events/s", BENCH_HIGHER},
	[TIME] = {"total_time", "s", BENCH_LOWER},
	[EVENTS] = {"total_events", "events", BENCH_HIGHER},
	[MIN] = {"latency_min", "ms", BENCH_LOWER},
	[AVG] = {"latency_avg", "ms", BENCH_LOWER},
	[MAX] = {"latency_max", "ms", BENCH_LOWER},
	[PCT] = {NULL, "ms", BENCH_LOWER},
	[SUM] = {"latency_sum", "ms", BENCH_LOWER},
};

struct value {
	const char *label; /* NULL: not printed */
	bool number;       /* else nan, inf */
	double v;
	const char *unit;
};

struct block {
	bool any, interim, forced, fairness;
	bool old; /* 0.4 and 0.5: the percentile ends the block */
	int64_t percentile;
	struct value values[N_FIELDS];
};

struct state {
	struct rows rows;
	bool open_end, comma;
	int64_t threads; /* -1: not said */
	struct block b;
	bool ever_cut, ever_idle, ever_forced;
};

static bool whole(const struct block *b)
{
	const struct value *v = b->values;

	return v[TIME].label && v[EVENTS].label && v[MIN].label && v[AVG].label &&
	       v[MAX].label && (v[SUM].label || b->fairness || (b->old && v[PCT].label));
}

static bool usable(const struct block *b, enum field f)
{
	return b->values[f].number && (f != EPS || b->values[f].v > 0);
}

static int keep_block(struct state *s, struct err *e)
{
	static const enum field order[N_FIELDS] = {
		EPS, TIME, EVENTS, MIN, AVG, MAX, SUM, PCT};
	const struct block *b = &s->b;
	enum field primary = b->values[EPS].label ? EPS : AVG;

	if (!usable(b, primary)) {
		s->ever_idle = true;
		return 0;
	}
	if (s->threads >= 0)
		rows_param(&s->rows, "threads", NULL, s->threads);
	for (int i = 0; i < N_FIELDS; i++) {
		enum field f = order[i];
		const struct value *v = &b->values[f];
		const char *name = metrics[f].name;
		struct bench_metric *m;

		if (!v->label || !usable(b, f))
			continue;
		if (f == PCT)
			name = arena_printf(
				s->rows.a, "latency_p%lld", (long long)b->percentile);
		m = rows_metric(&s->rows, name, v->unit ? v->unit : metrics[f].unit,
			metrics[f].better, v->v);
		m->primary = f == primary;
		if (f == PCT)
			m->percentile = (double)b->percentile;
	}
	return rows_keep(&s->rows, e);
}

static int finish(struct state *s, struct err *e)
{
	struct block *b = &s->b;
	int status = 0;

	if (b->any && !b->interim) {
		if (b->forced)
			s->ever_forced = true;
		else if (b->values[EVENTS].number && b->values[EVENTS].v == 0)
			s->ever_idle = true;
		else if (!whole(b))
			s->ever_cut = true;
		else
			status = keep_block(s, e);
	}
	*b = (struct block){0};
	return status;
}

/* "95th percentile:", "approx.  95 percentile:" */
static bool percentile_label(const char *p, int64_t *ret, const char **rest)
{
	const char *end;

	if (rows_words(p, "approx.", &end))
		p = end;
	while (*p == ' ')
		p++;
	if (!bench_integer(p, ret, &end) || *ret < 1 || *ret > 100)
		return false;
	if (end[0] == 't' && end[1] == 'h')
		end += 2;
	return *end == ' ' && rows_words(end, "percentile:", rest);
}

/* The label of a line, NULL for another line; *value behind it, on the next line where
 * the mail was wrapped. */
static const char *find_label(const struct state *s, const struct bench_lines *l,
	size_t i, enum field *f, int64_t *pct, const char **value)
{
	const char *line = l->lines[i], *found = NULL;

	for (size_t k = 0; !found && k < ARRAY_LEN(labels); k++)
		if (rows_words(line, labels[k].text, value)) {
			found = labels[k].text;
			*f = labels[k].field;
		}
	if (!found && percentile_label(line, pct, value)) {
		found = "percentile:";
		*f = PCT;
	}
	/* latencies belong to a block that has begun */
	if (found && *f >= MIN && !s->b.any)
		return NULL;
	if (found && !**value && i + 1 < l->n)
		*value = l->lines[i + 1];
	return found;
}

/* The value, or what stands for none; false where it is missing or was cut. */
static bool read_value(
	const struct state *s, const char *p, enum field f, bool last, struct value *ret)
{
	struct rows_number num;
	const char *rest;

	if (!rows_number(p, s->comma, &num)) {
		while (*p == '-' || *p == '+')
			p++;
		return bench_starts(p, "nan", &rest) || bench_starts(p, "inf", &rest);
	}
	/* the tool prints two decimals at least, and none of events */
	if (last && s->open_end && !*num.end && num.decimals < (f == EVENTS ? -1 : 2))
		return false;
	ret->number = true;
	ret->v = num.value;
	if (bench_starts(num.end, "ms", &rest))
		ret->unit = "ms";
	else if (*num.end == 's' && f >= MIN)
		ret->unit = "s";
	return true;
}

/* True when this value cannot belong to the block that was begun. */
static bool begins_block(const struct block *b, enum field f, const char *label)
{
	if (f == EPS) /* it stands before the times */
		return b->values[TIME].label || b->values[EPS].label == label;
	return b->values[f].label != NULL;
}

static int take_value(struct state *s, const struct bench_lines *l, size_t i,
	const char *label, enum field f, int64_t pct, const char *text, struct err *e)
{
	struct value v = {.label = label};
	bool last = i + 1 == l->n || (i + 2 == l->n && text == l->lines[i + 1]);
	int status = 0;

	if (begins_block(&s->b, f, label))
		status = finish(s, e);
	s->b.any = true;
	/* of two rates the first stands: "events per second" before "events/s (eps)" */
	if (s->b.values[f].label || !read_value(s, text, f, last, &v))
		return status;
	s->b.values[f] = v;
	if (f == PCT)
		s->b.percentile = pct;
	return status;
}

static int take_line(
	struct state *s, const struct bench_lines *l, size_t i, struct err *e)
{
	const char *line = l->lines[i], *rest, *value;
	bool interim = strstr(line, "Checkpoint report:") != NULL;
	int64_t pct = 0;
	enum field f;
	int status = 0;

	if (bench_starts(line, "sysbench ", &rest) && *rest >= '0' && *rest <= '9') {
		s->rows.out->version =
			arena_strndup(s->rows.a, rest, strcspn(rest, " :"));
		status = finish(s, e);
		s->threads = -1;
		return status;
	}
	if (rows_words(line, "Running the test with following options:", &rest) ||
		interim) {
		status = finish(s, e);
		s->b.interim = interim;
		return status;
	}
	if (rows_words(line, "Number of threads:", &rest)) {
		if (!bench_integer(rest, &s->threads, &value))
			s->threads = -1;
	} else if (strstr(line, "forcing shutdown...")) {
		status = finish(s, e);
		s->b.forced = s->b.any = true;
	} else if (rows_words(line, "total time taken by event execution:", &rest)) {
		s->b.old = s->b.any;
	} else if (rows_words(line, "Threads fairness:", &rest)) {
		s->b.fairness = s->b.any;
	} else {
		const char *label = find_label(s, l, i, &f, &pct, &value);

		if (label)
			status = take_value(s, l, i, label, f, pct, value, e);
	}
	return status;
}

/* The program's locale: decimal comma when more of its values have one. */
static bool uses_comma(const struct state *s, const struct bench_lines *l)
{
	struct state probe = *s;
	int n_comma = 0, n_point = 0;

	probe.b.any = true;
	for (size_t i = 0; i < l->n; i++) {
		struct rows_number num;
		const char *value;
		int64_t pct;
		enum field f;

		if (!find_label(&probe, l, i, &f, &pct, &value))
			continue;
		n_comma += rows_number(value, true, &num) && num.decimals > 0;
		n_point += rows_number(value, false, &num) && num.decimals > 0;
	}
	return n_comma > n_point;
}

static int sysbench_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state s = {.rows = {.a = a, .out = ret},
		.open_end = rows_open_end(buf, len),
		.threads = -1};
	struct bench_lines l = {0};
	int status = bench_lines(a, buf, len, &l, e);

	if (status == 0)
		s.comma = uses_comma(&s, &l);
	for (size_t i = 0; i < l.n && status == 0; i++)
		status = take_line(&s, &l, i, e);
	if (status == 0)
		status = finish(&s, e);
	if (status != 0 || ret->n_runs)
		return status;
	ret->why = s.ever_forced ? "shutdown was forced before the end"
		   : s.ever_cut  ? "the statistics were cut"
		   : s.ever_idle ? "no events were measured"
				 : "no statistics";
	return 0;
}

const struct bench_parser bench_sysbench = {
	.name = "sysbench",
	.summary = "events per second and latencies (sysbench)",
	.version = 1,
	.parse = sysbench_parse,
};
