/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/assembly.h"
#include "mail/mail_json.h"

#include <ctype.h>
#include <strings.h>

const char *series_author_key(struct arena *a, const struct mail *m)
{
	char *out = arena_strdup(a, m->poster.email);
	for (char *p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return out;
}

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

/* The last resort: all there is to a mail, so that copies that differ have an order. */
static int by_facts(const struct mail *p, const struct mail *q)
{
	json_t *x = mail_json(p), *y = mail_json(q);
	CLEANUP(base_freep) char *one = jx_dump(x);
	CLEANUP(base_freep) char *two = jx_dump(y);
	json_decref(x);
	json_decref(y);
	return strcmp(one, two);
}

int assembly_by_copy(const struct mail *p, const struct mail *q)
{
	int c = strcmp(p->message_id, q->message_id);
	if (!c)
		c = compare_numbers(mail_has_note(p, "from_unmangled"),
			mail_has_note(q, "from_unmangled"));
	if (!c)
		c = compare_numbers(p->sender.email[0] == 0, q->sender.email[0] == 0);
	if (!c)
		c = strcmp(p->patch_sha256, q->patch_sha256);
	if (!c)
		c = strcmp(p->message_sha256, q->message_sha256);
	if (!c)
		c = compare_numbers(p->order_time, q->order_time);
	if (!c)
		c = compare_numbers(p->received_at, q->received_at);
	return c || p == q ? c : by_facts(p, q);
}

static int by_copy(const void *a, const void *b)
{
	return assembly_by_copy(
		*(const struct mail *const *)a, *(const struct mail *const *)b);
}

int assembly_by_time(const struct mail *p, const struct mail *q)
{
	int c = compare_numbers(p->order_time, q->order_time);
	return c ? c : strcmp(p->message_id, q->message_id);
}

static int by_time(const void *a, const void *b)
{
	return assembly_by_time(
		*(const struct mail *const *)a, *(const struct mail *const *)b);
}

static int by_id(const void *a, const void *b)
{
	const struct id_entry *p = a, *q = b;
	int c = strcmp(p->id, q->id);
	if (!c)
		c = p->alt - q->alt;
	return c ? c : (p->mail > q->mail) - (p->mail < q->mail);
}

size_t assembly_find(const struct assembly *x, const char *id)
{
	size_t lo = 0, hi = x->n_ids;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (strcmp(x->ids[mid].id, id) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < x->n_ids && !strcmp(x->ids[lo].id, id) ? x->ids[lo].mail : SIZE_MAX;
}

struct node *assembly_node(const struct assembly *x, const char *id)
{
	size_t at = assembly_find(x, id);
	if (at == SIZE_MAX || x->node_of[at] == NODE_NONE)
		return NULL;
	return &x->nodes[x->node_of[at]];
}

void assembly_note(
	struct assembly *x, struct heap *h, const char *code, const char *detail)
{
	for (size_t i = 0; i < h->s.n_notes; i++) {
		if (!strcmp(h->s.notes[i].code, code) &&
			!strcmp(h->s.notes[i].detail, detail))
			return;
	}
	struct mail_note *n =
		ARENA_PUSH(x->arena, h->s.notes, h->s.n_notes, h->cap_notes);
	n->code = code;
	n->detail = detail;
}

bool assembly_descends(const struct mail *m, const char *id)
{
	for (size_t i = 0; i < m->n_in_reply_to; i++) {
		if (!strcmp(m->in_reply_to[i], id))
			return true;
	}
	for (size_t i = 0; i < m->n_references; i++) {
		if (!strcmp(m->references[i], id))
			return true;
	}
	return false;
}

static void load_mails(struct assembly *x, const struct mail *const *mails, size_t n)
{
	const struct mail **v = ARENA_ARRAY(x->arena, const struct mail *, n + 1);
	memcpy(v, mails, n * sizeof(*v));
	qsort(v, n, sizeof(*v), by_copy);
	size_t kept = 0, n_ids = 0;
	for (size_t i = 0; i < n; i++) {
		if (i && !strcmp(v[i]->message_id, v[kept - 1]->message_id))
			continue;
		v[kept++] = v[i];
		n_ids += 1 + v[kept - 1]->n_alt_ids;
	}
	qsort(v, kept, sizeof(*v), by_time);
	x->mails = v;
	x->n_mails = kept;
	x->ids = ARENA_ARRAY(x->arena, struct id_entry, n_ids + 1);
	for (size_t i = 0; i < kept; i++) {
		x->ids[x->n_ids++] = (struct id_entry){v[i]->message_id, false, i};
		for (size_t k = 0; k < v[i]->n_alt_ids; k++)
			x->ids[x->n_ids++] = (struct id_entry){v[i]->alt_ids[k], true, i};
	}
	qsort(x->ids, x->n_ids, sizeof(*x->ids), by_id);
}

static int by_first(const void *a, const void *b)
{
	const struct series *p = *(struct series *const *)a,
			    *q = *(struct series *const *)b;
	int c = compare_numbers(p->first_time, q->first_time);
	return c ? c : strcmp(p->id, q->id);
}

bool assembly_is_part(const struct mail *m)
{
	return (m->kind == MAIL_PATCH || m->kind == MAIL_COVER || m->maybe_cover) &&
	       *m->poster.email;
}

const char *assembly_why_other(const struct mail *m)
{
	if (m->rejected)
		return m->rejected;
	if (m->kind == MAIL_REPLY)
		return m->inline_diff ? "a reply that holds a diff" : "a reply";
	if (m->posted.tip)
		return "a merge notice";
	return "holds no patch and is no cover";
}

static void collect(struct assembly *x, struct series_set *ret)
{
	ret->series = ARENA_ARRAY(x->arena, struct series *, x->n_heaps + 1);
	ret->n_series = 0;
	for (size_t i = 0; i < x->n_heaps; i++) {
		if (!x->heaps[i]->gone)
			ret->series[ret->n_series++] = &x->heaps[i]->s;
	}
	qsort(ret->series, ret->n_series, sizeof(*ret->series), by_first);
	ret->others = ARENA_ARRAY(x->arena, struct series_other, x->n_mails + 1);
	ret->n_others = 0;
	for (size_t i = 0; i < x->n_mails; i++) {
		size_t n = x->node_of[i];
		if (n != NODE_NONE && !x->heap_of[n]->gone)
			continue;
		struct series_other *o = &ret->others[ret->n_others++];
		o->mail = x->mails[i];
		o->why = n != NODE_NONE ? "the whole of that version was posted as well"
					: assembly_why_other(x->mails[i]);
	}
}

int series_assemble(struct arena *a, const struct mail *const *mails, size_t n_mails,
	struct series_set *ret, struct err *e)
{
	if (n_mails > SERIES_MAX_MAILS)
		return err_set(e, ERR_TOO_BIG, "%zu mails at once; limit %u", n_mails,
			SERIES_MAX_MAILS);
	struct assembly x = {.arena = a};
	load_mails(&x, mails, n_mails);
	gather_nodes(&x);
	gather_edges(&x);
	slots_build(&x);
	reroll_partial(&x);
	reroll_postings(&x);
	reroll_versions(&x);
	reroll_link(&x);
	followup_trailers(&x);
	followup_merges(&x);
	collect(&x, ret);
	return 0;
}
