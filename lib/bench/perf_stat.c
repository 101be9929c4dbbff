// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_stat.c - the reports of perf stat as text: a header, counters, "seconds time
 * elapsed", user and sys. A report without its header begins at the task-clock row. The
 * decimal point is that of the elapsed time. The tables of -x and -j are in
 * perf_stat_table.c; they share a run's counters.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/perf_stat.h"

#define HEAD_LINES 8 /* a mail program makes of one header, beyond the first */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int hex(char c)
{
	return is_digit(c)            ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

/* What may stand between the groups of a number: one sign, bytes that are no ASCII (a
 * narrow space, an apostrophe), the same in quoted-printable, a blank that was one. */
static size_t separator_len(const char *p)
{
	size_t n = 0;

	if (strchr(".,'?_", *p) && *p)
		return 1;
	while (p[n] & 0x80)
		n++;
	while (p[n] == '=' && hex(p[n + 1]) >= 8 && hex(p[n + 2]) >= 0)
		n += 3;
	if (n)
		return n;
	/* " 584", nothing longer */
	return *p == ' ' && is_digit(p[1]) && is_digit(p[2]) && is_digit(p[3]) &&
			       !is_digit(p[4])
		       ? 1
		       : 0;
}

size_t perf_stat_number_len(const char *p)
{
	size_t n = 0, group = 0;

	if (!is_digit(*p))
		return 0;
	for (;;) {
		size_t sep;

		while (is_digit(p[n])) {
			n++;
			group++;
		}
		sep = separator_len(p + n);
		if (!sep || !is_digit(p[n + sep]) || (p[n] == ' ' && group > 3))
			return n;
		n += sep;
		group = 0;
	}
}

bool perf_stat_value(const char *p, size_t len, char point, double *ret)
{
	struct bench_decimal num;
	char copy[64];
	size_t n = 0;
	bool any = false;

	for (size_t i = 0; i < len; i++) {
		if (p[i] == '=' && len - i > 2)
			i += 2; /* the digits of a quoted-printable byte are no digits */
		else if (is_digit(p[i]))
			copy[n++] = p[i];
		else if (p[i] == point && any)
			return false;
		else if (p[i] == point)
			copy[n++] = '.', any = true;
		if (n + 1 >= sizeof(copy))
			return false;
	}
	copy[n] = 0;
	if (!bench_decimal(copy, false, &num) || *num.end)
		return false;
	*ret = num.value;
	return true;
}

bool perf_stat_is_event(const char *p)
{
	if (!((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_'))
		return false;
	for (; *p; p++)
		if (*p <= ' ' || *p == '"' || *p == '\\' || (*p & 0x80))
			return false;
	return true;
}

bool perf_stat_is_unit(const char *p)
{
	static const char *const units[] = {"msec", "ms", "usec", "us", "ns", "nsec",
		"sec", "s", "Joules", "mJ", "uJ", "J", "Watts", "W", "V", "C", "%", "B",
		"Bytes", "bytes", "KB", "MB", "GB", "KiB", "MiB", "GiB", "Hz", "MHz",
		"GHz"};

	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (strcmp(p, units[i]) == 0)
			return true;
	return false;
}

/* ---- runs ---- */

void perf_stat_counter(struct perf_stat *s, struct perf_counter c)
{
	c.hash = bench_hash(c.event);
	if (s->n_counters < PERF_COUNTERS_MAX)
		*ARENA_PUSH(s->r.a, s->counters, s->n_counters, s->cap_counters) = c;
}

bool perf_stat_has(const struct perf_stat *s, const char *event)
{
	uint32_t hash = bench_hash(event);

	for (size_t i = 0; i < s->n_counters; i++)
		if (s->counters[i].hash == hash &&
			strcmp(s->counters[i].event, event) == 0)
			return true;
	return false;
}

void perf_stat_metrics(struct perf_stat *s, char point)
{
	for (size_t i = 0; i < s->n_counters; i++) {
		const struct perf_counter *c = &s->counters[i];
		char its = point;
		double v;

		if (c->missing) {
			reading_note(&s->r,
				arena_printf(s->r.a, "%s %s", c->event, c->missing));
			continue;
		}
		/* a table groups no digits: the one sign there is is the point */
		if (!its)
			its = memchr(c->number, ',', c->number_len) ? ',' : '.';
		if (perf_stat_value(c->number, c->number_len, its, &v))
			reading_metric(
				&s->r, c->event, c->ms ? "ms" : NULL, BENCH_LOWER, v);
	}
	s->n_counters = 0;
}

/* ---- text ---- */

/* "519.95 msec task-clock  # ...", "<not supported>  cycles"; false for another line. */
static bool read_row(struct perf_stat *s, const char *p, struct perf_counter *c)
{
	const char *rest, *word, *next;

	*c = (struct perf_counter){0};
	p += strspn(p, " ");
	if (bench_words(p, "<not supported>", &rest)) {
		c->missing = "not supported";
	} else if (bench_words(p, "<not counted>", &rest)) {
		c->missing = "not counted";
	} else {
		c->number = p;
		c->number_len = perf_stat_number_len(p);
		rest = p + c->number_len;
		if (!c->number_len || *rest != ' ')
			return false;
	}
	word = bench_word(s->r.a, rest, &rest);
	if (perf_stat_is_unit(word)) {
		next = bench_word(s->r.a, rest, &p);
		if (!*next) /* wrapped behind its unit */
			return false;
		if (perf_stat_is_event(next)) {
			c->ms = strcmp(word, "msec") == 0 || strcmp(word, "ms") == 0;
			word = next;
			rest = p;
		}
	}
	if (!perf_stat_is_event(word) || strcmp(word, "seconds") == 0)
		return false;
	/* older: "task-clock (msec)", "task-clock-msecs" */
	if (bench_starts(rest, "(msec)", &next))
		c->ms = true;
	c->event = word;
	if (strlen(word) > 6 && strcmp(word + strlen(word) - 6, "-msecs") == 0) {
		c->ms = true;
		c->event = arena_strndup(s->r.a, word, strlen(word) - 6);
	}
	/* words behind it: the line is no row, but something the program said */
	return !((*rest >= 'a' && *rest <= 'z') || (*rest >= 'A' && *rest <= 'Z') ||
		 is_digit(*rest));
}

static bool is_clock(const char *event)
{
	const char *rest;

	return bench_starts(event, "task-clock", &rest) && (!*rest || *rest == ':');
}

/* "0.4786 +- 0.0355 seconds time elapsed": the number in front of these words. */
static bool read_seconds(
	const char *p, const char *words, const char **number, size_t *len)
{
	const char *rest;
	size_t n = perf_stat_number_len(p);

	if (!n)
		return false;
	*number = p;
	*len = n;
	p += n + strspn(p + n, " ");
	if (bench_words(p, "+-", &rest)) {
		n = perf_stat_number_len(rest);
		p = rest + n + strspn(rest + n, " ");
	}
	return bench_words(p, words, &rest);
}

static char point_of(const char *p, size_t len)
{
	while (len--)
		if (p[len] == ',' || p[len] == '.')
			return p[len];
	return '.';
}

static void begin_report(struct perf_stat *s)
{
	s->part = PERF_REPORT;
	s->n_counters = 0;
	s->runs = -1;
	s->interrupted = false;
	s->tail = 0;
}

void perf_stat_end(struct perf_stat *s)
{
	if (s->part == PERF_REPORT)
		reading_left_out(&s->r, "the report was cut");
	else if (s->part == PERF_TAIL && s->interrupted)
		reading_left_out(&s->r, "the program was interrupted by a signal");
	else if (s->part == PERF_TAIL && bench_run_primary(&s->r.run))
		reading_keep(&s->r);
	else if (s->part == PERF_TABLE)
		perf_stat_table_end(s);
	reading_drop(&s->r);
	s->part = PERF_NONE;
	s->n_counters = 0;
}

static bool ends_with(const char *line, char c)
{
	size_t n = strlen(line);

	return n && line[n - 1] == c;
}

static bool is_header(const char *line)
{
	const char *rest;

	return bench_words(line, "Performance counter stats", &rest);
}

/* " Performance counter stats for 'hackbench -l 50' (3 runs):" */
static void take_header(struct perf_stat *s, size_t i)
{
	const char *head, *at, *rest, *end, *died = s->died;
	int64_t runs;
	size_t n = 0;

	perf_stat_end(s);
	while (n < HEAD_LINES && !ends_with(reading_line(&s->r, i + n), ':') &&
		*reading_line(&s->r, i + n + 1))
		n++;
	head = reading_join(&s->r, i, n);
	begin_report(s);
	for (at = head; (at = strchr(at, '(')) != NULL; at++)
		if (bench_integer(at + 1, &runs, &end) && bench_words(end, "run", &rest))
			s->runs = runs;
	/* the program was killed: perf says "hackbench: Terminated" before */
	at = strchr(head, '\'');
	if (died && at) {
		n = strlen(died);
		s->interrupted = strncmp(at + 1, died, n) == 0 &&
				 (at[1 + n] == ' ' || at[1 + n] == '\'');
	}
	s->died = NULL;
}

/* "hackbench: Terminated": who, else NULL. */
static const char *who_died(struct arena *a, const char *line)
{
	static const char *const signals[] = {"Interrupt", "Terminated", "Killed",
		"Hangup", "Quit", "Aborted", "Segmentation fault", "Alarm clock",
		"Bus error", "Illegal instruction", "Floating point exception"};
	const char *colon = strrchr(line, ':'), *rest;

	if (!colon || colon == line)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (bench_words(colon + 1, signals[i], &rest) &&
			(!*rest || bench_starts(rest, "(core dumped)", &rest)))
			return arena_strndup(a, line, (size_t)(colon - line));
	return NULL;
}

static void take_elapsed(struct perf_stat *s, const char *number, size_t len)
{
	struct bench_metric *m;
	double v;

	s->part = PERF_TAIL;
	s->point = point_of(number, len);
	perf_stat_metrics(s, s->point);
	if (!perf_stat_value(number, len, s->point, &v))
		return;
	m = reading_metric(&s->r, "elapsed", "s", BENCH_LOWER, v);
	m->primary = true;
	m->samples = s->runs;
	if (s->runs >= 0)
		reading_number(&s->r, "runs", (double)s->runs);
}

/* The times behind the elapsed one, each once. */
static void take_tail(struct perf_stat *s, const char *line, const char *joined)
{
	static const struct {
		const char *name, *words;
	} times[] = {{"user", "seconds user"}, {"sys", "seconds sys"}};

	for (unsigned k = 0; k < ARRAY_LEN(times); k++) {
		const char *number;
		size_t len;
		double v;

		if ((s->tail & 1U << k) ||
			!(read_seconds(line, times[k].words, &number, &len) ||
				read_seconds(joined, times[k].words, &number, &len)) ||
			!perf_stat_value(number, len, s->point, &v))
			continue;
		s->tail |= 1U << k;
		reading_metric(&s->r, times[k].name, "s", BENCH_LOWER, v);
		return;
	}
}

/* A counter's row may be wrapped behind its number or unit. */
static bool row_at(
	struct perf_stat *s, size_t i, const char *joined, struct perf_counter *c)
{
	const char *line = reading_line(&s->r, i);
	size_t len;

	/* "#" at the end of the line before: this one goes on with its comment */
	if (i && ends_with(reading_line(&s->r, i - 1), '#'))
		return false;
	if (read_row(s, line, c))
		return true;
	len = perf_stat_number_len(line);
	if (len) {
		const char *rest = bench_blanks(line + len);
		const char *next = reading_line(&s->r, i + 1);

		if (*rest && !perf_stat_is_unit(rest))
			return false;
		/* outside of a report only its first row matters */
		if (s->part != PERF_REPORT && !bench_starts(next, "task-clock", &rest) &&
			!bench_starts(next, "msec", &rest))
			return false;
	} else if (!bench_words(line, "<not", &joined)) {
		return false;
	}
	return read_row(s, reading_join(&s->r, i, 1), c);
}

static void take_line(struct reading *r, size_t i)
{
	struct perf_stat *s = (struct perf_stat *)r;
	const char *line = reading_line(r, i), *number, *died, *joined = line;
	struct perf_counter c;
	size_t len;

	if (is_header(line)) {
		take_header(s, i);
		return;
	}
	if ((died = who_died(s->r.a, line)) != NULL)
		s->died = died;
	if (s->part != PERF_NONE && s->part != PERF_TABLE && perf_stat_number_len(line))
		joined = reading_join(&s->r, i, 1);
	if (read_seconds(line, "seconds time elapsed", &number, &len) ||
		read_seconds(joined, "seconds time elapsed", &number, &len)) {
		if (s->part == PERF_REPORT)
			take_elapsed(s, number, len);
		else
			perf_stat_end(s); /* the tail of another report */
		return;
	}
	if (s->part == PERF_TAIL && joined != line)
		take_tail(s, line, joined);
	if (perf_stat_table_line(s, i) || !row_at(s, i, joined, &c))
		return;
	if (is_clock(c.event) && (s->part != PERF_REPORT || perf_stat_has(s, c.event))) {
		perf_stat_end(s);
		begin_report(s);
	}
	if (s->part == PERF_REPORT)
		perf_stat_counter(s, c);
}

static void begin(struct reading *r)
{
	struct perf_stat *s = (struct perf_stat *)r;

	for (size_t i = 0; i < r->lines.n && !s->any_text; i++)
		s->any_text = is_header(r->lines.lines[i]);
}

static void end(struct reading *r)
{
	struct perf_stat *s = (struct perf_stat *)r;

	perf_stat_end(s);
	r->tab_table = !s->any_text; /* -x '\t': clean lines have no tabs any more */
}

static const char *why(const struct reading *r)
{
	const struct perf_stat *s = (const struct perf_stat *)r;

	return s->ever_interval ? "only interval counts, no totals" : "no counters";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct perf_stat),
	.begin = begin,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_perf_stat = {
	.name = "perf-stat",
	.summary = "counters and times of a program (perf stat)",
	.version = 1,
	.rules = &rules,
};
