/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ties versions: partial rerolls, second postings, who replaces whom. */
#include "base/base.h"

#include "mail/assembly.h"
#include "mail/similar.h"

#include <strings.h>

#define MAX_LOOK_BACK 500 /* series of one author compared by title */
#define SECOND_POSTING_S                                                                 \
	3600 /* equal version, other content: a revision when so far apart */

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_version(const void *a, const void *b)
{
	const struct heap *p = *(struct heap *const *)a, *q = *(struct heap *const *)b;
	int c = compare_numbers(p->s.version, q->s.version);
	if (!c)
		c = compare_numbers(p->s.first_time, q->s.first_time);
	return c ? c : strcmp(p->s.id, q->s.id);
}

static int by_class_version(const void *a, const void *b)
{
	const struct heap *p = *(struct heap *const *)a, *q = *(struct heap *const *)b;
	int c = compare_numbers(p->s.version, q->s.version);
	if (!c)
		c = strcmp(p->nodes[0]->cls, q->nodes[0]->cls);
	return c ? c : (p->nodes[0] > q->nodes[0]) - (p->nodes[0] < q->nodes[0]);
}

/* Living heaps in the order of compare; *ret_n. */
static struct heap **living(
	struct assembly *x, int (*compare)(const void *, const void *), size_t *ret_n)
{
	struct heap **v = ARENA_ARRAY(x->arena, struct heap *, x->n_heaps + 1);
	*ret_n = 0;
	for (size_t i = 0; i < x->n_heaps; i++) {
		if (!x->heaps[i]->gone)
			v[(*ret_n)++] = x->heaps[i];
	}
	qsort(v, *ret_n, sizeof(*v), compare);
	return v;
}

/* The older series that every member of h answers in its own place or at the cover. */
static struct heap *base_of(const struct assembly *x, const struct heap *h)
{
	struct heap *base = NULL;
	for (size_t i = 0; i < h->n_nodes; i++) {
		const struct node *n = h->nodes[i];
		if (n->n < PREFIX_UNIT || n->parent == NODE_NONE)
			return NULL;
		const struct node *p = &x->nodes[n->parent];
		struct heap *b = x->heap_of[n->parent];
		if ((p->n != 0 && p->n != n->n) || b == h || (base && base != b))
			return NULL;
		base = b;
	}
	if (!base || base->gone || strcmp(base->author, h->author) ||
		base->s.total != h->s.total || base->s.version >= h->s.version ||
		h->s.total == PREFIX_NONE)
		return NULL;
	return base;
}

static void inherit(struct assembly *x, struct heap *h, struct heap *base)
{
	struct series *s = &h->s;
	struct series_patch *all = ARENA_ARRAY(
		x->arena, struct series_patch, s->n_patches + base->s.n_patches);
	size_t n = 0, i = 0;
	for (size_t k = 0; k < base->s.n_patches; k++) {
		const struct series_patch *old = &base->s.patches[k];
		while (i < s->n_patches && s->patches[i].n < old->n)
			all[n++] = s->patches[i++];
		if (i < s->n_patches && s->patches[i].n == old->n) {
			s->patches[i].replaces = old->mail;
			continue;
		}
		all[n] = *old;
		all[n].replaces = NULL;
		all[n].resent = NULL;
		all[n].n_resent = 0;
		all[n++].inherited = true;
	}
	while (i < s->n_patches)
		all[n++] = s->patches[i++];
	s->patches = all;
	s->n_patches = h->cap_patches = n;
	s->partial = true;
	s->previous = &base->s;
	s->previous_how = "thread";
	if (!s->base_commit)
		s->base_commit = base->s.base_commit;
	if (!s->tree)
		s->tree = base->s.tree;
	slots_complete(x, h);
}

static void absorb(struct assembly *x, struct heap *h, struct heap *other)
{
	other->gone = true;
	for (size_t i = 0; i < other->n_nodes; i++)
		slots_add_node(x, h, other->nodes[i]);
}

/* The whole of that version was posted as well, near enough to be a neighbour
 * (mail_keys): the same person's v5 of another set, years later, is none. */
static bool has_whole(struct heap **v, size_t n, const struct heap *h)
{
	int64_t when = h->nodes[0]->m->order_time;

	for (size_t i = 0; i < n; i++) {
		int64_t apart = v[i]->nodes[0]->m->order_time - when;

		if (v[i] != h && apart <= SERIES_WINDOW_S && -apart <= SERIES_WINDOW_S &&
			!v[i]->gone && v[i]->s.version == h->s.version &&
			!strcmp(v[i]->nodes[0]->cls, h->nodes[0]->cls) &&
			v[i]->n_nodes > h->n_nodes)
			return true;
	}
	return false;
}

void reroll_partial(struct assembly *x)
{
	size_t n;
	struct heap **v = living(x, by_class_version, &n);
	for (size_t i = 0, end; i < n; i = end) {
		/* One class and version: v[i..end). */
		for (end = i + 1; end < n && v[end]->s.version == v[i]->s.version &&
				  !strcmp(v[end]->nodes[0]->cls, v[i]->nodes[0]->cls);)
			end++;
		for (size_t k = i; k < end; k++) {
			struct heap *h = v[k];
			if (h->gone || h->s.cover || h->s.complete ||
				!h->s.version_explicit)
				continue;
			struct heap *base = base_of(x, h);
			if (!base)
				continue;
			for (size_t j = k + 1; j < end; j++) {
				if (!v[j]->gone && !v[j]->s.cover && !v[j]->s.complete &&
					base_of(x, v[j]) == base)
					absorb(x, h, v[j]);
			}
			slots_fill(x, h);
			if (h->s.complete)
				continue;
			if (has_whole(v + i, end - i, h))
				h->gone = true;
			else
				inherit(x, h, base);
		}
	}
}

static int by_posting(const void *a, const void *b)
{
	const struct heap *p = *(struct heap *const *)a, *q = *(struct heap *const *)b;
	int c = strcmp(p->author, q->author);
	if (!c)
		c = strcmp(p->match_title, q->match_title);
	if (!c)
		c = strcmp(p->tags, q->tags);
	if (!c)
		c = compare_numbers(p->s.total, q->s.total);
	return c ? c : by_version(a, b);
}

static bool same_posting_key(const struct heap *p, const struct heap *q)
{
	return !strcmp(p->author, q->author) && !strcmp(p->match_title, q->match_title) &&
	       !strcmp(p->tags, q->tags) && p->s.total == q->s.total &&
	       p->s.version == q->s.version && *p->match_title;
}

static bool same_patches(const struct heap *p, const struct heap *q)
{
	if (p->s.n_patches != q->s.n_patches || !p->s.n_patches)
		return false;
	for (size_t i = 0; i < p->s.n_patches; i++) {
		if (p->s.patches[i].n != q->s.patches[i].n ||
			!slots_same_patch(p->s.patches[i].mail, q->s.patches[i].mail))
			return false;
	}
	return true;
}

/* later is the same version sent once more: its mails become resent of the earlier. */
static void merge_posting(struct assembly *x, struct heap *h, struct heap *later)
{
	later->gone = true;
	for (size_t i = 0; i < later->s.n_patches; i++) {
		const struct series_patch *p = &later->s.patches[i];
		bool found = false;
		for (size_t k = 0; k < h->s.n_patches && !found; k++) {
			if (h->s.patches[k].n != p->n)
				continue;
			slots_add_resent(x, &h->s.patches[k], p->mail);
			found = true;
		}
	}
	for (size_t i = 0; i < later->n_nodes; i++)
		x->heap_of[later->nodes[i] - x->nodes] = h;
	slots_complete(x, h);
	assembly_note(x, h, "resent", later->s.id);
}

/* Does the later posting add nothing? A first posting that lost parts is not patched up
 * with those of the second: the second stands for itself. */
static bool adds_nothing(const struct heap *h, const struct heap *later)
{
	for (size_t i = 0; i < later->s.n_patches; i++) {
		bool found = false;
		for (size_t k = 0; k < h->s.n_patches; k++)
			found = found || h->s.patches[k].n == later->s.patches[i].n;
		if (!found)
			return false;
	}
	return true;
}

void reroll_postings(struct assembly *x)
{
	size_t n;
	struct heap **v = living(x, by_posting, &n);
	for (size_t i = 0; i < n; i++) {
		struct heap *h = v[i];
		if (h->gone || h->s.ambiguous || h->s.partial)
			continue;
		for (size_t k = i + 1; k < n && same_posting_key(h, v[k]); k++) {
			struct heap *later = v[k];
			if (later->gone || later->s.ambiguous || later->s.partial)
				continue;
			if ((later->s.resend && adds_nothing(h, later)) ||
				same_patches(h, later)) {
				merge_posting(x, h, later);
			} else if (later->s.resend ||
				   later->s.first_time - h->s.first_time >=
					   SECOND_POSTING_S) {
				assembly_note(x, later, "version_not_raised", h->s.id);
				break;
			}
		}
	}
}

static int by_change_id(const void *a, const void *b)
{
	const struct heap *p = *(struct heap *const *)a, *q = *(struct heap *const *)b;
	int c = strcmp(p->s.change_id ? p->s.change_id : "",
		q->s.change_id ? q->s.change_id : "");
	if (!c)
		c = strcmp(p->author, q->author);
	if (!c)
		c = compare_numbers(p->s.first_time, q->s.first_time);
	return c ? c : strcmp(p->s.id, q->s.id);
}

/* A subject without version and a change-id that was seen before: the next version. */
void reroll_versions(struct assembly *x)
{
	size_t n;
	struct heap **v = living(x, by_change_id, &n);
	int64_t highest = 0;
	for (size_t i = 0; i < n; i++) {
		struct heap *h = v[i];
		bool again = i && h->s.change_id && v[i - 1]->s.change_id &&
			     !strcmp(h->s.change_id, v[i - 1]->s.change_id) &&
			     !strcmp(h->author, v[i - 1]->author);
		if (!again)
			highest = 0;
		if (again && !h->s.version_explicit && h->s.version <= highest) {
			h->s.version = (highest / PREFIX_UNIT + 1) * PREFIX_UNIT;
			assembly_note(x, h, "version_inferred", h->s.change_id);
		}
		if (h->s.version > highest)
			highest = h->s.version;
	}
}

/* The candidates of one rule: only the highest version counts. */
struct pick {
	struct heap *best;
	size_t n;
};

static void offer(struct pick *p, const struct heap *h, struct heap *c)
{
	bool posting = c->s.version == h->s.version && !c->s.partial;
	if (c == h || c->gone || c->s.first_time > h->s.first_time)
		return;
	if (c->s.version > h->s.version || (posting && !h->s.notes))
		return;
	/* A series that a later one of a lower version replaced is no candidate. */
	if (c->s.superseded_by && c->s.superseded_by->version < h->s.version)
		return;
	if (p->best == c)
		return;
	if (!p->best || c->s.version > p->best->s.version) {
		p->best = c;
		p->n = 1;
	} else if (c->s.version == p->best->s.version) {
		p->n++;
	}
}

static bool is_older(const struct heap *h, const struct heap *c)
{
	return c->s.version < h->s.version &&
	       h->s.first_time - c->s.first_time <= SERIES_LINK_S;
}

static void pick_by_ids(struct assembly *x, const struct heap *h, const char *const *ids,
	size_t n, struct pick *p)
{
	for (size_t i = 0; i < n; i++) {
		const struct node *node = assembly_node(x, ids[i]);
		struct heap *c = node ? x->heap_of[node - x->nodes] : NULL;
		if (c && c->s.version < h->s.version && !strcmp(c->author, h->author))
			offer(p, h, c);
	}
}

static void pick_by_thread(struct assembly *x, const struct heap *h, struct pick *p)
{
	for (size_t i = 0; i < h->n_nodes; i++) {
		const struct mail *m = h->nodes[i]->m;
		pick_by_ids(x, h, m->in_reply_to, m->n_in_reply_to, p);
		pick_by_ids(x, h, m->references, m->n_references, p);
	}
}

static void pick_by_link(struct assembly *x, const struct heap *h, struct pick *p)
{
	const struct mail *head = h->s.cover ? h->s.cover : h->s.patches[0].mail;
	pick_by_ids(x, h, head->links, head->n_links, p);
}

/* v holds all living series of one author. */
static void pick_by_change_id(
	const struct heap *h, struct heap *const *v, size_t n, struct pick *p)
{
	for (size_t i = 0; h->s.change_id && i < n; i++) {
		if (v[i]->s.change_id && !strcmp(v[i]->s.change_id, h->s.change_id) &&
			v[i]->s.version < h->s.version)
			offer(p, h, v[i]);
	}
}

static void pick_by_title(
	const struct heap *h, struct heap *const *v, size_t n, struct pick *p)
{
	for (size_t i = 0; i < n; i++) {
		if (is_older(h, v[i]) && *h->match_title &&
			!strcmp(v[i]->match_title, h->match_title))
			offer(p, h, v[i]);
	}
}

static void pick_by_likeness(
	const struct heap *h, struct heap *const *v, size_t n, struct pick *p)
{
	for (size_t i = n > MAX_LOOK_BACK ? n - MAX_LOOK_BACK : 0; i < n; i++) {
		if (is_older(h, v[i]) &&
			similar_titles(h->match_title, v[i]->match_title) >= 0.8 &&
			similar_patches(&h->s, &v[i]->s) >= 0.5)
			offer(p, h, v[i]);
	}
}

static void link_one(struct assembly *x, struct heap *h, struct heap *const *v, size_t n)
{
	static const char *const how[] = {
		"change-id", "thread", "link", "title", "title"};
	if (h->s.previous)
		return;
	bool unclear = false;
	for (int rule = 0; rule < 5; rule++) {
		struct pick p = {NULL, 0};
		if (rule == 0)
			pick_by_change_id(h, v, n, &p);
		else if (rule == 1)
			pick_by_thread(x, h, &p);
		else if (rule == 2)
			pick_by_link(x, h, &p);
		else if (rule == 3)
			pick_by_title(h, v, n, &p);
		else
			pick_by_likeness(h, v, n, &p);
		unclear = unclear || p.n > 1;
		if (p.n != 1)
			continue;
		if (p.best->s.superseded_by) {
			/* Another series of this version was first. */
			assembly_note(x, h, "reroll_claimed", p.best->s.id);
			return;
		}
		h->s.previous = &p.best->s;
		h->s.previous_how = how[rule];
		p.best->s.superseded_by = &h->s;
		return;
	}
	if (unclear)
		assembly_note(x, h, "reroll_unclear", "several older series fit");
}

static int by_author(const void *a, const void *b)
{
	const struct heap *p = *(struct heap *const *)a, *q = *(struct heap *const *)b;
	int c = strcmp(p->author, q->author);
	return c ? c : by_version(a, b);
}

/* "v1 (second posting)": the earlier one it names in its note. */
static void link_second_posting(struct assembly *x, struct heap *h)
{
	for (size_t i = 0; i < h->s.n_notes; i++) {
		if (strcmp(h->s.notes[i].code, "version_not_raised"))
			continue;
		const struct node *n = assembly_node(x, h->s.notes[i].detail);
		struct heap *c = n ? x->heap_of[n - x->nodes] : NULL;
		if (!c || c->gone || c->s.superseded_by)
			return;
		h->s.previous = &c->s;
		h->s.previous_how = "title";
		c->s.superseded_by = &h->s;
	}
}

void reroll_link(struct assembly *x)
{
	size_t n;
	struct heap **v = living(x, by_author, &n);
	for (size_t i = 0; i < n; i++) {
		if (v[i]->s.previous)
			v[i]->s.previous->superseded_by = &v[i]->s;
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(v[end]->author, v[i]->author);)
			end++;
		for (size_t k = i; k < end; k++) {
			link_second_posting(x, v[k]);
			if (v[k]->s.version > PREFIX_FIRST)
				link_one(x, v[k], v + i, k - i);
		}
	}
}
