/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every rule of assembly that makes a series joins mails of one author. What it asks of
 * other mails is listed at enum stream_kind; each question is a join of sorted lists of
 * (hash, mail), and each answer a pair (author, mail): that mail belongs to the group.
 */
#include "base/base.h"

#include "mail/assembly.h"
#include "mail/image.h"
#include "mail/streaming.h"

/* --- one of several mails that have a text --- */

/* A text of a mail by number, NULL behind the last. */
typedef const char *text_fn(const struct mail *m, size_t k);

static const char *own_id(const struct mail *m, size_t k)
{
	return k ? NULL : m->message_id;
}

static const char *any_id(const struct mail *m, size_t k)
{
	return k == 0 ? m->message_id : k <= m->n_alt_ids ? m->alt_ids[k - 1] : NULL;
}

static const char *patch_id(const struct mail *m, size_t k)
{
	return k ? NULL : m->patch_id;
}

static int by_copy(const struct mail *p, const struct mail *q, const char *text)
{
	(void)text;
	return assembly_by_copy(p, q);
}

/* Whose own id it is, then the earliest: as in struct id_entry. */
static int by_claim(const struct mail *p, const struct mail *q, const char *id)
{
	int c = (strcmp(p->message_id, id) != 0) - (strcmp(q->message_id, id) != 0);

	return c ? c : assembly_by_time(p, q);
}

static int by_message_id(const struct mail *p, const struct mail *q, const char *text)
{
	(void)text;
	return strcmp(p->message_id, q->message_id);
}

/* Mails of a bucket, and which of them count: the first by order, for each text. */
struct choice {
	text_fn *text;
	int (*order)(const struct mail *p, const struct mail *q, const char *text);
	/* What becomes of a mail that does not count for the text; may be NULL. */
	int (*lose)(struct series_stream *s, uint32_t i, const struct mail *m,
		const char *text, struct err *e);
	uint32_t *v;
	size_t n, cap;
	struct chosen {
		struct arena *arena;
		const char *text;
		const struct mail *mail;
		uint32_t i;
	} * first;
	size_t n_first, cap_first;
	bool made;
};

static void choice_reset(struct choice *c)
{
	for (size_t i = 0; i < c->n_first; i++)
		arena_free(c->first[i].arena);
	c->n = c->n_first = 0;
	c->made = false;
}

static void choice_release(struct choice *c)
{
	choice_reset(c);
	free(c->v);
	free(c->first);
}

static void choice_add(struct choice *c, uint32_t i)
{
	if (c->n && c->v[c->n - 1] == i)
		return;
	if (c->n == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 16;
		c->v = base_realloc(c->v, c->cap * sizeof(*c->v));
	}
	c->v[c->n++] = i;
}

static struct chosen *choice_push(struct choice *c)
{
	if (c->n_first == c->cap_first) {
		c->cap_first = c->cap_first ? 2 * c->cap_first : 4;
		c->first = base_realloc(c->first, c->cap_first * sizeof(*c->first));
	}
	c->first[c->n_first] = (struct chosen){.arena = NULL};
	return &c->first[c->n_first++];
}

static int die(struct series_stream *s, uint32_t i, const struct mail *m,
	const char *text, struct err *e)
{
	(void)m;
	(void)text;
	(void)e;
	s->rows[i].flags |= FLAG_DEAD;
	return 0;
}

/* The mail goes without that id from now on: in no group it may stand for another that
 * has it and is not there. */
static int lose_id(struct series_stream *s, uint32_t i, const struct mail *m,
	const char *text, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct mail *now;
	struct mail copy;
	size_t n = 0;
	int rc =
		stream_load(s, a, i, &now, e); /* m may have ids that it has lost since */

	if (rc || !strcmp(m->message_id, text))
		return rc;
	copy = *now;
	for (size_t k = 0; k < now->n_alt_ids; k++) {
		if (strcmp(now->alt_ids[k], text) != 0)
			copy.alt_ids[n++] = now->alt_ids[k];
	}
	copy.n_alt_ids = n;
	mail_image_write(&copy, &s->image);
	s->rows[i].len = (uint32_t)s->image.len;
	return spool_add(&s->digests, s->image.buf, s->image.len, &s->rows[i].at, e);
}

static int lose(struct series_stream *s, const struct choice *c, uint32_t i,
	const struct mail *m, const char *text, struct err *e)
{
	return c->lose ? c->lose(s, i, m, text, e) : 0;
}

/* Text number k of mail i against what was chosen for the same text. */
static int choose_text(struct series_stream *s, struct choice *c, uint32_t i,
	const struct mail *m, size_t k, struct err *e)
{
	const char *text = c->text(m, k);
	struct chosen *old = NULL, new = {.arena = arena_new(), .i = i};
	int rc;

	for (size_t j = 0; j < c->n_first && !old; j++) {
		if (!strcmp(c->first[j].text, text))
			old = &c->first[j];
	}
	if (old && (old->i == i || c->order(old->mail, m, text) <= 0)) {
		arena_free(new.arena);
		return old->i == i ? 0 : lose(s, c, i, m, text, e);
	}
	new.text = arena_strdup(new.arena, text);
	rc = stream_load(s, new.arena, i, &new.mail, e);
	if (rc == 0 && old)
		rc = lose(s, c, old->i, old->mail, text, e);
	if (rc) {
		arena_free(new.arena);
		return rc;
	}
	if (!old)
		old = choice_push(c);
	arena_free(old->arena);
	*old = new;
	return 0;
}

static int choose_one(struct series_stream *s, struct choice *c, uint64_t key, uint32_t i,
	struct err *e)
{
	const struct mail *m;
	int rc = stream_load(s, s->scratch, i, &m, e);

	for (size_t k = 0; rc == 0 && c->text(m, k); k++) {
		if (stream_hash(s, c->text(m, k)) == key)
			rc = choose_text(s, c, i, m, k, e);
	}
	arena_reset(s->scratch);
	return rc;
}

/* A single mail needs no reading. */
static int choose(struct series_stream *s, struct choice *c, uint64_t key, struct err *e)
{
	int rc = 0;

	if (c->made)
		return 0;
	c->made = true;
	if (c->n == 1)
		choice_push(c)->i = c->v[0];
	for (size_t i = 0; rc == 0 && c->n > 1 && i < c->n; i++)
		rc = choose_one(s, c, key, c->v[i], e);
	return rc;
}

/* --- who belongs to which group --- */

static int join(struct series_stream *s, enum stream_list list, uint64_t key,
	uint64_t value, struct err *e)
{
	return sorter_add(s->lists[list], key, value, e);
}

/* Copies of one mail: all but one are dead. */
static int find_copies(struct series_stream *s, struct err *e)
{
	CLEANUP(choice_release)
	struct choice c = {.text = own_id, .order = by_copy, .lose = die};
	struct sorter_pair p;
	uint64_t key = 0;
	int rc = sorter_rewind(s->lists[LIST_IDS], e);

	while (rc == 0 && (rc = sorter_next(s->lists[LIST_IDS], &p, e)) > 0) {
		rc = 0;
		if (p.key != key) {
			rc = choose(s, &c, key, e);
			choice_reset(&c);
		}
		key = p.key;
		if (p.value >> 32 == KIND_OWN)
			choice_add(&c, (uint32_t)p.value);
	}
	return rc ? rc : choose(s, &c, key, e);
}

static bool has_id(const struct mail *m, const char *id)
{
	for (size_t k = 0; any_id(m, k); k++) {
		if (!strcmp(any_id(m, k), id))
			return true;
	}
	return false;
}

/* Patch i answers h. One such answer, of the same author, is as good as all. */
static int add_proof(struct series_stream *s, uint32_t i, uint32_t h, struct err *e)
{
	const struct mail *child, *parent;
	int rc;

	if (!(s->rows[h].flags & FLAG_MAYBE) || s->rows[h].flags & FLAG_WITNESS ||
		s->rows[h].author != s->rows[i].author)
		return 0;
	rc = stream_load(s, s->scratch, i, &child, e);
	if (rc == 0)
		rc = stream_load(s, s->scratch, h, &parent, e);
	if (rc == 0 && has_id(parent, child->parent) &&
		!strcmp(series_author_key(s->scratch, parent),
			series_author_key(s->scratch, child))) {
		s->rows[h].flags |= FLAG_WITNESS;
		rc = join(s, LIST_PROOFS, h, i, e);
	}
	arena_reset(s->scratch);
	return rc;
}

/* Mail i names an id of h. */
static int add_name(struct series_stream *s, enum stream_kind kind, uint32_t i,
	uint32_t h, struct err *e)
{
	const struct stream_row *from = &s->rows[i], *to = &s->rows[h];
	int rc = 0;

	if (kind == KIND_PARENT)
		return add_proof(s, i, h, e);
	if (kind == KIND_MERGED)
		return to->flags & FLAG_PART ? join(s, LIST_MEMBERS, to->author, i, e)
					     : 0;
	if (from->flags & FLAG_PART)
		rc = join(s, LIST_MEMBERS, from->author, h, e);
	if (rc == 0 && from->flags & FLAG_TRAILERS)
		rc = join(s, LIST_ANSWERS, i, h, e);
	return rc;
}

static int join_ids(struct series_stream *s, struct err *e)
{
	CLEANUP(choice_release)
	struct choice c = {.text = any_id, .order = by_claim, .lose = lose_id};
	struct sorter_pair p;
	uint64_t key = 0;
	int rc = sorter_rewind(s->lists[LIST_IDS], e);

	while (rc == 0 && (rc = sorter_next(s->lists[LIST_IDS], &p, e)) > 0) {
		enum stream_kind kind = (enum stream_kind)(p.value >> 32);
		uint32_t i = (uint32_t)p.value;

		rc = 0;
		if (p.key != key)
			choice_reset(&c);
		key = p.key;
		if (s->rows[i].flags & FLAG_DEAD)
			continue;
		if (kind <= KIND_ALT) {
			choice_add(&c, i);
			continue;
		}
		rc = choose(s, &c, key, e);
		for (size_t k = 0; rc == 0 && k < c.n_first; k++)
			rc = add_name(s, kind, i, c.first[k].i, e);
	}
	stream_drop(s, LIST_IDS);
	return rc;
}

static int join_patches(struct series_stream *s, struct err *e)
{
	CLEANUP(choice_release)
	struct choice c = {.text = patch_id, .order = by_message_id};
	struct sorter *list = s->lists[LIST_PATCHES];
	struct sorter_pair p;
	uint64_t key = 0;
	int rc = sorter_rewind(list, e);

	while (rc == 0 && (rc = sorter_next(list, &p, e)) > 0) {
		uint32_t i = (uint32_t)p.value;

		rc = 0;
		if (p.key != key)
			choice_reset(&c);
		key = p.key;
		if (s->rows[i].flags & FLAG_DEAD)
			continue;
		if (p.value >> 32 == PATCH_NOTICE) {
			choice_add(&c, i);
			continue;
		}
		rc = choose(s, &c, key, e);
		for (size_t k = 0; rc == 0 && k < c.n_first; k++)
			rc = join(s, LIST_MEMBERS, s->rows[i].author, c.first[k].i, e);
	}
	stream_drop(s, LIST_PATCHES);
	return rc;
}

/* A reply with trailers is of every group that a mail it answers is of; and so are all
 * that it answers, since the nearest takes the trailers. */
static int join_answer(struct series_stream *s, uint32_t reply, const uint32_t *to,
	size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct stream_row *r = &s->rows[to[i]];

		if (!(r->flags & FLAG_PART))
			continue;
		rc = join(s, LIST_MEMBERS, r->author, reply, e);
		for (size_t k = 0; rc == 0 && k < n; k++) {
			const struct stream_row *o = &s->rows[to[k]];

			if (k == i || o->author == r->author)
				continue;
			rc = join(s, LIST_MEMBERS, r->author, to[k], e);
			if (rc == 0 && o->flags & FLAG_MAYBE)
				rc = join(s, LIST_COVERS, to[k], r->author, e);
		}
	}
	return rc;
}

static int join_answers(struct series_stream *s, struct err *e)
{
	struct sorter *list = s->lists[LIST_ANSWERS];
	CLEANUP(base_freep) uint32_t *to = NULL;
	size_t n = 0, cap = 0;
	struct sorter_pair p;
	uint64_t key = 0;
	int rc = sorter_rewind(list, e);

	while (rc == 0 && (rc = sorter_next(list, &p, e)) > 0) {
		rc = 0;
		if (p.key != key) {
			rc = join_answer(s, (uint32_t)key, to, n, e);
			n = 0;
		}
		key = p.key;
		if (n == cap) {
			cap = cap ? 2 * cap : 64;
			to = base_realloc(to, cap * sizeof(*to));
		}
		to[n++] = (uint32_t)p.value;
	}
	if (rc == 0)
		rc = join_answer(s, (uint32_t)key, to, n, e);
	stream_drop(s, LIST_ANSWERS);
	return rc;
}

/* Groups that hold a cover of somebody else learn that it is one. */
static int join_covers(struct series_stream *s, struct err *e)
{
	struct sorter *covers = s->lists[LIST_COVERS], *proofs = s->lists[LIST_PROOFS];
	struct sorter_pair p, q = {0, 0};
	int more = 1, rc = sorter_rewind(covers, e);

	if (rc == 0)
		rc = sorter_rewind(proofs, e);
	if (rc == 0)
		rc = more = sorter_next(proofs, &q, e);
	while (rc >= 0 && more > 0 && (rc = sorter_next(covers, &p, e)) > 0) {
		while (more > 0 && q.key < p.key)
			more = sorter_next(proofs, &q, e);
		if (more > 0 && q.key == p.key)
			rc = join(s, LIST_MEMBERS, p.value, q.value, e);
	}
	stream_drop(s, LIST_COVERS);
	stream_drop(s, LIST_PROOFS);
	return more < 0 ? more : rc < 0 ? rc : 0;
}

int stream_join(struct series_stream *s, struct err *e)
{
	int rc = find_copies(s, e);

	if (rc == 0)
		rc = join_ids(s, e);
	if (rc == 0)
		rc = join_patches(s, e);
	if (rc == 0)
		rc = join_answers(s, e);
	if (rc == 0)
		rc = join_covers(s, e);
	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		if ((s->rows[i].flags & (FLAG_PART | FLAG_DEAD)) == FLAG_PART)
			rc = join(s, LIST_MEMBERS, s->rows[i].author, i, e);
	}
	return rc;
}
