/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/assembly.h"
#include "mail/image.h"
#include "mail/mail_json.h"
#include "mail/streaming.h"

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
static int add_text(struct series_stream *s, enum stream_list list, int64_t time,
	uint32_t mail, const char *id, json_t *j, struct err *e)
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
	for (enum stream_list i = 0; i < N_LISTS; i++)
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
void stream_drop(struct series_stream *s, enum stream_list i)
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
	for (enum stream_list i = 0; i < N_LISTS; i++)
		sorter_free(s->lists[i]);
	spool_release(&s->digests);
	spool_release(&s->texts);
	arena_free(s->scratch);
	sbuf_release(&s->image);
	free(s->rows);
	free(s);
}

uint64_t stream_hash(const struct series_stream *s, const char *text)
{
	return sha256_number(text, strlen(text)) >> s->hash_shift;
}

static int tie(struct series_stream *s, enum stream_list list, const char *text,
	unsigned int kind, uint32_t mail, struct err *e)
{
	return sorter_add(
		s->lists[list], stream_hash(s, text), (uint64_t)kind << 32 | mail, e);
}

static int tie_all(struct series_stream *s, const char *const *ids, size_t n,
	enum stream_kind kind, uint32_t mail, struct err *e)
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
	struct stream_row r = {.flags = 0};
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
		r.author = stream_hash(s, series_author_key(s->scratch, m));
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

int stream_load(const struct series_stream *s, struct arena *a, uint32_t i,
	const struct mail **ret, struct err *e)
{
	void *bytes = arena_alloc(a, s->rows[i].len);
	int rc = spool_read(&s->digests, s->rows[i].at, bytes, s->rows[i].len, e);

	if (rc == 0)
		*ret = mail_image_open(bytes);
	return rc;
}

/* --- group by group --- */

static bool is_of(const struct series_stream *s, const struct mail *m, uint64_t author)
{
	return assembly_is_part(m) &&
	       stream_hash(s, series_author_key(s->scratch, m)) == author;
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
			rc = stream_load(s, a, (uint32_t)p.value,
				ARENA_PUSH(a, g.v, g.n, g.cap), e);
	}
	if (rc == 0)
		rc = end_group(s, &g, clock, e);
	stream_drop(s, LIST_MEMBERS);
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

static int put_list(struct series_stream *s, enum stream_list list,
	const struct sink *out, struct err *e)
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
	stream_drop(s, list);
	return rc;
}

int series_stream_write(struct series_stream *s, const struct series_clock *clock,
	int (*write)(void *arg, const char *text, size_t len, struct err *e), void *arg,
	struct err *e)
{
	struct sink out = {write, arg};
	int rc = stream_join(s, e);

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
