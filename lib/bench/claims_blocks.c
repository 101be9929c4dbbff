// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_blocks.c - rows that follow each other, put together where mail wrapped them. */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>

struct cl_block *cl_add_block(struct cl_doc *d)
{
	struct cl_block *b = ARENA_PUSH(d->arena, d->blocks, d->n_blocks, d->cap_blocks);

	b->label_head = "";
	return b;
}

static bool readable(const struct cl_doc *d, size_t i)
{
	const struct cl_line *l = &d->lines[i];

	return i < d->n && d->n_reads < CL_READS_MAX && !l->skip && !l->taken &&
	       !l->rule && *l->text && l->text[l->indent] != '|';
}

static bool read_row(struct cl_doc *d, const char *text, bool comma, struct cl_row *ret)
{
	bool yes = cl_read_row(d->arena, text, comma, ret);

	d->n_reads += yes ? ret->n : 1;
	return yes;
}

/* Line i as a row, read once however often it is asked for; NULL when it is none. */
static const struct cl_row *row_at(struct cl_doc *d, size_t i)
{
	struct cl_line *l = &d->lines[i];
	struct cl_row r;

	if (!readable(d, i))
		return NULL;
	if (!l->tried && read_row(d, l->text, false, &r))
		l->row = arena_memdup(d->arena, &r, sizeof(r));
	l->tried = true;
	return l->row;
}

/* A line that a mail program broke off the one before: it begins with what can only
 * stand behind a number. */
static bool is_broken_off(const char *p)
{
	p += strspn(p, " \t");
	if (*p == '(' || *p == '[') {
		size_t len = strcspn(++p, ")]");
		char inside[48], *words = inside;

		p += strspn(p, " ");
		if (len >= sizeof(inside))
			return false;
		snprintf(inside, sizeof(inside), "%.*s", (int)strcspn(p, ")]"), p);
		while (*words && !isalpha((unsigned char)*words))
			words++;
		/* "(2) the second" and "(3 default)" are labels, "( 1.2 pct)" is not */
		if (*inside && !strpbrk(inside, "%.") && !cl_has_pct(inside))
			return false;
		if (*words && *words != 'x' && !cl_has_pct(words) && !cl_is_change(words))
			return false;
		return isdigit((unsigned char)*p) || *p == '-' || *p == '+' || *p == ')';
	}
	return p[0] == '*' && p[1] == ' ' &&
	       isdigit((unsigned char)p[2 + strspn(p + 2, " -+")]) && strchr(p, '%');
}

/* Rows without a label between rows with one, of one length: every row was broken. */
static bool is_alternating(struct cl_doc *d, size_t i)
{
	const struct cl_row *r[4];

	for (size_t j = 0; j < 4; j++) {
		r[j] = i + j < d->n ? row_at(d, i + j) : NULL;
		if (!r[j] || (*r[j]->label != 0) != (j % 2 == 0))
			return false;
	}
	return r[0]->n == r[2]->n && r[1]->n == r[3]->n;
}

/* The row at line i with what belongs to it: *used lines, *text. */
static bool row_with_rest(struct cl_doc *d, size_t i, bool *alternating, size_t *used,
	const char **text, struct cl_row *ret)
{
	const struct cl_line *l = &d->lines[i], *next = l + 1;
	const struct cl_row *r = row_at(d, i), *after;

	*used = 1;
	if (r && i + 1 < d->n && next->depth == l->depth && readable(d, i + 1) &&
		strlen(l->text) + strlen(next->text) < CL_LINE_MAX) {
		bool broken = is_broken_off(next->text);

		if (!*alternating)
			*alternating = is_alternating(d, i);
		if (!broken && *alternating && *r->label)
			broken = (after = row_at(d, i + 1)) && !*after->label;
		if (broken) {
			*used = 2;
			*text = arena_printf(d->arena, "%s %s", l->text, next->text);
			return read_row(d, *text, false, ret);
		}
	}
	if (!r)
		return false;
	*text = l->text;
	*ret = *r;
	return true;
}

/* The block that begins at line i; the number of lines it takes, 0 for none. */
static size_t read_block(struct cl_doc *d, size_t i)
{
	const char **texts = NULL;
	struct cl_row *rows = NULL, r;
	size_t n = 0, cap = 0, n_texts = 0, cap_texts = 0, used, end = i, j = i;
	bool comma = false, alternating = false;
	int depth = d->lines[i].depth;
	size_t *at = NULL, n_at = 0, cap_at = 0;
	struct cl_block *b;

	while (j < d->n && d->lines[j].depth == depth) {
		const char *text;

		if (d->lines[j].rule && n && !d->lines[j].skip) {
			j++;
			continue;
		}
		if (!row_with_rest(d, j, &alternating, &used, &text, &r))
			break;
		if (n && r.from_to != rows[0].from_to)
			break;
		*(const char **)ARENA_PUSH(d->arena, texts, n_texts, cap_texts) = text;
		*ARENA_PUSH(d->arena, at, n_at, cap_at) = j;
		r.line = j;
		*ARENA_PUSH(d->arena, rows, n, cap) = r;
		comma |= r.comma;
		j += used;
		end = j;
	}
	if (!n)
		return 0;
	for (size_t k = 0; comma && k < n; k++)
		if (read_row(d, texts[k], true, &r)) {
			r.line = at[k];
			rows[k] = r;
		}
	b = cl_add_block(d);
	b->rows = rows;
	b->n = n;
	b->first = b->head = i;
	b->last = end - 1;
	return end - i;
}

void cl_find_blocks(struct cl_doc *d)
{
	for (size_t i = 0; i < d->n;) {
		struct cl_line *l = &d->lines[i];
		size_t n = 0;

		if (!l->skip && !l->taken && *l->text) {
			if (l->text[l->indent] == '|' || l->rule)
				n = cl_pipe_block(d, i);
			else
				n = read_block(d, i);
		}
		i += n ? n : 1;
	}
}
