// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * stress_ng.c - the tables of stress-ng --metrics and --metrics-brief, with or without
 * the "stress-ng: metrc: [PID]" in front (--log-brief), and the miscellaneous metrics
 * behind them. One run a table. What the tool itself calls corrupted or unsuccessful is
 * no result.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"

#define N_NUMBERS   6 /* bogo ops, real, usr, sys time, two rates */
#define WRAPPED_MAX 3 /* lines a mail program makes of one, beyond the first */

enum part { PART_NONE, PART_TABLE, PART_MISC };

struct state {
	struct reading r;
	enum part part;
	bool prefixed, metrc; /* the table's lines: "stress-ng:" and "metrc:" in front */
	bool first;           /* the next row is the first stressor's */
	bool idle;            /* its rate was no result */
	bool cut, corrupted;
	bool completed;   /* the tool's last word on the run was there ... */
	bool failed;      /* ... and it was not "successful" */
	const char *hogs; /* "2 switch, 1 pipe" */
};

/* Behind "stress-ng: metrc: [28275] "; *prefixed tells whether that was there. */
static const char *body(const char *line, bool *prefixed)
{
	const char *p = line, *end;

	*prefixed = bench_starts(line, "stress-ng:", &p);
	if (!*prefixed)
		return line;
	for (end = p; (end = strchr(end, '[')) != NULL;) {
		size_t n = strspn(++end, " 0123456789");

		if (n && end[n] == ']') {
			end += n + 1;
			return end + strspn(end, " ");
		}
	}
	return p + strspn(p, " ");
}

static void finish(struct state *s)
{
	const char *why = s->corrupted ? "the tool calls its metrics corrupted"
			  : s->failed  ? "the tool calls the run unsuccessful"
			  : s->cut     ? "the metrics were cut"
			  : s->idle    ? "the first stressor measured nothing"
				       : NULL;

	if (why) {
		reading_left_out(&s->r, why);
	} else {
		reading_text(&s->r, "stressors", s->hogs);
		reading_keep(&s->r);
	}
	s->part = PART_NONE;
	s->cut = s->corrupted = s->idle = s->completed = s->failed = false;
}

/* ---- the table ---- */

struct row {
	const char *name;
	size_t name_len;
	int n; /* numbers met, whole or not */
	struct bench_decimal v[N_NUMBERS];
	bool number[N_NUMBERS]; /* else nan, inf */
};

static bool is_name(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!((p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') ||
			    (p[i] >= '0' && p[i] <= '9') || p[i] == '-' || p[i] == '_' ||
			    p[i] == '.'))
			return false;
	return n && (p[0] < '0' || p[0] > '9');
}

/* nan, -nan or inf at p: the length of the word, else 0. */
static size_t no_number_len(const char *p)
{
	const char *rest, *word = *p == '-' ? p + 1 : p;

	if (bench_starts(word, "nan", &rest) || bench_starts(word, "inf", &rest))
		return strcspn(p, " ");
	return 0;
}

/* "cpu  544  2.00  0.36  0.01  272.04  1454.20 ..."; false when it is no row at all. */
static bool read_row(const char *p, bool comma, struct row *r)
{
	*r = (struct row){.name = p, .name_len = strcspn(p, " ")};
	if (!is_name(r->name, r->name_len))
		return false;
	p += r->name_len;
	while (r->n < N_NUMBERS) {
		struct bench_decimal *v = &r->v[r->n];
		size_t n;

		p += strspn(p, " ");
		n = no_number_len(p);
		r->number[r->n] = n == 0;
		if (n) {
			p += n;
			r->n++;
			continue;
		}
		if (!*p)
			break;
		if (!bench_decimal(p, comma, v))
			return false;
		p = v->end;
		/* bogo ops are an integer; what has no two decimals was cut */
		if (r->n == 0 ? v->decimals >= 0 || (*p && *p != ' ')
			      : v->decimals < 2 || (*p && *p != ' '))
			return false;
		r->n++;
	}
	return true;
}

static void add_rate(
	struct state *s, const struct row *r, int i, const char *what, bool primary)
{
	const char *name =
		arena_printf(s->r.a, "%.*s_%s", (int)r->name_len, r->name, what);

	if (r->number[i] && r->v[i].value > 0)
		reading_metric(&s->r, name, "ops/s", BENCH_HIGHER, r->v[i].value)
			->primary = primary;
	else if (primary)
		s->idle = true;
}

static void add_row(struct state *s, const struct row *r)
{
	const char *ops =
		arena_printf(s->r.a, "%.*s_bogo_ops", (int)r->name_len, r->name);

	if (reading_has(&s->r, ops))
		return;
	if (!r->number[0] || r->v[0].value <= 0)
		reading_note(&s->r, arena_printf(s->r.a, "%.*s measured nothing",
					    (int)r->name_len, r->name));
	else
		reading_rate(&s->r, ops, "ops", r->v[0].value);
	add_rate(s, r, 4, "bogo_ops_per_sec", s->first);
	add_rate(s, r, 5, "bogo_ops_per_sec_cpu", false);
	s->first = false;
}

/* Line i and what a mail program wrapped behind it: lines without the tool's name in
 * front. In unprefixed text another row begins with a letter. */
static bool goes_on(const struct state *s, size_t i, bool prefixed, enum part part)
{
	bool next_prefixed;
	const char *p;

	p = body(reading_line(&s->r, i), &next_prefixed);
	if (next_prefixed || !*p)
		return false;
	return (prefixed && part == PART_MISC) || (*p >= '0' && *p <= '9') ||
	       no_number_len(p);
}

static void take_row(struct state *s, size_t i, const char *p, bool prefixed)
{
	struct row r;
	size_t k = 0;
	bool known = read_row(p, s->r.comma, &r);

	/* the name may stand on the next line, behind the prefix alone */
	if (!*p && prefixed && i + 1 < s->r.lines.n) {
		p = reading_line(&s->r, i + 1);
		known = read_row(p, s->r.comma, &r);
	}
	while (known && r.n < N_NUMBERS && k < WRAPPED_MAX &&
		goes_on(s, i + k + 1, prefixed, PART_TABLE)) {
		bool ignored;

		k++;
		known = read_row(
			body(reading_join(&s->r, i, k), &ignored), s->r.comma, &r);
	}
	if (known && r.n == N_NUMBERS) {
		add_row(s, &r);
		return;
	}
	/* a row that ends too early or within a number, or the text's end in a row */
	if (r.n >= 2 || (r.n > 0 && prefixed) ||
		(i + k + 1 == s->r.lines.n && s->r.open_end && s->metrc))
		s->cut = true;
}

/* ---- miscellaneous metrics ---- */

/* "(geometic mean of 2 instances)", also "total" and "maximum": where it begins, or the
 * end of the text. */
static const char *find_closing(const char *p)
{
	const char *of = p;

	while ((of = strstr(of, " of ")) != NULL) {
		const char *rest, *open = of;
		int64_t n;

		/* "(geometic mean" is all that lies between */
		while (open > p && of - open < 40 && *open != '(' && *open != ')')
			open--;
		of += 4;
		if (*open == '(' && bench_integer(of, &n, &rest) &&
			bench_words(rest, "instance", &rest) &&
			rest[*rest == 's' ? 1 : 0] == ')')
			return open;
	}
	return p + strlen(p);
}

/* Small letters and digits, '_' for every run of others, none at the ends. */
static const char *slug(struct arena *a, const char *p, size_t len)
{
	char *to = arena_alloc(a, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char c = p[i];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			to[n++] = c;
		else if (n && to[n - 1] != '_')
			to[n++] = '_';
	}
	while (n && to[n - 1] == '_')
		n--;
	to[n] = 0;
	return to;
}

/* Whether the words of a slug tell of a time. */
static bool is_time(const char *p)
{
	static const char *const words[] = {"ns", "duration", "latency", "time"};

	for (;;) {
		size_t n = strcspn(p, "_");

		if (n >= 7 && strncmp(p, "nanosec", 7) == 0)
			return true;
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (n == strlen(words[i]) && strncmp(p, words[i], n) == 0)
				return true;
		if (!p[n])
			return false;
		p += n + 1;
	}
}

static void take_misc(struct state *s, size_t i, const char *p, bool prefixed)
{
	size_t name_len, k = 0;
	struct bench_decimal num;
	const char *end, *text, *name;
	bool lower, ignored;

	end = find_closing(p);
	while (!*end && k < WRAPPED_MAX && goes_on(s, i + k + 1, prefixed, PART_MISC)) {
		k++;
		p = body(reading_join(&s->r, i, k), &ignored);
		end = find_closing(p);
	}
	name_len = strcspn(p, " ");
	if (!*end && s->r.open_end && i + k + 1 == s->r.lines.n) {
		s->cut |= s->metrc;
		return;
	}
	if (!is_name(p, name_len) || !bench_decimal(p + name_len, s->r.comma, &num) ||
		num.decimals < 1 || *num.end != ' ')
		return;
	text = slug(s->r.a, num.end, (size_t)(end - num.end));
	lower = is_time(text);
	if (!*text || (!lower && num.value <= 0))
		return;
	name = arena_printf(s->r.a, "%.*s_%s", (int)name_len, p, text);
	reading_metric(&s->r, name, NULL, lower ? BENCH_LOWER : BENCH_HIGHER, num.value);
}

/* ---- lines ---- */

static bool is_header(const char *p)
{
	const char *rest;

	return bench_words(p, "stressor bogo ops", &rest);
}

/* "metrics-check: stressor metrics corrupted", "corrupted bogo-ops counter", "metrics
 * untrustworthy: 1" */
static bool says_corrupted(const char *p)
{
	const char *at = strstr(p, "untrustworthy"), *rest;

	if (at)
		return !bench_words(at, "untrustworthy: 0", &rest);
	return strstr(p, "metrics corrupted") || strstr(p, "data is compromised") ||
	       strstr(p, "corrupted bogo-ops") || strstr(p, "corrupted run flag");
}

static bool is_level(const char *line, const char *level)
{
	const char *at = strstr(line, level);

	return at && at - line < 32;
}

/* "dispatching hogs: 2 switch, 1 pipe", perhaps wrapped. */
static void take_hogs(struct state *s, size_t i)
{
	bool prefixed, next_prefixed;
	const char *p = body(reading_line(&s->r, i), &prefixed), *rest;

	for (size_t k = 1; prefixed && k <= WRAPPED_MAX; k++) {
		if (!*body(reading_line(&s->r, i + k), &next_prefixed) || next_prefixed)
			break;
		p = body(reading_join(&s->r, i, k), &prefixed);
	}
	s->hogs = bench_words(p, "dispatching hogs:", &rest) && *rest ? rest : NULL;
}

/* Whether a table's header is at line i, whose body is p. */
static bool header_at(const struct state *s, size_t i, const char *p)
{
	const char *rest;
	bool ignored;

	return is_header(p) ||
	       (bench_words(p, "stressor", &rest) && i + 1 < s->r.lines.n &&
		       is_header(body(reading_join(&s->r, i, 1), &ignored)));
}

/* "unsuccessful run completed in 2.04s", behind the table or, in older versions, before.
 */
static void take_completed(struct state *s, const char *p)
{
	if (s->completed && s->part != PART_NONE)
		finish(s);
	s->completed = true;
	s->failed = strstr(p, "unsuccessful") != NULL;
}

static void begin_table(struct state *s, const char *line)
{
	const char *rest;

	if (s->part != PART_NONE)
		finish(s);
	s->part = PART_TABLE;
	s->first = true;
	s->prefixed = bench_starts(line, "stress-ng:", &rest);
	s->metrc = s->prefixed && is_level(line, "metrc:");
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest;
	bool prefixed;
	const char *p = body(line, &prefixed);

	if (bench_words(p, "stress-ng, version ", &rest) ||
		(bench_starts(p, "stress-ng ", &rest) && *rest >= '0' && *rest <= '9')) {
		r->out->version = arena_strndup(r->a, rest, strcspn(rest, " "));
	} else if (bench_words(p, "setting to a ", &rest) ||
		   bench_words(p, "defaulting to a ", &rest)) {
		finish(s);
		s->hogs = NULL;
	} else if (bench_words(p, "dispatching hogs:", &rest)) {
		finish(s);
		take_hogs(s, i);
	} else if (header_at(s, i, p)) {
		begin_table(s, line);
	} else if (says_corrupted(p)) {
		s->corrupted = true;
	} else if (prefixed && is_level(line, "fail:")) {
		s->failed = true; /* unless the tool's last word says otherwise */
	} else if (strstr(p, "successful run completed in")) {
		take_completed(s, p);
	} else if (s->part == PART_NONE || s->prefixed != prefixed ||
		   strstr(p, "run completed in")) {
		return;
	} else if (prefixed && !is_level(line, s->metrc ? "metrc:" : "info:")) {
		/* "stress-ng: me" */
		if (i + 1 == r->lines.n && s->r.open_end && s->metrc &&
			strncmp(line, "stress-ng: metrc:", strlen(line)) == 0)
			s->cut = true;
	} else if (bench_words(p, "miscellaneous metrics:", &rest)) {
		s->part = PART_MISC;
	} else if (s->part == PART_TABLE) {
		take_row(s, i, p, prefixed);
	} else {
		take_misc(s, i, p, prefixed);
	}
}

static void votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	struct row row;
	bool prefixed;
	const char *p = body(reading_line(r, i), &prefixed);

	*n_point += read_row(p, false, &row) && row.n > 1;
	*n_comma += read_row(p, true, &row) && row.n > 1;
}

static void end(struct reading *r)
{
	finish((struct state *)r);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no metrics table";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.votes = votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_stress_ng = {
	.name = "stress-ng",
	.summary = "bogus operations of stressors (stress-ng --metrics)",
	.version = 1,
	.rules = &rules,
};
