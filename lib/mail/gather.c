/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which patches and covers belong together: the edges E1 to E6 of docs/mail.md. */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/assembly.h"
#include "mail/stamp.h"

#include <ctype.h>
#include <inttypes.h>
#include <strings.h>

/* Some member of a bucket: nodes that share a key. */
struct bucket_entry {
	const char *key;
	size_t node;
};

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *lower(struct arena *a, const char *s)
{
	char *out = arena_strdup(a, s);
	for (char *p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return out;
}

static const char *tags_key(struct arena *a, const struct prefix *p)
{
	if (!p->n_tags)
		return "";
	const char **v = ARENA_ARRAY(a, const char *, p->n_tags);
	size_t len = 1;
	for (size_t i = 0; i < p->n_tags; i++) {
		v[i] = lower(a, p->tags[i]);
		len += strlen(v[i]) + 1;
	}
	qsort(v, p->n_tags, sizeof(*v), by_text);
	char *out = arena_alloc(a, len);
	size_t n = 0;
	for (size_t i = 0; i < p->n_tags; i++) {
		size_t l = strlen(v[i]);
		memcpy(out + n, v[i], l);
		n += l;
		out[n++] = '\x1e';
	}
	out[n] = 0;
	return out;
}

static void set_class(struct assembly *x, struct node *n)
{
	n->cls = arena_printf(x->arena, "%s\x1f%" PRId64 "\x1f%" PRId64 "\x1f%s",
		n->author, n->total, n->version, n->tags);
}

/* A mail without diff and count that its author's patches answer: a cover after all. */
static void find_naked_covers(const struct assembly *x, int64_t *ret_totals)
{
	for (size_t i = 0; i < x->n_mails; i++)
		ret_totals[i] = PREFIX_NONE;
	for (size_t i = 0; i < x->n_mails; i++) {
		const struct mail *m = x->mails[i];
		if (m->kind != MAIL_PATCH || m->posted.n < PREFIX_UNIT || !m->parent)
			continue;
		size_t at = assembly_find(x, m->parent);
		if (at == SIZE_MAX || !x->mails[at]->maybe_cover ||
			strcasecmp(x->mails[at]->poster.email, m->poster.email))
			continue;
		/* Patches that disagree: the largest total, so that order does not count.
		 */
		if (m->posted.m > ret_totals[at])
			ret_totals[at] = m->posted.m;
	}
}

void gather_nodes(struct assembly *x)
{
	struct arena *a = x->arena;
	int64_t *naked = ARENA_ARRAY(a, int64_t, x->n_mails + 1);
	find_naked_covers(x, naked);
	x->nodes = ARENA_ARRAY(a, struct node, x->n_mails + 1);
	x->node_of = ARENA_ARRAY(a, size_t, x->n_mails + 1);
	for (size_t i = 0; i < x->n_mails; i++) {
		const struct mail *m = x->mails[i];
		x->node_of[i] = NODE_NONE;
		bool is_naked = naked[i] != PREFIX_NONE;
		if ((m->kind != MAIL_PATCH && m->kind != MAIL_COVER && !is_naked) ||
			!*m->poster.email)
			continue;
		size_t at = x->n_nodes++;
		x->node_of[i] = at;
		struct node *n = &x->nodes[at];
		n->m = m;
		n->author = series_author_key(a, m);
		n->tags = tags_key(a, &m->posted);
		n->n = m->kind == MAIL_PATCH ? m->posted.n : 0;
		n->total = is_naked ? naked[i] : m->posted.m;
		n->version = m->posted.version_explicit ? m->posted.version : PREFIX_NONE;
		n->root = n->strong = at;
		set_class(x, n);
	}
	for (size_t i = 0; i < x->n_nodes; i++) {
		struct node *n = &x->nodes[i];
		size_t at = n->m->parent ? assembly_find(x, n->m->parent) : SIZE_MAX;
		n->parent = at == SIZE_MAX ? NODE_NONE : x->node_of[at];
		if (n->parent == i)
			n->parent = NODE_NONE;
	}
}

static size_t find_root(struct node *nodes, size_t i)
{
	while (nodes[i].root != i) {
		nodes[i].root = nodes[nodes[i].root].root;
		i = nodes[i].root;
	}
	return i;
}

static size_t find_strong(struct node *nodes, size_t i)
{
	while (nodes[i].strong != i) {
		nodes[i].strong = nodes[nodes[i].strong].strong;
		i = nodes[i].strong;
	}
	return i;
}

/* The smaller index becomes the root, so that the result does not depend on order. */
static void join(struct assembly *x, size_t a, size_t b, bool strong)
{
	size_t ra = find_root(x->nodes, a), rb = find_root(x->nodes, b);
	if (ra < rb)
		x->nodes[rb].root = ra;
	else
		x->nodes[ra].root = rb;
	if (!strong)
		return;
	ra = find_strong(x->nodes, a);
	rb = find_strong(x->nodes, b);
	if (ra < rb)
		x->nodes[rb].strong = ra;
	else
		x->nodes[ra].strong = rb;
}

bool gather_hangs_under(const struct node *parent, const struct node *child)
{
	if (strcmp(parent->author, child->author))
		return false;
	bool open = parent->n == 0 && parent->total == PREFIX_NONE;
	if (parent->total != child->total && !open)
		return false;
	if (parent->version != child->version && child->version != PREFIX_NONE)
		return false;
	return !strcmp(parent->tags, child->tags) || !*child->tags;
}

static void edges_parent(struct assembly *x)
{
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct node *b = &x->nodes[i];
		if (b->parent == NODE_NONE || b->n == PREFIX_NONE)
			continue;
		const struct node *a = &x->nodes[b->parent];
		if (a->n != PREFIX_NONE && b->n > a->n && gather_hangs_under(a, b))
			join(x, i, b->parent, true);
	}
}

static int by_key(const void *a, const void *b)
{
	const struct bucket_entry *p = a, *q = b;
	int c = strcmp(p->key, q->key);
	if (c)
		return c;
	return p->node < q->node ? -1 : p->node > q->node;
}

/* All nodes of a bucket belong together as soon as two of them have different places. */
static void join_buckets(
	struct assembly *x, struct bucket_entry *v, size_t n, bool strong)
{
	qsort(v, n, sizeof(*v), by_key);
	for (size_t i = 0, end; i < n; i = end) {
		bool differ = false;
		for (end = i + 1; end < n && !strcmp(v[end].key, v[i].key); end++)
			differ = differ ||
				 x->nodes[v[end].node].n != x->nodes[v[i].node].n;
		for (size_t k = i + 1; differ && k < end; k++)
			join(x, v[i].node, v[k].node, strong);
	}
}

/* E2: same parent, which is absent or of another class. */
static void edges_siblings(struct assembly *x, struct bucket_entry *v)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct node *b = &x->nodes[i];
		if (!b->m->parent || b->n == PREFIX_NONE)
			continue;
		if (b->parent != NODE_NONE && gather_hangs_under(&x->nodes[b->parent], b))
			continue;
		v[n].node = i;
		v[n++].key = arena_printf(x->arena, "%s\x1f%s", b->m->parent, b->cls);
	}
	join_buckets(x, v, n, false);
}

/* E3 and E4: one run of quilt or git send-email. */
static void edges_stamps(struct assembly *x, struct bucket_entry *v)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct node *b = &x->nodes[i];
		const char *stamp = stamp_of(x->arena, b->m->message_id);
		if (!stamp || b->n == PREFIX_NONE)
			continue;
		v[n].node = i;
		v[n++].key = arena_printf(x->arena, "%s\x1f%s", stamp, b->cls);
	}
	join_buckets(x, v, n, false);
}

/* E5: one change-id, total and explicit version; tags may differ. */
static void edges_change_id(struct assembly *x, struct bucket_entry *v)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct node *b = &x->nodes[i];
		if (!b->m->change_id || b->n == PREFIX_NONE || b->version == PREFIX_NONE)
			continue;
		v[n].node = i;
		v[n++].key = arena_printf(x->arena, "%s\x1f%s\x1f%" PRId64 "\x1f%" PRId64,
			b->m->change_id, b->author, b->total, b->version);
	}
	join_buckets(x, v, n, true);
}

static bool is_near(const struct assembly *x, size_t a, size_t b)
{
	int64_t d = x->nodes[a].m->order_time - x->nodes[b].m->order_time;
	return d <= SERIES_WEAK_S && d >= -SERIES_WEAK_S;
}

/* E6 inside one class: different places, near in time. v holds nodes in order of time.
 * Equal places in a row form a run; the first node behind a run meets all of it that is
 * near, later ones only need the run's last. */
static void join_near(struct assembly *x, const struct bucket_entry *v, size_t n)
{
	size_t run = 0; /* where the present run begins */
	for (size_t i = 1; i < n; i++) {
		bool same = x->nodes[v[i].node].n == x->nodes[v[i - 1].node].n;
		if (!same) {
			for (size_t k = i; k-- > run && is_near(x, v[i].node, v[k].node);)
				join(x, v[k].node, v[i].node, false);
			run = i;
		} else if (run > 0 && is_near(x, v[i].node, v[run - 1].node)) {
			join(x, v[run - 1].node, v[i].node, false);
		}
	}
}

static bool is_unthreaded(const struct node *n)
{
	return !n->m->parent && n->n != PREFIX_NONE;
}

/* Where the entries of a class begin in v, or would. */
static size_t lower_bound(const struct bucket_entry *v, size_t n, const char *cls)
{
	struct bucket_entry want = {cls, 0};
	size_t lo = 0, hi = n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (by_key(&v[mid], &want) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * A cover alone that names the version ("(v3)") and patches near it that do not. v: the
 * unthreaded nodes by class. Only a cover without patches takes in patches without a
 * cover, so that nothing is torn from where it stood.
 */
static void adopt_plain(struct assembly *x, const struct bucket_entry *v, size_t n)
{
	size_t *size = ARENA_ARRAY(x->arena, size_t, x->n_nodes + 1);
	bool *covered = ARENA_ARRAY(x->arena, bool, x->n_nodes + 1);
	size_t *root = ARENA_ARRAY(x->arena, size_t, x->n_nodes + 1);
	for (size_t i = 0; i < x->n_nodes; i++) {
		root[i] = find_root(x->nodes, i);
		size[root[i]]++;
		covered[root[i]] = covered[root[i]] || x->nodes[i].n == 0;
	}
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct node *c = &x->nodes[i];
		if (c->n != 0 || c->version == PREFIX_NONE || !is_unthreaded(c) ||
			size[root[i]] != 1)
			continue;
		struct node plain = *c;
		plain.version = PREFIX_NONE;
		const char *tags[] = {c->tags, ""};
		for (size_t t = 0; t < (*c->tags ? 2u : 1u); t++) {
			plain.tags = tags[t];
			set_class(x, &plain);
			size_t at = lower_bound(v, n, plain.cls);
			for (; at < n && !strcmp(v[at].key, plain.cls); at++) {
				if (!covered[root[v[at].node]] &&
					is_near(x, i, v[at].node))
					join(x, i, v[at].node, false);
			}
		}
	}
}

static void edges_near(struct assembly *x, struct bucket_entry *v)
{
	size_t n = 0;
	for (size_t i = 0; i < x->n_nodes; i++) {
		if (is_unthreaded(&x->nodes[i]))
			v[n++] = (struct bucket_entry){x->nodes[i].cls, i};
	}
	/* Nodes are numbered in order of time, so the key sort keeps that order. */
	qsort(v, n, sizeof(*v), by_key);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(v[end].key, v[i].key);)
			end++;
		join_near(x, v + i, end - i);
	}
	adopt_plain(x, v, n);
}

/* One mail alone that answers the patch in its own place: sent to replace it. */
static void edges_replacement(struct assembly *x)
{
	size_t *count = ARENA_ARRAY(x->arena, size_t, x->n_nodes + 1);
	for (size_t i = 0; i < x->n_nodes; i++)
		count[find_root(x->nodes, i)]++;
	for (size_t i = 0; i < x->n_nodes; i++) {
		const struct node *b = &x->nodes[i];
		if (count[find_root(x->nodes, i)] != 1 || b->parent == NODE_NONE ||
			b->n < PREFIX_UNIT)
			continue;
		const struct node *a = &x->nodes[b->parent];
		if (a->n == b->n && gather_hangs_under(a, b))
			join(x, i, b->parent, true);
	}
}

void gather_edges(struct assembly *x)
{
	struct bucket_entry *v =
		ARENA_ARRAY(x->arena, struct bucket_entry, x->n_nodes + 1);
	edges_parent(x);
	edges_siblings(x, v);
	edges_stamps(x, v);
	edges_change_id(x, v);
	edges_near(x, v);
	edges_replacement(x);
	for (size_t i = 0; i < x->n_nodes; i++) {
		x->nodes[i].root = find_root(x->nodes, i);
		x->nodes[i].strong = find_strong(x->nodes, i);
	}
}
