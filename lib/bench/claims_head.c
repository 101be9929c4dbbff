// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_head.c - what the columns of a block are called, and what they hold. */
#include "base/base.h"

#include "bench/claims_doc.h"

#define NAME_MAX_LEN 70 /* of a column that names a kernel */

struct item {
	const char *text;
	int x0, x1;
};

struct items {
	struct item list[CL_CELLS_MAX];
	size_t n;
};

/* Splits where at least gap blanks stand, a tab or a bar. */
static void split(struct arena *a, const char *text, int gap, struct items *ret)
{
	int i = 0, start = -1, end = 0, len = (int)strlen(text);

	ret->n = 0;
	if (len > CL_LINE_MAX)
		return;
	for (; i <= len; i++) {
		bool tab = i < len && (text[i] == '\t' || text[i] == '|');
		bool blank = i == len || tab || text[i] == ' ';

		if (!blank) {
			if (start < 0)
				start = i;
			end = i + 1;
		}
		if (start >= 0 && blank && (tab || i == len || i + 1 - end >= gap)) {
			bool rule =
				strspn(text + start, "=-~+") >= (size_t)(end - start) &&
				end - start > 2;

			if (ret->n < CL_CELLS_MAX && !rule)
				ret->list[ret->n++] =
					(struct item){cl_collapse(a, text + start,
							      (size_t)(end - start)),
						start, end};
			start = -1;
		}
	}
	/* "/" at the end: the header goes on */
	if (ret->n && strlen(ret->list[ret->n - 1].text) == 1 &&
		strchr("/\\", *ret->list[ret->n - 1].text))
		ret->n--;
}

static bool has_note(const struct cl_block *b)
{
	for (size_t i = 0; i < b->n; i++)
		for (size_t j = 0; j < b->rows[i].n; j++)
			if (!isnan(b->rows[i].cells[j].change))
				return true;
	return false;
}

/* text without what stands in brackets. */
static const char *outside(struct arena *a, const char *text)
{
	char *to = arena_strdup(a, text);
	int in = 0;

	for (char *p = to; *p; p++) {
		bool open = *p == '(' || *p == '[', close = *p == ')' || *p == ']';

		in += open;
		if (in || close)
			*p = ' ';
		in -= close && in;
	}
	return to;
}

static const char *inside(struct arena *a, const char *text, char open, char close)
{
	const char *p = strchr(text, open), *q = p ? strchr(p, close) : NULL;

	return q ? arena_strndup(a, p + 1, (size_t)(q - p - 1)) : "";
}

static void name_column(struct arena *a, struct cl_column *c, const char *name)
{
	const char *out = outside(a, name), *round = inside(a, name, '(', ')'),
		   *square = inside(a, name, '[', ']');

	c->name = name;
	c->paren_spread =
		cl_is_spread(round) && (cl_has_pct(round) || cl_has(round, "cv"));
	c->paren_change = cl_is_change(round) && cl_has_pct(round);
	c->bracket_spread =
		cl_is_spread(square) && (cl_has_pct(square) || cl_has(square, "cv"));
	c->bracket_change = cl_is_change(square) && cl_has_pct(square);
	c->pct = cl_has_pct(name);
	c->base = strlen(name) < NAME_MAX_LEN && cl_is_base(name);
	c->patched = strlen(name) < NAME_MAX_LEN && cl_is_patched(name);
	if (c->paren_spread || c->paren_change || c->bracket_spread || c->bracket_change)
		c->name = cl_collapse(a, out, strlen(out));
	c->role = CL_VALUE;
	if (cl_is_spread(out) && !cl_is_change(out))
		c->role = CL_SPREAD;
	else if (strspn(out, " ") == strlen(out) ? cl_is_change(name) : cl_is_change(out))
		c->role = CL_CHANGE;
	else if (cl_has(out, "ratio"))
		c->role = CL_NONE;
	if (c->role == CL_CHANGE && !c->pct)
		c->paren_change = false;
}

/* The items of a line with more than k that stand above the columns, one above each, or
 * false. *first: index of the one above the first column. */
static bool align(const struct cl_block *b, struct items *it, size_t k, size_t *first)
{
	size_t from = 0;

	for (size_t j = 0; j < k; j++) {
		int x0 = CL_LINE_MAX, x1 = 0, best = 0;
		size_t at = it->n;

		for (size_t i = 0; i < b->n; i++) {
			const struct cl_row *r = &b->rows[i];

			/* a row with too few cells will go, and says nothing here */
			if (r->n < k || !r->text || (r->n == k && k > 1 && !*r->label))
				continue;
			x0 = r->cells[r->n - k + j].x0 < x0 ? r->cells[r->n - k + j].x0
							    : x0;
			x1 = r->cells[r->n - k + j].x1 > x1 ? r->cells[r->n - k + j].x1
							    : x1;
		}
		for (size_t i = from; i < it->n; i++) {
			int left = it->list[i].x0 > x0 ? it->list[i].x0 : x0;
			int right = it->list[i].x1 < x1 ? it->list[i].x1 : x1;

			if (right - left > best) {
				best = right - left;
				at = i;
			}
		}
		if (at == it->n)
			return false;
		*first = j ? *first : at;
		from = at + 1;
		it->list[*first + j] = it->list[at];
	}
	it->n = *first + k;
	return true;
}

/* "12  111.023  8.749456": a row of another table, not "1  2  4" or "6.1  6.2". */
static bool is_values(const struct items *it)
{
	size_t n = 0, numbers = 0;

	for (size_t j = 0; j < it->n; j++) {
		const char *point = strchr(it->list[j].text, '.'), *end;
		double v;
		bool whole;

		end = cl_number(it->list[j].text, false, &v, &whole);
		if (!end || *end)
			continue;
		numbers++;
		n += point && (point - it->list[j].text > 1 || strlen(point) > 3);
	}
	return n > 0 && 3 * numbers >= 2 * it->n;
}

/* As many items as a row has numbers, and no labels: their order says what each names. */
static bool is_one_each(const struct cl_block *b, size_t n_items, size_t k)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];

		if (*r->label || r->n > n_items || (r->n > k && r->n < n_items))
			return false;
	}
	return true;
}

/* The k items of a line that name columns, or false. */
static bool choose(struct cl_doc *d, const struct cl_block *b, const char *text, size_t k,
	struct items *ret, const char **label_head)
{
	struct items wide, narrow;
	bool notes = has_note(b);
	size_t first = 0;

	split(d->arena, text, 2, &wide);
	split(d->arena, text, 1, &narrow);
	*label_head = "";
	for (size_t j = wide.n; notes && wide.n > k && j-- > 0;) {
		struct cl_column c;

		name_column(d->arena, &c, wide.list[j].text);
		if (c.role != CL_CHANGE || j + 1 < wide.n)
			continue; /* "base  patched  change" over base, patched (x%) */
		memmove(wide.list + j, wide.list + j + 1,
			(wide.n - j - 1) * sizeof(*wide.list));
		wide.n--;
	}
	*ret = wide;
	if (wide.n > k && !is_one_each(b, wide.n, k) && align(b, ret, k, &first))
		;
	else if (wide.n >= k && wide.n <= k + 4)
		*ret = wide;
	else if (narrow.n == k || (narrow.n == k + 1 && k > 1))
		*ret = narrow;
	else
		return false;
	for (size_t j = 0; j + k < ret->n; j++)
		*label_head = **label_head ? arena_printf(d->arena, "%s %s", *label_head,
						     ret->list[j].text)
					   : ret->list[j].text;
	memmove(ret->list, ret->list + (ret->n - k), k * sizeof(*ret->list));
	ret->n = k;
	return !is_values(ret);
}

/* Where the first of the k values begins, and the label's end, in the first row. */
static bool right_of_labels(const struct cl_block *b, const struct items *it, size_t k)
{
	const struct cl_row *r = &b->rows[0];
	int label_end = 0, label_start;

	if (r->n < k || !it->n || !r->text)
		return true;
	label_start = (int)strspn(r->text, " \t");
	if (it->list[0].x0 <= label_start && it->list[0].x1 <= r->cells[r->n - k].x0 &&
		*r->label && it->list[0].x0 < r->cells[r->n - k].x0 - 2)
		return false; /* it heads the labels */
	for (const char *p = r->text; p && p - r->text < r->cells[r->n - k].x0; p++)
		if (*p != ' ' && *p != '\t')
			label_end = (int)(p - r->text) + 1;
	return it->list[0].x1 > label_end;
}

static bool is_sentence(const char *text)
{
	size_t n = strlen(text);

	return n && (text[n - 1] == '.' || text[n - 1] == ',' || n > 400) &&
	       !strstr(text, "   ") && !strchr(text, '\t');
}

/* The line above at that can be a header, over rules and one blank line; or d->n. */
static size_t line_above(const struct cl_doc *d, size_t at, int depth, bool blank_ok)
{
	for (size_t n = 0; at-- > 0 && n < 4; n++) {
		const struct cl_line *l = &d->lines[at];

		if (l->depth != depth || l->skip || l->taken)
			break;
		if (l->rule)
			continue;
		if (!*l->text) {
			if (!blank_ok)
				break;
			blank_ok = false;
			continue;
		}
		return at;
	}
	return d->n;
}

/* How many columns the header's items mean where rows leave it open. */
static size_t settle(const struct cl_block *b, const struct items *wide, size_t k)
{
	const struct cl_row *r = &b->rows[0];
	bool open = true;

	for (size_t i = 0; i < b->n; i++)
		if (b->rows[i].n != k || k < 2 || !b->rows[i].cells[0].whole ||
			b->rows[i].cells[0].noted || !*b->rows[i].label)
			open = false;
	if (!open || r->n < 2)
		return k;
	if (wide->n + 1 == k)
		return k - 1;
	if (wide->n == k && wide->list[0].x1 <= r->cells[0].x0)
		return k - 1;
	return k;
}

/* Columns at the end that hold percentages, behind two or more that hold none. */
static size_t n_trailing_pct(const struct cl_block *b)
{
	size_t n = 0;

	while (n + 2 < b->k) {
		for (size_t i = 0; i < b->n; i++) {
			const struct cl_row *r = &b->rows[i];

			if (r->n > n && !r->cells[r->n - 1 - n].pct)
				return n;
		}
		n++;
	}
	return 0;
}

/* Adds the items of a lower line to the names above them. False: one stands apart. */
static bool merge(struct arena *a, struct items *names, const struct items *lower)
{
	for (size_t i = 0; i < lower->n; i++) {
		const struct item *l = &lower->list[i];
		int mid = l->x0 + l->x1, best_gap = -1;
		size_t best = 0;

		for (size_t j = 0; j < names->n; j++) {
			int gap = abs(names->list[j].x0 + names->list[j].x1 - mid);

			if (best_gap < 0 || gap < best_gap) {
				best = j;
				best_gap = gap;
			}
		}
		if (best_gap < 0 || l->x1 <= names->list[best].x0 - 2 ||
			l->x0 >= names->list[best].x1 + 2)
			return false;
		names->list[best].text =
			arena_printf(a, "%s %s", names->list[best].text, l->text);
	}
	return lower->n > 0;
}

/* Items of a header that may name a column: "Test:" at its left is of the labels. */
static size_t n_names(const struct items *it)
{
	size_t len = it->n ? strlen(it->list[0].text) : 0;

	return it->n - (len && it->list[0].text[len - 1] == ':');
}

/* "+ this" below "base", or "this" below "base +": a name that a mail program broke. */
static bool adds_to(struct cl_doc *d, struct items *names, const struct items *low)
{
	struct item *to = &names->list[names->n - 1];
	size_t len = strlen(to->text);

	if (low->n != 1 || !len ||
		!(to->text[len - 1] == '+' || *low->list[0].text == '+'))
		return false;
	to->text = arena_printf(d->arena, "%s %s", to->text, low->list[0].text);
	return true;
}

/* Line low stands between names and rows: "1 Thread" heads the rows, "sched/core" goes
 * on with a name, what stands above the labels says nothing of columns. */
static bool goes_on(
	struct cl_doc *d, struct cl_block *b, size_t low, bool last, struct items *names)
{
	struct items it, right = {.n = 0};

	split(d->arena, d->lines[low].text, 2, &it);
	if (adds_to(d, names, &it))
		return true;
	for (size_t i = 0; i < it.n; i++)
		if (it.list[i].x1 > names->list[0].x0)
			right.list[right.n++] = it.list[i];
	if (!right.n && it.n == 1 && last)
		b->group = it.list[0].text;
	return !right.n || merge(d->arena, names, &right);
}

/* The names stand above one or two lines that are none. */
static bool names_above(
	struct cl_doc *d, struct cl_block *b, size_t low, size_t floor, struct items *ret)
{
	size_t lows[2] = {low}, at = low;
	int depth = d->lines[b->first].depth;

	for (size_t n = 1; n <= 2; n++) {
		const char *label_head;
		struct items wide;
		bool yes = true;

		at = line_above(d, at, depth, false);
		if (at == d->n || at < floor || is_sentence(d->lines[at].text))
			return false;
		split(d->arena, d->lines[at].text, 2, &wide);
		if (n_names(&wide) >= b->k && wide.n <= b->k + 4 && wide.n > 1 &&
			choose(d, b, d->lines[at].text, b->k, ret, &label_head) &&
			right_of_labels(b, ret, b->k)) {
			for (size_t i = n; yes && i-- > 0;)
				yes = goes_on(d, b, lows[i], i == 0, ret);
			if (yes) {
				b->head = at;
				b->label_head = label_head;
				return true;
			}
			b->group = NULL;
		}
		if (n < 2)
			lows[n] = at;
	}
	return false;
}

static bool find_head(struct cl_doc *d, size_t block, struct items *ret)
{
	struct cl_block *b = &d->blocks[block];
	/* rows are no header of the rows below them */
	size_t floor = block ? d->blocks[block - 1].last + 1 : 0;
	int depth = d->lines[b->first].depth;
	size_t at = line_above(d, b->first, depth, true), up, pct;
	struct items wide, more;
	const char *label_head, *other;

	if (at == d->n || at < floor || is_sentence(d->lines[at].text))
		return false;
	split(d->arena, d->lines[at].text, 2, &wide);
	b->k = settle(b, &wide, b->k);
	if (b->k == 0 || (b->k == 1 && wide.n < 2 &&
				 (!cl_is_base(d->lines[at].text) ||
					 !right_of_labels(b, &wide, 1))))
		return false;
	/* "before  after" above before, after and a change */
	pct = n_trailing_pct(b);
	if (pct && wide.n >= b->k - pct && wide.n < b->k &&
		choose(d, b, d->lines[at].text, b->k - pct, ret, &label_head)) {
		while (ret->n < b->k)
			ret->list[ret->n++] = (struct item){"", 0, 0};
	} else if (!choose(d, b, d->lines[at].text, b->k, ret, &label_head) ||
		   !right_of_labels(b, ret, b->k)) {
		/* broken in two by a mail program */
		up = line_above(d, at, depth, false);
		if (up == d->n || up < floor || is_sentence(d->lines[up].text))
			return false;
		if (names_above(d, b, at, floor, ret))
			return true;
		split(d->arena, d->lines[up].text, 2, &more);
		other = arena_printf(d->arena, "%s%s%s", d->lines[up].text,
			n_names(&more) >= b->k ? " " : "  ", d->lines[at].text);
		if (wide.n >= b->k || wide.n == 0 || more.n < 2 ||
			!choose(d, b, other, b->k, ret, &label_head))
			return false;
		b->head = up;
		b->label_head = label_head;
		return true;
	}
	if (!right_of_labels(b, ret, b->k))
		return false;
	b->head = at;
	b->label_head = label_head;
	/* a second line above: "5.13.0-rc2   5.13.0-rc2" */
	up = line_above(d, at, depth, false);
	if (up == d->n || up < floor || is_sentence(d->lines[up].text))
		return true;
	split(d->arena, d->lines[up].text, 2, &more);
	if (more.n != b->k || !right_of_labels(b, &more, b->k) || b->k < 2)
		return true;
	for (size_t j = 0; j < b->k; j++)
		ret->list[j].text = arena_printf(
			d->arena, "%s %s", more.list[j].text, ret->list[j].text);
	b->head = up;
	return true;
}

static bool inherit(struct cl_doc *d, size_t block)
{
	struct cl_block *b = &d->blocks[block];
	const struct cl_block *from = block ? b - 1 : NULL;

	if (!from || !from->has_head || from->k != b->k || from->pipe ||
		b->first - from->last > 10 || b->k < 2 ||
		d->lines[from->first].depth != d->lines[b->first].depth)
		return false;
	b->columns = from->columns;
	b->has_head = true;
	return true;
}

static bool is_change_column(const struct cl_block *b, size_t j)
{
	bool pct = b->columns[j].pct;

	for (size_t i = 0; i < b->n && !pct; i++)
		pct = b->rows[i].cells[j].pct;
	return b->columns[j].role == CL_CHANGE && pct;
}

/* A name that only sounds like a change: "patched %gain" above "164.78 * 0.19%*", or
 * "above diff" beside a column of percentages. */
static void settle_roles(struct cl_block *b)
{
	bool change = false;

	for (size_t j = 0; j < b->k; j++)
		change |= is_change_column(b, j);
	for (size_t j = 0; j < b->k; j++) {
		struct cl_column *c = &b->columns[j];
		bool noted = false;

		for (size_t i = 0; i < b->n; i++)
			noted |= !isnan(b->rows[i].cells[j].change) &&
				 !b->rows[i].cells[j].pct;
		if (c->role != CL_CHANGE)
			continue;
		if (noted)
			c->role = CL_VALUE;
		else if (change && !is_change_column(b, j))
			c->role = cl_is_difference(b, j) ? CL_NONE : CL_VALUE;
	}
}

/* "6.2" beside "6.2 + this": what the others add to is the base. */
static void find_prefix(struct cl_block *b)
{
	size_t shortest = b->k;

	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];

		if (c->role == CL_VALUE &&
			(shortest == b->k ||
				strlen(c->name) < strlen(b->columns[shortest].name)))
			shortest = j;
	}
	for (int pass = 0; shortest < b->k && pass < 2; pass++)
		for (size_t j = 0; j < b->k; j++) {
			struct cl_column *c = &b->columns[j];
			const char *base = b->columns[shortest].name, *p;

			if (c->role != CL_VALUE || j == shortest)
				continue;
			p = c->name + strlen(base);
			if (!*base || strncmp(c->name, base, strlen(base)) != 0 ||
				(*p != '+' && strncmp(p, " +", 2) != 0))
				return;
			if (pass) {
				b->columns[shortest].base = true;
				c->patched = true;
			}
		}
}

/* "base  patched  diff  p-value", "base  patched  diff  X": beside columns of kernels one
 * that holds something else. */
static void find_asides(struct cl_block *b)
{
	size_t n_base = 0, n_patched = 0, n_change = 0, n_other = 0;

	for (size_t j = 0; j < b->k; j++) {
		const struct cl_column *c = &b->columns[j];

		n_base += c->role == CL_VALUE && c->base;
		n_patched += c->role == CL_VALUE && !c->base &&
			     (c->patched || cl_is_kernel(c->name));
		n_other += c->role == CL_VALUE && !c->base;
		n_change += c->role == CL_CHANGE;
	}
	if (!b->has_head || !n_base || !n_patched)
		return;
	for (size_t j = 0; j < b->k; j++) {
		struct cl_column *c = &b->columns[j];
		bool last = j && j + 1 == b->k && b->columns[j - 1].role == CL_CHANGE &&
			    n_change < n_other && *c->name;

		if (c->role == CL_VALUE && !c->base && !c->patched &&
			!cl_is_kernel(c->name) && (last || cl_is_aside(c->name, false)))
			c->role = CL_NONE;
	}
}

static bool names_kernel(const struct cl_column *c)
{
	return c->base || c->patched || cl_is_kernel(c->name);
}

/* Rows without a value whose first number stands where others have the first of theirs,
 * which goes to the labels: nothing says which value is missing, so they go. */
static void drop_short(struct cl_block *b)
{
	int end = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];

		if (r->n >= b->k && r->cells[r->n - b->k].x1 > end)
			end = r->cells[r->n - b->k].x1;
	}
	for (size_t i = 0; i < b->n; i++) {
		struct cl_row *r = &b->rows[i];

		/* one alone, "Groups: 4", heads others */
		if (r->n > 1 && r->n < b->k && r->cells[0].x0 < end)
			r->n = 0;
	}
}

/* "type groups  6.2  6.2 + x" above "Process 10  1.5  1.6": groups are of the label, as
 * all other columns are kernels. */
static void give_to_labels(struct cl_block *b)
{
	bool aside;

	if (b->k < 3 || !b->has_head || !*b->columns[0].name ||
		names_kernel(&b->columns[0]))
		return;
	for (size_t j = 1; j < b->k; j++)
		if (b->columns[j].role == CL_VALUE && !names_kernel(&b->columns[j]))
			return;
	aside = cl_is_aside(b->columns[0].name, false);
	for (size_t i = 0; i < b->n; i++) {
		const struct cl_row *r = &b->rows[i];

		if (r->n < b->k)
			continue;
		if ((!*r->label && (r->n == b->k || !aside)) ||
			!r->cells[r->n - b->k].whole || r->cells[r->n - b->k].noted)
			return;
	}
	drop_short(b);
	b->columns++;
	b->k--;
}

/* "w/o patch  w/ patch" above "21005  27120": values without a label, which get the name
 * of what is compared. */
static void label_values(struct cl_doc *d, struct cl_block *b)
{
	const struct cl_line *above = b->first ? &d->lines[b->first - 1] : NULL;
	struct cl_row *r = &b->rows[0];
	struct items head;

	if (b->n != 1 || *r->label || r->n < 2 || !above || above->skip ||
		above->depth != d->lines[b->first].depth || is_sentence(above->text))
		return;
	split(d->arena, above->text, 2, &head);
	if (head.n != r->n || !cl_is_base(head.list[0].text))
		return;
	for (size_t j = 1; j < head.n; j++)
		if (!cl_is_patched(head.list[j].text))
			return;
	r->label = head.list[head.n - 1].text;
}

void cl_find_columns(struct cl_doc *d, size_t block)
{
	struct cl_block *b = &d->blocks[block];
	struct items head;

	if (b->pipe) {
		b->columns = ARENA_ARRAY(d->arena, struct cl_column, b->k ? b->k : 1);
		for (size_t j = 0; j < b->k; j++)
			name_column(d->arena, &b->columns[j],
				b->pipe_head ? b->pipe_head[j] : "");
		b->has_head = b->pipe_head != NULL;
		settle_roles(b);
		find_prefix(b);
		find_asides(b);
		return;
	}
	label_values(d, b);
	cl_count(b);
	if (!b->rows[0].from_to && find_head(d, block, &head)) {
		b->columns = ARENA_ARRAY(d->arena, struct cl_column, b->k);
		for (size_t j = 0; j < b->k; j++)
			name_column(d->arena, &b->columns[j], head.list[j].text);
		b->has_head = true;
	} else if (b->rows[0].from_to || !inherit(d, block)) {
		b->columns = ARENA_ARRAY(d->arena, struct cl_column, b->k ? b->k : 1);
		for (size_t j = 0; j < b->k; j++)
			name_column(d->arena, &b->columns[j], "");
	}
	find_prefix(b);
	give_to_labels(b);
	cl_trim_rows(d, b);
	settle_roles(b);
	find_prefix(b);
	find_asides(b);
}
