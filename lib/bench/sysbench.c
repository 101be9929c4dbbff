// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sysbench.c - the statistics sysbench prints at its end: 0.4 and 0.5 ("per-request
 * statistics", "approx.  95 percentile"), 1.0 ("General statistics", "Latency (ms)") and
 * 1.1 ("Throughput", "time elapsed"). Intermediate and checkpoint reports, those of a
 * forced shutdown and those behind a FATAL error are no results; ignored errors are a
 * note.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"

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
	bool started; /* its run was announced */
	bool any, interim, forced, failed, fairness;
	bool old;                   /* 0.4 and 0.5: the percentile ends the block */
	int64_t percentile, errors; /* errors: ignored ones */
	struct value values[N_FIELDS];
};

struct state {
	struct reading r;
	int64_t threads; /* -1: not said */
	struct block b;
};

static bool whole(const struct block *b)
{
	const struct value *v = b->values;

	return v[TIME].label && v[EVENTS].label && v[MIN].label && v[AVG].label &&
	       v[MAX].label && (v[SUM].label || b->fairness || (b->old && v[PCT].label));
}

static bool usable(const struct block *b, enum field f)
{
	return b->values[f].number && b->values[f].v >= (f == EPS ? 1e-300 : 0);
}

#define IDLE "no events were measured"

static void keep_block(struct state *s)
{
	static const enum field order[N_FIELDS] = {
		EPS, TIME, EVENTS, MIN, AVG, MAX, SUM, PCT};
	const struct block *b = &s->b;
	enum field primary = b->values[EPS].label ? EPS : AVG;

	if (!usable(b, primary)) {
		reading_left_out(&s->r, IDLE);
		return;
	}
	if (b->errors > 0)
		reading_note(&s->r, arena_printf(s->r.a, "%lld errors were ignored",
					    (long long)b->errors));
	if (s->threads >= 0)
		reading_number(&s->r, "threads", (double)s->threads);
	for (int i = 0; i < N_FIELDS; i++) {
		enum field f = order[i];
		const struct value *v = &b->values[f];
		const char *name = metrics[f].name;
		struct bench_metric *m;

		if (!v->label || !usable(b, f))
			continue;
		if (f == PCT)
			name = arena_printf(
				s->r.a, "latency_p%lld", (long long)b->percentile);
		m = reading_metric(&s->r, name, v->unit ? v->unit : metrics[f].unit,
			metrics[f].better, v->v);
		m->primary = f == primary;
		if (f == PCT)
			m->percentile = (double)b->percentile;
	}
	reading_keep(&s->r);
}

static void finish(struct state *s)
{
	struct block *b = &s->b;

	if (b->any && !b->interim) {
		if (b->forced)
			reading_left_out(&s->r, "shutdown was forced before the end");
		else if (b->failed)
			reading_left_out(&s->r, "the test failed");
		else if (b->values[EVENTS].number && b->values[EVENTS].v <= 0)
			reading_left_out(&s->r, IDLE);
		else if (!whole(b))
			reading_left_out(&s->r, "the statistics were cut");
		else
			keep_block(s);
	}
	if (!b->any && b->started)
		reading_left_out(&s->r, "no statistics");
	*b = (struct block){0};
}

/* "95th percentile:", "approx.  95 percentile:" */
static bool percentile_label(const char *p, int64_t *ret, const char **rest)
{
	const char *end;

	if (bench_words(p, "approx.", &end))
		p = end;
	p = bench_blanks(p);
	if (!bench_integer(p, ret, &end) || *ret < 1 || *ret > 100)
		return false;
	if (end[0] == 't' && end[1] == 'h')
		end += 2;
	return *end == ' ' && bench_words(end, "percentile:", rest);
}

/* The label of a line, NULL for another line; *value behind it, on the next line where
 * the mail was wrapped. */
static const char *find_label(const struct reading *r, size_t i, enum field *f,
	int64_t *pct, const char **value)
{
	const char *line = reading_line(r, i), *found = NULL;

	for (size_t k = 0; !found && k < ARRAY_LEN(labels); k++)
		if (bench_words(line, labels[k].text, value)) {
			found = labels[k].text;
			*f = labels[k].field;
		}
	if (!found && percentile_label(line, pct, value)) {
		found = "percentile:";
		*f = PCT;
	}
	if (found && !**value)
		*value = reading_line(r, i + 1);
	return found;
}

/* The value, or what stands for none; false where it is missing or was cut. */
static bool read_value(
	const struct state *s, const char *p, enum field f, bool last, struct value *ret)
{
	struct bench_decimal num;
	const char *rest;

	if (!bench_decimal(p, s->r.comma, &num)) {
		while (*p == '-' || *p == '+')
			p++;
		return bench_starts(p, "nan", &rest) || bench_starts(p, "inf", &rest);
	}
	/* the tool prints two decimals at least, and none of events */
	if (last && s->r.open_end && !*num.end && num.decimals < (f == EVENTS ? -1 : 2))
		return false;
	/* the tool counts in 64 bits */
	ret->number = f != EVENTS || num.value < 0x1p64;
	ret->v = num.value;
	if (bench_starts(num.end, "ms", &rest))
		ret->unit = "ms";
	else if (bench_starts(num.end, "us", &rest))
		ret->unit = "us";
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

static void take_value(struct state *s, size_t i, const char *label, enum field f,
	int64_t pct, const char *text)
{
	struct value v = {.label = label};
	size_t n = s->r.lines.n;
	bool last = i + 1 == n || (i + 2 == n && text == s->r.lines.lines[i + 1]);

	/* latencies belong to a block that has begun */
	if (f >= MIN && !s->b.any)
		return;
	if (begins_block(&s->b, f, label))
		finish(s);
	s->b.any = true;
	/* of two rates the first stands: "events per second" before "events/s (eps)" */
	if (s->b.values[f].label || !read_value(s, text, f, last, &v))
		return;
	s->b.values[f] = v;
	if (f == PCT)
		s->b.percentile = pct;
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest, *value;
	bool interim = strstr(line, "Checkpoint report:") != NULL;
	int64_t pct = 0;
	enum field f;

	if (bench_starts(line, "sysbench ", &rest) && *rest >= '0' && *rest <= '9') {
		r->out->version = arena_strndup(r->a, rest, strcspn(rest, " :"));
		finish(s);
		s->threads = -1;
	} else if (bench_words(line, "Running the test with following options:", &rest) ||
		   interim) {
		s->b.started &= !interim;
		finish(s);
		s->b.interim = interim;
		s->b.started = !interim;
	} else if (bench_words(line, "Number of threads:", &rest)) {
		if (!bench_integer(rest, &s->threads, &value))
			s->threads = -1;
	} else if (strstr(line, "forcing shutdown...")) {
		finish(s);
		s->b.forced = s->b.any = true;
	} else if (bench_words(line, "FATAL:", &rest) ||
		   bench_words(line, "PANIC:", &rest)) {
		if (s->b.values[TIME].label)
			finish(s);
		s->b.failed = s->b.any = true;
	} else if (bench_words(line, "ignored errors:", &rest)) {
		if (s->b.values[TIME].label)
			finish(s);
		if (!bench_integer(rest, &s->b.errors, &value))
			s->b.errors = 0;
	} else if (bench_words(line, "total time taken by event execution:", &rest)) {
		s->b.old = s->b.any;
	} else if (bench_words(line, "Threads fairness:", &rest)) {
		s->b.fairness = s->b.any;
	} else {
		const char *label = find_label(r, i, &f, &pct, &value);

		if (label)
			take_value(s, i, label, f, pct, value);
	}
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	struct bench_decimal num;
	const char *value;
	int64_t pct;
	enum field f;

	if (!find_label(r, i, &f, &pct, &value))
		return;
	*n_comma += bench_decimal(value, true, &num) && num.decimals > 0;
	*n_point += bench_decimal(value, false, &num) && num.decimals > 0;
}

static void begin(struct reading *r)
{
	((struct state *)r)->threads = -1;
}

static void end(struct reading *r)
{
	finish((struct state *)r);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no statistics";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.votes = votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_sysbench = {
	.name = "sysbench",
	.summary = "events per second and latencies (sysbench)",
	.version = 1,
	.rules = &rules,
};
