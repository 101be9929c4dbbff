// SPDX-License-Identifier: GPL-2.0-or-later
/* What was met: each name once; what became of each symbol of a file. */
#include "base/base.h"

#include "plan/touch_build.h"

static uint32_t hash_bytes(uint32_t h, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)p[i]) * 16777619u;
	return h;
}

void touch_name_add(struct arena *a, struct touch_names *names, const char *p, size_t len)
{
	uint32_t i = hash_bytes(2166136261u, p, len);

	if (len > TOUCH_NAME_MAX)
		len = TOUCH_NAME_MAX;
	if (!names->slots)
		names->slots = ARENA_ARRAY(a, const char *, TOUCH_SLOTS);
	for (;; i++) {
		const char *s = names->slots[i %= TOUCH_SLOTS];

		if (!s)
			break;
		if (!strncmp(s, p, len) && !s[len])
			return;
	}
	if (names->n == TOUCH_NAMES_MAX) {
		names->full = true;
		return;
	}
	names->slots[i] = arena_strndup(a, p, len);
	*ARENA_PUSH(a, names->v, names->n, names->cap) = names->slots[i];
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

void touch_names_sort(struct touch_names *names)
{
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), by_name);
}

struct touch_symbol *touch_symbol_of(struct touch_build *b, const struct touch_place *p,
	const char *name, enum touch_kind kind)
{
	struct touch_symbols *list =
		kind == TOUCH_FUNCTION || kind == TOUCH_MACRO ? &b->functions : &b->types;
	uint32_t i = hash_bytes(2166136261u, p->path, strlen(p->path) + 1);

	i = hash_bytes(i, name, strlen(name)) + (uint32_t)kind;
	if (!list->slots)
		list->slots = ARENA_ARRAY(b->a, uint32_t, TOUCH_SLOTS);
	for (;; i++) {
		uint32_t k = list->slots[i %= TOUCH_SLOTS];
		struct touch_symbol *s = k ? &list->v[k - 1] : NULL;

		if (!s)
			break;
		if (s->kind == kind && !strcmp(s->name, name) &&
			!strcmp(s->path, p->path))
			return s;
	}
	if (list->n == TOUCH_NAMES_MAX) {
		list->full = true;
		return NULL;
	}
	*ARENA_PUSH(b->a, list->v, list->n, list->cap) =
		(struct touch_symbol){.path = p->path, .name = name, .kind = kind};
	list->slots[i] = (uint32_t)list->n;
	return &list->v[list->n - 1];
}

/* Names of a side's spans of one kind, sorted. */
static const char **sorted_names(struct arena *a, const struct touch_text *t,
	const struct touch_side *side, enum touch_kind kind, size_t *ret_n)
{
	const char **v = ARENA_ARRAY(a, const char *, side->n_spans + 1);
	size_t n = 0;

	for (size_t i = 0; t->names && i < side->n_spans; i++)
		if (t->names[i] && side->spans[i].kind == kind)
			v[n++] = t->names[i];
	if (n)
		qsort(v, n, sizeof(*v), by_name);
	*ret_n = n;
	return v;
}

static bool has_name(const char **v, size_t n, const char *name)
{
	return n && bsearch(&name, v, n, sizeof(*v), by_name) != NULL;
}

static void judge_kind(struct touch_build *b, const struct touch_place *p,
	enum touch_kind kind, struct touch_symbol *v, size_t n)
{
	size_t n_base, n_patched;
	const char **base = sorted_names(b->a, p->side[0], &p->f->base, kind, &n_base);
	const char **patched =
		sorted_names(b->a, p->side[1], &p->f->patched, kind, &n_patched);

	for (size_t i = 0; i < n; i++) {
		if (v[i].kind != kind)
			continue;
		if (!has_name(base, n_base, v[i].name))
			v[i].change = TOUCH_ADDED;
		else if (!has_name(patched, n_patched, v[i].name))
			v[i].change = TOUCH_REMOVED;
	}
}

/* Calls each for every line that is in both sides; stops at what the texts do not have.
 */
static void each_common_line(const struct touch_place *p,
	void (*each)(void *arg, uint32_t base, uint32_t patched), void *arg)
{
	const struct diff_file *d = p->f->diff;
	uint32_t base = 1, patched = 1;

	for (uint32_t h = 0; h <= d->n_hunks; h++) {
		const struct diff_hunk *k = h < d->n_hunks ? &d->hunks[h] : NULL;
		/* a hunk without old lines names the line before it */
		uint32_t until = k ? k->old_start + !k->old_n : UINT32_MAX;

		while (base < until && base <= p->side[0]->n_lines &&
			patched <= p->side[1]->n_lines)
			each(arg, base++, patched++);
		if (!k || base != until)
			return;
		for (uint32_t i = 0; i < k->n_lines; i++) {
			if (k->lines[i].origin == ' ' && base <= p->side[0]->n_lines &&
				patched <= p->side[1]->n_lines)
				each(arg, base, patched);
			base += k->lines[i].origin != '+';
			patched += k->lines[i].origin != '-';
		}
	}
}

/* The patched function that holds most lines of each base function that is gone. */
struct heirs {
	const struct touch_place *p;
	uint32_t *heir, *votes; /* of base spans */
	bool count;             /* second pass: votes are for the heir alone */
};

static void vote(void *arg, uint32_t base, uint32_t patched)
{
	struct heirs *h = arg;
	uint32_t from = h->p->side[0]->owner[base], to = h->p->side[1]->owner[patched];

	if (from == TOUCH_NOBODY || to == TOUCH_NOBODY)
		return;
	if (h->count) {
		h->votes[from] += h->heir[from] == to;
	} else if (!h->votes[from]) {
		h->heir[from] = to;
		h->votes[from] = 1;
	} else {
		h->votes[from] += h->heir[from] == to ? 1 : UINT32_MAX;
	}
}

static uint32_t span_lines(const struct touch_text *t, uint32_t i)
{
	return t->last[i] - t->first[i] + 1;
}

static void judge_renames(struct touch_build *b, const struct touch_place *p,
	struct touch_symbol *v, size_t n)
{
	const struct touch_side *base = &p->f->base, *patched = &p->f->patched;
	struct heirs h = {.p = p};

	h.heir = ARENA_ARRAY(b->a, uint32_t, base->n_spans + 1);
	h.votes = ARENA_ARRAY(b->a, uint32_t, base->n_spans + 1);
	each_common_line(p, vote, &h);
	memset(h.votes, 0, base->n_spans * sizeof(*h.votes));
	h.count = true;
	each_common_line(p, vote, &h);
	for (size_t i = 0; i < base->n_spans; i++) {
		uint32_t to = h.heir[i], most;
		struct touch_symbol *old = NULL, *new = NULL;

		if (!h.votes[i] || base->spans[i].kind != patched->spans[to].kind ||
			!strcmp(p->side[0]->names[i], p->side[1]->names[to]))
			continue;
		most = span_lines(p->side[0], (uint32_t)i);
		if (span_lines(p->side[1], to) > most)
			most = span_lines(p->side[1], to);
		if (2 * (uint64_t)h.votes[i] < most)
			continue;
		for (size_t k = 0; k < n; k++) {
			if (v[k].kind != base->spans[i].kind)
				continue;
			if (v[k].change == TOUCH_REMOVED &&
				!strcmp(v[k].name, p->side[0]->names[i]))
				old = &v[k];
			if (v[k].change == TOUCH_ADDED &&
				!strcmp(v[k].name, p->side[1]->names[to]))
				new = &v[k];
		}
		if (!old || !new)
			continue;
		old->change = new->change = TOUCH_RENAMED;
		old->other = new->name;
		new->other = old->name;
	}
}

static void judge_list(struct touch_build *b, const struct touch_place *p,
	struct touch_symbol *v, size_t n)
{
	bool gone = false, come = false;

	for (int kind = TOUCH_FUNCTION; n && kind <= TOUCH_DATA; kind++)
		judge_kind(b, p, (enum touch_kind)kind, v, n);
	for (size_t i = 0; i < n; i++) {
		gone = gone || v[i].change == TOUCH_REMOVED;
		come = come || v[i].change == TOUCH_ADDED;
	}
	if (gone && come)
		judge_renames(b, p, v, n);
}

void touch_judge_symbols(struct touch_build *b, const struct touch_place *p)
{
	size_t n_f = b->functions.n - p->first_function, n_t = b->types.n - p->first_type;
	struct touch_symbol *f = n_f ? &b->functions.v[p->first_function] : NULL;
	struct touch_symbol *t = n_t ? &b->types.v[p->first_type] : NULL;
	bool is_new = !p->f->diff->old_path, gone = !p->f->diff->new_path;

	if (is_new || gone) {
		for (size_t i = 0; i < n_f; i++)
			f[i].change = is_new ? TOUCH_ADDED : TOUCH_REMOVED;
		for (size_t i = 0; i < n_t; i++)
			t[i].change = is_new ? TOUCH_ADDED : TOUCH_REMOVED;
		return;
	}
	if (!p->f->base.has_spans || !p->f->patched.has_spans)
		return;
	judge_list(b, p, f, n_f);
	judge_list(b, p, t, n_t);
}
