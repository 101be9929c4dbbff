/* SPDX-License-Identifier: GPL-2.0-or-later */
/* people.h - who sent, wrote and answers a mail, and whether a program did. Private to
 * lib/mail. */
#ifndef WL_MAIL_PEOPLE_H
#define WL_MAIL_PEOPLE_H

#include "base/base.h"

#include "mail/body.h"

struct header_set {
	struct header_field *fields; /* in the order of the mail */
	size_t n;
};

/* NULL when there is none. */
const struct header_field *header_first(const struct header_set *h, const char *name);
const struct header_field *header_last(const struct header_set *h, const char *name);

/* author, sender, poster, to, cc, list_ids, opted_out. */
void people_read(struct arena *a, const struct header_set *h, const struct body *body,
	const struct mail_opts *opts, struct mail *m, struct header_notes *notes);
/* robot and robot_why; after people_read and the subject. */
void people_robot(struct arena *a, const struct header_set *h,
	const struct mail_opts *opts, struct mail *m);
/* References: no duplicates (the last one stays), the first and the last 199. */
void people_references(
	struct arena *a, const char *value, struct mail *m, struct header_notes *notes);

#endif
