// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tbench.c - dbench and tbench: one run per "Throughput" line, with the latencies of the
 * table before it; none where a client failed or did not start. The rows of
 * --machine-readable (";Throughput;clients;procs;latency;",
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
	bool in_table;        /* inside the sum table */
	bool per_client;      /* behind "Per client results:" */
	bool open;            /* a banner without its Throughput line yet */
	bool failed;          /* a client did not start, or died, since the banner */
	bool complained;      /* ... or told of an error, and went on */
	int64_t asked, ready; /* clients, of "1 of 2 processes prepared"; -1: not said */
	struct op ops[OPS_MAX];
	size_t n_ops;
	int64_t runtime, warmup; /* s; -1: not said */
};

static void forget(struct state *s)
{
	reading_drop(&s->r);
	s->in_table = s->per_client = s->failed = s->open = s->complained = false;
	s->n_ops = 0;
	s->runtime = s->warmup = s->asked = s->ready = -1;
}

/* The run ends here, and has no Throughput line. */
static void leave_open(struct state *s)
{
	if (s->open || s->failed)
		reading_left_out(
			&s->r, s->failed ? "a client failed" : "no Throughput line");
	forget(s);
}

/* Whether fewer clients ran than were asked for. Lines differ in whether they count
 * clients or processes of them. */
static bool too_few(const struct state *s, int64_t clients, int64_t procs)
{
	if (clients == 0 || (clients >= 0 && clients < procs))
		return true;
	if (s->asked < 0)
		return false;
	return s->ready < s->asked || (clients >= 0 && clients < s->asked);
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

static void add_run(struct state *s, double throughput, const char *unit, double latency,
	int64_t clients, int64_t procs)
{
	const char *why = throughput <= 0              ? "the throughput is 0"
			  : s->failed                  ? "a client failed"
			  : too_few(s, clients, procs) ? "fewer clients ran than asked"
						       : NULL;

	if (why) {
		reading_left_out(&s->r, why);
		return;
	}
	if (s->runtime >= 0)
		reading_number(&s->r, "runtime", (double)s->runtime);
	if (s->warmup >= 0)
		reading_number(&s->r, "warmup", (double)s->warmup);
	if (procs >= 0)
		reading_number(&s->r, "procs", (double)procs);
	if (clients >= 0)
		reading_number(&s->r, "clients", (double)clients);
	if (s->complained)
		reading_note(&s->r, "a client reported an error");
	reading_rate(&s->r, "throughput", unit, throughput)->primary = true;
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

/* The unit at p: "MB/sec", which is also what was cut there; NULL: unknown. */
static const char *rate_unit(struct arena *a, const char *p)
{
	static const char *const units[] = {
		"MB/sec", "KB/sec", "GB/sec", "kB/sec", "B/sec", "MiB/sec", "KiB/sec"};
	const char *rest;

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (bench_starts(p, units[i], &rest) && (!*rest || *rest == ' '))
			return arena_strndup(a, units[i], strlen(units[i]) - 2);
	return strncmp(p, "MB/sec", strlen(p)) == 0 ? "MB/s" : NULL;
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

	while (k < 3 && goes_on(reading_line(&s->r, i + k + 1))) {
		p = strstr(line, "max_latency=");
		if (p && strstr(p, " ms"))
			break;
		line = reading_join(&s->r, i, ++k);
	}
	p = bench_blanks(line + strlen("Throughput"));
	if (!throughput_value(p, s->r.comma, &v, &end)) {
		reading_left_out(&s->r, "the Throughput line holds no complete value");
		return;
	}
	p = strstr(end, "max_latency=");
	if (p) {
		p = bench_blanks(p + strlen("max_latency="));
		latency = take_ms(s, &p);
	}
	if (strstr(end, "(sync open)"))
		reading_text(&s->r, "sync_open", "yes");
	if (strstr(end, "(sync dirs)"))
		reading_text(&s->r, "sync_dirs", "yes");
	add_run(s, v, rate_unit(s->r.a, bench_blanks(end)), latency,
		integer_before(end, " clients"), integer_before(end, " procs"));
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
	latency = take_ms(s, &p);
	add_run(s, v, "MB/s", latency, clients, procs);
}

static void take_banner(struct state *s, size_t i)
{
	const char *line = reading_line(&s->r, i), *p, *end;
	int64_t v;

	leave_open(s);
	s->open = true;
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

/* What dbench says when a client did not start, or ended before its time. */
static bool is_failure(const char *line)
{
	const char *rest;

	return bench_starts(line, "FAILED TO START", &rest) ||
	       bench_starts(line, "Child failed", &rest);
}

/* What a client says of one operation that went wrong. */
static bool is_complaint(const char *line)
{
	return strstr(line, " ERROR: handle") || strstr(line, "failed on handle") ||
	       strstr(line, "failed for handle");
}

/* "1 of 2 processes prepared for launch   0 sec" */
static bool prepared(const char *line, int64_t *ready, int64_t *asked)
{
	const char *end, *rest;
	int64_t n, of;

	if (!strstr(line, "prepared for launch") || !bench_integer(line, &n, &end) ||
		!bench_words(end, "of", &rest) || !bench_whole(rest, &of, &end))
		return false;
	*ready = n;
	*asked = of;
	return true;
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest;

	if (bench_starts(line, "dbench version ", &rest)) {
		leave_open(s);
		s->r.out->version = arena_strndup(s->r.a, rest, strcspn(rest, " \x7f"));
	} else if (bench_starts(line, "Running for ", &rest)) {
		take_banner(s, i);
	} else if (is_failure(line)) {
		s->failed = true;
	} else if (is_complaint(line)) {
		s->complained = true;
	} else if (prepared(line, &s->ready, &s->asked)) {
		return;
	} else if (bench_starts(line, "releasing clients", &rest)) {
		s->ready = s->asked; /* so it says once all of them are */
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
	(void)r;
	return "no Throughput line";
}

static void end(struct reading *r)
{
	leave_open((struct state *)r);
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.marks_cut = true,
	.begin = begin,
	.votes = votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_tbench = {
	.name = "tbench",
	.summary = "file server traffic over a socket (dbench)",
	.version = 1,
	.rules = &rules,
};
