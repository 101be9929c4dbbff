// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tbench.c - dbench and tbench: one run per "Throughput" line, with the latencies of the
 * table before it. Their --machine-readable rows (";Throughput;clients;procs;latency;"
 * and
 * ":Op:count:average:maximum:") count too. Tables of single clients do not.
 */
#include "base/base.h"

#include "bench/draft.h"
#include "bench/parsers.h"
#include "bench/text.h"
#include <math.h>

#define OPS_MAX 256

struct op {
	const char *name;
	int64_t count;
	double avg, max; /* ms; NAN: not printed */
};

struct state {
	struct arena *a;
	struct bench_output *out;
	size_t cap;
	struct bench_draft draft;
	bool comma;
	bool in_table,
		per_client;      /* inside the sum table; behind "Per client results:" */
	bool failed;             /* FAILED TO START since the banner */
	bool saw_zero, saw_line; /* for the reason */
	struct op ops[OPS_MAX];
	size_t n_ops;
	int64_t runtime, warmup; /* s; -1: not said */
};

static void forget(struct state *s)
{
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

	if (!bench_fixed(*p, s->comma, 3, &v, &end) || v < 0)
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
	ret->name = arena_strndup(s->a, line, n);
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

/* A row of the table, which may be wrapped. Number of lines it took. */
static size_t take_op(struct state *s, const struct bench_lines *l, size_t i)
{
	struct op op = {.avg = NAN, .max = NAN}, next;
	int what = op_row(s, l->lines[i], &op);

	for (size_t k = 1; what == 1 && k <= 2 && i + k < l->n; k++) {
		if (l->lines[i + k][0] < '0' || l->lines[i + k][0] > '9')
			break;
		if (op_row(s, bench_join(s->a, l, i, k), &next) == 2) {
			add_op(s, &next);
			return k + 1;
		}
	}
	if (what && op.name)
		add_op(s, &op);
	return 1;
}

/* ":NTCreateX:25310:0.051:11.207:" */
static void take_machine_op(struct state *s, const char *line)
{
	size_t n = name_len(line + 1);
	const char *p = line + 1 + n, *end;
	struct op op = {.avg = NAN, .max = NAN};

	if (!n || *p != ':' || !bench_integer(p + 1, &op.count, &end) || *end != ':')
		return;
	op.name = arena_strndup(s->a, line + 1, n);
	p = end + 1;
	op.avg = take_ms(s, &p);
	if (*p++ == ':')
		op.max = take_ms(s, &p);
	add_op(s, &op);
}

static void add_latency(struct state *s, const struct op *op, const char *which, double v)
{
	struct bench_metric *m;

	m = draft_lower(
		&s->draft, arena_printf(s->a, "%s_%s_latency", op->name, which), "ms", v);
	if (m)
		m->samples = op->count;
}

static int add_run(struct state *s, double throughput, double latency, int64_t clients,
	int64_t procs, struct err *e)
{
	struct bench_metric *m;

	if (s->runtime >= 0)
		draft_number(&s->draft, "runtime", (double)s->runtime);
	if (s->warmup >= 0)
		draft_number(&s->draft, "warmup", (double)s->warmup);
	if (procs >= 0)
		draft_number(&s->draft, "procs", (double)procs);
	if (clients >= 0)
		draft_number(&s->draft, "clients", (double)clients);
	m = draft_rate(&s->draft, "throughput", "MB/s", throughput);
	if (!m)
		return 0;
	m->primary = true;
	draft_lower(&s->draft, "max_latency", "ms", latency);
	for (size_t i = 0; i < s->n_ops; i++) {
		add_latency(s, &s->ops[i], "avg", s->ops[i].avg);
		add_latency(s, &s->ops[i], "max", s->ops[i].max);
	}
	return draft_keep(&s->draft, s->out, &s->cap, e);
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

static int take_throughput(
	struct state *s, const struct bench_lines *l, size_t i, struct err *e)
{
	const char *line = l->lines[i], *p, *end;
	double v, latency = NAN;
	size_t k = 0;

	s->saw_line = true;
	while (k < 3 && i + k + 1 < l->n && goes_on(l->lines[i + k + 1])) {
		p = strstr(line, "max_latency=");
		if (p && strstr(p, " ms"))
			break;
		line = bench_join(s->a, l, i, ++k);
	}
	p = bench_blanks(line + strlen("Throughput"));
	if (!throughput_value(p, s->comma, &v, &end))
		return 0;
	s->saw_zero |= v == 0;
	p = strstr(end, "max_latency=");
	if (p) {
		p = bench_blanks(p + strlen("max_latency="));
		latency = take_ms(s, &p);
	}
	if (strstr(end, "(sync open)"))
		draft_text(&s->draft, "sync_open", "yes");
	if (strstr(end, "(sync dirs)"))
		draft_text(&s->draft, "sync_dirs", "yes");
	return s->failed ? 0
			 : add_run(s, v, latency, integer_before(end, " clients"),
				   integer_before(end, " procs"), e);
}

/* ";191.796;2;2;13.476;" */
static int take_machine_throughput(struct state *s, const char *line, struct err *e)
{
	int64_t clients, procs;
	double v, latency;
	const char *p, *end;

	if (!throughput_value(line + 1, s->comma, &v, &p) || *p++ != ';' ||
		!bench_integer(p, &clients, &end) || *end++ != ';' ||
		!bench_integer(end, &procs, &p) || *p++ != ';')
		return 0;
	s->saw_line = true;
	s->saw_zero |= v == 0;
	latency = take_ms(s, &p);
	return s->failed ? 0 : add_run(s, v, latency, clients, procs, e);
}

static void take_banner(struct state *s, const struct bench_lines *l, size_t i)
{
	const char *line = l->lines[i], *p, *end;
	int64_t v;

	forget(s);
	if (!strstr(line, " secs") || !strstr(line, "warmup"))
		line = bench_join(s->a, l, i, 2);
	if (bench_integer(line + strlen("Running for "), &v, &end))
		s->runtime = v;
	p = strstr(line, "minimum warmup ");
	if (p && bench_integer(p + strlen("minimum warmup "), &v, &end))
		s->warmup = v;
}

/* The locale of the program: decimal comma when more of its values have one. */
static bool uses_comma(const struct bench_lines *l)
{
	size_t n_comma = 0, n_point = 0;

	for (size_t i = 0; i < l->n; i++) {
		const char *line = l->lines[i], *rest;
		size_t n = name_len(line);

		if (bench_starts(line, "Throughput ", &rest) || strstr(line, "MB/sec") ||
			(n && line[n] == ' ' && *bench_blanks(line + n) >= '0' &&
				*bench_blanks(line + n) <= '9'))
			bench_votes(line, &n_comma, &n_point);
	}
	return n_comma > n_point;
}

static size_t take_line(struct state *s, const struct bench_lines *l, size_t i,
	int *status, struct err *e)
{
	const char *line = l->lines[i], *rest;

	if (bench_starts(line, "dbench version ", &rest)) {
		forget(s);
		s->out->version = arena_strndup(s->a, rest, strcspn(rest, " \x7f"));
	} else if (bench_starts(line, "Running for ", &rest)) {
		take_banner(s, l, i);
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
		*status = take_throughput(s, l, i, e);
		forget(s);
		draft_begin(&s->draft, s->a);
	} else if (line[0] == ';') {
		*status = take_machine_throughput(s, line, e);
		forget(s);
		draft_begin(&s->draft, s->a);
	} else if (line[0] == ':') {
		take_machine_op(s, line);
	} else if (s->in_table) {
		return take_op(s, l, i);
	}
	return 1;
}

static int tbench_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct state *s = ARENA_NEW(a, struct state);
	struct bench_lines l;
	int status = bench_lines(a, buf, len, &l, e);

	if (status != 0)
		return status;
	bench_mark_cut(a, buf, len, &l);
	s->a = a;
	s->out = ret;
	forget(s);
	draft_begin(&s->draft, a);
	s->comma = uses_comma(&l);
	for (size_t i = 0; i < l.n && status == 0;)
		i += take_line(s, &l, i, &status, e);
	if (ret->n_runs == 0)
		ret->why = s->saw_zero   ? "the throughput is 0"
			   : s->saw_line ? "the Throughput line holds no complete value"
					 : "no Throughput line";
	return status;
}

const struct bench_parser bench_tbench = {
	.name = "tbench",
	.summary = "file server traffic over a socket (dbench)",
	.version = 1,
	.parse = tbench_parse,
};
