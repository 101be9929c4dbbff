// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_count.c - which numbers of a row are values, and which belong to its label:
 * "Amean 1  0.40  0.39", "8 CCD  8  100.00%  92.05%".
 */
#include "base/base.h"

#include "bench/claims_doc.h"

static bool is_mean(const char *label)
{
	static const char *const words[] = {"Hmean", "Amean", "Gmean", "Min", "Max",
		"Median", "Mean", "BHmean", "BAmean", "Stddev", "CoeffVar", "Percentile",
		"Lat", "1st-qrtle", "2nd-qrtle", "3rd-qrtle", NULL};

	for (int i = 0; words[i]; i++)
		if (strncmp(label, words[i], strlen(words[i])) == 0 &&
			!strchr(label, ' '))
			return true;
	return false;
}

/* Cells at the front that belong to the label. */
static size_t leading(const struct cl_row *r)
{
	size_t f = 0;

	if (!*r->label)
		return r->n >= 2;
	while (f < r->n && r->cells[f].whole && !r->cells[f].noted)
		f++;
	if (f && f < r->n) {
		for (size_t i = f; i < r->n; i++)
			if (!r->cells[i].noted && !isnan(r->cells[i].value))
				f = 0;
		if (f)
			return f;
	}
	return r->n >= 2 && r->cells[0].whole && is_mean(r->label);
}

/* A last cell "+12.2%" that only some rows have is the change of the one before it. */
static void fold_changes(struct cl_block *b)
{
	size_t least = CL_CELLS_MAX;

	for (size_t i = 0; i < b->n; i++)
		least = b->rows[i].n < least ? b->rows[i].n : least;
	for (size_t i = 0; i < b->n; i++) {
		struct cl_row *r = &b->rows[i];
		struct cl_cell *last = &r->cells[r->n - 1], *to = last - 1;

		if (r->n != least + 1 || !last->pct || !last->sign || to->pct ||
			!isnan(to->change))
			continue;
		to->change = last->value;
		to->noted = true;
		r->n--;
	}
}

/* Whole numbers before one percentage that these do not lead to, "#VMs  #CPUs  12.5%". */
static bool are_parameters(const struct cl_block *b)
{
	size_t asked = 0, yes = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];
		const struct cl_cell *last = &r->cells[r->n - 1];
		double diff, want;

		if (r->n < 3 || !last->pct || !last[-1].whole || !last[-2].whole)
			return false;
		/* counts are exact */
		diff = fabs(last[-1].value - last[-2].value);
		want = fabs(last->value);
		asked++;
		yes += fabs(100 * diff / last[-2].value - want) < 1 + want / 10 ||
		       fabs(100 * diff / last[-1].value - want) < 1 + want / 10;
	}
	return asked > 3 && 2 * yes < asked;
}

/* "1 CCD  1  100.00%  100.30%": whole numbers before percentages are label. */
static void count_labels(struct cl_block *b)
{
	bool parameters = b->k == 3 && are_parameters(b);

	for (;;) {
		for (size_t i = 0; i < b->n; i++) {
			const struct cl_row *r = &b->rows[i];
			size_t from = r->n - (r->n < b->k ? r->n : b->k);

			if (b->k < 2 || (b->k < 3 && !parameters) || r->n < b->k ||
				!r->cells[from].whole)
				return;
			for (size_t j = from + 1; j < r->n; j++)
				if (!r->cells[j].pct && !isnan(r->cells[j].value) &&
					!(r->cells[j].whole &&
						(parameters || j + 2 < r->n)))
					return;
		}
		if (!b->n)
			return;
		b->k--;
	}
}

/* The count that most rows agree on. */
static size_t usual(const struct cl_block *b)
{
	size_t count[CL_CELLS_MAX + 1] = {0}, best = 0;

	for (size_t i = 0; i < b->n; i++)
		count[b->rows[i].n - leading(&b->rows[i])]++;
	for (size_t k = 1; k <= CL_CELLS_MAX; k++)
		if (count[k] > count[best])
			best = k;
	return best;
}

/* "pg_f1  368563  406277 (10.23%)": is the number before the changes where they start? */
static bool leads(const struct cl_block *b)
{
	size_t asked = 0, yes = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];
		size_t f = leading(r);

		if (!f || f == r->n || !*r->label || isnan(r->cells[f].change) ||
			r->cells[f - 1].pct || r->cells[f].value == 0)
			continue;
		asked++;
		yes += r->cells[f].change != 0 &&
		       cl_agrees(&r->cells[f - 1], &r->cells[f], r->cells[f].change) ==
			       CL_YES;
	}
	return yes && 2 * yes >= asked;
}

void cl_count(struct cl_block *b)
{
	if (b->rows[0].from_to) {
		b->k = 2;
		return;
	}
	fold_changes(b);
	b->k = usual(b);
	b->k += leads(b);
	count_labels(b);
}

/* "Groups: 4" between rows of more cells heads what is below it. */
static bool is_group(const struct cl_row *r, size_t k)
{
	return k > 1 && r->n == 1 && *r->label && r->cells[0].whole &&
	       !r->cells[0].noted && !*r->tail && r->text;
}

/* Gives the cells before the last k to the labels; rows with fewer than k go. */
void cl_trim_rows(struct cl_doc *d, struct cl_block *b)
{
	const char *group = b->group;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct cl_row r = b->rows[i];
		size_t lead = r.n - (r.n < b->k ? r.n : b->k);

		if (is_group(&r, b->k))
			group = cl_collapse(d->arena, r.text, strlen(r.text));
		if (r.n < b->k || (lead == 0 && !*r.label && b->k > 1 && !r.from_to))
			continue;
		if (lead && r.text) {
			const char *from = r.text + r.cells[0].x0;
			size_t len = (size_t)(r.cells[lead - 1].x1 - r.cells[0].x0);

			r.label = arena_printf(d->arena, "%s%s%s", r.label,
				*r.label ? " " : "", cl_collapse(d->arena, from, len));
		}
		if (group)
			r.label = arena_printf(d->arena, "%s | %s", group, r.label);
		r.cells += lead;
		r.n = b->k;
		b->rows[n++] = r;
	}
	b->n = n;
}
