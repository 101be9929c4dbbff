/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/sent.h"

/* The next part of what came before; else it begins something. */
static bool goes_on(const struct sent_thread *t, const struct prefix *p)
{
	return t->first && p->n != PREFIX_NONE && p->n > t->n && p->m == t->m &&
	       p->version == t->version;
}

/* Header lines for a mail without an id, else "". */
static const char *header(struct arena *a, struct sent_thread *t, const struct mail *m)
{
	const struct prefix *p = &m->posted;
	bool on = goes_on(t, p);

	if (!mail_has_note(m, "no_message_id")) {
		*t = (struct sent_thread){0};
		return "";
	}
	*t = (struct sent_thread){on ? t->first : m->message_id, p->n, p->m, p->version};
	return on ? arena_printf(a, "Message-ID: <%s>\nIn-Reply-To: <%s>\n",
			    m->message_id, t->first)
		  : arena_printf(a, "Message-ID: <%s>\n", m->message_id);
}

int sent_parse(struct arena *a, struct sent_thread *t, const char *p, size_t len,
	const struct mail_opts *opts, struct mail **ret, struct mail_bytes *ret_bytes,
	struct err *e)
{
	int rc = mail_parse(a, p, len, opts, ret, e);
	const char *head = rc ? "" : header(a, t, *ret);
	size_t n = strlen(head);
	char *bytes;

	if (rc || (!n && !ret_bytes))
		return rc;
	bytes = arena_alloc(a, n + len + 1);
	memcpy(bytes, head, n);
	memcpy(bytes + n, p, len);
	bytes[n + len] = '\0';
	if (ret_bytes)
		*ret_bytes = (struct mail_bytes){bytes, n + len};
	return n ? mail_parse(a, bytes, n + len, opts, ret, e) : 0;
}
