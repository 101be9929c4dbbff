/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every rule of assembly that makes a series joins mails of one author. What it asks of
 * other mails is listed at enum kind; each question is a join of sorted lists of (hash,
 * mail), and each answer a pair (author, mail): that mail belongs to the group.
 */
#include "base/base.h"

#include "base/sha256.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "mail/assembly.h"
#include "mail/image.h"
#include "mail/mail_json.h"
#include "mail/stream.h"

#include <ctype.h>

/* What a mail has to do with an id, in the order in which a bucket is read. */
enum kind {
	KIND_OWN,    /* it is the mail's own id */
	KIND_ALT,    /* another id of its own */
	KIND_NAME,   /* a part answers or links it, or a reply with trailers answers it */
	KIND_PARENT, /* a numbered patch answers it: it may be a naked cover */
	KIND_MERGED, /* a merge notice links it */
};

/* What a mail has to do with a patch-id. */
enum patch_kind { PATCH_NOTICE, PATCH_PART };

enum flag {
	FLAG_PART = 1 << 0,
	FLAG_MAYBE = 1 << 1, /* a cover if a patch answers it */
	FLAG_TRAILERS = 1 << 2,
	FLAG_DEAD = 1 << 3,    /* a copy of a mail that is here */
	FLAG_WITNESS = 1 << 4, /* one of its answers makes it a cover, and is known */
};

struct row {
	uint64_t at;     /* in spool digests */
	uint64_t author; /* of a part: hash of the poster; the name of its group */
	uint32_t len;
	uint32_t flags;
};

enum list {
	LIST_IDS,     /* hash of id: kind and mail */
	LIST_PATCHES, /* hash of patch-id: kind and mail */
	LIST_ANSWERS, /* reply with trailers: mail it answers */
	LIST_COVERS,  /* mail that may be a cover: group that must know */
	LIST_PROOFS,  /* such a mail: the answer that makes it one */
	LIST_MEMBERS, /* group: mail */
	LIST_SERIES,  /* time: place in spool texts */
	LIST_OTHERS,
	N_LISTS,
};

struct series_stream {
	struct row *rows;
	size_t n, cap;
	struct spool digests, texts;
	struct sorter *lists[N_LISTS];
	unsigned int hash_shift;
	struct arena *scratch; /* one mail, or one series as text */
	struct sbuf image;
	struct series_stream_stats stats;
	bool tie_failed; /* reading an id to compare failed; tie_err says how */
	struct err tie_err;
};

/* Before each text: the mail it is about (others), or UINT32_MAX. */
struct text_head {
	uint32_t mail, id_len, text_len;
};

/* --- texts of the result, and their order --- */

static int read_id(const struct series_stream *s, uint64_t at, char **ret, struct err *e)
{
	struct text_head h;
	int rc = spool_read(&s->texts, at, &h, sizeof(h), e);

	if (rc)
		return rc;
	*ret = base_alloc((size_t)h.id_len + 1);
	(*ret)[h.id_len] = 0;
	return spool_read(&s->texts, at + sizeof(h), *ret, h.id_len, e);
}

/* Of two texts with one time, that with the smaller id comes first. */
static int by_id(void *arg, uint64_t a, uint64_t b)
{
	struct series_stream *s = arg;
	CLEANUP(base_freep) char *x = NULL;
	CLEANUP(base_freep) char *y = NULL;

	if (s->tie_failed || read_id(s, a, &x, &s->tie_err) ||
		read_id(s, b, &y, &s->tie_err)) {
		s->tie_failed = true;
		return 0;
	}
	return strcmp(x, y);
}

/* takes j */
static int add_text(struct series_stream *s, enum list list, int64_t time, uint32_t mail,
	const char *id, json_t *j, struct err *e)
{
	CLEANUP(base_freep) char *text = jx_dump(j);
	struct text_head h = {mail, (uint32_t)strlen(id), (uint32_t)strlen(text)};
	uint64_t at;
	int rc;

	json_decref(j);
	rc = spool_add(&s->texts, &h, sizeof(h), &at, e);
	if (rc == 0)
		rc = spool_add(&s->texts, id, h.id_len, NULL, e);
	if (rc == 0)
		rc = spool_add(&s->texts, text, h.text_len, NULL, e);
	/* Times may be negative: the sign bit turned over sorts as numbers without. */
	return rc ? rc
		  : sorter_add(
			    s->lists[list], (uint64_t)time ^ (UINT64_C(1) << 63), at, e);
}

static int add_other(struct series_stream *s, uint32_t mail, const struct series_other *o,
	struct err *e)
{
	return add_text(s, LIST_OTHERS, o->mail->order_time, mail, o->mail->message_id,
		series_other_json(o), e);
}

/* --- reading --- */

struct series_stream *series_stream_new(const struct series_stream_opts *opts)
{
	size_t sort_bytes = opts ? opts->sort_bytes : 0;
	struct series_stream *s = base_zalloc(sizeof(*s));

	s->digests = s->texts = (struct spool)SPOOL_INIT;
	s->hash_shift = opts && opts->hash_bits ? 64 - opts->hash_bits : 0;
	s->scratch = arena_new();
	sbuf_init(&s->image);
	for (enum list i = 0; i < N_LISTS; i++)
		s->lists[i] =
			sorter_new(sort_bytes ? sort_bytes : SERIES_STREAM_SORT_BYTES,
				i == LIST_SERIES || i == LIST_OTHERS ? by_id : NULL, s);
	/* As little in memory as the lists are to have. */
	if (sort_bytes && sort_bytes < SPOOL_BUFFER_BYTES)
		s->digests.cap = s->texts.cap = sort_bytes;
	return s;
}

static uint64_t spooled(const struct series_stream *s)
{
	uint64_t n = spool_bytes(&s->digests) + spool_bytes(&s->texts);

	for (size_t i = 0; i < N_LISTS; i++)
		n += s->lists[i] ? sorter_spooled_bytes(s->lists[i]) : 0;
	return n;
}

/* A list that was read to its end goes at once. */
static void drop(struct series_stream *s, enum list i)
{
	uint64_t now = spooled(s);

	if (now > s->stats.spooled_bytes)
		s->stats.spooled_bytes = now;
	sorter_free(s->lists[i]);
	s->lists[i] = NULL;
}

void series_stream_freep(struct series_stream **p)
{
	struct series_stream *s = *p;

	*p = NULL;
	if (!s)
		return;
	for (enum list i = 0; i < N_LISTS; i++)
		sorter_free(s->lists[i]);
	spool_release(&s->digests);
	spool_release(&s->texts);
	arena_free(s->scratch);
	sbuf_release(&s->image);
	free(s->rows);
	free(s);
}

static uint64_t hash(const struct series_stream *s, const char *text)
{
	return sha256_number(text, strlen(text)) >> s->hash_shift;
}

static int tie(struct series_stream *s, enum list list, const char *text,
	unsigned int kind, uint32_t mail, struct err *e)
{
	return sorter_add(s->lists[list], hash(s, text), (uint64_t)kind << 32 | mail, e);
}

static int tie_all(struct series_stream *s, const char *const *ids, size_t n,
	enum kind kind, uint32_t mail, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = tie(s, LIST_IDS, ids[i], kind, mail, e);
	return rc;
}

static bool is_numbered_patch(const struct mail *m)
{
	return m->kind == MAIL_PATCH && m->posted.n >= PREFIX_UNIT && m->parent;
}

static int tie_mail(
	struct series_stream *s, const struct mail *m, uint32_t i, struct err *e)
{
	bool part = assembly_is_part(m);
	int rc = tie(s, LIST_IDS, m->message_id, KIND_OWN, i, e);

	if (rc == 0)
		rc = tie_all(s, m->alt_ids, m->n_alt_ids, KIND_ALT, i, e);
	if (rc == 0 && (part || m->n_followups))
		rc = tie_all(s, m->in_reply_to, m->n_in_reply_to, KIND_NAME, i, e);
	if (rc == 0 && (part || m->n_followups))
		rc = tie_all(s, m->references, m->n_references, KIND_NAME, i, e);
	if (rc == 0 && part)
		rc = tie_all(s, m->links, m->n_links, KIND_NAME, i, e);
	if (rc == 0 && part && is_numbered_patch(m))
		rc = tie(s, LIST_IDS, m->parent, KIND_PARENT, i, e);
	if (rc == 0 && m->merged_commit)
		rc = tie_all(s, m->merged_ids, m->n_merged_ids, KIND_MERGED, i, e);
	if (rc == 0 && m->merged_commit && m->patch_id)
		rc = tie(s, LIST_PATCHES, m->patch_id, PATCH_NOTICE, i, e);
	if (rc == 0 && part && m->patch_id)
		rc = tie(s, LIST_PATCHES, m->patch_id, PATCH_PART, i, e);
	return rc;
}

int series_stream_add(struct series_stream *s, const struct mail *m, struct err *e)
{
	uint32_t i = (uint32_t)s->n;
	struct row r = {.flags = 0};
	int rc;

	if (s->n >= SERIES_STREAM_MAX_MAILS)
		return err_set(
			e, ERR_TOO_BIG, "more than %u mails", SERIES_STREAM_MAX_MAILS);
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->rows = base_realloc(s->rows, s->cap * sizeof(*s->rows));
	}
	m = mail_digest(s->scratch, m);
	mail_image_write(m, &s->image);
	r.len = (uint32_t)s->image.len;
	if (assembly_is_part(m)) {
		r.author = hash(s, series_author_key(s->scratch, m));
		r.flags = FLAG_PART | (m->maybe_cover ? FLAG_MAYBE : 0);
	}
	r.flags |= m->n_followups ? FLAG_TRAILERS : 0;
	rc = spool_add(&s->digests, s->image.buf, s->image.len, &r.at, e);
	s->rows[s->n++] = r;
	if (rc == 0)
		rc = tie_mail(s, m, i, e);
	if (rc == 0 && !(r.flags & FLAG_PART))
		rc = add_other(s, i, &(struct series_other){m, assembly_why_other(m)}, e);
	arena_reset(s->scratch);
	return rc;
}

static int load(const struct series_stream *s, struct arena *a, uint32_t i,
	const struct mail **ret, struct err *e)
{
	void *bytes = arena_alloc(a, s->rows[i].len);
	int rc = spool_read(&s->digests, s->rows[i].at, bytes, s->rows[i].len, e);

	if (rc == 0)
		*ret = mail_image_open(bytes);
	return rc;
}

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
	int rc = load(s, a, i, &now, e); /* m may have ids that it has lost since */

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
	rc = load(s, new.arena, i, &new.mail, e);
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
	int rc = load(s, s->scratch, i, &m, e);

	for (size_t k = 0; rc == 0 && c->text(m, k); k++) {
		if (hash(s, c->text(m, k)) == key)
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

static int join(struct series_stream *s, enum list list, uint64_t key, uint64_t value,
	struct err *e)
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
	rc = load(s, s->scratch, i, &child, e);
	if (rc == 0)
		rc = load(s, s->scratch, h, &parent, e);
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
static int add_name(
	struct series_stream *s, enum kind kind, uint32_t i, uint32_t h, struct err *e)
{
	const struct row *from = &s->rows[i], *to = &s->rows[h];
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
		enum kind kind = (enum kind)(p.value >> 32);
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
	drop(s, LIST_IDS);
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
	drop(s, LIST_PATCHES);
	return rc;
}

/* A reply with trailers is of every group that a mail it answers is of; and so are all
 * that it answers, since the nearest takes the trailers. */
static int join_answer(struct series_stream *s, uint32_t reply, const uint32_t *to,
	size_t n, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct row *r = &s->rows[to[i]];

		if (!(r->flags & FLAG_PART))
			continue;
		rc = join(s, LIST_MEMBERS, r->author, reply, e);
		for (size_t k = 0; rc == 0 && k < n; k++) {
			const struct row *o = &s->rows[to[k]];

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
	drop(s, LIST_ANSWERS);
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
	drop(s, LIST_COVERS);
	drop(s, LIST_PROOFS);
	return more < 0 ? more : rc < 0 ? rc : 0;
}

static int join_all(struct series_stream *s, struct err *e)
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

/* --- group by group --- */

static bool is_of(const struct series_stream *s, const struct mail *m, uint64_t author)
{
	return assembly_is_part(m) && hash(s, series_author_key(s->scratch, m)) == author;
}

/* What the group says of its author's mails; what it says of others is not whole. */
static int put_group(struct series_stream *s, struct arena *a, uint64_t author,
	const struct series_set *set, const struct series_clock *clock, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < set->n_series; i++) {
		const struct series *x = set->series[i];
		const struct mail *head = x->cover ? x->cover : x->patches[0].mail;

		if (is_of(s, head, author))
			rc = add_text(s, LIST_SERIES, x->first_time, UINT32_MAX, x->id,
				series_json(s->scratch, x, clock), e);
		arena_reset(s->scratch);
	}
	for (size_t i = 0; rc == 0 && i < set->n_others; i++) {
		if (is_of(s, set->others[i].mail, author))
			rc = add_other(s, UINT32_MAX, &set->others[i], e);
		arena_reset(s->scratch);
	}
	if (arena_used_bytes(a) > s->stats.largest_bytes)
		s->stats.largest_bytes = arena_used_bytes(a);
	return rc;
}

struct group {
	struct arena *arena;
	uint64_t author;
	const struct mail **v;
	size_t n, cap;
};

static int end_group(struct series_stream *s, struct group *g,
	const struct series_clock *clock, struct err *e)
{
	struct series_set set;
	int rc = 0;

	if (g->n) {
		s->stats.groups++;
		if (g->n > s->stats.largest_mails)
			s->stats.largest_mails = g->n;
		rc = series_assemble(g->arena, g->v, g->n, &set, e);
		if (rc == 0)
			rc = put_group(s, g->arena, g->author, &set, clock, e);
	}
	arena_reset(g->arena);
	g->n = g->cap = 0;
	g->v = NULL;
	return rc;
}

static int assemble_groups(
	struct series_stream *s, const struct series_clock *clock, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct group g = {.arena = a};
	struct sorter *list = s->lists[LIST_MEMBERS];
	struct sorter_pair p;
	int rc = sorter_rewind(list, e);

	while (rc == 0 && (rc = sorter_next(list, &p, e)) > 0) {
		rc = p.key != g.author ? end_group(s, &g, clock, e) : 0;
		g.author = p.key;
		if (rc == 0 && g.n >= SERIES_MAX_MAILS)
			rc = err_set(e, ERR_TOO_BIG,
				"more than %u mails of one author and what answers them",
				SERIES_MAX_MAILS);
		if (rc == 0)
			rc = load(s, a, (uint32_t)p.value, ARENA_PUSH(a, g.v, g.n, g.cap),
				e);
	}
	if (rc == 0)
		rc = end_group(s, &g, clock, e);
	drop(s, LIST_MEMBERS);
	spool_release(&s->digests);
	return rc;
}

/* --- the result --- */

struct sink {
	int (*write)(void *arg, const char *text, size_t len, struct err *e);
	void *arg;
};

static int put(const struct sink *out, const char *text, struct err *e)
{
	return out->write(out->arg, text, strlen(text), e);
}

static int put_list(
	struct series_stream *s, enum list list, const struct sink *out, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct text_head h;
	struct sorter_pair p;
	bool first = true;
	int rc = sorter_rewind(s->lists[list], e);

	while (rc == 0 && (rc = sorter_next(s->lists[list], &p, e)) > 0) {
		rc = spool_read(&s->texts, p.value, &h, sizeof(h), e);
		if (rc || (h.mail != UINT32_MAX && s->rows[h.mail].flags & FLAG_DEAD))
			continue;
		sbuf_reset(&text);
		sbuf_grow(&text, h.text_len);
		rc = spool_read(&s->texts, p.value + sizeof(h) + h.id_len, text.buf,
			h.text_len, e);
		if (rc == 0 && !first)
			rc = put(out, ",", e);
		if (rc == 0)
			rc = out->write(out->arg, text.buf, h.text_len, e);
		first = false;
	}
	if (rc == 0 && s->tie_failed)
		rc = err_set(e, s->tie_err.code, "%s", s->tie_err.msg);
	drop(s, list);
	return rc;
}

int series_stream_write(struct series_stream *s, const struct series_clock *clock,
	int (*write)(void *arg, const char *text, size_t len, struct err *e), void *arg,
	struct err *e)
{
	struct sink out = {write, arg};
	int rc = join_all(s, e);

	s->stats.mails = s->n;
	if (rc == 0)
		rc = assemble_groups(s, clock, e);
	if (rc == 0)
		rc = put(&out, "{\"v\":1,\"series\":[", e);
	if (rc == 0)
		rc = put_list(s, LIST_SERIES, &out, e);
	if (rc == 0)
		rc = put(&out, "],\"other\":[", e);
	if (rc == 0)
		rc = put_list(s, LIST_OTHERS, &out, e);
	return rc ? rc : put(&out, "]}", e);
}

void series_stream_stats(const struct series_stream *s, struct series_stream_stats *ret)
{
	*ret = s->stats;
}
