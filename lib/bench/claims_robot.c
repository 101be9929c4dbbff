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
static const char *bench_of(const char *metric)
{
	bool several;

	return cl_bench(metric, false, &several);
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
	c->bench = bench ? bench : bench_of(metric);
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

/* "BASE [+-S%] CHANGE% PATCHED [+-S%] METRIC"; in a robot's table the change may have no
 * percent sign, and is none then. */
static bool read_comparison(
	struct cl_doc *d, struct cl_line *l, const char *bench, bool in_table)
{
	double base, patched, change, std_base, std_patched;
	const char *p = value_at(blanks(l->text), &base, &std_base), *metric;
	struct claim *c;
	bool whole, pct;
	size_t n;

	if (!p)
		return false;
	p = blanks(p);
	if (*p != '+' && *p != '-' && !isdigit((unsigned char)*p))
		return false;
	p = cl_number(p, false, &change, &whole);
	if (!p)
		return false;
	pct = *p == '%';
	if (!pct && (!in_table || whole))
		return false;
	p = value_at(blanks(p + pct), &patched, &std_patched);
	if (!p)
		return false;
	metric = blanks(p);
	n = metric_len(metric);
	if (!n || isdigit((unsigned char)*metric) || *blanks(metric + n))
		return false;
	metric = arena_strndup(d->arena, metric, n);
	c = cl_add(d, NULL, metric, NULL);
	if (!c)
		return false;
	c->bench = bench_of(metric) ? bench_of(metric) : bench;
	c->base = base;
	c->patched = patched;
	c->change_pct = pct ? change : NAN;
	c->std_base_pct = std_base;
	c->std_patched_pct = std_patched;
	l->taken = true;
	return true;
}

void cl_robot(struct cl_doc *d)
{
	const char *bench = NULL;
	bool in_table = false;

	for (size_t i = 0; i < d->n; i++) {
		struct cl_line *l = &d->lines[i];
		bool several;

		if (l->skip || l->rule || strlen(l->text) > CL_LINE_MAX)
			continue;
		if (strstr(l->text, "%stddev") && strstr(l->text, "%change"))
			in_table = true;
		if (strcasestr(l->text, "testcase: ") || strcasestr(l->text, "testsuite"))
			bench = cl_bench(l->text, false, &several);
		if (!read_summary(d, l) && !read_comparison(d, l, bench, in_table) &&
			*l->text && isalpha((unsigned char)*l->text))
			in_table = false;
	}
}
