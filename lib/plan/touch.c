// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/touch_build.h"

const char *touch_kind_name(enum touch_kind k)
{
	static const char *const names[] = {"function", "macro", "type", "data"};

	return names[k];
}

const char *touch_change_name(enum touch_change c)
{
	static const char *const names[] = {"changed", "added", "removed", "renamed"};

	return names[c];
}

static void note(struct touch_build *b, const char *code, const char *detail)
{
	*ARENA_PUSH(b->a, b->t->notes, b->t->n_notes, b->cap_notes) =
		(struct touch_note){code, detail};
}

static enum touch_built add_path(struct touch_build *b, const char *path)
{
	enum touch_built built = touch_table_built(b->table, path);

	*ARENA_PUSH(b->a, b->t->files, b->t->n_files, b->cap_files) =
		(struct touch_path){path, built};
	return built;
}

/* Which rows of the table are about this file, by either name. */
static void find_rows(struct touch_build *b, struct touch_place *p)
{
	const char *old = p->f->diff->old_path;
	bool found = false;

	p->functions = ARENA_ARRAY(b->a, const struct touch_row *, b->table->n + 1);
	p->words = ARENA_ARRAY(b->a, const struct touch_row *, b->table->n + 1);
	for (size_t i = 0; i < b->table->n; i++) {
		const struct touch_row *row = &b->table->rows[i];

		if (row->kind == TOUCH_ROW_BUILD ||
			(row->kind == TOUCH_ROW_FILE && found))
			continue;
		if (!touch_row_has_path(row, p->path) &&
			!(old && touch_row_has_path(row, old)))
			continue;
		if (row->kind == TOUCH_ROW_FUNCTION) {
			p->functions[p->n_functions++] = row;
		} else if (row->kind == TOUCH_ROW_WORD) {
			p->words[p->n_words++] = row;
		} else {
			p->file_aspects = row->aspects;
			found = true;
		}
	}
}

static unsigned aspects_of_function(const struct touch_place *p, const char *name)
{
	unsigned bits = 0;

	for (size_t i = 0; i < p->n_functions; i++)
		if (touch_row_has_name(p->functions[i], name))
			bits |= p->functions[i]->aspects;
	return bits;
}

static bool word_is(const char *w, size_t len, const char *what)
{
	return strlen(what) == len && !memcmp(w, what, len);
}

/* "(TTWU_QUEUE" after sched_feat: the name; a parameter of the macro is none. */
static void take_feature(struct touch_build *b, const char *p, const char *end)
{
	const char *w;
	size_t len;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	if (p == end || *p != '(' || !touch_next_word(&p, end, &w, &len))
		return;
	if (w[0] >= 'A' && w[0] <= 'Z')
		touch_name_add(b->a, &b->features, w, len);
}

/* Configs and features that a line of code names; aspects of its words. */
static unsigned read_words(
	struct touch_build *b, const struct touch_place *p, const char *at, size_t n)
{
	const char *end = at + n, *w;
	unsigned bits = 0;
	size_t len;

	while (touch_next_word(&at, end, &w, &len)) {
		char word[TOUCH_NAME_MAX + 1];

		if (len > TOUCH_NAME_MAX)
			continue;
		memcpy(word, w, len);
		word[len] = '\0';
		if (len > 7 && !memcmp(word, "CONFIG_", 7))
			touch_name_add(b->a, &b->configs, w, len);
		else if (word_is(w, len, "SCHED_FEAT") || word_is(w, len, "sched_feat"))
			take_feature(b, at, end);
		else if (len > 13 && !memcmp(word, "__SCHED_FEAT_", 13) &&
			 !word_is(w, len, "__SCHED_FEAT_NR"))
			touch_name_add(b->a, &b->features, w + 13, len - 13);
		for (size_t i = 0; i < p->n_words; i++)
			if (touch_row_has_name(p->words[i], word))
				bits |= p->words[i]->aspects;
	}
	return bits;
}

/* Where one side of a hunk has got to. */
struct cursor {
	uint32_t line;
	const char *guess; /* function read from the hunk, where there are no spans */
	unsigned guess_bits;
};

struct changed {
	const char *function;
	unsigned function_bits;
	enum touch_kind kind;
	bool idle; /* blank or comment */
};

static void guess_from(struct touch_build *b, const struct touch_place *p,
	struct cursor *c, const char *text, size_t len)
{
	const char *name = touch_line_function(b->a, text, len);

	if (!name)
		return;
	c->guess = name;
	c->guess_bits = aspects_of_function(p, name);
}

/* What the line is in; call for each line of its side, in order. */
static struct changed look(struct touch_build *b, struct touch_place *p, int side,
	struct cursor *c, const struct diff_line *l)
{
	const struct touch_text *t = p->side[side];
	const struct touch_side *s = side ? &p->f->patched : &p->f->base;
	struct changed r = {.idle = touch_line_is_idle(l->p, l->len, p->lang)};
	uint32_t owner;

	if (t->n_lines && c->line <= t->n_lines)
		r.idle = !t->has_code[c->line];
	if (p->lang != TOUCH_C)
		return r;
	if (!s->has_spans || !t->n_lines) {
		guess_from(b, p, c, l->p, l->len);
		r.function = c->guess;
		r.function_bits = c->guess_bits;
		if (l->len && l->p[0] == '}')
			*c = (struct cursor){.line = c->line};
		return r;
	}
	owner = c->line <= t->n_lines ? t->owner[c->line] : TOUCH_NOBODY;
	if (owner == TOUCH_NOBODY)
		return r;
	if (!p->known[side][owner]) {
		p->masks[side][owner] = aspects_of_function(p, t->names[owner]);
		p->known[side][owner] = true;
	}
	r.function = t->names[owner];
	r.function_bits = p->masks[side][owner];
	r.kind = s->spans[owner].kind;
	return r;
}

static void count(struct touch_build *b, const struct touch_place *p, int side,
	const struct changed *c)
{
	struct touch_symbol *s =
		c->function ? touch_symbol_of(b, p, c->function, c->kind) : NULL;

	if (s && side)
		s->n_added++;
	else if (s)
		s->n_removed++;
}

/* Runs of changed lines without a line between them, while they are read. */
struct block {
	size_t first[TOUCH_N_ASPECTS];     /* reasons that are older than this block */
	uint32_t last[2][TOUCH_N_ASPECTS]; /* line of the newest reason */
	uint32_t code[2];                  /* line of code before this one */
};

static bool same(const char *x, const char *y)
{
	return x == y || (x && y && !strcmp(x, y));
}

static void add_reason(struct touch_build *b, const struct touch_place *p, int side,
	struct block *k, enum touch_aspect_id id, uint32_t line, const char *function)
{
	struct touch_aspect *as = &b->aspects[id];
	struct touch_line *newest =
		as->n_why > k->first[id] ? &as->why[as->n_why - 1] : NULL;

	/* the line that replaces a removed one is the better reason */
	for (size_t i = k->first[id]; !side && i < as->n_why; i++)
		if (!as->why[i].in_base && same(as->why[i].function, function))
			return;
	if (newest && newest->in_base == !side && same(newest->function, function) &&
		(k->last[side][id] == k->code[side] || k->last[side][id] + 1 == line)) {
		newest->n_lines = line - newest->line + 1;
	} else if (as->n_why == TOUCH_LINES_MAX) {
		as->n_more++;
	} else {
		*ARENA_PUSH(b->a, as->why, as->n_why, b->cap_why[id]) =
			(struct touch_line){.path = p->path,
				.line = line,
				.n_lines = line ? 1 : 0,
				.in_base = !side,
				.function = function,
				.built = p->built};
	}
	k->last[side][id] = line;
}

static void add_reasons(struct touch_build *b, const struct touch_place *p, int side,
	struct block *k, unsigned bits, uint32_t line, const char *function)
{
	for (int id = 0; id < TOUCH_N_ASPECTS; id++)
		if (bits & TOUCH_BIT(id))
			add_reason(
				b, p, side, k, (enum touch_aspect_id)id, line, function);
}

static void take_line(struct touch_build *b, struct touch_place *p, int side,
	struct block *k, struct cursor *c, const struct diff_line *l)
{
	struct changed r = look(b, p, side, c, l);
	const char *entry = NULL;
	unsigned bits = TOUCH_BIT(TOUCH_DOCS);

	count(b, p, side, &r);
	if (p->file_aspects != TOUCH_BIT(TOUCH_DOCS) && !r.idle) {
		b->compiled = true;
		bits = r.function_bits | read_words(b, p, l->p, l->len);
		if (!bits)
			bits = p->file_aspects;
		if (p->lang == TOUCH_KCONFIG)
			entry = p->side[side]->n_lines ? touch_kconfig_entry(b->a,
								 p->side[side], c->line)
						       : c->guess;
		if (entry)
			touch_name_add(b->a, &b->configs, entry, strlen(entry));
	}
	add_reasons(b, p, side, k, bits, c->line, r.function);
	if (!r.idle)
		k->code[side] = c->line;
}

/* Entry of a Kconfig file without its text: from the hunk. */
static void guess_entry(struct touch_build *b, const struct touch_place *p,
	struct cursor *c, const char *text, size_t len)
{
	const char *name;

	if (p->lang != TOUCH_KCONFIG || !len || text[0] == ' ' || text[0] == '\t')
		return;
	name = touch_kconfig_name(b->a, text, len);
	if (name)
		c->guess = name;
}

static void begin_block(struct touch_build *b, struct block *k)
{
	*k = (struct block){0};
	for (int id = 0; id < TOUCH_N_ASPECTS; id++)
		k->first[id] = b->aspects[id].n_why;
}

/* One side of lines [from, to) of a hunk; all its lines pass by. */
static void take_side(struct touch_build *b, struct touch_place *p, int side,
	struct block *k, struct cursor *c, const struct diff_hunk *h, uint32_t from,
	uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		const struct diff_line *l = &h->lines[i];

		if (l->origin == (side ? '-' : '+'))
			continue;
		guess_entry(b, p, c, l->p, l->len);
		if (l->origin == ' ')
			look(b, p, side, c, l);
		else
			take_line(b, p, side, k, c, l);
		c->line++;
	}
}

static void take_hunk(
	struct touch_build *b, struct touch_place *p, const struct diff_hunk *h)
{
	/* a side without lines counts from the line before */
	struct cursor c[2] = {
		{.line = h->old_start + !h->old_n}, {.line = h->new_start + !h->new_n}};
	struct block k;

	for (int side = 0; side < 2; side++) {
		if (p->lang == TOUCH_C)
			guess_from(b, p, &c[side], h->func, h->func_len);
		guess_entry(b, p, &c[side], h->func, h->func_len);
	}
	for (uint32_t i = 0; i < h->n_lines;) {
		uint32_t to = i;
		bool context = h->lines[i].origin == ' ';

		while (to < h->n_lines && (h->lines[to].origin == ' ') == context)
			to++;
		begin_block(b, &k);
		take_side(b, p, 1, &k, &c[1], h, i, to);
		take_side(b, p, 0, &k, &c[0], h, i, to);
		i = to;
	}
}

static bool lacks_spans(const struct touch_place *p)
{
	const struct diff_file *d = p->f->diff;

	return p->lang == TOUCH_C && d->n_hunks &&
	       ((d->old_path && !p->f->base.has_spans) ||
		       (d->new_path && !p->f->patched.has_spans));
}

static void take_file(struct touch_build *b, const struct touch_file *f)
{
	struct touch_place p = {.f = f, .path = diff_file_path(f->diff)};
	struct block k;

	p.lang = touch_lang_of(p.path);
	p.first_function = b->functions.n;
	p.first_type = b->types.n;
	find_rows(b, &p);
	p.built = add_path(b, p.path);
	if (f->diff->old_path && strcmp(f->diff->old_path, p.path) != 0)
		add_path(b, f->diff->old_path);
	for (int side = 0; side < 2; side++) {
		const struct touch_side *s = side ? &f->patched : &f->base;

		p.side[side] = touch_text_make(b->a, s, p.lang);
		p.masks[side] = ARENA_ARRAY(b->a, unsigned, s->n_spans + 1);
		p.known[side] = ARENA_ARRAY(b->a, bool, s->n_spans + 1);
	}
	if (!f->diff->n_hunks) { /* a mode, a name, bytes that are no text */
		begin_block(b, &k);
		add_reasons(b, &p, 1, &k, p.file_aspects, 0, NULL);
		b->compiled = b->compiled || p.file_aspects != TOUCH_BIT(TOUCH_DOCS);
		return;
	}
	if (lacks_spans(&p))
		note(b, "no_spans",
			arena_printf(
				b->a, "%s: functions are read from the hunks", p.path));
	for (uint32_t i = 0; i < f->diff->n_hunks; i++)
		take_hunk(b, &p, &f->diff->hunks[i]);
	touch_judge_symbols(b, &p);
}

static void finish_aspects(struct touch_build *b)
{
	struct touch *t = b->t;

	t->aspects = ARENA_ARRAY(b->a, struct touch_aspect, TOUCH_N_ASPECTS);
	for (int id = 0; id < TOUCH_N_ASPECTS; id++) {
		if (!b->aspects[id].n_why || (id == TOUCH_DOCS && b->compiled))
			continue;
		t->aspects[t->n_aspects] = b->aspects[id];
		t->aspects[t->n_aspects++].id = (enum touch_aspect_id)id;
		t->aspect_bits |= TOUCH_BIT(id);
	}
}

struct touch *touch_make(struct arena *a, const struct touch_input *in)
{
	struct touch_build b = {
		.a = a, .t = ARENA_NEW(a, struct touch), .table = in->table};
	struct touch *t = b.t;

	for (size_t i = 0; i < in->n_files; i++)
		take_file(&b, &in->files[i]);
	finish_aspects(&b);
	touch_names_sort(&b.configs);
	touch_names_sort(&b.features);
	t->functions = b.functions.v;
	t->n_functions = b.functions.n;
	t->types = b.types.v;
	t->n_types = b.types.n;
	t->configs = b.configs.v;
	t->n_configs = b.configs.n;
	t->features = b.features.v;
	t->n_features = b.features.n;
	if (b.functions.full || b.types.full || b.configs.full || b.features.full)
		note(&b, "too_many",
			arena_printf(a, "lists end at %d names", TOUCH_NAMES_MAX));
	return t;
}
