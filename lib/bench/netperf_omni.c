// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * netperf_omni.c - results of the omni test as keywords ("THROUGHPUT=14409.03") and as
 * CSV, whose header joins the titles of the columns and may be followed by one row or
 * more; a command line above them tells the columns as well. A keyword said twice begins
 * another run.
 */
#include "base/base.h"

#include "base/sbuf.h"
#include "bench/netperf.h"
#include <ctype.h>
#include <math.h>
#include <strings.h>

#define WRAPS_MAX 8 /* lines a mail program makes of one */

enum { THROUGHPUT, UNITS, ELAPSED, RATE, P50, P90, P99 };

static const struct {
	const char *keyword, *title; /* title: of the CSV column */
	const char *metric;          /* NULL: no metric */
	int decimals;
	double percentile; /* 0: none */
} keys[OMNI_KEYS] = {
	[THROUGHPUT] = {"THROUGHPUT", "Throughput", NULL, 2, 0},
	[UNITS] = {"THROUGHPUT_UNITS", "Throughput Units", NULL, 0, 0},
	[ELAPSED] = {"ELAPSED_TIME", "Elapsed Time (sec)", NULL, 2, 0},
	[RATE] = {"TRANSACTION_RATE", "Transaction Rate Tran/s", NULL, 3, 0},
	[P50] = {"P50_LATENCY", "50th Percentile Latency Microseconds", "latency_p50", 0,
		50},
	[P90] = {"P90_LATENCY", "90th Percentile Latency Microseconds", "latency_p90", 0,
		90},
	[P99] = {"P99_LATENCY", "99th Percentile Latency Microseconds", "latency_p99", 0,
		99},
	{"MEAN_LATENCY", "Mean Latency Microseconds", "latency_mean", 2, 0},
	{"STDDEV_LATENCY", "Stddev Latency Microseconds", "latency_stddev", 2, 0},
	{"MIN_LATENCY", "Minimum Latency Microseconds", "latency_min", 0, 0},
	{"MAX_LATENCY", "Maximum Latency Microseconds", "latency_max", 0, 0},
};

/* A value; one that ends the text must have all its decimals. */
static bool value_of(const char *p, bool comma, int decimals, double *ret)
{
	const char *end;

	p = bench_blanks(p);
	if (!bench_number(p, comma, ret, &end))
		return false;
	if (*end == BENCH_CUT)
		return decimals > 0 && bench_fixed(p, comma, decimals, ret, &end);
	return !*end ||
	       !((*end >= '0' && *end <= '9') || (*end >= 'a' && *end <= 'z') ||
		       (*end >= 'A' && *end <= 'Z') || *end == '.' || *end == ',');
}

static const char *unit_of(const struct netperf *s, const char *const *texts)
{
	const char *p = texts[UNITS] ? bench_blanks(texts[UNITS]) : "", *unit;
	size_t n = strcspn(p, " \x7f");

	unit = netperf_unit(s->r.a, p, n);
	if (unit)
		return unit;
	if (n > 2 && n < 40 && memchr(p, '/', n - 1))
		return arena_strndup(s->r.a, p, n);
	return s->is_rr ? "trans/s" : s->unit;
}

static void add_run(struct netperf *s, const char *const *texts, bool comma)
{
	double v;

	reading_text(&s->r, "test", s->test);
	if (texts[ELAPSED] && value_of(texts[ELAPSED], comma, 2, &v))
		reading_number(&s->r, "elapsed", v);
	if (texts[THROUGHPUT]) {
		if (!value_of(texts[THROUGHPUT], comma, 2, &v) || v <= 0) {
			s->waits = false;
			reading_left_out(&s->r, NETPERF_ZERO);
			return;
		}
		reading_rate(&s->r, "throughput", unit_of(s, texts), v)->primary = true;
	}
	if (texts[RATE] && value_of(texts[RATE], comma, 3, &v))
		reading_rate(&s->r, "transaction_rate", "trans/s", v);
	for (size_t i = 0; i < OMNI_KEYS; i++) {
		if (!keys[i].metric || !texts[i] ||
			!value_of(texts[i], comma, keys[i].decimals, &v))
			continue;
		reading_cost(&s->r, keys[i].metric, "us", v)->percentile =
			keys[i].percentile > 0 ? keys[i].percentile : NAN;
	}
	netperf_keep(s);
}

void omni_end(struct netperf *s)
{
	if (s->any_key)
		add_run(s, s->key_texts, s->r.comma);
	memset(s->key_texts, 0, sizeof(s->key_texts));
	s->any_key = false;
}

bool omni_keyword(struct netperf *s, const char *line)
{
	size_t n = strcspn(line, "="), i = 0;

	if (!line[n])
		return false;
	while (i < OMNI_KEYS &&
		(strlen(keys[i].keyword) != n || strncmp(keys[i].keyword, line, n) != 0))
		i++;
	if (i == OMNI_KEYS)
		return false;
	if (s->key_texts[i])
		omni_end(s);
	s->key_texts[i] = line + n + 1;
	s->any_key = s->tabular = true;
	return true;
}

/* ---- CSV ---- */

/* Commas outside of quotes. */
static size_t count_commas(const char *p, bool *quoted)
{
	size_t n = 0;

	for (; *p; p++) {
		if (*p == '"')
			*quoted = !*quoted;
		n += *p == ',' && !*quoted;
	}
	return n;
}

static void join_into(struct sbuf *to, const struct bench_lines *l, size_t i, size_t n)
{
	sbuf_reset(to);
	for (size_t k = 0; k < n; k++) {
		sbuf_adds(to, k ? " " : "");
		sbuf_adds(to, l->lines[i + k]);
	}
}

/* Cuts a line into its fields, in place and without the blanks around. Number of fields,
 * 0 when there are more than OMNI_COLUMNS. */
static size_t split(char *p, char **fields)
{
	size_t n = 0;
	bool quoted = false;

	while (n < OMNI_COLUMNS) {
		char *end;

		while (*p == ' ')
			p++;
		fields[n++] = p;
		for (; *p && (quoted || *p != ','); p++)
			quoted ^= *p == '"';
		for (end = p; end > fields[n - 1] && end[-1] == ' ';)
			end--;
		if (!*p) {
			*end = 0;
			return n;
		}
		p++;
		*end = 0;
	}
	return 0;
}

static int key_of(const char *title)
{
	for (int i = 0; i < OMNI_KEYS; i++)
		if ((toupper((unsigned char)*title) == *keys[i].title &&
			    strcasecmp(title, keys[i].title) == 0) ||
			strcmp(title, keys[i].keyword) == 0)
			return i;
	return -1;
}

/* Whether a field may be the value of a numeric column: a number, or none at all. */
static bool may_be_value(const char *p, int decimals)
{
	double v;

	if (*p == '-')
		p++;
	return !*p || strncasecmp(p, "nan", 3) == 0 || strncasecmp(p, "inf", 3) == 0 ||
	       strchr(p, BENCH_CUT) || value_of(p, false, decimals, &v);
}

/* A line of values for these columns. False: it is none. */
static bool take_values(struct netperf *s, char *line, const int *columns, size_t n)
{
	char *fields[OMNI_COLUMNS];
	const char *texts[OMNI_KEYS] = {0};
	bool any = false;
	double v;

	if (split(line, fields) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		int k = columns[i];

		if (k < 0)
			continue;
		if (k == UNITS ? *fields[i] >= '0' && *fields[i] <= '9' &&
					 !strchr(fields[i], '/')
			       : !may_be_value(fields[i], keys[k].decimals))
			return false;
		any |= k != UNITS && value_of(fields[i], false, keys[k].decimals, &v);
		texts[k] = arena_strdup(s->r.a, fields[i]);
	}
	if (any)
		add_run(s, texts, false);
	return any;
}

/* "5867.96,10^6bits/s,3.000,1796160930.725": an interim result. */
static bool is_interim(char *const *fields, size_t n)
{
	double when;

	return n == 4 && strstr(fields[1], "/s") &&
	       value_of(fields[3], false, 3, &when) && when > 1e8;
}

/* Values of n columns at line i, which may be wrapped. Lines they take, 0 for none. */
static size_t values_at(struct netperf *s, size_t i, const int *columns, size_t n)
{
	const struct bench_lines *l = &s->r.lines;
	CLEANUP(sbuf_release) struct sbuf line = SBUF_INIT;
	size_t commas = 0;
	bool quoted = false;

	for (size_t k = 0; k < WRAPS_MAX && i + k < l->n && *l->lines[i + k]; k++) {
		commas += count_commas(l->lines[i + k], &quoted);
		if (commas >= n)
			return 0;
		if (commas + 1 != n || quoted)
			continue;
		join_into(&line, l, i, k + 1);
		if (take_values(s, line.buf, columns, n))
			return k + 1;
	}
	return 0;
}

/* Columns of a header; false when no title of it is known. */
static bool columns_of(char *line, int *columns, size_t *ret_n)
{
	char *fields[OMNI_COLUMNS];
	size_t n = split(line, fields);
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		columns[i] = key_of(fields[i]);
		any |= columns[i] >= 0;
	}
	*ret_n = n;
	return any && n > 1;
}

static bool interim_at(const struct bench_lines *l, size_t i)
{
	CLEANUP(sbuf_release) struct sbuf line = SBUF_INIT;
	char *fields[OMNI_COLUMNS];

	join_into(&line, l, i, 1);
	return is_interim(fields, split(line.buf, fields));
}

/* "7.50,Trans/s,21": numbers and units alone. */
static bool is_bare_row(const char *line)
{
	size_t n_numbers = 0;

	for (const char *p = line;; p++) {
		size_t n = strcspn(p, ",");
		const char *end;
		double v;
		char field[40];

		if (n >= sizeof(field))
			return false;
		memcpy(field, p, n);
		field[n] = 0;
		if (bench_number(bench_blanks(field), false, &v, &end) &&
			!*bench_blanks(end))
			n_numbers++;
		else if (n && !strstr(field, "/s"))
			return false;
		p += n;
		if (!*p)
			return n_numbers > 1 || (n_numbers && strchr(line, '/'));
	}
}

/* The keyword at p, which a comma or the end follows: its row, -1 for another keyword. */
static int keyword_at(const char *p, size_t n)
{
	for (int i = 0; i < OMNI_KEYS; i++)
		if (strlen(keys[i].keyword) == n &&
			strncasecmp(keys[i].keyword, p, n) == 0)
			return i;
	return -1;
}

bool omni_command(struct netperf *s, const char *line)
{
	const char *p = strstr(line, "netperf "), *list;
	size_t n_columns = 0;
	bool any = false;

	/* behind "--" stand the options of the test */
	p = p ? strstr(p, " -- ") : NULL;
	list = p ? strstr(p, " -o ") : NULL;
	if (!p)
		return false;
	s->n_columns = 0;
	s->asked = false;
	if (!list)
		return true;
	for (p = bench_blanks(list + strlen(" -o ")); n_columns < OMNI_COLUMNS; p++) {
		size_t n = 0;

		while (isalnum((unsigned char)p[n]) || p[n] == '_')
			n++;
		if (!n)
			return true; /* no list: a file that names them */
		s->columns[n_columns] = keyword_at(p, n);
		any |= s->columns[n_columns++] >= 0;
		p += n;
		if (*p == ',')
			continue;
		if (any && (!*p || *p == ' ')) {
			s->n_columns = n_columns;
			s->asked = true;
		}
		return true;
	}
	return true;
}

bool omni_csv(struct netperf *s, size_t i)
{
	CLEANUP(sbuf_release) struct sbuf line = SBUF_INIT;
	const struct bench_lines *l = &s->r.lines;
	const char *first = l->lines[i];
	int columns[OMNI_COLUMNS];
	size_t n = 0, taken;

	if (!strchr(first, ','))
		return false;
	if (interim_at(l, i))
		return true;
	for (size_t k = 1; first[0] > '9' && k <= WRAPS_MAX && i + k < l->n; k++) {
		join_into(&line, l, i, k);
		if (!columns_of(line.buf, columns, &n))
			break;
		taken = values_at(s, i + k, columns, n);
		if (!taken)
			continue;
		memcpy(s->columns, columns, sizeof(columns));
		s->n_columns = n;
		s->asked = false;
		s->r.next = i + k + taken;
		return true;
	}
	if (!s->n_columns) {
		s->bare_csv |= is_bare_row(first);
		return false;
	}
	taken = values_at(s, i, s->columns, s->n_columns);
	if (taken)
		s->r.next = i + taken;
	return taken > 0;
}
