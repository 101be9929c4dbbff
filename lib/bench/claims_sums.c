// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_sums.c - do a table's numbers agree with what its columns are taken for? Nothing
 * computed here is ever printed: it only decides what a column is.
 */
#include "base/base.h"

#include "bench/claims_doc.h"

#define ROWS_ASKED 64 /* of a block: enough to tell, whatever its length */
#define SLACK_MAX  15 /* percent: too few digits to tell anything */

static double or_zero(double v)
{
	return isnan(v) ? 0 : v;
}

/* |got| is |want|, up to the digits that are printed and 5 % of itself. */
static bool near(double got, double want, double slack)
{
	return fabs(fabs(got) - fabs(want)) <= slack + .05 * fabs(want);
}

enum cl_answer cl_agrees(
	const struct cl_cell *base, const struct cl_cell *patched, double change)
{
	double b = base->value, p = patched->value, slack;
	double own = change == rint(change) ? .6 : .1; /* its own digits */

	if (isnan(b) || isnan(p) || isnan(change) || (b == 0 && p == 0))
		return CL_UNASKED;
	if (b == 0 || p == 0)
		return fabs(change) == 100 ? CL_YES : CL_UNASKED;
	/* how far the percentage moves within the last printed digits */
	slack = 50 * (base->step * fabs(p / b) + patched->step) / fabs(b);
	slack = fmax(slack, 50 * (patched->step * fabs(b / p) + base->step) / fabs(p));
	for (double slacks[] = {own, slack + own}, *s = slacks; s < slacks + 2; s++) {
		if (near(change, 100 * (p - b) / b, *s) ||
			near(change, 100 * (p - b) / p, *s))
			return CL_YES;
		if (slack > SLACK_MAX)
			return CL_UNASKED;
	}
	return CL_NO;
}

struct count {
	size_t asked, yes;
};

static bool most(struct count c)
{
	return c.asked && 2 * c.yes >= c.asked;
}

/* Adds the rows that have both values and a change. */
static void ask(const struct cl_block *b, size_t base, size_t patched,
	double (*change_of)(const void *self, const struct cl_row *r, size_t j),
	const void *self, struct count *ret)
{
	for (size_t i = 0; i < b->n && i < ROWS_ASKED; i++) {
		const struct cl_row *r = &b->rows[i];
		enum cl_answer yes = cl_agrees(
			&r->cells[base], &r->cells[patched], change_of(self, r, patched));

		ret->asked += yes != CL_UNASKED;
		ret->yes += yes == CL_YES;
	}
}

enum cl_answer cl_is_base_of(const struct cl_block *b, size_t base, size_t patched,
	double (*change_of)(const void *self, const struct cl_row *r, size_t j),
	const void *self)
{
	struct count c = {0};

	ask(b, base, patched, change_of, self, &c);
	if (2 * c.asked < (b->n < ROWS_ASKED ? b->n : ROWS_ASKED))
		return CL_UNASKED; /* of a few rows: chance */
	return !c.asked ? CL_UNASKED : most(c) ? CL_YES : CL_NO;
}

/* What each row's value at j would be if the column told of columns x and y. */
static bool is_made_of(const struct cl_block *b, size_t j, size_t x, size_t y, bool ratio)
{
	struct count c = {0};
	bool moved = false;

	for (size_t i = 0; i < b->n && i < ROWS_ASKED; i++) {
		const struct cl_cell *r = b->rows[i].cells;
		double v = r[j].value, u = r[x].value, w = r[y].value, slack;

		if (isnan(v) || isnan(u) || isnan(w) || r[j].pct)
			continue;
		moved |= u != w;
		c.asked++;
		if (!ratio) {
			slack = r[j].step + r[x].step + r[y].step;
			c.yes += fabs(fabs(v) - fabs(w - u)) <= slack;
			continue;
		}
		if (u == 0 || w == 0 || r[j].whole)
			continue;
		slack = r[j].step + .002;
		c.yes += fabs(v - w / u) <= slack + .005 * v ||
			 fabs(v - u / w) <= slack + .005 * v;
	}
	return moved && c.asked && c.yes == c.asked &&
	       (c.asked > 1 || !ratio || b->n == 1);
}

bool cl_is_difference(const struct cl_block *b, size_t j)
{
	for (size_t x = 0; x < b->k; x++)
		for (size_t y = x + 1; y < b->k; y++)
			if (x != j && y != j && is_made_of(b, j, x, y, false))
				return true;
	return false;
}

bool cl_is_ratio(const struct cl_block *b, size_t j)
{
	for (size_t x = 0; x < j; x++)
		for (size_t y = x + 1; y < j; y++)
			if (is_made_of(b, j, x, y, true))
				return true;
	return false;
}

double cl_step(const char *p, const char *end)
{
	double step = 1;
	bool point = false;

	for (; p < end && *p != 'e' && *p != 'E'; p++) {
		if (*p == '.' || (*p == ',' && end - p != 4))
			point = true;
		else if (point && *p >= '0' && *p <= '9')
			step /= 10;
	}
	if (p < end)
		step *= pow(10, fmax(-300, fmin(300, strtod(p + 1, NULL))));
	return or_zero(step);
}
