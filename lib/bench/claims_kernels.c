// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_kernels.c - kernels one below the other: a kernel a row ("tip : 1.00", "tip + v3
 * : 0.41 (diff: -58.81%)"), or a list for each ("without patch:" ... "with patch:" ...).
 */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>
#include <strings.h>

static bool no_change(const struct cl_row *r)
{
	for (size_t j = 0; j < r->n; j++)
		if (!isnan(r->cells[j].change) && r->cells[j].change != 0)
			return false;
	return true;
}

/* A column of changes behind the values: its cell in a row, or NULL. */
static const struct cl_cell *change_cell(const struct cl_block *b, const struct cl_row *r)
{
	for (size_t j = 1; j < b->k; j++)
		if (b->columns[j].role == CL_CHANGE ||
			(r->cells[j].pct && !r->cells[0].pct))
			return &r->cells[j];
	return NULL;
}

static size_t n_values(const struct cl_block *b)
{
	size_t n = 0;

	for (size_t j = 0; j < b->k; j++) {
		bool pct = j > 0;

		for (size_t i = 0; i < b->n; i++)
			pct &= isnan(b->rows[i].cells[j].value) ||
			       (b->rows[i].cells[j].pct && !b->rows[i].cells[0].pct);
		n += b->columns[j].role == CL_VALUE && !pct;
	}
	return n;
}

/* The last part of a label names the kernel: "score | baseline". */
static const char *kernel_of(const char *label)
{
	const char *bar = NULL;

	for (const char *p = label; (p = strstr(p, " | ")); p++)
		bar = p;
	return bar ? bar + 3 : label;
}

/* "6.18", "6.18+revert", "6.18+revert+x": values of kernels that add to the first. */
static bool others_add(const struct cl_block *b)
{
	const char *first = kernel_of(b->rows[0].label);
	size_t len = strlen(first);

	if (b->n < 2 || !len || !isdigit((unsigned char)first[len - 1]) ||
		b->rows[0].cells[0].pct)
		return false;
	for (size_t i = 1; i < b->n; i++) {
		const char *p = kernel_of(b->rows[i].label);

		if (strncmp(p, first, len) != 0 ||
			(p[len] != '+' && strncmp(p + len, " +", 2) != 0))
			return false;
	}
	return true;
}

/* "base", "tip:": a row that others are compared with. */
static bool is_base_row(const struct cl_block *b, const struct cl_row *r)
{
	const struct cl_cell *c = change_cell(b, r);

	if (!no_change(r) || (c && !isnan(c->value) && c->value != 0))
		return false;
	return cl_is_base(r->label) || cl_is_base(kernel_of(r->label)) ||
	       (r == b->rows && others_add(b));
}

/* What a row says of the change of column j: where there are several columns of changes,
 * in the one behind it. */
static const struct cl_cell *change_behind(
	const struct cl_block *b, const struct cl_row *r, size_t j)
{
	size_t n = 0;

	for (size_t i = 0; i < b->k; i++)
		n += b->columns[i].role == CL_CHANGE;
	if (n < 2)
		return change_cell(b, r);
	return j + 1 < b->k && b->columns[j + 1].role == CL_CHANGE ? &r->cells[j + 1]
								   : NULL;
}

/* delta: the row of percentages below, or NULL. */
static void add_row(struct cl_doc *d, const struct cl_block *b, const struct cl_row *base,
	const struct cl_row *r, const struct cl_row *delta, size_t values)
{
	for (size_t j = 0; j < b->k; j++) {
		const struct cl_cell *cell = &r->cells[j],
				     *change = change_behind(b, r, j);
		const struct cl_column *column = &b->columns[j];
		struct claim *c;

		if (column->role != CL_VALUE || cell == change || isnan(cell->value) ||
			isnan(base->cells[j].value))
			continue;
		c = cl_add(d, b, r->label, values > 1 ? column->name : NULL);
		if (!c)
			return;
		c->base = base->cells[j].value;
		c->patched = cell->value;
		c->std_base_pct = base->cells[j].spread;
		c->std_patched_pct = cell->spread;
		c->change_pct = cell->change;
		if (isnan(c->change_pct) && change)
			c->change_pct = change->value;
		if (isnan(c->change_pct) && delta)
			c->change_pct = delta->cells[j].value;
		if (!c->unit)
			c->unit = cl_unit_in(d->arena, column->name);
		cl_units(d, c, &base->cells[j], cell);
	}
}

/* "Delta  +1.6%  -0.1%" below values: no kernel. */
static bool is_pct_row(const struct cl_block *b, const struct cl_row *base, size_t i)
{
	bool any = false;

	for (size_t j = 0; i < b->n && j < b->k; j++) {
		const struct cl_cell *c = &b->rows[i].cells[j];

		if (isnan(c->value))
			continue;
		if (!c->pct || base->cells[j].pct)
			return false;
		any = true;
	}
	return any;
}

static void add_rows(struct cl_doc *d, const struct cl_block *b)
{
	const struct cl_row *base = NULL;
	size_t values = n_values(b);

	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];

		if (!base || is_base_row(b, r))
			base = r;
		else if (!is_pct_row(b, base, i) && !cl_is_spread(r->label))
			add_row(d, b, base, r, NULL, values);
	}
}

/* The rows of a case are together: "single | patch", "single | base". The one base of
 * row i's, or NULL: there is none, there are two, or a row that is neither. Rows of
 * percentages and of spread below them are not counted. */
static const struct cl_row *base_of_case(const struct cl_block *b, size_t i)
{
	const char *label = b->rows[i].label;
	size_t len = (size_t)(kernel_of(label) - label), from = i, to = i;
	const struct cl_row *base = NULL;

	while (from > 0 && strncmp(b->rows[from - 1].label, label, len) == 0)
		from--;
	while (to < b->n && strncmp(b->rows[to].label, label, len) == 0)
		to++;
	if (!len || to - from > 20)
		return NULL;
	for (size_t j = from; j < to; j++) {
		if (!is_base_row(b, &b->rows[j]))
			continue;
		if (base)
			return NULL;
		base = &b->rows[j];
	}
	for (size_t j = from; base && j < to; j++) {
		const struct cl_row *r = &b->rows[j];

		if (r != base && !cl_is_patched(kernel_of(r->label)) &&
			!is_pct_row(b, base, j) && !cl_is_spread(kernel_of(r->label)))
			return NULL;
	}
	return base;
}

/* The row of percentages below row i, or NULL. */
static const struct cl_row *delta_of(
	const struct cl_block *b, const struct cl_row *base, size_t i)
{
	const char *label;

	if (!is_pct_row(b, base, i + 1))
		return NULL;
	label = kernel_of(b->rows[i + 1].label);
	return !*label || cl_is_change(label) ? &b->rows[i + 1] : NULL;
}

/* Cases whose base need not come first. */
static bool add_cases(struct cl_doc *d, const struct cl_block *b)
{
	size_t values = n_values(b);

	for (size_t i = 0; i < b->n; i++)
		if (!base_of_case(b, i))
			return false;
	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *base = base_of_case(b, i), *r = &b->rows[i];

		if (base != r && !is_pct_row(b, base, i) && !cl_is_spread(r->label))
			add_row(d, b, base, r, delta_of(b, base, i), values);
	}
	return true;
}

/* "0.81 [19.36]" below "time [pct imp]": the header says that it is a change. */
static void read_changes(struct cl_block *b)
{
	for (size_t j = 0; j < b->k; j++)
		for (size_t i = 0; i < b->n; i++) {
			struct cl_cell *c = &b->rows[i].cells[j];

			if (!isnan(c->change))
				continue;
			if (b->columns[j].bracket_change)
				c->change = c->bracket;
			else if (b->columns[j].paren_change)
				c->change = c->paren;
		}
}

/* All rows but a first have a change, in each value. */
static bool changes_say_so(const struct cl_block *b)
{
	bool any = false;

	if (b->n < 2 || !no_change(&b->rows[0]) || cl_is_statistic(b->rows[0].label))
		return false;
	for (size_t i = 1; i < b->n; i++)
		for (size_t j = 0; j < b->k; j++) {
			if (isnan(b->rows[i].cells[j].change))
				return false;
			any |= isnan(b->rows[0].cells[j].change) ||
			       b->rows[i].cells[j].change != 0;
		}
	return any;
}

/* "w/o: 1 2 3", "w/ : 1 2 3" with the cases above them. */
static void add_columns(struct cl_doc *d, const struct cl_block *b, size_t base)
{
	const struct cl_row *cases = base && !b->has_head ? &b->rows[0] : NULL;

	for (size_t i = base + 1; i < b->n; i++) {
		const struct cl_row *delta;

		if (strcmp(kernel_of(b->rows[i].label), kernel_of(b->rows[base].label)) ==
			0) {
			base = i; /* the next case */
			continue;
		}
		if (is_pct_row(b, &b->rows[base], i) || cl_is_spread(b->rows[i].label))
			continue;
		delta = delta_of(b, &b->rows[base], i);
		for (size_t j = 0; j < b->k; j++) {
			const struct cl_cell *from = &b->rows[base].cells[j],
					     *to = &b->rows[i].cells[j];
			const char *name = b->columns[j].name;
			struct claim *c;

			if (isnan(from->value) || isnan(to->value) ||
				b->columns[j].role == CL_SPREAD)
				continue;
			if (cases)
				name = arena_printf(d->arena, "%s%s%g", cases->label,
					*cases->label ? " " : "", cases->cells[j].value);
			c = cl_add(d, b, name, b->rows[i].label);
			if (!c)
				return;
			c->base = from->value;
			c->patched = to->value;
			c->change_pct = to->change;
			if (isnan(c->change_pct) && delta)
				c->change_pct = delta->cells[j].value;
			c->std_base_pct = from->spread;
			c->std_patched_pct = to->spread;
			cl_units(d, c, from, to);
		}
	}
}

/* A first column whose notes are all zero is a base: these are columns of kernels. */
static bool is_grid(const struct cl_block *b)
{
	bool any = false;

	if (b->k < 2 || b->columns[0].role != CL_VALUE)
		return false;
	for (size_t i = 0; i < b->n; i++) {
		const struct cl_cell *c = &b->rows[i].cells[0];

		if (!isnan(c->change) && c->change != 0)
			return false;
		any |= c->change == 0;
	}
	for (size_t i = 0; any && i < b->n; i++)
		for (size_t j = 1; j < b->k; j++)
			if (!isnan(b->rows[i].cells[j].change))
				return true;
	return false;
}

/* The changes of most rows start from row base. True when none has one. */
static bool rows_agree(const struct cl_block *b, size_t base)
{
	size_t asked = 0, yes = 0;

	for (size_t i = base + 1; i < b->n; i++)
		for (size_t j = 0; j < b->k; j++) {
			const struct cl_cell *c = &b->rows[i].cells[j],
					     *from = &b->rows[base].cells[j],
					     *by = change_behind(b, &b->rows[i], j);
			double change = !isnan(c->change) ? c->change
					: by              ? by->value
							  : NAN;
			enum cl_answer answer;

			if (is_base_row(b, &b->rows[i]))
				return 2 * yes >= asked; /* the next case */
			if (b->columns[j].role != CL_VALUE || c == by || c->pct)
				continue;
			answer = cl_agrees(from, c, change);
			asked += answer != CL_UNASKED;
			yes += answer == CL_YES;
		}
	return 2 * yes >= asked;
}

/* Among rows of several values without changes one must be named as what is compared:
 * "nvme base" beside "crypt default" is no kernel. */
static bool is_compared(const struct cl_block *b, size_t base)
{
	if (n_values(b) < 2)
		return true;
	for (size_t i = base + 1; i < b->n; i++) {
		const char *name = kernel_of(b->rows[i].label);

		if (cl_is_patched(name) || cl_is_kernel(name) || strchr(name, '+') ||
			change_cell(b, &b->rows[i]) || !no_change(&b->rows[i]))
			return true;
	}
	return false;
}

/* Whole numbers without a change that are all the base's: what was set, no result. */
static bool rows_set(const struct cl_block *b, size_t base)
{
	for (size_t i = base + 1; i < b->n; i++) {
		if (change_cell(b, &b->rows[i]) || b->rows[i].n != b->rows[base].n)
			return false;
		for (size_t j = 0; j < b->k; j++) {
			const struct cl_cell *c = &b->rows[i].cells[j],
					     *from = &b->rows[base].cells[j];

			if (!c->whole || !isnan(c->change) || c->value < from->value ||
				c->value > from->value)
				return false;
		}
	}
	return true;
}

bool cl_kernels(struct cl_doc *d, size_t block)
{
	struct cl_block *b = &d->blocks[block];
	size_t base = 0, values;
	bool columns_say = false;
	size_t kernels = 0;

	if (b->n < 2 || !b->k || b->rows[0].from_to)
		return false;
	for (size_t j = 0; j < b->k; j++) {
		columns_say |= b->columns[j].base || b->columns[j].paren_spread;
		kernels += cl_is_kernel(b->columns[j].name);
	}
	if (columns_say || kernels > 1 || is_grid(b))
		return false;
	read_changes(b);
	if (b->pipe && add_cases(d, b))
		return true;
	values = n_values(b);
	if (b->n == 3 && values > 1 && cl_is_base(b->rows[1].label) &&
		!cl_is_base(b->rows[0].label))
		base = 1;
	if (!is_base_row(b, &b->rows[base])) {
		if (values == 1 && b->k == 1 && changes_say_so(b) &&
			isnan(b->rows[0].cells[0].change) && rows_agree(b, 0)) {
			add_rows(d, b);
			return true;
		}
		return false;
	}
	if (!changes_say_so(b) && b->n - base > 2 && values == 1 &&
		!change_cell(b, &b->rows[base + 1]) && !others_add(b)) {
		for (size_t i = base + 1; i < b->n; i++)
			if (!cl_is_patched(b->rows[i].label))
				return false;
	}
	if (b->n - base == 2 && !changes_say_so(b) && !others_add(b) &&
		!cl_is_patched(b->rows[base + 1].label) &&
		!change_cell(b, &b->rows[base + 1]))
		return false;
	if (!rows_agree(b, base) || !is_compared(b, base) || rows_set(b, base))
		return false;
	if (values > 1 && (base || !change_cell(b, &b->rows[base + 1])))
		add_columns(d, b, base);
	else
		add_rows(d, b);
	return true;
}

/* What stands above a list: a word for the base, or for what is compared. */
static bool above_says(const struct cl_block *b, bool base)
{
	for (int i = 0; i < 3 && b->above[i]; i++) {
		if (strlen(b->above[i]) > 60)
			return false;
		if (cl_is_base(b->above[i]))
			return base;
		if (cl_is_patched(b->above[i]))
			return !base;
	}
	return false;
}

/* The columns themselves are kernels: what stands above is no kernel's name. */
static bool has_kernels(const struct cl_block *b)
{
	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];

		if (b->k > 1 && (c->base || c->patched || cl_is_kernel(c->name) ||
					c->role == CL_CHANGE))
			return true;
	}
	return false;
}

#define LIST_MAX 200 /* rows of a list */

static const struct cl_row *same_label(const struct cl_block *b, const char *label)
{
	for (size_t i = 0; i < b->n && i < LIST_MAX; i++)
		if (strcmp(b->rows[i].label, label) == 0)
			return &b->rows[i];
	return NULL;
}

/* Two lists of one shape: the same columns and, in one order or another, labels. */
static bool same_shape(const struct cl_block *b, const struct cl_block *with)
{
	size_t n_same = 0, n = b->n < LIST_MAX ? b->n : LIST_MAX;

	if (with->k != b->k || !with->n || with->pipe != b->pipe)
		return false;
	for (size_t j = 0; b->k > 1 && j < b->k; j++)
		if (!b->has_head || !*b->columns[j].name ||
			strcmp(b->columns[j].name, with->columns[j].name) != 0)
			return false;
	for (size_t i = 0; i < n; i++) {
		const struct cl_row *r = &b->rows[i];

		n_same += same_label(with, r->label) != NULL;
		if (b->k > 1 && same_label(b, r->label) != r)
			return false; /* which one of two? */
	}
	return n_same && (b->k > 1 ? n_same == n : n_same * 2 >= n);
}

/* Whole numbers that are the same in both lists: what was set, no result. */
static bool all_set(const struct cl_block *b, const struct cl_block *with)
{
	for (size_t i = 0; i < b->n && i < LIST_MAX; i++) {
		const struct cl_row *r = &b->rows[i], *s = same_label(with, r->label);

		for (size_t j = 0; s && j < b->k; j++) {
			double v = r->cells[j].value, w = s->cells[j].value;

			if (!isnan(v) && !isnan(w) && (v < w || v > w || v != rint(v)))
				return false;
		}
	}
	return true;
}

static void add_pairs(
	struct cl_doc *d, const struct cl_block *b, const struct cl_block *with)
{
	for (size_t i = 0; i < b->n && i < LIST_MAX; i++) {
		const struct cl_row *r = &b->rows[i], *s = same_label(with, r->label);

		for (size_t j = 0; s && !cl_is_spread(r->label) && j < b->k; j++) {
			const struct cl_cell *from = &r->cells[j], *to = &s->cells[j];
			struct claim *c;

			if (isnan(from->value) || isnan(to->value) ||
				from->pct != to->pct || b->columns[j].role != CL_VALUE)
				continue;
			c = cl_add(d, b, r->label, b->k > 1 ? b->columns[j].name : NULL);
			if (!c)
				return;
			c->base = from->value;
			c->patched = to->value;
			c->std_base_pct = from->spread;
			c->std_patched_pct = to->spread;
			c->change_pct = to->change;
			if (!c->unit)
				c->unit = cl_unit_in(d->arena, b->columns[j].name);
			cl_units(d, c, from, to);
		}
	}
}

bool cl_stacked(struct cl_doc *d, size_t block)
{
	struct cl_block *b = &d->blocks[block];

	if (!b->k || b->rows[0].from_to || !above_says(b, true) || has_kernels(b))
		return false;
	for (size_t i = block + 1; i < d->n_blocks && i < block + 4; i++) {
		struct cl_block *with = &d->blocks[i];

		if (!with->n || with->k != b->k || !above_says(with, false))
			continue;
		if (!same_shape(b, with) || all_set(b, with))
			return false;
		add_pairs(d, b, with);
		with->taken = true;
		return true;
	}
	return false;
}
