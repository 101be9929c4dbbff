// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tbench.c - dbench and tbench: one run per "Throughput" line, with the latencies of the
 * table before it. The rows of --machine-readable (";Throughput;clients;procs;latency;",
 * ":Op:count:average:maximum:") count too. Tables of single clients do not.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"
#include <math.h>

#define OPS_MAX 256

struct op {
	const char *name;
	int64_t count;
	double avg, max; /* ms; NAN: not printed */
};

struct state {
	struct reading r;
	bool in_table;           /* inside the sum table */
	bool per_client;         /* behind "Per client results:" */
	bool failed;             /* FAILED TO START since the banner */
	bool saw_zero, saw_line; /* for the reason */
	struct op ops[OPS_MAX];
	size_t n_ops;
	int64_t runtime, warmup; /* s; -1: not said */
};

static void forget(struct state *s)
{
	reading_drop(&s->r);
	s->in_table = s->per_client = s->failed = false;
	s->n_ops = 0;
	s->runtime = s->warmup = -1;
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

static size_t name_len(const char *p)
{
	size_t n = 0;

	while (is_name_char(p[n]))
		n++;
	return n && (p[0] < '0' || p[0] > '9') ? n : 0;
}

/* A time in ms with three decimals; NAN when it is none, or was cut. */
static double take_ms(const struct state *s, const char **p)
{
	const char *end;
	double v;

	if (!bench_fixed(*p, s->r.comma, 3, &v, &end) || v < 0)
		v = NAN;
	while (**p && **p != ' ' && **p != ':' && **p != ';')
		(*p)++;
	return v;
}

/* "NTCreateX  25310  0.051  11.207": 0 when the line is no such row, 1 when numbers lack
 * at its end, 2 when it is whole. */
static int op_row(const struct state *s, const char *line, struct op *ret)
{
	size_t n = name_len(line);
	const char *p = bench_blanks(line + n), *end;

	if (!n || line[n] != ' ' || !bench_whole(p, &ret->count, &end))
		return n && !line[n] ? 1 : 0;
	ret->name = arena_strndup(s->r.a, line, n);
	ret->avg = ret->max = NAN;
	p = bench_blanks(end);
	if (!*p)
		return 1;
	ret->avg = take_ms(s, &p);
	p = bench_blanks(p);
	if (!*p)
		return 1;
	ret->max = take_ms(s, &p);
	return isnan(ret->avg) && isnan(ret->max) ? 0 : 2;
}

static void add_op(struct state *s, const struct op *op)
{
	if (op->count > 0 && s->n_ops < OPS_MAX && !s->per_client)
		s->ops[s->n_ops++] = *op;
}

/* A row of the table, which may be wrapped. */
static void take_op(struct state *s, size_t i)
{
	struct op op = {.avg = NAN, .max = NAN}, next;
	int what = op_row(s, reading_line(&s->r, i), &op);

	for (size_t k = 1; what == 1 && k <= 2; k++) {
		char c = reading_line(&s->r, i + k)[0];

		if (c < '0' || c > '9')
			break;
		if (op_row(s, reading_join(&s->r, i, k), &next) == 2) {
			add_op(s, &next);
			s->r.next = i + k + 1;
			return;
		}
	}
	if (what && op.name)
		add_op(s, &op);
}

/* ":NTCreateX:25310:0.051:11.207:" */
static void take_machine_op(struct state *s, const char *line)
{
	size_t n = name_len(line + 1);
	const char *p = line + 1 + n, *end;
	struct op op = {.avg = NAN, .max = NAN};

	if (!n || *p != ':' || !bench_integer(p + 1, &op.count, &end) || *end != ':')
		return;
	op.name = arena_strndup(s->r.a, line + 1, n);
	p = end + 1;
	op.avg = take_ms(s, &p);
	if (*p++ == ':')
		op.max = take_ms(s, &p);
	add_op(s, &op);
}

static void add_latency(struct state *s, const struct op *op, const char *which, double v)
{
	const char *name = arena_printf(s->r.a, "%s_%s_latency", op->name, which);

	reading_cost(&s->r, name, "ms", v)->samples = op->count;
}

static void add_run(struct state *s, double throughput, double latency, int64_t clients,
	int64_t procs)
{
	if (s->failed || throughput <= 0)
		return;
	if (s->runtime >= 0)
		reading_number(&s->r, "runtime", (double)s->runtime);
	if (s->warmup >= 0)
		reading_number(&s->r, "warmup", (double)s->warmup);
	if (procs >= 0)
		reading_number(&s->r, "procs", (double)procs);
	if (clients >= 0)
		reading_number(&s->r, "clients", (double)clients);
	reading_rate(&s->r, "throughput", "MB/s", throughput)->primary = true;
	reading_cost(&s->r, "max_latency", "ms", latency);
	for (size_t i = 0; i < s->n_ops; i++) {
		add_latency(s, &s->ops[i], "avg", s->ops[i].avg);
		add_latency(s, &s->ops[i], "max", s->ops[i].max);
	}
	reading_keep(&s->r);
}

/* Printed with %g: an exponent is possible. */
static bool throughput_value(const char *p, bool comma, double *ret, const char **end)
{
	const char *q;
	int64_t power;
	double v;

	if (*p == '-' || *p == '+' || !bench_number(p, comma, &v, &q))
		return false;
	if (*q == 'e' && (q[1] == '+' || q[1] == '-') &&
		bench_integer(q + 2, &power, end) && power < 300) {
		v *= pow(10, q[1] == '-' ? -(double)power : (double)power);
		q = *end;
	}
	*end = q;
	*ret = v;
	return !*q || *q == ' ' || *q == ';';
}

/* The integer before a word: "  2 clients". -1: not there. */
static int64_t integer_before(const char *line, const char *word)
{
	const char *p = strstr(line, word), *end;
	int64_t v;

	if (!p)
		return -1;
	while (p > line && p[-1] == ' ')
		p--;
	while (p > line && p[-1] >= '0' && p[-1] <= '9')
		p--;
	return bench_integer(p, &v, &end) ? v : -1;
}

/* Whether what a mail program wrapped may go on in this line. */
static bool goes_on(const char *line)
{
	const char *rest;

	return *line && !bench_starts(line, "Throughput", &rest) &&
	       !bench_starts(line, "dbench", &rest) &&
	       !bench_starts(line, "Running", &rest);
}

static void take_throughput(struct state *s, size_t i)
{
	const char *line = reading_line(&s->r, i), *p, *end;
	double v, latency = NAN;
	size_t k = 0;

	s->saw_line = true;
	while (k < 3 && goes_on(reading_line(&s->r, i + k + 1))) {
		p = strstr(line, "max_latency=");
		if (p && strstr(p, " ms"))
			break;
		line = reading_join(&s->r, i, ++k);
	}
	p = bench_blanks(line + strlen("Throughput"));
	if (!throughput_value(p, s->r.comma, &v, &end))
		return;
	s->saw_zero |= v == 0;
	p = strstr(end, "max_latency=");
	if (p) {
		p = bench_blanks(p + strlen("max_latency="));
		latency = take_ms(s, &p);
	}
	if (strstr(end, "(sync open)"))
		reading_text(&s->r, "sync_open", "yes");
	if (strstr(end, "(sync dirs)"))
		reading_text(&s->r, "sync_dirs", "yes");
	add_run(s, v, latency, integer_before(end, " clients"),
		integer_before(end, " procs"));
}

/* ";191.796;2;2;13.476;" */
static void take_machine_throughput(struct state *s, const char *line)
{
	int64_t clients, procs;
	double v, latency;
	const char *p, *end;

	if (!throughput_value(line + 1, s->r.comma, &v, &p) || *p++ != ';' ||
		!bench_integer(p, &clients, &end) || *end++ != ';' ||
		!bench_integer(end, &procs, &p) || *p++ != ';')
		return;
	s->saw_line = true;
	s->saw_zero |= v == 0;
	latency = take_ms(s, &p);
	add_run(s, v, latency, clients, procs);
}

static void take_banner(struct state *s, size_t i)
{
	const char *line = reading_line(&s->r, i), *p, *end;
	int64_t v;

	forget(s);
	if (!strstr(line, " secs") || !strstr(line, "warmup"))
		line = reading_join(&s->r, i, 2);
	if (bench_integer(line + strlen("Running for "), &v, &end))
		s->runtime = v;
	p = strstr(line, "minimum warmup ");
	if (p && bench_integer(p + strlen("minimum warmup "), &v, &end))
		s->warmup = v;
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	const char *line = reading_line(r, i), *rest;
	size_t n = name_len(line);

	rest = bench_blanks(line + n);
	if ((n && line[n] == ' ' && *rest >= '0' && *rest <= '9') ||
		bench_starts(line, "Throughput ", &rest) || strstr(line, "MB/sec"))
		bench_votes(line, n_comma, n_point);
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest;

	if (bench_starts(line, "dbench version ", &rest)) {
		forget(s);
		s->r.out->version = arena_strndup(s->r.a, rest, strcspn(rest, " \x7f"));
	} else if (bench_starts(line, "Running for ", &rest)) {
		take_banner(s, i);
	} else if (bench_starts(line, "FAILED TO START", &rest)) {
		s->failed = true;
	} else if (bench_starts(line, "Per client results", &rest)) {
		s->per_client = true;
		s->in_table = false;
	} else if (bench_starts(line, "Operation", &rest) && strstr(rest, "Count")) {
		s->in_table = !s->per_client;
		if (s->in_table)
			s->n_ops = 0;
	} else if (bench_starts(line, "Throughput", &rest) && (*rest == ' ' || !*rest)) {
		take_throughput(s, i);
		forget(s);
	} else if (line[0] == ';') {
		take_machine_throughput(s, line);
		forget(s);
	} else if (line[0] == ':') {
		take_machine_op(s, line);
	} else if (s->in_table) {
		take_op(s, i);
	}
}

static void begin(struct reading *r)
{
	forget((struct state *)r);
}

static const char *why(const struct reading *r)
{
	const struct state *s = (const struct state *)r;

	return s->saw_zero   ? "the throughput is 0"
	       : s->saw_line ? "the Throughput line holds no complete value"
			     : "no Throughput line";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.marks_cut = true,
	.begin = begin,
	.votes = votes,
	.line = take_line,
	.why = why,
};

const struct bench_parser bench_tbench = {
	.name = "tbench",
	.summary = "file server traffic over a socket (dbench)",
	.version = 1,
	.rules = &rules,
};
