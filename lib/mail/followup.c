/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What replies and merge notices add to a series. */
#include "base/base.h"

#include "mail/assembly.h"

#include <strings.h>

/* The newest ancestor of a reply that is part of a series; NULL for none. */
static const struct node *target_of(const struct assembly *x, const struct mail *m)
{
	for (size_t i = m->n_in_reply_to; i-- > 0;) {
		const struct node *n = assembly_node(x, m->in_reply_to[i]);
		if (n)
			return n;
	}
	for (size_t i = m->n_references; i-- > 0;) {
		const struct node *n = assembly_node(x, m->references[i]);
		if (n)
			return n;
	}
	return NULL;
}

/* The address in "Name <address>", or the whole value. */
static const char *address_of(struct arena *a, const char *value)
{
	const char *open = strrchr(value, '<');
	const char *close = open ? strchr(open, '>') : NULL;
	return close ? arena_strndup(a, open + 1, (size_t)(close - open - 1)) : value;
}

static bool has_trailer(struct arena *a, const struct series *s, int64_t n,
	const char *key, const char *address)
{
	for (size_t i = 0; i < s->n_trailers; i++) {
		const struct series_trailer *t = &s->trailers[i];
		if (t->n == n && !strcasecmp(t->key, key) &&
			!strcasecmp(address_of(a, t->value), address))
			return true;
	}
	return false;
}

static bool patch_has(
	struct arena *a, const struct mail *m, const char *key, const char *address)
{
	for (size_t i = 0; i < m->n_trailers; i++) {
		if (!strcasecmp(m->trailers[i].key, key) &&
			!strcasecmp(address_of(a, m->trailers[i].value), address))
			return true;
	}
	return false;
}

void followup_trailers(struct assembly *x)
{
	for (size_t i = 0; i < x->n_mails; i++) {
		const struct mail *m = x->mails[i];
		const struct node *n = m->n_followups ? target_of(x, m) : NULL;
		struct heap *h = n ? x->heap_of[n - x->nodes] : NULL;
		if (!h || h->gone)
			continue;
		int64_t place = n->n == PREFIX_NONE ? PREFIX_UNIT : n->n;
		for (size_t k = 0; k < m->n_followups && h->s.n_trailers < 1000; k++) {
			const struct mail_trailer *f = &m->followups[k];
			const char *address = address_of(x->arena, f->value);
			if (has_trailer(x->arena, &h->s, place, f->key, address) ||
				(place && patch_has(x->arena, n->m, f->key, address)))
				continue;
			struct series_trailer *t = ARENA_PUSH(x->arena, h->s.trailers,
				h->s.n_trailers, h->cap_trailers);
			t->n = place;
			t->key = f->key;
			t->value = f->value;
			t->from_message_id = m->message_id;
			t->by_other = strchr(f->value, '<') &&
				      strcasecmp(address, m->poster.email);
		}
	}
}

struct merge {
	const char *patch_id;
	const struct mail *notice;
};

static int by_patch_id(const void *a, const void *b)
{
	const struct merge *p = a, *q = b;
	int c = strcmp(p->patch_id, q->patch_id);
	if (c)
		return c;
	return strcmp(p->notice->message_id, q->notice->message_id);
}

/* The merge notice of one patch, by the ids it links or by patch-id; NULL for none. */
static const struct mail *notice_of(const struct merge *ids, size_t n_ids,
	const struct merge *patches, size_t n_patches, const struct mail *m)
{
	const struct merge *const lists[] = {ids, patches};
	const size_t lens[] = {n_ids, n_patches};
	const char *const keys[] = {m->message_id, m->patch_id};
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		size_t lo = 0, hi = lens[k];
		while (keys[k] && lo < hi) {
			size_t mid = (lo + hi) / 2;
			if (strcmp(lists[k][mid].patch_id, keys[k]) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (keys[k] && lo < lens[k] && !strcmp(lists[k][lo].patch_id, keys[k]))
			return lists[k][lo].notice;
	}
	return NULL;
}

void followup_merges(struct assembly *x)
{
	struct merge *ids = NULL, *patches = NULL;
	size_t n_ids = 0, n_patches = 0, cap_ids = 0, cap_patches = 0;
	for (size_t i = 0; i < x->n_mails; i++) {
		const struct mail *m = x->mails[i];
		if (!m->merged_commit)
			continue;
		for (size_t k = 0; k < m->n_merged_ids; k++)
			*(struct merge *)ARENA_PUSH(x->arena, ids, n_ids, cap_ids) =
				(struct merge){m->merged_ids[k], m};
		if (m->patch_id)
			*(struct merge *)ARENA_PUSH(x->arena, patches, n_patches,
				cap_patches) = (struct merge){m->patch_id, m};
	}
	if (n_ids)
		qsort(ids, n_ids, sizeof(*ids), by_patch_id);
	if (n_patches)
		qsort(patches, n_patches, sizeof(*patches), by_patch_id);
	for (size_t i = 0; i < x->n_heaps; i++) {
		struct heap *h = x->heaps[i];
		const struct mail *last = NULL;
		size_t n = 0;
		for (size_t k = 0; k < h->s.n_patches && !h->gone; k++) {
			const struct mail *notice = notice_of(
				ids, n_ids, patches, n_patches, h->s.patches[k].mail);
			n += notice != NULL;
			last = notice ? notice : last;
		}
		if (!n)
			continue;
		if (n < h->s.n_patches) {
			assembly_note(x, h, "partly_merged",
				arena_printf(x->arena, "%zu of %zu patches", n,
					h->s.n_patches));
			continue;
		}
		h->s.merged_commit = last->merged_commit;
		h->s.merged_branch = last->merged_branch;
	}
}
