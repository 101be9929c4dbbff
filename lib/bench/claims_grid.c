// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_grid.c - a kernel a column: base first, what is compared behind it. */
#include "base/base.h"

#include "bench/claims_doc.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

struct grid {
	struct cl_doc *d;
	const struct cl_block *b;
	size_t base;                  /* column; b->k: none */
	size_t base_of[CL_CELLS_MAX]; /* a patched column's: base, or what agrees */
	bool change_only;             /* of which column the change is, nothing says */
	bool shares;                  /* percentages behind values are no changes */
	bool changes_only;            /* every cell is a change */
	size_t change[CL_CELLS_MAX];  /* column with a column's change, k: none */
	size_t spread[CL_CELLS_MAX];
	const char *names[CL_CELLS_MAX];
	size_t n_patched;
	bool is_patched[CL_CELLS_MAX];
};

static bool all(const struct cl_block *b, size_t j, bool (*test)(const struct cl_cell *))
{
	for (size_t i = 0; i < b->n; i++)
		if (!test(&b->rows[i].cells[j]))
			return false;
	return b->n > 0;
}

static bool is_pct(const struct cl_cell *c)
{
	return isnan(c->value) || (c->pct && isnan(c->change));
}

static bool is_zero_pct(const struct cl_cell *c)
{
	return is_pct(c) && (isnan(c->value) || c->value == 0);
}

static bool is_plain(const struct cl_cell *c)
{
	return isnan(c->value) || !c->pct;
}

static bool is_whole(const struct cl_cell *c)
{
	return isnan(c->value) || c->whole;
}

static bool is_bare(const struct cl_cell *c)
{
	return isnan(c->value) || (!c->noted && !c->pct);
}

/* "(0.00%)", "( )" or nothing: what stands behind a base. */
static bool is_base_note(const struct cl_cell *c)
{
	return isnan(c->value) || c->blank || c->change == 0;
}

static bool has_change(const struct cl_cell *c)
{
	return isnan(c->value) || !isnan(c->change);
}

static bool any_sign(const struct cl_block *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t j = 0; j < b->rows[i].n; j++)
			if (b->rows[i].cells[j].sign)
				return true;
	return false;
}

static double value_at(const void *self, const struct cl_row *r, size_t j)
{
	(void)j;
	return r->cells[*(const size_t *)self].value;
}

/* The percentages of column j lead from one column of values to another. */
static bool column_agrees(const struct cl_block *b, size_t j)
{
	for (size_t x = 0; x < b->k; x++)
		for (size_t y = x + 1; y < b->k; y++)
			if (x != j && y != j && all(b, x, is_plain) &&
				all(b, y, is_plain) &&
				cl_is_base_of(b, x, y, value_at, &j) == CL_YES)
				return true;
	return false;
}

static bool column_signs(const struct cl_block *b, size_t j)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->rows[i].cells[j].sign)
			return true;
	return false;
}

/* A column of percentages behind plain ones is their change, a column of ratios none. */
static void guess_roles(struct cl_block *b)
{
	size_t plain = 0;

	for (size_t j = 0; j < b->k; j++)
		plain += all(b, j, is_plain);
	for (size_t j = 2; j < b->k; j++) {
		struct cl_column *c = &b->columns[j];

		if (c->role == CL_VALUE && !c->base && !c->patched &&
			!cl_is_kernel(c->name) && all(b, j, is_bare) && cl_is_ratio(b, j))
			c->role = CL_NONE;
	}
	if (plain < 2 || plain == b->k)
		return;
	for (size_t j = 1; j < b->k; j++) {
		struct cl_column *c = &b->columns[j];

		if (c->role != CL_VALUE || !all(b, j, is_pct) ||
			(*c->name && (b->k != 3 || j != 2)))
			continue;
		if (column_signs(b, j) || column_agrees(b, j))
			c->role = CL_CHANGE;
	}
}

/* "a, b, c" above a table without a header, as many as it has columns. */
static bool names_from_prose(struct grid *g)
{
	for (size_t at = g->b->head, seen = 0; at-- > 0 && seen < 12; seen++) {
		const char *p = g->d->lines[at].text, *q;
		const char *list[CL_CELLS_MAX];
		size_t n = 0;

		if (g->d->lines[at].skip || strlen(p) > CL_LINE_MAX)
			continue;
		for (;; p = q + 1) {
			q = p + strcspn(p, ",");
			if (n == CL_CELLS_MAX || q - p > 60)
				break;
			list[n++] = cl_collapse(g->d->arena, p + strspn(p, " \t"),
				(size_t)(q - p) > strspn(p, " \t")
					? (size_t)(q - p) - strspn(p, " \t")
					: 0);
			if (!*q)
				break;
		}
		if (n != g->b->k || n < 3)
			continue;
		memcpy(g->names, list, n * sizeof(*list));
		return true;
	}
	return false;
}

static size_t find_base(const struct grid *g)
{
	const struct cl_block *b = g->b;
	size_t first = b->k, named = b->k, n_named = 0;
	bool any_note = false, notes[CL_CELLS_MAX];

	for (size_t j = 0; j < b->k; j++) {
		notes[j] = b->columns[j].role == CL_VALUE && all(b, j, has_change);
		any_note |= notes[j];
		if (b->columns[j].role == CL_VALUE && first == b->k)
			first = j;
	}
	for (size_t j = 0; any_note && j < b->k; j++)
		if (b->columns[j].role == CL_VALUE && all(b, j, is_base_note) &&
			b->k - first > 1)
			return j;
	for (size_t j = 0; j < b->k; j++)
		if (b->columns[j].role == CL_VALUE && b->columns[j].base) {
			named = named == b->k ? j : named;
			n_named++;
		}
	if (named < b->k && n_named == 1 && !(any_note && notes[named]))
		return named;
	if (named < b->k && (first == named || b->columns[first].patched))
		return named;
	/* every column has its change: the base is in another table */
	if (any_note && first < b->k && notes[first])
		return b->k;
	return first;
}

/* Two columns of one name: which is which, their changes must say. */
static bool has_twins(const struct cl_block *b)
{
	for (size_t i = 0; i < b->k; i++)
		for (size_t j = i + 1; j < b->k; j++)
			if (b->columns[i].role == CL_VALUE &&
				b->columns[j].role == CL_VALUE && *b->columns[i].name &&
				strcmp(b->columns[i].name, b->columns[j].name) == 0)
				return true;
	return false;
}

static bool any_sign_note(const struct cl_block *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t j = 0; j < b->k; j++)
			if (b->rows[i].cells[j].signed_change)
				return true;
	return false;
}

/* Columns that say different things of one kernel: "Average  Median  Mode", or "threshold
 * %  tick  %" where already the first has a percentage, which is no change. */
static bool is_one_kernel(const struct cl_block *b)
{
	size_t values = 0, changes = 0, statistics = 0;
	bool own = b->k > 1 && b->columns[0].role == CL_VALUE &&
		   b->columns[1].role == CL_CHANGE && !all(b, 1, is_zero_pct);

	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];

		if (c->base || c->patched)
			return false;
		values += c->role == CL_VALUE;
		changes += c->role == CL_CHANGE;
		statistics += c->role == CL_VALUE && cl_is_statistic(c->name);
	}
	if (own && changes == values)
		return values > 1;
	/* "Mean  RSD  Mean  RSD" of two kernels has changes */
	return values > 1 && statistics == values && !(has_twins(b) && any_sign_note(b));
}

static double change_of(const struct grid *g, const struct cl_row *r, size_t j);

static double change_asked(const void *self, const struct cl_row *r, size_t j)
{
	return change_of(self, r, j);
}

/* Is a column of changes one? Not "stddev (%)", nor "diff" of anything. */
static bool is_change_column(const struct cl_block *b, size_t j, size_t values)
{
	const struct cl_column *c = &b->columns[j];

	if (c->role != CL_CHANGE)
		return false;
	if (!c->pct && !all(b, j, is_pct))
		return cl_is_difference(b, j);
	return column_signs(b, j) || column_agrees(b, j) ||
	       (values <= 1 && strpbrk(c->name, LETTERS));
}

/* "0.81 [19.36]" below "[pct imp]". */
static bool header_says(const struct cl_block *b, size_t j)
{
	const struct cl_column *c = &b->columns[j];

	for (size_t i = 0; i < b->n; i++) {
		const struct cl_cell *cell = &b->rows[i].cells[j];

		if ((c->paren_change && !isnan(cell->paren)) ||
			(c->bracket_change && !isnan(cell->bracket)) ||
			((c->paren_change || c->bracket_change) && !isnan(cell->change)))
			return true;
	}
	return false;
}

/* Do the percentages behind values say how much these changed? "95.9%" beside "100%" is a
 * share. */
static bool notes_are_changes(const struct grid *g)
{
	const struct cl_block *b = g->b;

	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];

		if (header_says(b, j) || (cl_is_change(c->name) && c->pct) ||
			(all(b, j, is_base_note) && !all(b, j, is_bare)))
			return true;
		for (size_t i = 0; i < b->n; i++) {
			const struct cl_cell *cell = &b->rows[i].cells[j];

			if (cell->signed_change || cell->worse || cell->improved ||
				cell->change < 0)
				return true;
		}
	}
	for (size_t x = 0; x < b->k; x++)
		for (size_t y = 0; y < b->k; y++)
			if (x != y && cl_is_base_of(b, x, y, change_asked, g) == CL_YES)
				return true;
	return false;
}

/* "BASELINE  RESULT  INDEX" of UnixBench: the base is the tool's own. */
static bool is_index(const struct cl_block *b)
{
	for (size_t j = 0; j < b->k; j++)
		if (cl_has(b->columns[j].name, "result"))
			return b->k > 1 && cl_has(b->columns[b->k - 1].name, "index");
	return false;
}

/* "1.00  0.97  1.04" in all rows: the first column is what others are divided by. */
static bool is_normalised(const struct cl_block *b)
{
	size_t values = 0;

	for (size_t j = 0; j < b->k; j++)
		values += b->columns[j].role == CL_VALUE;
	for (size_t i = 0; i < b->n; i++)
		if (b->rows[i].cells[0].value != 1 || b->rows[i].cells[0].whole ||
			b->rows[i].cells[0].unit)
			return false;
	return b->n > 1 && values > 1 && b->has_head && b->columns[0].role == CL_VALUE;
}

/* Does anything say that the columns are kernels to compare? */
static bool is_comparison(const struct grid *g)
{
	const struct cl_block *b = g->b;
	bool base = false, patched = false, change = false, notes = false;
	size_t values = 0, kernels = 0, n_base = 0, bare = 0, n_patched = 0;

	if (b->rows[0].from_to || is_normalised(b))
		return true;
	if (is_one_kernel(b) || is_index(b))
		return false;
	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];

		values += c->role == CL_VALUE;
		kernels += c->role == CL_VALUE && cl_is_kernel(c->name);
		base |= c->base;
		n_base += c->base && c->role == CL_VALUE;
		patched |= c->patched;
		n_patched += c->role == CL_VALUE && c->patched && !cl_is_kernel(c->name);
		bare += c->role == CL_VALUE && !all(b, j, has_change) &&
			!all(b, j, is_base_note);
		change |= header_says(b, j);
		for (size_t i = 0; i < b->n; i++)
			notes |= !isnan(b->rows[i].cells[j].change);
	}
	for (size_t j = 0; j < b->k; j++)
		change |= is_change_column(b, j, values);
	notes &= !g->shares;
	if (!notes && has_twins(b))
		return false;
	if (change && (values >= 1 || b->n > 1))
		return true;
	if (notes && bare > 1 && !base)
		return false; /* which one is the base? */
	if (notes && b->k >= 2 && (b->n > 1 || b->k > 2 || all(b, 0, is_base_note)))
		return true;
	if (notes && (base || patched))
		return true;
	if (kernels + n_patched >= 2 && kernels && kernels + n_patched == values)
		return true; /* "v6.1  v6.2", "v6.1  with this patch" */
	return base && b->k >= 2 && (patched || (values >= 2 && n_base < values));
}

static bool all_changes(const struct cl_block *b)
{
	bool zero = b->k > 1 && all(b, 0, is_zero_pct) && (b->n > 2 || any_sign(b));
	bool signs = b->n > 1;

	for (size_t i = 0; i < b->n; i++)
		for (size_t j = 0; j < b->k; j++)
			signs &= b->rows[i].cells[j].sign ||
				 isnan(b->rows[i].cells[j].value);
	for (size_t j = 0; j < b->k; j++)
		if (!all(b, j, is_pct) && b->columns[j].role != CL_CHANGE)
			return false;
	return zero || signs || (any_sign(b) && b->has_head);
}

/* "old  new  old stddev  new stddev": in the order of the values. */
static void pair_spreads(struct grid *g, size_t n_values)
{
	const struct cl_block *b = g->b;
	size_t list[CL_CELLS_MAX], values[CL_CELLS_MAX], n = 0, v = 0;

	for (size_t j = 0; j < b->k; j++) {
		if (b->columns[j].role == CL_SPREAD)
			list[n++] = j;
		else if (b->columns[j].role == CL_VALUE && n)
			return; /* each stands behind its value */
		else if (b->columns[j].role == CL_VALUE)
			values[v++] = j;
	}
	for (size_t i = 0; n == n_values && i < n; i++)
		g->spread[values[i]] = list[i];
}

/* Which columns go with which. */
static void relate(struct grid *g)
{
	const struct cl_block *b = g->b;
	size_t value = b->k, n_values = 0;

	for (size_t j = 0; j < b->k; j++)
		n_values += b->columns[j].role == CL_VALUE;
	for (size_t j = 0; j < b->k; j++)
		g->change[j] = g->spread[j] = b->k;
	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];
		bool own = g->changes_only || (c->role == CL_CHANGE && n_values <= 1);

		if (c->role == CL_VALUE || own) {
			value = j;
			g->is_patched[j] = j != g->base && c->role != CL_SPREAD;
			if (g->changes_only && cl_is_spread(c->name))
				g->is_patched[j] = false;
			g->n_patched += g->is_patched[j];
		} else if (c->role == CL_CHANGE && value < b->k) {
			size_t to = value;

			if (to == g->base) /* "base %change patched" */
				for (to = j;
					to < b->k && b->columns[to].role != CL_VALUE;)
					to++;
			if (to == b->k) /* "patched base %change" */
				for (to = value; to-- > 0;)
					if (g->is_patched[to] && g->change[to] == b->k)
						break;
			if (to < b->k)
				g->change[to] = j;
		} else if (c->role == CL_SPREAD && value < b->k) {
			g->spread[value] = j;
		}
	}
	pair_spreads(g, n_values);
}

/* Does anything but the place of the base say that it is one? */
static bool is_named(const struct grid *g)
{
	const struct cl_block *b = g->b;

	if (all(b, g->base, is_base_note) && !all(b, g->base, is_bare))
		return true;
	for (size_t j = 0; j < b->k; j++)
		if (b->columns[j].base || b->columns[j].patched ||
			cl_is_kernel(b->columns[j].name))
			return true;
	return false;
}

static bool any_change(const struct grid *g, size_t j)
{
	for (size_t i = 0; i < g->b->n; i++)
		if (!isnan(change_of(g, &g->b->rows[i], j)))
			return true;
	return false;
}

/* The base that each patched column's own changes start from. Where names say nothing and
 * the numbers deny it, a value beside a change is all there is. */
static void settle_bases(struct grid *g)
{
	const struct cl_block *b = g->b;
	enum cl_answer said[CL_CELLS_MAX] = {0};
	size_t yes = 0, no = 0, changes = 0, values = 0;

	for (size_t j = 0; j < b->k; j++) {
		g->base_of[j] = g->base;
		if (!g->is_patched[j] || g->base == b->k || g->changes_only ||
			b->columns[j].role != CL_VALUE)
			continue;
		said[j] = cl_is_base_of(b, g->base, j, change_asked, g);
		yes += said[j] == CL_YES;
		no += said[j] == CL_NO;
		changes += any_change(g, j);
	}
	if (yes == changes || (!no && is_named(g)) || (!yes && b->columns[g->base].base))
		return;
	for (size_t j = 0; j < b->k; j++) {
		if (said[j] == CL_YES || !any_change(g, j))
			continue;
		g->base_of[j] = b->k;
		for (size_t i = 0; i < b->k; i++)
			if (i != j && b->columns[i].role == CL_VALUE &&
				cl_is_base_of(b, i, j, change_asked, g) == CL_YES)
				g->base_of[j] = i;
	}
	if (yes || is_named(g))
		return;
	g->n_patched = 0;
	for (size_t j = 0; j < b->k; j++) {
		bool other = b->columns[j].role == CL_VALUE && !all(b, j, is_whole) &&
			     all(b, j, is_bare) && !any_change(g, j);

		g->is_patched[j] &= any_change(g, j);
		g->n_patched += g->is_patched[j];
		values += other && !g->n_patched; /* one before it */
	}
	g->change_only = values > 0;
}

static double spread_of(const struct grid *g, const struct cl_row *r, size_t j)
{
	const struct cl_column *c = &g->b->columns[j];
	const struct cl_cell *cell = &r->cells[j];
	size_t s = g->spread[j];

	if (!isnan(cell->spread))
		return cell->spread;
	if (c->paren_spread && !isnan(cell->paren))
		return cell->paren;
	if (c->bracket_spread && !isnan(cell->bracket))
		return cell->bracket;
	if (c->paren_spread && !isnan(cell->change))
		return cell->change;
	if (s < g->b->k && (r->cells[s].pct || g->b->columns[s].pct))
		return r->cells[s].value;
	return NAN;
}

static double change_of(const struct grid *g, const struct cl_row *r, size_t j)
{
	const struct cl_column *c = &g->b->columns[j];
	const struct cl_cell *cell = &r->cells[j];
	size_t at = g->change[j];

	if (at < g->b->k) {
		const struct cl_cell *other = &r->cells[at];

		if (other->pct || g->b->columns[at].pct)
			return other->value;
	}
	if (c->bracket_change && !isnan(cell->bracket))
		return cell->bracket;
	if (c->paren_change && !isnan(cell->paren))
		return cell->paren;
	if (g->shares || (c->paren_spread && !c->bracket_change))
		return NAN;
	return cell->change;
}

/* "MB/sec copy", "copy (MB/s)": the unit, and the label without it. */
static const char *row_unit(struct arena *a, const char **label)
{
	size_t n = cl_unit_len(*label);
	const char *unit;

	if (n && (*label)[n] == ' ' && (n > 2 || strchr(*label, '/') == *label + 1)) {
		unit = arena_strndup(a, *label, n);
		*label += n + 1;
		return unit;
	}
	return strpbrk(*label, "([") ? cl_unit_in(a, *label) : NULL;
}

static void add(struct grid *g, const struct cl_row *r, size_t j)
{
	const struct cl_cell *cell = &r->cells[j];
	const struct cl_column *column = &g->b->columns[j];
	bool change_column = g->changes_only || column->role == CL_CHANGE;
	const char *label = r->label, *unit = row_unit(g->d->arena, &label);
	const char *name = g->n_patched > 1 ? g->names[j] : NULL;
	size_t from = g->base_of[j];
	const struct cl_cell *base = from < g->b->k ? &r->cells[from] : NULL;
	struct claim *c;

	if (isnan(cell->value) || (base && isnan(base->value) && !change_column))
		return;
	if (!change_column && (base ? base->pct != cell->pct : isnan(change_of(g, r, j))))
		return;
	if (change_column && !cell->pct && !column->pct)
		return;
	c = cl_add(g->d, g->b, label, name);
	if (!c)
		return;
	if (change_column) {
		c->change_pct = cell->value;
	} else {
		c->patched = cell->value;
		c->change_pct = change_of(g, r, j);
	}
	c->std_patched_pct = spread_of(g, r, j);
	if (base && !g->changes_only) {
		c->base = base->value;
		c->std_base_pct = spread_of(g, r, from);
	}
	if (unit)
		c->unit = unit;
	if (!c->unit)
		c->unit = cl_unit_in(g->d->arena, column->name);
	if (cl_direction(column->name) != CLAIM_BETTER_UNSAID)
		c->better = cl_direction(column->name);
	if (!isnan(c->change_pct) && c->change_pct != 0 &&
		(cell->worse || cell->improved) && c->better == CLAIM_BETTER_UNSAID)
		c->better = (c->change_pct > 0) == cell->improved ? CLAIM_HIGHER
								  : CLAIM_LOWER;
	if (g->change_only && !change_column && !cell->noted)
		c->patched = NAN;
	else if (!change_column)
		cl_units(g->d, c, base, cell);
}

bool cl_grid(struct cl_doc *d, size_t block)
{
	struct cl_block *b = &d->blocks[block];
	struct grid g = {.d = d, .b = b};

	if (b->k == 0 || b->n == 0)
		return false;
	guess_roles(b);
	g.changes_only = all_changes(b);
	for (size_t j = 0; j < b->k; j++)
		g.change[j] = g.spread[j] = b->k;
	g.shares = !notes_are_changes(&g);
	if (!g.changes_only && !is_comparison(&g))
		return false;
	if (g.changes_only)
		g.base = b->k > 1 && (all(b, 0, is_zero_pct) || b->columns[0].base)
				 ? 0
				 : b->k;
	else
		g.base = find_base(&g);
	for (size_t j = 0; j < b->k; j++)
		g.names[j] = b->columns[j].name;
	if (!b->has_head)
		names_from_prose(&g);
	relate(&g);
	settle_bases(&g);
	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];

		if (cl_is_spread(r->label) || cl_is_aside(r->label, true))
			continue;
		for (size_t j = 0; j < b->k; j++)
			if (g.is_patched[j])
				add(&g, r, j);
	}
	return true;
}
