/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mbox.h - the mails of an mbox (any flavour) in memory; borrowed slices of the input. */
#ifndef WL_MAIL_MBOX_H
#define WL_MAIL_MBOX_H

#include "base/base.h"

#include "base/sbuf.h"

#define MBOX_SUBMIT_MAX                                                                  \
	((size_t)32 << 20) /* bytes of one that is handed to the service */

struct mbox_mail {
	const char *p; /* starts behind its "From " line */
	size_t len;
	bool mboxrd; /* its "From " line says mboxrd (public-inbox): unescape ">From " */
};

struct mbox_iter {
	const char *p, *end;
	bool single; /* no mbox: all of it is one mail */
};

/* True when buf begins with a "From " separator line: an mbox, not a single mail. */
bool mbox_is(const char *buf, size_t len);
/* for (mbox_iter_init(&it, buf, len); mbox_next(&it, &m);) ... */
void mbox_iter_init(struct mbox_iter *it, const char *buf, size_t len);
bool mbox_next(struct mbox_iter *it, struct mbox_mail *ret);
/* The mail that mbox_next() just gave, as it was before it was put there; into ret, which
 * is emptied first. */
void mbox_unpack(const struct mbox_iter *it, const struct mbox_mail *m, struct sbuf *ret);

#endif
