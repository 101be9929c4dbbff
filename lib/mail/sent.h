/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sent.h - mails that nobody has sent yet. What git format-patch writes has neither ids
 * nor threads, and dates that are days apart; git send-email would give it ids and make
 * each part a reply to the first. So do we, from the mails alone. Pure.
 */
#ifndef WL_MAIL_SENT_H
#define WL_MAIL_SENT_H

#include "base/base.h"

#include "mail/mail.h"

struct sent_thread {           /* zero before the first mail; the mails in their order */
	const char *first;     /* id of the cover or part 1, NULL: none yet */
	int64_t n, m, version; /* of the mail before */
};

/*
 * mail_parse() of a mail as it would have been sent: *ret_bytes (may be NULL) is what
 * that is, the same bytes for a mail that has an id, else with header lines before them.
 * The id is the one that mail_parse() makes of the bytes without these. All of it arena.
 */
int sent_parse(struct arena *a, struct sent_thread *t, const char *p, size_t len,
	const struct mail_opts *opts, struct mail **ret, struct mail_bytes *ret_bytes,
	struct err *e) MUST_CHECK;

#endif
