// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_robot.c - lines of test robots, whose label stands last:
 *
 *	| testcase: change | stress-ng: stress-ng.sigfd.ops_per_sec  -6.0% regression |
 *	    12345 +- 2%     -19.0%      10000 +- 3%  stress-ng.filename.ops
 */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>
#include <strings.h>

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t|");
}

/* A name of a metric: no blanks, with a '.' or '_' between letters. */
static size_t metric_len(const char *p)
{
	size_t n = strcspn(p, " \t|()[],;\"");
	bool point = false, letter = false;

	while (n && strchr(".:", p[n - 1]))
		n--;
	for (size_t i = 0; i < n; i++) {
		letter |= isalpha((unsigned char)p[i]) != 0;
		point |= i && i + 1 < n && strchr("._", p[i]) &&
			 isalpha((unsigned char)p[i - 1]);
	}
	return point && letter ? n : 0;
}

/* "stress-ng" of "stress-ng.sigfd.ops"; NULL when what stands before the '.' is no
 * benchmark. */
static const char *bench_of(struct cl_doc *d, const char *metric)
{
	bool several;

	return cl_bench(d->arena, metric, false, &several);
}

/* "-6.0% regression" at p. */
static bool read_verdict(const char *p, double *change, bool *worse)
{
	bool whole;
	const char *q = cl_number(p, false, change, &whole);

	if (!q || *q != '%')
		return false;
	q = blanks(q + 1);
	*worse = strncasecmp(q, "regression", 10) == 0;
	if (!*worse && strncasecmp(q, "improvement", 11) != 0)
		return false;
	q += *worse ? 10 : 11;
	return !*blanks(q);
}

/* "BENCH: METRIC CHANGE VERDICT" */
static bool read_summary(struct cl_doc *d, struct cl_line *l)
{
	const char *p = blanks(l->text), *metric = NULL, *colon;
	char *bench = NULL;
	double change;
	size_t n = 0;
	bool worse;
	struct claim *c;

	if (strncasecmp(p, "testcase: change", 16) == 0)
		p = blanks(p + 16);
	colon = strchr(p, ':');
	if (colon && colon[1] == ' ' && (size_t)(colon - p) == strcspn(p, " :")) {
		bench = arena_strndup(d->arena, p, (size_t)(colon - p));
		p = blanks(colon + 1);
	}
	for (; *p; p = blanks(p + strcspn(p, " \t|"))) {
		if (!metric && (n = metric_len(p)) && !isdigit((unsigned char)*p)) {
			metric = arena_strndup(d->arena, p, n);
			continue;
		}
		if (metric && read_verdict(p, &change, &worse))
			break;
		if (metric)
			return false;
		return false;
	}
	if (!*p || !metric)
		return false;
	c = cl_add(d, NULL, metric, NULL);
	if (!c)
		return false;
	c->bench = bench ? bench : bench_of(d, metric);
	c->change_pct = change;
	if (change != 0)
		c->better = (change > 0) == !worse ? CLAIM_HIGHER : CLAIM_LOWER;
	l->taken = true;
	return true;
}

/* A number, and its spread when it has one: behind it. */
static const char *value_at(const char *p, double *value, double *spread)
{
	bool whole;
	const char *q = cl_number(p, false, value, &whole), *r;
	double v;

	*spread = NAN;
	if (!q || (*q != ' ' && *q != '\t'))
		return NULL;
	r = blanks(q);
	if (strncmp(r, "+-", 2) == 0 || strncmp(r, "\xc2\xb1", 2) == 0) {
		r = cl_number(blanks(r + 2), false, &v, &whole);
		if (!r || *r != '%')
			return q;
		*spread = v;
		q = r + 1;
	}
	return q;
}

#define COMMITS_MAX 16

/* What a robot's table is about. */
struct table {
	const char *bench;
	bool inside;
	const char *commits[COMMITS_MAX]; /* base first, as printed */
	size_t n_commits;
};

struct compared {
	double change, value, spread; /* change NAN: without a percent sign */
};

/* "CHANGE% PATCHED [+-S%]" at p; in a robot's table the change may have no percent sign.
 */
static const char *compared_at(const char *p, bool in_table, struct compared *ret)
{
	bool whole, pct;

	if (*p != '+' && *p != '-' && !isdigit((unsigned char)*p))
		return NULL;
	p = cl_number(p, false, &ret->change, &whole);
	if (!p)
		return NULL;
	pct = *p == '%';
	if (!pct && (!in_table || whole))
		return NULL;
	if (!pct)
		ret->change = NAN;
	return value_at(blanks(p + pct), &ret->value, &ret->spread);
}

/* "BASE [+-S%] CHANGE% PATCHED [+-S%] METRIC", with as many commits behind the base as
 * the table has. */
static bool read_comparison(struct cl_doc *d, struct cl_line *l, const struct table *t)
{
	struct compared v[COMMITS_MAX];
	double base, std_base;
	const char *p = value_at(blanks(l->text), &base, &std_base), *metric, *q;
	size_t n = 0, len;

	if (!p)
		return false;
	while (n < COMMITS_MAX && (q = compared_at(blanks(p), t->inside, &v[n]))) {
		p = q;
		n++;
	}
	if (!n)
		return false;
	metric = blanks(p);
	len = metric_len(metric);
	if (!len || isdigit((unsigned char)*metric) || *blanks(metric + len)) {
		/* its name is on another line: no row of any other table */
		l->taken = t->inside && n > 1;
		return l->taken;
	}
	metric = arena_strndup(d->arena, metric, len);
	for (size_t i = 0; i < n; i++) {
		bool named = n > 1 && t->n_commits == n + 1;
		struct claim *c =
			cl_add(d, NULL, metric, named ? t->commits[i + 1] : NULL);

		if (!c)
			return false;
		c->bench = bench_of(d, metric) ? bench_of(d, metric) : t->bench;
		c->base = base;
		c->patched = v[i].value;
		c->change_pct = v[i].change;
		c->std_base_pct = std_base;
		c->std_patched_pct = v[i].spread;
	}
	l->taken = true;
	return true;
}

/* A line of commit ids, base first. */
static void read_commits(struct cl_doc *d, const char *text, struct table *t)
{
	const char *ids[COMMITS_MAX];
	size_t n = 0;

	for (const char *p = blanks(text); *p; p = blanks(p)) {
		size_t len = strspn(p, "0123456789abcdef");

		if (len < 12 || len > 40 || (p[len] && !strchr(" \t|", p[len])) ||
			n == COMMITS_MAX)
			return;
		ids[n++] = arena_strndup(d->arena, p, len);
		p += len;
	}
	if (n < 2)
		return;
	memcpy(t->commits, ids, n * sizeof(*ids));
	t->n_commits = n;
}

void cl_robot(struct cl_doc *d)
{
	struct table t = {0};

	for (size_t i = 0; i < d->n; i++) {
		struct cl_line *l = &d->lines[i];
		bool several;

		if (l->skip || l->rule || strlen(l->text) > CL_LINE_MAX)
			continue;
		read_commits(d, l->text, &t);
		if (strstr(l->text, "%stddev") && strstr(l->text, "%change"))
			t.inside = true;
		if (strcasestr(l->text, "testcase: ") || strcasestr(l->text, "testsuite"))
			t.bench = cl_bench(d->arena, l->text, false, &several);
		if (!read_summary(d, l) && !read_comparison(d, l, &t) && *l->text &&
			isalpha((unsigned char)*l->text))
			t.inside = false;
	}
}
