/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a heap of mails that belong together to one series, or several. */
#include "base/base.h"

#include "mail/assembly.h"

#include <strings.h>

static const char *number_text(struct arena *a, int64_t n)
{
	char buf[32];
	return arena_strdup(a, prefix_number(n, buf, sizeof(buf)));
}

/* Place of a node; a single patch has place 1. */
static int64_t place_of(const struct node *n)
{
	return n->n == PREFIX_NONE ? PREFIX_UNIT : n->n;
}

static int by_place(const void *a, const void *b)
{
	const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
	int64_t x = place_of(p), y = place_of(q);
	if (x != y)
		return x < y ? -1 : 1;
	return p < q ? -1 : p > q; /* nodes stand in order of time */
}

static int by_age(const void *a, const void *b)
{
	const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
	return p < q ? -1 : p > q;
}

bool slots_same_patch(const struct mail *a, const struct mail *b)
{
	if (strcmp(a->match_title, b->match_title))
		return false;
	if (a->patch_id && b->patch_id)
		return !strcmp(a->patch_id, b->patch_id);
	return !strcmp(a->patch_sha256, b->patch_sha256) &&
	       (a->patch.len || !strcmp(a->message_sha256, b->message_sha256));
}

void slots_add_resent(struct assembly *x, struct series_patch *p, const struct mail *m)
{
	size_t n = p->n_resent;
	/* Full whenever the count is a power of two: twice the room. */
	if ((n & (n - 1)) == 0) {
		const struct mail **v =
			ARENA_ARRAY(x->arena, const struct mail *, n ? 2 * n : 1);
		if (n)
			memcpy(v, p->resent, n * sizeof(*v));
		p->resent = v;
	}
	p->resent[p->n_resent++] = m;
}

/* Puts the nodes of one place into p. false: two different mails claim it. */
static bool fill_place(
	struct assembly *x, struct node *const *v, size_t n, struct series_patch *p)
{
	p->n = place_of(v[0]);
	p->mail = v[0]->m;
	bool clear = true;
	for (size_t i = 1; i < n; i++) {
		const struct mail *m = v[i]->m;
		if (slots_same_patch(p->mail, m)) {
			slots_add_resent(x, p, m);
		} else if (assembly_descends(m, p->mail->message_id)) {
			p->replaces = p->mail;
			p->mail = m;
		} else {
			clear = false;
		}
	}
	return clear;
}

static void note_origin(struct assembly *x, struct heap *h)
{
	unsigned int notes = 0;
	for (size_t i = 0; i < h->n_nodes; i++)
		notes |= h->nodes[i]->m->posted.notes;
	if (notes & PREFIX_BEYOND_TOTAL)
		assembly_note(
			x, h, "beyond_total", "a patch is numbered above the total");
	if (notes & PREFIX_TWO_VERSIONS)
		assembly_note(x, h, "two_versions", "the highest counts");
}

static void fill_version(struct assembly *x, struct heap *h)
{
	struct series *s = &h->s;
	bool implicit = false, cover = false;
	s->version = PREFIX_FIRST;
	for (size_t i = 0; i < h->n_nodes; i++) {
		const struct node *n = h->nodes[i];
		if (n->version == PREFIX_NONE) {
			implicit = implicit || n->n != 0;
			continue;
		}
		cover = cover || n->n == 0;
		if (!s->version_explicit || n->version > s->version)
			s->version = n->version;
		s->version_explicit = true;
	}
	if (s->version_explicit && implicit && cover)
		assembly_note(x, h, "version_from_cover", "the patches name no version");
}

void slots_complete(struct assembly *x, struct heap *h)
{
	struct series *s = &h->s;
	s->n_missing = 0;
	s->complete = false;
	if (s->total == PREFIX_NONE) {
		s->complete = s->n_patches == 1 && !s->cover && !s->ambiguous;
		return;
	}
	if (s->total > MAIL_MAX_SERIES * PREFIX_UNIT) {
		s->corrupt = true;
		s->trouble =
			arena_printf(x->arena, "the subject says %s patches; limit %d",
				number_text(x->arena, s->total), MAIL_MAX_SERIES);
		return;
	}
	size_t at = 0;
	for (int64_t n = PREFIX_UNIT; n <= s->total; n += PREFIX_UNIT) {
		while (at < s->n_patches && s->patches[at].n < n)
			at++;
		if (at < s->n_patches && s->patches[at].n == n)
			continue;
		*(int64_t *)ARENA_PUSH(
			x->arena, s->missing, s->n_missing, h->cap_missing) = n;
	}
	s->complete = !s->n_missing && !s->ambiguous && !s->corrupt;
}

static void fill_facts(struct assembly *x, struct heap *h)
{
	struct series *s = &h->s;
	const struct mail *head = s->cover ? s->cover : s->patches[0].mail;
	s->id = head->message_id;
	s->title = head->title;
	s->author = head->poster;
	h->match_title = head->match_title;
	h->author = h->nodes[0]->author;
	h->tags = h->nodes[0]->tags;
	s->first_time = h->nodes[0]->m->order_time;
	s->opted_out = false;
	bool robots = true, titles = false;
	for (size_t i = 0; i < h->n_nodes; i++) {
		const struct mail *m = h->nodes[i]->m;
		if (m->order_time > s->last_time || i == 0)
			s->last_time = m->order_time;
		if (m->received_at > s->last_received)
			s->last_received = m->received_at;
		s->rfc = s->rfc || m->posted.rfc;
		s->resend = s->resend || m->posted.resend;
		s->opted_out = s->opted_out || m->opted_out;
		robots = robots && m->robot;
		titles = titles || *m->title;
		h->threaded = h->threaded || m->parent;
	}
	if (s->opted_out)
		s->opted_why =
			"its author asks to be left out (X-Patchwork-Hint: ignore)";
	else if (robots)
		s->opted_why =
			arena_printf(x->arena, "sent by a program (%s)", head->robot_why);
	s->opted_out = s->opted_out || robots;
	if (!titles) {
		s->corrupt = true;
		s->trouble = "none of its mails has a title";
	}
	/* What a text says of the whole series: the cover's word, else the first patch's.
	 */
	for (size_t i = 0; i <= s->n_patches; i++) {
		const struct mail *m = i == 0 ? s->cover : s->patches[i - 1].mail;
		if (!m)
			continue;
		if (!s->change_id)
			s->change_id = m->change_id;
		if (!s->base_commit)
			s->base_commit = m->base_commit;
		if (!s->tree)
			s->tree = m->posted.tree;
		if (!s->n_prerequisites) {
			s->prerequisites = m->prerequisites;
			s->n_prerequisites = m->n_prerequisites;
		}
		if (!s->n_depends_on) {
			s->depends_on = m->depends_on;
			s->n_depends_on = m->n_depends_on;
		}
	}
}

/* The patches agree on a parent that is not here: the cover is on its way. */
static bool names_cover(const struct assembly *x, const struct heap *h)
{
	const char *parent = NULL;
	for (size_t i = 0; i < h->n_nodes; i++) {
		const struct mail *m = h->nodes[i]->m;
		if (!m->parent || assembly_find(x, m->parent) != SIZE_MAX)
			continue;
		if (parent && strcmp(parent, m->parent))
			return false;
		parent = m->parent;
	}
	return parent != NULL;
}

static void fill_total(struct assembly *x, struct heap *h)
{
	struct series *s = &h->s;
	int64_t cover = PREFIX_NONE;
	s->total = PREFIX_NONE;
	for (size_t i = 0; i < h->n_nodes; i++) {
		const struct node *n = h->nodes[i];
		if (n->n == 0)
			cover = n->total;
		else if (n->total > s->total)
			s->total = n->total;
	}
	if (s->total == PREFIX_NONE)
		s->total = cover;
	if (cover != PREFIX_NONE && cover != s->total) {
		s->corrupt = true;
		s->trouble = arena_printf(x->arena,
			"the cover says %s patches, the patches say %s",
			number_text(x->arena, cover), number_text(x->arena, s->total));
		assembly_note(x, h, "total_differs", s->trouble);
	}
}

void slots_fill(struct assembly *x, struct heap *h)
{
	struct series *s = &h->s;
	memset(s, 0, sizeof(*s));
	h->cap_patches = h->cap_missing = h->cap_notes = h->cap_trailers = 0;
	qsort(h->nodes, h->n_nodes, sizeof(*h->nodes), by_age);
	struct node **v = ARENA_ARRAY(x->arena, struct node *, h->n_nodes);
	memcpy(v, h->nodes, h->n_nodes * sizeof(*v));
	qsort(v, h->n_nodes, sizeof(*v), by_place);
	for (size_t i = 0, end; i < h->n_nodes; i = end) {
		int64_t place = place_of(v[i]);
		for (end = i + 1; end < h->n_nodes && place_of(v[end]) == place;)
			end++;
		struct series_patch p = {.n = place};
		if (!fill_place(x, v + i, end - i, &p) && !s->ambiguous) {
			s->ambiguous = true;
			s->trouble = arena_printf(x->arena,
				"two mails claim to be %s/%s; choose one",
				number_text(x->arena, place),
				number_text(x->arena, v[i]->total));
		}
		if (place == 0)
			s->cover = p.mail;
		else
			*(struct series_patch *)ARENA_PUSH(
				x->arena, s->patches, s->n_patches, h->cap_patches) = p;
	}
	fill_version(x, h);
	fill_total(x, h);
	fill_facts(x, h);
	note_origin(x, h);
	s->cover_named = !s->cover && s->total != PREFIX_NONE && names_cover(x, h);
	slots_complete(x, h);
}

static struct heap *new_heap(struct assembly *x)
{
	struct heap *h = ARENA_NEW(x->arena, struct heap);
	*(struct heap **)ARENA_PUSH(x->arena, x->heaps, x->n_heaps, x->cap_heaps) = h;
	return h;
}

void slots_add_node(struct assembly *x, struct heap *h, struct node *n)
{
	*(struct node **)ARENA_PUSH(x->arena, h->nodes, h->n_nodes, h->cap_nodes) = n;
	x->heap_of[n - x->nodes] = h;
}

/* Most mails in one place of a heap. */
static size_t crowd(const struct assembly *x, const struct heap *h)
{
	struct node **v = ARENA_ARRAY(x->arena, struct node *, h->n_nodes);
	memcpy(v, h->nodes, h->n_nodes * sizeof(*v));
	qsort(v, h->n_nodes, sizeof(*v), by_place);
	size_t most = 0;
	for (size_t i = 0, end; i < h->n_nodes; i = end) {
		for (end = i + 1; end < h->n_nodes && place_of(v[end]) == place_of(v[i]);)
			end++;
		if (end - i > most)
			most = end - i;
	}
	return most;
}

static int by_strong(const void *a, const void *b)
{
	const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
	if (p->strong != q->strong)
		return p->strong < q->strong ? -1 : 1;
	return p < q ? -1 : p > q;
}

/*
 * An ambiguous heap that falls apart without its weak edges into exactly as many series
 * as claim a place, each without a clash, is those series.
 */
static bool try_split(struct assembly *x, struct heap *h)
{
	struct node **v = ARENA_ARRAY(x->arena, struct node *, h->n_nodes);
	memcpy(v, h->nodes, h->n_nodes * sizeof(*v));
	qsort(v, h->n_nodes, sizeof(*v), by_strong);
	size_t n_parts = 0;
	for (size_t i = 0; i < h->n_nodes; i++)
		n_parts += i == 0 || v[i]->strong != v[i - 1]->strong;
	if (n_parts < 2 || n_parts != crowd(x, h))
		return false;
	struct heap *parts = ARENA_ARRAY(x->arena, struct heap, n_parts);
	size_t at = 0;
	for (size_t i = 0; i < h->n_nodes; i++) {
		at += i && v[i]->strong != v[i - 1]->strong;
		struct heap *p = &parts[at];
		*(struct node **)ARENA_PUSH(
			x->arena, p->nodes, p->n_nodes, p->cap_nodes) = v[i];
	}
	for (size_t i = 0; i < n_parts; i++) {
		if (crowd(x, &parts[i]) > 1)
			return false;
	}
	size_t n = h->n_nodes;
	h->n_nodes = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && v[i]->strong != v[i - 1]->strong) {
			slots_fill(x, h);
			h = new_heap(x);
		}
		slots_add_node(x, h, v[i]);
	}
	slots_fill(x, h);
	return true;
}

/* A cover alone whose patches all say another total. */
static void adopt_by_cover(struct assembly *x)
{
	/* Children by parent, in order: first_child[i], then next[child]. */
	size_t *first = ARENA_ARRAY(x->arena, size_t, x->n_nodes + 1);
	size_t *next = ARENA_ARRAY(x->arena, size_t, x->n_nodes + 1);
	for (size_t i = 0; i < x->n_nodes; i++)
		first[i] = next[i] = NODE_NONE;
	for (size_t i = x->n_nodes; i-- > 0;) {
		size_t parent = x->nodes[i].parent;
		if (parent == NODE_NONE)
			continue;
		next[i] = first[parent];
		first[parent] = i;
	}
	for (size_t i = 0; i < x->n_nodes; i++) {
		struct node *c = &x->nodes[i];
		struct heap *h = x->heap_of[i];
		if (c->n != 0 || h->n_nodes != 1 || h->gone)
			continue;
		struct heap *only = NULL;
		bool clear = true;
		for (size_t k = first[i]; k != NODE_NONE && clear; k = next[k]) {
			const struct node *b = &x->nodes[k];
			if (b->n < PREFIX_UNIT || strcmp(b->author, c->author) ||
				(b->version != c->version && b->version != PREFIX_NONE))
				continue;
			struct heap *o = x->heap_of[k];
			clear = (!only || only == o) && !o->s.cover;
			only = o;
		}
		if (!only || !clear || only->gone || only->s.total == PREFIX_NONE)
			continue;
		h->gone = true;
		struct node **old = only->nodes;
		size_t n = only->n_nodes;
		only->nodes = NULL;
		only->n_nodes = only->cap_nodes = 0;
		slots_add_node(x, only, c);
		for (size_t k = 0; k < n; k++)
			slots_add_node(x, only, old[k]);
		slots_fill(x, only);
	}
}

void slots_build(struct assembly *x)
{
	x->heap_of = ARENA_ARRAY(x->arena, struct heap *, x->n_nodes + 1);
	/* Roots are the smallest index of their heap: one pass sees them first. */
	for (size_t i = 0; i < x->n_nodes; i++) {
		size_t root = x->nodes[i].root;
		struct heap *h = root == i ? new_heap(x) : x->heap_of[root];
		slots_add_node(x, h, &x->nodes[i]);
	}
	size_t n = x->n_heaps;
	for (size_t i = 0; i < n; i++) {
		struct heap *h = x->heaps[i];
		slots_fill(x, h);
		if (h->s.ambiguous)
			try_split(x, h);
	}
	adopt_by_cover(x);
}
