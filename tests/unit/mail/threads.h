/* SPDX-License-Identifier: GPL-2.0-or-later */
/* threads.h - sets of mails for assembly, written as tables, and series written as text.
 */
#ifndef WL_TESTS_THREADS_H
#define WL_TESTS_THREADS_H

#include "base/base.h"

#include "base/sbuf.h"
#include "mail/assemble.h"
#include "tests/unit/mail/mails.h"

/* Rows of a table of letters end where nothing odd follows. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define THREADS_START INT64_C(1709632812) /* Tue, 5 Mar 2024 10:00:12 +0000 */

struct letter {
	const char *id;
	const char *subject;
	const char *parent;  /* NULL: answers nothing */
	int minute;          /* since THREADS_START */
	const char *diff;    /* a line to add, NULL: no diff */
	const char *from;    /* NULL: Wren */
	const char *text;    /* NULL: a word */
	const char *headers; /* NULL: none more */
};

static inline const struct mail *threads_mail(struct arena *a, const struct letter *l)
{
	int hour = 10 + l->minute / 60, min = l->minute % 60;
	const char *date = arena_printf(
		a, "%d Mar 2024 %02d:%02d:12 +0000", 5 + hour / 24, hour % 24, min);
	const char *parent =
		l->parent ? arena_printf(a, "In-Reply-To: <%s@x>\n", l->parent) : "";
	const char *diff =
		l->diff ? arena_printf(a,
				  "---\ndiff --git a/kernel/sched/demo.c "
				  "b/kernel/sched/demo.c\nindex 1111111..2222222 100644\n"
				  "--- a/kernel/sched/demo.c\n+++ b/kernel/sched/demo.c\n"
				  "@@ -1,2 +1,3 @@\n a\n+%s\n b\n",
				  l->diff)
			: "";
	return mails_parse(a,
		arena_printf(a,
			"From: %s\nDate: %s\nMessage-ID: <%s%s>\nSubject: "
			"%s\n%s%s\n%s\n%s",
			l->from ? l->from : "Wren Ito <wren@example.org>", date, l->id,
			strchr(l->id, '@') ? "" : "@x", l->subject, parent,
			l->headers ? l->headers : "", l->text ? l->text : "word", diff));
}

static inline const struct mail **threads_mails(
	struct arena *a, const struct letter *letters, size_t n)
{
	const struct mail **v = ARENA_ARRAY(a, const struct mail *, n + 1);

	for (size_t i = 0; i < n; i++)
		v[i] = threads_mail(a, &letters[i]);
	return v;
}

/* Id without "@x". */
static inline const char *threads_short(struct arena *a, const char *id)
{
	size_t n = strlen(id);

	return n > 2 && !strcmp(id + n - 2, "@x") ? arena_strndup(a, id, n - 2) : id;
}

/* "v2 0:c 1:p1 2:p2<old (resent) ; state: words ; <previous ; note note\n" for each. */
static inline const char *threads_text(
	struct arena *a, const struct series_set *set, const struct series_clock *clock)
{
	CLEANUP(sbuf_release) struct sbuf t = SBUF_INIT;
	char buf[32];

	for (size_t i = 0; i < set->n_series; i++) {
		const struct series *s = set->series[i];
		const char *why;

		(void)series_state(a, s, clock, &why);
		sbuf_addf(&t, "v%s", prefix_number(s->version, buf, sizeof(buf)));
		if (s->cover)
			sbuf_addf(&t, " 0:%s", threads_short(a, s->cover->message_id));
		for (size_t k = 0; k < s->n_patches; k++) {
			const struct series_patch *p = &s->patches[k];

			sbuf_addf(&t, " %s:%s%s", prefix_number(p->n, buf, sizeof(buf)),
				threads_short(a, p->mail->message_id),
				p->inherited ? "*" : "");
			if (p->replaces)
				sbuf_addf(&t, ">%s",
					threads_short(a, p->replaces->message_id));
			for (size_t r = 0; r < p->n_resent; r++)
				sbuf_addf(&t, "=%s",
					threads_short(a, p->resent[r]->message_id));
		}
		sbuf_addf(&t, "; %s", why);
		if (s->previous)
			sbuf_addf(&t, "; <%s %s", threads_short(a, s->previous->id),
				s->previous_how);
		for (size_t k = 0; k < s->n_notes; k++)
			sbuf_addf(&t, "%s%s", k ? " " : "; ", s->notes[k].code);
		sbuf_addc(&t, '\n');
	}
	return arena_strndup(a, t.buf, t.len);
}

#endif
