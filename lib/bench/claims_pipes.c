// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_pipes.c - tables drawn with bars: "| bench | base | patched |". */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <strings.h>

#define HEADS_MAX 8 /* lines of words above the first row */

struct bars {
	const char *cells[CL_CELLS_MAX];
	size_t n;
	size_t line;
};

static bool split(struct arena *a, const char *text, struct bars *ret)
{
	const char *p = strchr(text, '|');

	ret->n = 0;
	if (!p || strlen(text) > CL_LINE_MAX)
		return false;
	for (p++; ret->n < CL_CELLS_MAX;) {
		const char *end = strchr(p, '|');

		if (!end)
			break;
		ret->cells[ret->n++] = cl_collapse(a, p, (size_t)(end - p));
		p = end + 1;
	}
	for (size_t i = 0; i < ret->n; i++)
		ret->cells[i] += strspn(ret->cells[i], " ");
	return ret->n >= 2;
}

static bool holds_letters(struct arena *a, const struct bars *b)
{
	for (size_t i = 0; i < b->n; i++) {
		struct cl_cell c;

		if (cl_read_cell(a, b->cells[i], false, &c) && !c.unit && !isnan(c.value))
			return false;
	}
	return true;
}

/* "| page_fault1 |     |     |": only its first cell says something. */
static bool is_group(const struct bars *b)
{
	for (size_t i = 1; i < b->n; i++)
		if (*b->cells[i])
			return false;
	return b->n > 1 && *b->cells[0];
}

/* "| 6.5 | baseline | N/A |": a row without numbers that others are compared with. */
static bool is_bases(const struct bars *b)
{
	bool any = false;

	for (size_t i = 1; i < b->n; i++) {
		const char *text = b->cells[i];
		bool base = strcasecmp(text, "baseline") == 0 ||
			    strcasecmp(text, "base") == 0;

		if (*text && !base && strcasecmp(text, "n/a") != 0 && i > 1 && any &&
			strspn(text, "- ") != strlen(text))
			return false;
		any |= base;
	}
	return any;
}

/* Column j holds numbers in more than half of the rows that have it. */
static bool is_numbers(
	struct arena *a, const struct bars *rows, size_t n, size_t j, bool comma)
{
	size_t yes = 0, no = 0;

	for (size_t i = 0; i < n; i++) {
		struct cl_cell c;

		if (j >= rows[i].n || !*rows[i].cells[j])
			continue;
		if (cl_read_cell(a, rows[i].cells[j], comma, &c))
			yes++;
		else
			no++;
	}
	return yes > no;
}

/* What a row's first label cell says, for those below that leave it empty. */
static const char *first_of(struct arena *a, const char *label)
{
	const char *bar = strstr(label, " | ");

	return bar ? arena_strndup(a, label, (size_t)(bar - label)) : "";
}

/* A column behind the first is of another kernel. */
static bool has_other(const struct bars *head)
{
	for (size_t i = 1; i < head->n; i++)
		if (cl_is_patched(head->cells[i]) || cl_is_kernel(head->cells[i]) ||
			cl_is_change(head->cells[i]))
			return true;
	return false;
}

static void fill(struct cl_doc *d, struct cl_block *b, const struct bars *rows, size_t n,
	const struct bars *head, bool comma)
{
	bool numbers[CL_CELLS_MAX] = {false};
	size_t width = 0, cap = 0, first = 0;
	const char *group = NULL;

	for (size_t i = 0; i < n; i++)
		width = rows[i].n > width ? rows[i].n : width;
	for (size_t j = 0; j < width; j++)
		numbers[j] = is_numbers(d->arena, rows, n, j, comma);
	/* the first column names the rows, even by a number */
	if (numbers[0] && !(head && cl_is_base(head->cells[0]) && has_other(head)))
		numbers[0] = false;
	for (size_t i = 0; i < n && d->n_reads < CL_READS_MAX; i++) {
		struct cl_row r = {.line = rows[i].line, .tail = "", .label = ""};
		bool any = false, says = false;

		d->n_reads += width;
		r.cells = ARENA_ARRAY(d->arena, struct cl_cell, width);
		for (size_t j = 0; j < width; j++) {
			const char *text = j < rows[i].n ? rows[i].cells[j] : "";

			says |= strspn(text, "*+-. ") != strlen(text);
			if (numbers[j]) {
				struct cl_cell c;

				if (!cl_read_cell(d->arena, text, comma, &c))
					c = cl_no_cell();
				any |= *text != 0;
				r.cells[r.n++] = c;
			} else if (!*text && j == 0 && b->n && !group) {
				r.label = first_of(d->arena, b->rows[b->n - 1].label);
			} else if (strspn(text, "*+-. ") != strlen(text)) {
				r.label = *r.label ? arena_printf(d->arena, "%s | %s",
							     r.label, text)
						   : text;
			}
		}
		/* broken where no bar is: which cells are these? */
		if (any && rows[i].n + 1 < width)
			continue;
		/* "| page_fault1 |     |     |": of the rows below */
		if (r.n && !any && !says)
			continue;
		if (r.n && !any) {
			group = r.label;
			continue;
		}
		if (group)
			r.label = arena_printf(d->arena, "%s | %s", group, r.label);
		if (r.n)
			*ARENA_PUSH(d->arena, b->rows, b->n, cap) = r;
	}
	for (size_t j = 0; j < width; j++)
		b->k += numbers[j];
	if (!head)
		return;
	b->pipe_head = ARENA_ARRAY(d->arena, const char *, b->k ? b->k : 1);
	for (size_t j = 0; j < width; j++) {
		const char *text = j < head->n ? head->cells[j] : "";

		if (numbers[j])
			b->pipe_head[first++] = text;
		else if (*text)
			b->label_head = *b->label_head ? arena_printf(d->arena, "%s %s",
								 b->label_head, text)
						       : text;
	}
}

/* A header of several lines is one, cell by cell. */
static void add_head(struct arena *a, struct bars *head, const struct bars *more)
{
	if (head->n < more->n) { /* a cell over several columns names none of them */
		*head = *more;
		return;
	}
	for (size_t i = 0; i < head->n && i < more->n; i++)
		head->cells[i] = cl_collapse(a,
			arena_printf(a, "%s %s", head->cells[i], more->cells[i]),
			strlen(head->cells[i]) + 1 + strlen(more->cells[i]));
}

/* How many columns "|---+---|" draws, 0 for a rule that says nothing. */
static size_t columns_of(const char *rule)
{
	size_t n = 0;

	for (const char *p = rule; *p; p++)
		n += *p == '|' || *p == '+';
	return n > 2 ? n - 1 : 0;
}

size_t cl_pipe_block(struct cl_doc *d, size_t i)
{
	struct bars *rows = NULL, one, head = {.n = 0};
	size_t n = 0, cap = 0, n_heads = 0, n_ruled = 0, j;
	bool comma = false;
	struct cl_block *b;
	int depth = d->lines[i].depth;

	for (j = i; j < d->n && d->lines[j].depth == depth && n < CLAIMS_MAX; j++) {
		if (d->n_reads >= CL_READS_MAX)
			break;
		const struct cl_line *l = &d->lines[j];

		if (l->rule && !n_ruled)
			n_ruled = columns_of(l->text);
		if (l->rule || (l->skip && !*l->text))
			continue;
		if (l->skip || l->text[l->indent] != '|')
			break;
		if (!split(d->arena, l->text, &one))
			break;
		if (n_ruled && one.n > n_ruled + 2)
			continue; /* several rows that lost their line ends */
		one.line = j;
		d->n_reads += one.n;
		comma |= cl_comma_is_point(l->text);
		if (n_heads && is_bases(&one))
			continue;
		if (!n && holds_letters(d->arena, &one) && !(n_heads && is_group(&one))) {
			if (++n_heads > HEADS_MAX)
				break;
			add_head(d->arena, &head, &one);
			continue;
		}
		*ARENA_PUSH(d->arena, rows, n, cap) = one;
	}
	if (!n)
		return j - i; /* rules and words */
	b = cl_add_block(d);
	b->pipe = true;
	b->first = b->head = i;
	b->last = j - 1;
	fill(d, b, rows, n, head.n ? &head : NULL, comma);
	return j - i;
}
