// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * perf_stat_table.c - perf stat -x (value, unit, event, variance, running time, ...;
 * older ones without the unit) and -j (one object a line). A counter that was there
 * already begins a new run. Rows of intervals (-I) are no totals.
 */
#include "base/base.h"

#include "bench/perf_stat.h"

#define FIELDS_MAX   24
#define OBJECT_LINES 6 /* a mail program makes of one object, beyond the first */

struct fields {
	const char *at[FIELDS_MAX];
	size_t len[FIELDS_MAX];
	size_t n;
};

static void split(const char *p, char sep, struct fields *f)
{
	f->n = 0;
	while (f->n < FIELDS_MAX) {
		const char *end = strchr(p, sep);
		size_t len = end ? (size_t)(end - p) : strlen(p);

		f->at[f->n] = p;
		f->len[f->n++] = len;
		if (!end)
			return;
		p = end + 1;
	}
}

static bool all_digits(const struct fields *f, size_t i)
{
	return i < f->n && f->len[i] && strspn(f->at[i], "0123456789") >= f->len[i];
}

/* Digits with at most one point of either kind. */
static bool is_value(const char *p, size_t len)
{
	size_t points = 0;

	for (size_t i = 0; i < len; i++) {
		if (p[i] == '.' || p[i] == ',')
			points++;
		else if (p[i] < '0' || p[i] > '9')
			return false;
	}
	return len && len < 40 && p[0] >= '0' && p[0] <= '9' && points <= 1;
}

static const char *field(struct arena *a, const struct fields *f, size_t i)
{
	return i < f->n ? arena_strndup(a, f->at[i], f->len[i]) : "";
}

/* The event at field i, which goes on to its closing '/' where the separator is part of
 * its terms ("cpu/event=0x3c,umask=0x1/"). *next: the field behind it. */
static const char *event_at(
	struct arena *a, const struct fields *f, size_t i, size_t *next)
{
	size_t k = i, slashes = 0, len;

	if (i >= f->n)
		return "";
	for (; k < f->n; k++) {
		for (size_t j = 0; j < f->len[k]; j++)
			slashes += f->at[k][j] == '/';
		if (slashes % 2 == 0)
			break;
	}
	if (k == f->n)
		k = i; /* never closed: a plain name with a '/' */
	*next = k + 1;
	len = (size_t)(f->at[k] + f->len[k] - f->at[i]);
	while (len && f->at[i][len - 1] == ' ')
		len--;
	return arena_strndup(a, f->at[i], len);
}

/* Whether fields from i on are what perf prints behind an event: a running time and a
 * percentage somewhere. */
static bool has_running(const struct fields *f, size_t i)
{
	for (; i + 1 < f->n; i++)
		if (all_digits(f, i) && is_value(f->at[i + 1], f->len[i + 1]))
			return true;
	return false;
}

#define TABLE_CUT "the table was cut"

enum row_kind { ROW_NONE, ROW_COUNTER, ROW_INTERVAL };

/* *next: the field behind the event. At the open end of the text the rest of a table's
 * row may be missing. */
static enum row_kind read_fields(struct perf_stat *s, const char *line, bool at_end,
	const struct fields *f, struct perf_counter *c, size_t *next)
{
	struct arena *a = s->r.a;
	const char *rest, *unit;
	size_t i = 1;
	bool loose;

	*next = 0;
	*c = (struct perf_counter){0};
	if (f->n < 2)
		return ROW_NONE;
	if (bench_starts(line, "<not supported>", &rest)) {
		c->missing = "not supported";
	} else if (bench_starts(line, "<not counted>", &rest)) {
		c->missing = "not counted";
	} else if (is_value(f->at[0], f->len[0])) {
		c->number = f->at[0];
		c->number_len = f->len[0];
		/* "462,53,msec,task-clock": the separator is the decimal point too */
		if (all_digits(f, 0) && all_digits(f, 1)) {
			c->number_len = f->len[0] + 1 + f->len[1];
			i = 2;
		}
	} else {
		return ROW_NONE;
	}
	if (i == 1 && f->n > 4 && is_value(f->at[1], f->len[1]) &&
		perf_stat_is_event(field(a, f, 3)) && has_running(f, 4))
		return ROW_INTERVAL;
	unit = field(a, f, i);
	loose = !*unit || perf_stat_is_unit(unit);
	c->event = event_at(a, f, i + 1, next);
	if (*unit && strlen(unit) < 16 && !loose && perf_stat_is_event(unit) &&
		(f->n == i + 1 || !perf_stat_is_event(c->event))) {
		/* old: value and event only */
		c->event = event_at(a, f, i, next);
		loose = true;
	} else if (*unit && !loose && !perf_stat_is_event(c->event)) {
		c->event = event_at(a, f, i, next);
		loose = true;
	}
	c->ms = strcmp(unit, "msec") == 0 || strcmp(unit, "ms") == 0;
	if (!perf_stat_is_event(c->event) || (*unit && strchr(unit, ' ')))
		return ROW_NONE;
	if (has_running(f, *next))
		return ROW_COUNTER;
	if (at_end && loose && (s->part == PERF_TABLE || f->n > 2))
		return ROW_COUNTER;
	/* short rows are trusted only where there is no text report, and nothing but
	 * numbers and blanks behind the event */
	return loose && !s->any_text && *next >= f->n ? ROW_COUNTER : ROW_NONE;
}

static bool take_counter(struct perf_stat *s, struct perf_counter c, size_t n_fields)
{
	if (s->part == PERF_TAIL || s->part == PERF_REPORT ||
		(s->part == PERF_TABLE && perf_stat_has(s, c.event)))
		perf_stat_end(s);
	if (s->part != PERF_TABLE) {
		s->part = PERF_TABLE;
		s->n_fields = 0;
		s->table_cut = false;
	}
	if (n_fields > s->n_fields)
		s->n_fields = n_fields;
	perf_stat_counter(s, c);
	return true;
}

/* A row that ends behind its event, where others go on, ends there because it was cut;
 * so does a first row that has a unit. */
static bool is_cut_row(const struct perf_stat *s, size_t n_fields, size_t next)
{
	return n_fields <= next &&
	       (s->part == PERF_TABLE ? s->n_fields > next : n_fields > 2);
}

static bool csv_line(struct perf_stat *s, const char *line, bool last)
{
	static const char seps[] = ",;|";

	for (const char *sep = seps; *sep; sep++) {
		enum row_kind kind;
		struct perf_counter c;
		struct fields f;
		size_t next;
		bool at_end = last && s->r.open_end;

		if (!strchr(line, *sep))
			continue;
		split(line, *sep, &f);
		kind = read_fields(s, line, at_end, &f, &c, &next);
		if (kind == ROW_NONE)
			continue;
		if (kind == ROW_INTERVAL) {
			s->ever_interval = true;
			return true;
		}
		if (at_end && is_cut_row(s, f.n, next)) {
			s->table_cut = s->part == PERF_TABLE;
			if (!s->table_cut)
				reading_left_out(&s->r, TABLE_CUT);
			return true;
		}
		return take_counter(s, c, f.n);
	}
	return false;
}

/* ---- JSON ---- */

/* The text of a member's value, a string without its quotes or a bare number. False where
 * it is absent or was cut. */
static bool member(struct arena *a, const char *object, const char *key, const char **ret)
{
	const char *p = strstr(object, arena_printf(a, "\"%s\"", key));
	size_t n;

	if (!p)
		return false;
	p += strlen(key) + 2;
	p += strspn(p, " ");
	if (*p++ != ':')
		return false;
	p += strspn(p, " ");
	if (*p == '"') {
		n = strcspn(++p, "\"");
		if (!p[n])
			return false;
	} else {
		n = strcspn(p, ", }");
		if (!p[n])
			return false;
	}
	*ret = arena_strndup(a, p, n);
	return true;
}

static bool json_line(struct perf_stat *s, size_t i)
{
	struct arena *a = s->r.a;
	const char *object = reading_line(&s->r, i), *value, *unit, *rest;
	struct perf_counter c = {0};
	size_t k = 0;

	object += strspn(object, " [,");
	if (*object != '{')
		return false;
	while (k < OBJECT_LINES && !strchr(object, '}') && i + k + 1 < s->r.lines.n &&
		reading_line(&s->r, i + k + 1)[0] != '{') {
		object = reading_join(&s->r, i, ++k);
		object += strspn(object, " [,");
	}
	if (!member(a, object, "counter-value", &value) ||
		!member(a, object, "event", &c.event)) {
		/* "metric-value" objects have no counter; a cut one has no end */
		if (!strchr(object, '}') && i + k + 1 == s->r.lines.n &&
			s->part == PERF_TABLE)
			s->table_cut = true;
		return true;
	}
	if (member(a, object, "interval", &rest)) {
		s->ever_interval = true;
		return true;
	}
	if (bench_starts(value, "<not supported>", &rest))
		c.missing = "not supported";
	else if (bench_starts(value, "<not counted>", &rest))
		c.missing = "not counted";
	else if (!is_value(value, strlen(value)))
		return true;
	if (!perf_stat_is_event(c.event))
		return true;
	c.number = value;
	c.number_len = strlen(value);
	c.ms = member(a, object, "unit", &unit) &&
	       (strcmp(unit, "msec") == 0 || strcmp(unit, "ms") == 0);
	return take_counter(s, c, 0);
}

/* ---- both ---- */

void perf_stat_table_end(struct perf_stat *s)
{
	if (s->table_cut) {
		reading_left_out(&s->r, TABLE_CUT);
		return;
	}
	perf_stat_metrics(s, 0);
	if (s->r.run.n_metrics == 0) {
		reading_left_out(&s->r, "nothing was counted");
		return;
	}
	s->r.run.metrics[0].primary = true;
	reading_keep(&s->r);
}

bool perf_stat_table_line(struct perf_stat *s, size_t i)
{
	const char *line = reading_line(&s->r, i), *rest;
	bool last = i + 1 == s->r.lines.n;

	if (bench_words(line, "# started on", &rest)) {
		perf_stat_end(s);
		return true;
	}
	if (json_line(s, i) || csv_line(s, line, last))
		return true;
	/* "462.5", "462.53,msec,ta" at the very end */
	if (last && s->r.open_end && s->part == PERF_TABLE && line[0] >= '0' &&
		line[0] <= '9')
		s->table_cut = true;
	return false;
}
