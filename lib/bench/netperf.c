// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netperf.c - netperf: the rows of the classic tests, known by the decimals of their
 * numbers, with the banner and the header lines before them; keywords and CSV of the omni
 * test are in netperf_omni.c. Interim results and the tables of -v 2 are no results.
 */
#include "base/base.h"

#include "bench/netperf.h"
#include "bench/parsers.h"

#define NUMBERS_MAX 16

struct numbers {
	double v[NUMBERS_MAX];
	int decimals[NUMBERS_MAX]; /* -1: perhaps cut */
	size_t n;
	const char *rest; /* what stands behind them */
};

/* One character a number: 'i' an integer, else its decimals. ext: more of it with -c. */
enum shape_id { RR_ROW, STREAM_ROW, UDP_SENT, UDP_SENT_CPU, UDP_GOT, UDP_GOT_CPU };

static const struct {
	const char *base, *ext;
} shapes[] = {
	[RR_ROW] = {"iiii22", "2233"},
	[STREAM_ROW] = {"iii22", "2233"},
	[UDP_SENT] = {"ii2ii2", ""},
	[UDP_SENT_CPU] = {"ii2ii1", "23"},
	[UDP_GOT] = {"i2i2", ""},
	[UDP_GOT_CPU] = {"i2i1", "23"},
};

const char *netperf_unit(struct arena *a, const char *p, size_t len)
{
	static const struct {
		const char *printed, *unit;
	} units[] = {
		{"10^0bits", "bit"},
		{"10^3bits", "kbit"},
		{"10^6bits", "Mbit"},
		{"10^9bits", "Gbit"},
		{"Bytes", "B"},
		{"KBytes", "KB"},
		{"MBytes", "MB"},
		{"GBytes", "GB"},
		{"Trans", "trans"},
		{"Tran", "trans"},
	};

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		size_t n = strlen(units[i].printed);

		if (len < n + 2 || strncmp(p, units[i].printed, n) != 0 ||
			(strncmp(p + n, "/s", len - n) != 0 &&
				strncmp(p + n, "/sec", len - n) != 0))
			continue;
		return arena_printf(a, "%s/s", units[i].unit);
	}
	return NULL;
}

/* ---- banner and header ---- */

static bool is_kind(const char *p, size_t len)
{
	static const char *const words[] = {"STREAM", "MAERTS", "SENDFILE", "REQUEST",
		"Request", "Connect", "OMNI", "UNIDIRECTIONAL", "SEND"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (memmem(p, len, words[i], strlen(words[i])))
			return true;
	return false;
}

/* "MIGRATED TCP STREAM TEST from ...": the name of the test, NULL for another line. */
static const char *banner_test(struct arena *a, const char *line)
{
	const char *end = strstr(line, " TEST"), *rest, *p;

	if (!end || (end[5] && end[5] != ' ' && end[5] != ':'))
		return NULL;
	for (p = end; p > line; p--)
		if (!((p[-1] >= 'A' && p[-1] <= 'Z') || (p[-1] >= 'a' && p[-1] <= 'z') ||
			    strchr(" /_|", p[-1])))
			break;
	p = bench_blanks(p);
	if (bench_starts(p, "MIGRATED ", &rest))
		p = rest;
	if (p >= end || end - p > 60 || !is_kind(p, (size_t)(end - p)))
		return NULL;
	return arena_strndup(a, p, (size_t)(end - p));
}

void netperf_keep(struct netperf *s)
{
	if (s->unsure)
		reading_note(&s->r, "the desired confidence was not achieved");
	s->waits = s->unsure = false;
	reading_keep(&s->r);
}

/* The run that a banner or a row began ends here without a result. */
static void leave_open(struct netperf *s)
{
	if (s->udp_n)
		reading_left_out(&s->r, "the receiver's row is missing");
	else if (s->waits)
		reading_left_out(&s->r, "no result row");
	s->waits = s->unsure = false;
	s->udp_n = 0;
}

static void take_banner(struct netperf *s, const char *test)
{
	leave_open(s);
	s->waits = true;
	s->test = test;
	s->is_rr = strstr(test, "REQUEST") || strstr(test, "Request") ||
		   strstr(test, "Connect");
	s->unit = s->demand = NULL;
	s->tabular = false;
	s->own_table = strncmp(test, "OMNI", 4) == 0;
	if (!s->asked)
		s->n_columns = 0;
}

/* Units in the lines above a row. */
static void take_header(struct netperf *s, const char *line)
{
	const char *rest;
	bool tput = strstr(line, "local") != NULL;

	/* words of columns that no classic table begins with; -v 2 has some behind it */
	s->own_table |=
		!s->tabular && (strstr(line, "Latency") || strstr(line, "Percentile") ||
				       strstr(line, "Throughput Throughput"));

	if (bench_starts(line, "Alignment", &rest) ||
		bench_starts(line, "Local  ", &rest))
		return;
	if (bench_starts(line, "Local /Remote", &rest) ||
		bench_starts(line, "Recv   Send    Send", &rest) ||
		bench_starts(line, "Socket  Message", &rest)) {
		s->unit = s->demand = NULL;
		s->is_rr = line[0] == 'L';
		s->tabular = true;
		s->own_table = false;
		return;
	}
	for (const char *p = bench_blanks(line); *p; p = bench_blanks(p)) {
		size_t n = strcspn(p, " ");
		const char *unit = netperf_unit(s->r.a, p, n);

		if (!unit && tput && n < 12 && p[0] != 'T')
			unit = netperf_unit(
				s->r.a, arena_printf(s->r.a, "%.*s/s", (int)n, p), n + 2);
		if (unit)
			s->unit = unit;
		else if (strncmp(p, "us/Tr", n) == 0 && n == 5)
			s->demand = "us/Tr";
		else if (strncmp(p, "us/KB", n) == 0 && n == 5)
			s->demand = "us/KB";
		p += n;
	}
}

/* ---- rows ---- */

/* Behind those that are there already. */
static void add_numbers(const char *p, bool comma, struct numbers *ret)
{
	const char *end, *point;

	for (p = bench_blanks(p); ret->n < NUMBERS_MAX; p = bench_blanks(end)) {
		double v;

		if (!bench_number(p, comma, &v, &end))
			break;
		point = memchr(p, comma ? ',' : '.', (size_t)(end - p));
		ret->decimals[ret->n] = point ? (int)(end - point - 1) : 0;
		if (*end == BENCH_CUT) {
			end++;
			if (!ret->decimals[ret->n])
				ret->decimals[ret->n] = -1;
		}
		if (*end && *end != ' ')
			break;
		ret->v[ret->n++] = v;
	}
	ret->rest = p;
}

static void read_numbers(const char *p, bool comma, struct numbers *ret)
{
	ret->n = 0;
	add_numbers(p, comma, ret);
}

/* How many numbers from the first-th on are as the pattern says. */
static size_t fitting(const struct numbers *x, size_t first, const char *pattern)
{
	size_t n = 0;

	while (pattern[n] && first + n < x->n &&
		x->decimals[first + n] == (pattern[n] == 'i' ? 0 : pattern[n] - '0'))
		n++;
	return n;
}

/* Finds the shape of a row; x->n becomes the numbers that belong to it. */
static bool find_shape(struct numbers *x, enum shape_id *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
		size_t n = strlen(shapes[i].base);

		if (fitting(x, 0, shapes[i].base) != n)
			continue;
		x->n = n + fitting(x, n, shapes[i].ext);
		*ret = (enum shape_id)i;
		return true;
	}
	return false;
}

static size_t width(enum shape_id id)
{
	return strlen(shapes[id].base) + strlen(shapes[id].ext);
}

/* A row at line i, which may be wrapped. Lines it takes; 0: no row. */
static size_t read_row(struct netperf *s, size_t i, struct numbers *x, enum shape_id *id)
{
	struct numbers all, y;
	enum shape_id other;
	bool found;
	size_t n;

	read_numbers(reading_line(&s->r, i), s->r.comma, x);
	n = x->n;
	all = *x;
	found = find_shape(x, id);
	if ((found && x->n == width(*id)) || n < 2)
		return found;
	for (size_t k = 1; k <= 3 && !*all.rest && *reading_line(&s->r, i + k); k++) {
		add_numbers(reading_line(&s->r, i + k), s->r.comma, &all);
		y = all;
		if (y.n > n && find_shape(&y, &other) && y.n == all.n &&
			(!found || (other == *id && y.n == width(*id)))) {
			*x = y;
			*id = other;
			return k + 1;
		}
	}
	return found;
}

static void add_params(struct netperf *s, const struct numbers *x, enum shape_id id)
{
	static const char *const rr[] = {
		"send_socket", "recv_socket", "request", "response", "elapsed", NULL};
	static const char *const stream[] = {
		"recv_socket", "send_socket", "message", "elapsed", NULL};
	static const char *const udp[] = {"socket", "message", "elapsed", NULL};
	const char *const *names = id == RR_ROW ? rr : id == STREAM_ROW ? stream : udp;

	reading_text(&s->r, "test", s->test);
	for (size_t i = 0; names[i]; i++)
		reading_number(&s->r, names[i], x->v[i]);
}

/* Throughput, CPU use and service demand of a row of one line. -1: not measured. */
static void add_row(struct netperf *s, const struct numbers *x, enum shape_id id)
{
	size_t n = strlen(shapes[id].base);
	const char *unit = id == RR_ROW && !(s->is_rr && s->unit) ? "trans/s" : s->unit;
	const char *demand = id == RR_ROW ? "us/Tr" : "us/KB";

	if (id == STREAM_ROW && s->is_rr)
		unit = NULL;
	if (s->demand && s->is_rr == (id == RR_ROW))
		demand = s->demand;
	if (x->v[n - 1] <= 0) {
		s->waits = false;
		reading_left_out(&s->r, NETPERF_ZERO);
		return;
	}
	reading_rate(&s->r, "throughput", unit, x->v[n - 1])->primary = true;
	if (x->n > n)
		reading_cost(&s->r, "cpu_local", "%", x->v[n]);
	if (x->n > n + 1)
		reading_cost(&s->r, "cpu_remote", "%", x->v[n + 1]);
	if (x->n > n + 2)
		reading_cost(&s->r, "service_demand_local", demand, x->v[n + 2]);
	if (x->n > n + 3)
		reading_cost(&s->r, "service_demand_remote", demand, x->v[n + 3]);
	add_params(s, x, id);
	netperf_keep(s);
}

/* The receiver's row makes a run with the sender's, which waited. */
static void add_udp(struct netperf *s, const struct numbers *x)
{
	const char *demand = s->demand ? s->demand : "us/KB";
	const char *unit = s->is_rr ? NULL : s->unit;
	struct numbers sent = {.n = s->udp_n};

	memcpy(sent.v, s->udp_row, sizeof(s->udp_row));
	if (x->v[3] <= 0) {
		s->waits = false;
		reading_left_out(&s->r, NETPERF_ZERO);
		return;
	}
	reading_rate(&s->r, "throughput_send", unit, sent.v[5]);
	reading_rate(&s->r, "throughput_recv", unit, x->v[3])->primary = true;
	if (sent.n > 6)
		reading_cost(&s->r, "cpu_local", "%", sent.v[6]);
	if (sent.n > 7)
		reading_cost(&s->r, "service_demand_local", demand, sent.v[7]);
	if (x->n > 4)
		reading_cost(&s->r, "cpu_remote", "%", x->v[4]);
	if (x->n > 5)
		reading_cost(&s->r, "service_demand_remote", demand, x->v[5]);
	add_params(s, &sent, UDP_SENT);
	netperf_keep(s);
}

static void take_row(struct netperf *s, const struct numbers *x, enum shape_id id)
{
	s->tabular = true;
	if (id == UDP_SENT || id == UDP_SENT_CPU) {
		if (s->udp_n)
			leave_open(s);
		memcpy(s->udp_row, x->v, sizeof(s->udp_row));
		s->udp_n = x->n;
		s->udp_cpu = id == UDP_SENT_CPU;
		return;
	}
	if (s->udp_n && (id == UDP_GOT || id == UDP_GOT_CPU) &&
		s->udp_cpu == (id == UDP_GOT_CPU)) {
		add_udp(s, x);
		s->udp_n = 0;
		return;
	}
	if (s->udp_n)
		leave_open(s);
	if (id == RR_ROW || id == STREAM_ROW)
		add_row(s, x, id);
}

static void add_throughput(struct netperf *s, double v, const char *unit)
{
	if (v <= 0) {
		s->waits = false;
		reading_left_out(&s->r, NETPERF_ZERO);
		return;
	}
	reading_rate(&s->r, "throughput", unit, v)->primary = true;
	reading_text(&s->r, "test", s->test);
	netperf_keep(s);
}

/* Of -v 0: a number alone, or with a remark behind it. */
static bool take_lone(struct netperf *s, const char *line)
{
	struct numbers x;

	if (s->tabular)
		return false;
	read_numbers(line, s->r.comma, &x);
	if (x.n != 1 || x.decimals[0] != 2 || (*x.rest && !strchr("(<#!;", *x.rest)))
		return false;
	add_throughput(s, x.v[0], s->test && s->is_rr ? "trans/s" : NULL);
	return true;
}

/* A row of the omni test's own tables: only the throughput, which its unit follows. */
static bool take_omni_row(struct netperf *s, const char *line)
{
	for (const char *p = line, *end, *unit; *p;
		p = bench_blanks(p + strcspn(p, " "))) {
		double v;

		if (!bench_fixed(p, s->r.comma, 2, &v, &end) || *end != ' ')
			continue;
		end = bench_blanks(end);
		unit = netperf_unit(s->r.a, end, strcspn(end, " "));
		if (!unit)
			continue;
		s->tabular = true;
		add_throughput(s, v, unit);
		return true;
	}
	return false;
}

static void take_line(struct reading *r, size_t i)
{
	struct netperf *s = (struct netperf *)r;
	const char *line = reading_line(r, i), *test = banner_test(r->a, line), *rest;
	enum shape_id id;
	struct numbers x;
	size_t n;

	if (strstr(line, "Desired confidence was not achieved")) {
		s->unsure = true;
	} else if (test) {
		omni_end(s);
		take_banner(s, test);
	} else if (!*line || bench_starts(line, "Interim result", &rest) ||
		   omni_keyword(s, line) || omni_csv(s, i) || omni_command(s, line)) {
		return;
	} else if (!s->own_table && (n = read_row(s, i, &x, &id))) {
		take_row(s, &x, id);
		r->next = i + n;
	} else if (s->own_table ? !take_omni_row(s, line)
				: !take_lone(s, line) &&
					  !(s->test && take_omni_row(s, line))) {
		take_header(s, line);
	}
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	const char *p = reading_line(r, i);

	if (*p >= 'A' && *p <= 'Z' && strchr(p, '='))
		p = strchr(p, '=') + 1;
	if (*p >= '0' && *p <= '9')
		bench_votes(p, n_comma, n_point);
}

static void end(struct reading *r)
{
	struct netperf *s = (struct netperf *)r;

	omni_end(s);
	leave_open(s);
}

static const char *why(const struct reading *r)
{
	const struct netperf *s = (const struct netperf *)r;

	return s->bare_csv ? "CSV without a header, and no command line that names its "
			     "columns"
			   : "no result row";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct netperf),
	.marks_cut = true,
	.votes = votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_netperf = {
	.name = "netperf",
	.summary = "network transactions and streams",
	.version = 1,
	.rules = &rules,
};
