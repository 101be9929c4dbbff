// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * failure.c - events of all boots, grouped by kind and function.
 *
 * New are failures that patched boots show and no base boot does. Kinds that a slow
 * emulator makes by itself (stalls, lockups, hangs) must repeat on patched and be absent
 * from at least as many base boots; else they are told and not held against the series.
 */
#include "base/base.h"

#include "report/failure.h"
#include "report/words.h"

#define LINES_MAX 8
#define LINE_MAX  400

/* Kinds that count on first sight; all others must repeat. */
static const char *const hard_kinds[] = {"panic", "oops", "kasan", "lockdep", "warn"};

static bool is_hard(const char *kind)
{
	for (size_t i = 0; i < ARRAY_LEN(hard_kinds); i++)
		if (strcmp(kind, hard_kinds[i]) == 0)
			return true;
	return false;
}

struct group {
	const char *kind, *function, *text; /* text: key where there is no function */
	const struct report_boot *first;    /* patched boot that shows it, else base */
	const struct report_event *event;   /* in it; NULL: only the outcome says so */
	int n[2];                           /* boots by side */
	const struct report_boot *last;     /* counted last: once per boot */
	const char **topologies;
	size_t n_topologies, cap;
};

struct collect {
	struct arena *a;
	struct group *groups;
	size_t n_groups, cap;
};

/* Numbers differ from boot to boot (addresses, CPUs, pids): a key has '#' for each run of
 * hex digits that holds a decimal one. */
static const char *key_text(struct arena *a, const char *text)
{
	char *k = arena_strdup(a, words_clean(a, text, 120)), *to = k;

	for (const char *p = k; *p;) {
		size_t n = strspn(p, "0123456789abcdef");

		if (strcspn(p, "0123456789") < n) {
			*to++ = '#';
			p += n;
			continue;
		}
		n = n ? n : 1;
		memmove(to, p, n);
		to += n;
		p += n;
	}
	*to = 0;
	return k;
}

static struct group *group_get(struct collect *c, const char *kind, const char *function,
	const char *text, const struct report_event *event)
{
	const char *key = function ? "" : key_text(c->a, text);
	struct group *g;

	for (size_t i = 0; i < c->n_groups; i++) {
		g = &c->groups[i];
		if (strcmp(g->kind, kind) == 0 &&
			strcmp(g->function ? g->function : "",
				function ? function : "") == 0 &&
			strcmp(g->text, key) == 0)
			return g;
	}
	g = ARENA_PUSH(c->a, c->groups, c->n_groups, c->cap);
	*g = (struct group){
		.kind = kind, .function = function, .text = key, .event = event};
	return g;
}

static void group_add(struct collect *c, struct group *g, const struct report_boot *boot,
	const struct report_event *event)
{
	if (g->last == boot)
		return;
	g->last = boot;
	g->n[boot->side]++;
	if (!g->first ||
		(g->first->side == REPORT_BASE && boot->side == REPORT_PATCHED)) {
		if (g->first)
			g->n_topologies = 0;
		g->first = boot;
		g->event = event;
	}
	if (boot->side != g->first->side)
		return;
	for (size_t i = 0; i < g->n_topologies; i++)
		if (strcmp(g->topologies[i], boot->topology) == 0)
			return;
	*ARENA_PUSH(c->a, g->topologies, g->n_topologies, g->cap) = boot->topology;
}

static bool has_kind(const struct report_boot *b, size_t n, const char *kind)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(b->events[i].kind, kind) == 0)
			return true;
	return false;
}

static void take_boot(struct collect *c, const struct report_boot *b)
{
	for (size_t i = 0; i < b->n_events; i++) {
		const struct report_event *e = &b->events[i];

		/* the panic that ends an oops is not a second failure */
		if (strcmp(e->kind, "panic") == 0 &&
			(has_kind(b, i, "oops") || has_kind(b, i, "kasan")))
			continue;
		group_add(c, group_get(c, e->kind, e->function, e->text, e), b, e);
	}
	if (b->outcome == REPORT_BOOT_PANIC && !has_kind(b, b->n_events, "panic") &&
		!has_kind(b, b->n_events, "oops") && !has_kind(b, b->n_events, "kasan"))
		group_add(c, group_get(c, "panic", NULL, b->why, NULL), b, NULL);
	/* a hang or a lost load behind a panic or an oops is its consequence */
	if (has_kind(b, b->n_events, "panic") || has_kind(b, b->n_events, "oops"))
		return;
	if (b->outcome == REPORT_BOOT_HANG)
		group_add(c, group_get(c, "hang", NULL, b->why, NULL), b, NULL);
	if (b->outcome == REPORT_BOOT_LOAD_FAILED)
		group_add(c, group_get(c, "load", NULL, b->why, NULL), b, NULL);
}

void failure_count_boots(
	const struct report_input *in, enum report_side side, int *ret_n, int *ret_ok)
{
	*ret_n = *ret_ok = 0;
	for (size_t i = 0; i < in->n_boots; i++) {
		if (in->boots[i].side != side || in->boots[i].outcome == REPORT_BOOT_NONE)
			continue;
		(*ret_n)++;
		*ret_ok += in->boots[i].outcome == REPORT_BOOT_OK;
	}
}

static void add_line(struct arena *a, struct report_failure *f, const char *text)
{
	const char *p = text;

	/* "[    1.234567] " says nothing here; the log has it */
	if (*p == '[') {
		p++;
		while (*p == ' ' || *p == '.' || (*p >= '0' && *p <= '9'))
			p++;
		p = *p == ']' ? p + 1 : text;
		while (p != text && *p == ' ')
			p++;
	}
	f->lines[f->n_lines++] = words_clean(a, p, LINE_MAX);
}

static void fill(
	struct arena *a, const struct group *g, const int of[2], struct report_failure *f)
{
	const struct report_event *e = g->event;

	*f = (struct report_failure){
		.kind = words_clean(a, g->kind, 20),
		.function = g->function ? words_clean(a, g->function, 60) : NULL,
		.n_patched = g->n[REPORT_PATCHED],
		.of_patched = of[REPORT_PATCHED],
		.n_base = g->n[REPORT_BASE],
		.of_base = of[REPORT_BASE],
		.topologies = g->topologies,
		.n_topologies = g->n_topologies,
		.log_url = g->first->log_url,
	};
	f->is_new = f->n_base == 0 && f->of_base > 0;
	if (!is_hard(g->kind))
		f->is_new = f->is_new && f->n_patched >= 2 && f->of_base >= f->n_patched;
	f->lines = ARENA_ARRAY(a, const char *, LINES_MAX);
	if (!e && g->first->why)
		add_line(a, f, g->first->why);
	if (!e)
		return;
	add_line(a, f, e->text);
	for (size_t i = 0; i < e->n_stack && f->n_lines + 1 < LINES_MAX; i++)
		add_line(a, f, e->stack[i]);
	/* and the panic it ended in */
	for (size_t i = 0; i < g->first->n_events && strcmp(g->kind, "panic") != 0; i++)
		if (strcmp(g->first->events[i].kind, "panic") == 0) {
			add_line(a, f, g->first->events[i].text);
			return;
		}
}

static void base_only(struct arena *a, struct report *r, const struct group *g, int of)
{
	const char *where = g->function ? arena_printf(a, " in %.60s()",
						  words_clean(a, g->function, 60))
					: "";
	const char **notes = ARENA_ARRAY(a, const char *, r->n_notes + 1);

	if (r->n_notes)
		memcpy(notes, r->notes, r->n_notes * sizeof(*notes));
	notes[r->n_notes] = arena_printf(a,
		"base alone shows: %s%s, %d of %d base boots, no patched boot",
		words_clean(a, g->kind, 20), where, g->n[REPORT_BASE], of);
	r->notes = notes;
	r->n_notes++;
}

void failure_collect(struct arena *a, const struct report_input *in, struct report *r)
{
	struct collect c = {.a = a};
	int of[2], ok;

	failure_count_boots(in, REPORT_BASE, &of[REPORT_BASE], &ok);
	failure_count_boots(in, REPORT_PATCHED, &of[REPORT_PATCHED], &ok);
	for (size_t i = 0; i < in->n_boots; i++)
		if (in->boots[i].outcome != REPORT_BOOT_NONE)
			take_boot(&c, &in->boots[i]);
	r->failures = ARENA_ARRAY(a, struct report_failure, c.n_groups + 1);
	for (int want_new = 1; want_new >= 0; want_new--)
		for (size_t i = 0; i < c.n_groups; i++) {
			struct report_failure *f = &r->failures[r->n_failures];

			if (c.groups[i].n[REPORT_PATCHED] == 0)
				continue;
			fill(a, &c.groups[i], of, f);
			r->n_failures += f->is_new == (want_new == 1);
		}
	for (size_t i = 0; i < c.n_groups; i++)
		if (c.groups[i].n[REPORT_PATCHED] == 0)
			base_only(a, r, &c.groups[i], of[REPORT_BASE]);
}
