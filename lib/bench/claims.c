// SPDX-License-Identifier: GPL-2.0-or-later
/* claims.c - the formats in their order, and the JSON. */
#include "base/base.h"

#include "bench/claims_doc.h"

/* A format takes a block that is its own; a new one is a file and a line here. */
static const struct format {
	const char *name; /* what such a table looks like */
	bool (*read)(struct cl_doc *d, size_t block);
} formats[] = {
	{"two lists, one below \"without patch\" and one below \"with patch\"",
		cl_stacked},
	{"a kernel a row", cl_kernels},
	{"a kernel a column, or changes alone", cl_grid},
};

static const char *join(struct arena *a, const char *left, const char *right)
{
	if (!right || !*right)
		return left;
	return *left ? arena_printf(a, "%s | %s", left, right) : right;
}

struct claim *cl_add(
	struct cl_doc *d, const struct cl_block *b, const char *label, const char *column)
{
	struct claim *c;
	const char *what = "", *bench;
	bool several;

	if (d->out->n >= CLAIMS_MAX) {
		d->out->cut = true;
		return NULL;
	}
	for (int i = 0; b && i < b->place.n; i++)
		what = join(d->arena, what, b->place.headings[i]);
	what = join(d->arena, join(d->arena, what, label), column);
	c = ARENA_PUSH(d->arena, d->out->list, d->out->n, d->cap_out);
	*c = (struct claim){.what = what, .base = NAN, .patched = NAN, .change_pct = NAN};
	c->std_base_pct = c->std_patched_pct = NAN;
	bench = label ? cl_bench(d->arena, label, false, &several) : NULL;
	c->bench = bench ? bench : b ? b->place.bench : NULL;
	if (!b)
		return c;
	c->unit = b->place.unit;
	c->better = b->place.better;
	if (label && cl_direction(label) != CLAIM_BETTER_UNSAID)
		c->better = cl_direction(label);
	return c;
}

void cl_units(struct cl_doc *d, struct claim *c, const struct cl_cell *base,
	const struct cl_cell *patched)
{
	if (patched->unit)
		c->unit = patched->unit;
	else if (base && base->unit)
		c->unit = base->unit;
	if (!base || !base->unit || !patched->unit ||
		strcmp(base->unit, patched->unit) == 0)
		return;
	/* "1.96 s" beside "917 ms": no two numbers of one unit */
	c->base = c->patched = NAN;
	c->unit = NULL;
	if (isnan(c->change_pct))
		d->out->n--;
}

int claims_read(
	struct arena *a, const char *text, size_t len, struct claims *ret, struct err *e)
{
	struct cl_doc d = {.arena = a, .out = ret};

	*ret = (struct claims){0};
	if (len > CLAIMS_TEXT_MAX)
		return err_set(e, ERR_TOO_BIG, "a text of %zu bytes; limit %d", len,
			CLAIMS_TEXT_MAX);
	text = cl_unfold(a, text, len, &len);
	cl_read_lines(&d, text, len);
	cl_robot(&d);
	cl_find_blocks(&d);
	for (size_t i = 0; i < d.n_blocks; i++)
		cl_find_columns(&d, i);
	cl_find_places(&d);
	for (size_t i = 0; i < d.n_blocks; i++) {
		struct cl_block *b = &d.blocks[i];

		for (size_t j = 0; b->n && !b->taken && j < ARRAY_LEN(formats); j++)
			b->taken = formats[j].read(&d, i);
		if (b->taken)
			continue;
		/* no table: its lines are prose again */
		for (size_t j = b->head; b->n && j <= b->last; j++)
			d.lines[j].taken = false;
	}
	cl_prose(&d);
	return 0;
}

static json_t *number(double v)
{
	if (!isfinite(v))
		return json_null();
	if (v == rint(v) && fabs(v) < 1e15)
		return json_integer((json_int_t)v);
	return json_real(v);
}

static json_t *text(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}

json_t *claims_json(const struct claims *c)
{
	static const char *const better[] = {NULL, "lower", "higher"};
	json_t *all = json_array();

	for (size_t i = 0; i < c->n; i++) {
		const struct claim *k = &c->list[i];

		json_array_append_new(all,
			jx_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bench",
				text(k->bench), "case", text(k->what), "base",
				number(k->base), "patched", number(k->patched),
				"change_pct", number(k->change_pct), "better",
				text(better[k->better]), "std_base_pct",
				number(k->std_base_pct), "std_patched_pct",
				number(k->std_patched_pct), "unit", text(k->unit)));
	}
	return jx_pack("{s:i, s:o}", "v", 1, "claims", all);
}
