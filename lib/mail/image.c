/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/image.h"

#define MAX_TEXTS 64 /* texts of an image that are looked through for an equal one */

/* A list of struct mail is an array of elements that are texts and nothing else. */
struct list_row {
	size_t at, count_at; /* of the pointer and the number of elements */
	size_t n_texts;      /* in an element */
};

#define LIST(field, n_texts)                                                             \
	{                                                                                \
		offsetof(struct mail, field), offsetof(struct mail, n_##field), n_texts  \
	}
#define TAGS(field)                                                                      \
	{                                                                                \
		offsetof(struct mail, field.tags), offsetof(struct mail, field.n_tags),  \
			1                                                                \
	}
#define IS_TEXTS(type, n) _Static_assert(sizeof(type) == (n) * sizeof(char *), #type)

IS_TEXTS(struct mail_prerequisite, 3);
IS_TEXTS(struct mail_dependency, 2);
IS_TEXTS(struct mail_trailer, 2);
IS_TEXTS(struct mail_note, 2);

static const struct list_row lists[] = {LIST(alt_ids, 1), LIST(in_reply_to, 1),
	LIST(references, 1), LIST(links, 1), LIST(merged_ids, 1), TAGS(prefix),
	TAGS(posted), LIST(prerequisites, 3), LIST(depends_on, 2), LIST(trailers, 2),
	LIST(followups, 2), LIST(notes, 2)};

#define TEXT(field) offsetof(struct mail, field)
static const size_t texts[] = {TEXT(message_id), TEXT(author.name), TEXT(author.email),
	TEXT(sender.name), TEXT(sender.email), TEXT(poster.name), TEXT(poster.email),
	TEXT(date), TEXT(subject), TEXT(title), TEXT(match_title), TEXT(prefix.tree),
	TEXT(prefix.title), TEXT(posted.tree), TEXT(posted.title), TEXT(robot_why),
	TEXT(rejected), TEXT(msg.p), TEXT(patch.p), TEXT(repaired.p), TEXT(raw_patch.p),
	TEXT(corrupt), TEXT(patch_id), TEXT(base_commit), TEXT(change_id),
	TEXT(merged_commit), TEXT(merged_branch)};

struct writer {
	struct sbuf *out;
	struct {
		size_t at, len;
	} seen[MAX_TEXTS];
	size_t n_seen;
};

static const char **text_at(struct mail *m, size_t at)
{
	return (const char **)(void *)((char *)m + at);
}

static const char ***list_at(struct mail *m, size_t at)
{
	return (const char ***)(void *)((char *)m + at);
}

static size_t count_of(struct mail *m, const struct list_row *row)
{
	return *(size_t *)(void *)((char *)m + row->count_at) * row->n_texts;
}

static const char *put_text(struct writer *w, const char *text)
{
	if (!text)
		return NULL;
	size_t len = strlen(text) + 1, at = w->out->len;
	for (size_t i = 0; i < w->n_seen; i++) {
		if (w->seen[i].len == len &&
			!memcmp(w->out->buf + w->seen[i].at, text, len))
			return (const char *)(uintptr_t)w->seen[i].at;
	}
	sbuf_add(w->out, text, len);
	if (w->n_seen < MAX_TEXTS) {
		w->seen[w->n_seen].at = at;
		w->seen[w->n_seen++].len = len;
	}
	return (const char *)(uintptr_t)at;
}

void mail_image_write(const struct mail *m, struct sbuf *ret)
{
	struct writer w = {.out = ret};
	struct mail c = *m;
	size_t at[ARRAY_LEN(lists)];
	static const char zeros[sizeof(struct mail)];

	if (m->n_to || m->n_cc || m->n_files || m->n_list_ids ||
		m->n_prerequisite_patch_ids)
		BUG("an image of a mail that is no digest");
	/* The arrays first: they want the alignment of the struct before them. */
	sbuf_reset(ret);
	sbuf_add(ret, zeros, sizeof(c));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		size_t n = count_of(&c, &lists[i]);

		at[i] = ret->len;
		for (size_t k = 0; k < n; k++)
			sbuf_add(ret, zeros, sizeof(char *));
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*text_at(&c, texts[i]) = put_text(&w, *text_at(&c, texts[i]));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		size_t n = count_of(&c, &lists[i]);
		const char **list = *list_at(&c, lists[i].at);

		for (size_t k = 0; k < n; k++) {
			const char *p = put_text(&w, list[k]);

			memcpy(ret->buf + at[i] + k * sizeof(p), &p, sizeof(p));
		}
		*list_at(&c, lists[i].at) = (const char **)(n ? at[i] : 0);
	}
	c.parent = NULL;
	c.to = c.cc = NULL;
	c.files = NULL;
	c.list_ids = c.prerequisite_patch_ids = NULL;
	memcpy(ret->buf, &c, sizeof(c));
	while (ret->len % 16)
		sbuf_addc(ret, 0);
}

static void move(char *base, const char **p)
{
	if (*p)
		*p = base + (uintptr_t)*p;
}

struct mail *mail_image_open(void *bytes)
{
	struct mail *m = bytes;
	char *base = bytes;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		move(base, text_at(m, texts[i]));
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		const char ***list = list_at(m, lists[i].at);
		size_t n = count_of(m, &lists[i]);

		if (n)
			*list = (const char **)(void *)(base + (uintptr_t)*list);
		for (size_t k = 0; k < n; k++)
			move(base, &(*list)[k]);
	}
	m->parent = m->n_in_reply_to  ? m->in_reply_to[m->n_in_reply_to - 1]
		    : m->n_references ? m->references[m->n_references - 1]
				      : NULL;
	return m;
}
