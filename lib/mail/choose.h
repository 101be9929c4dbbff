/* SPDX-License-Identifier: GPL-2.0-or-later */
/* choose.h - the one series that is meant by who hands over some mails. Pure. */
#ifndef WL_MAIL_CHOOSE_H
#define WL_MAIL_CHOOSE_H

#include "base/base.h"

#include "mail/assemble.h"

struct series_choice {
	const struct series *series; /* borrowed; NULL: none, or it is not clear which */
	const struct series **among; /* arena: what it may be when it is not clear */
	size_t n_among;
};

/* Complete ones go before others, newer versions before older, series that build on
 * others before these. */
void series_choose(
	struct arena *a, const struct series_set *set, struct series_choice *ret);
/* "<a@b> 2 patches, incomplete: TITLE". Arena. */
const char *series_line(struct arena *a, const struct series *s);
/* Why there is no series in mails: "no patch among 2 mails: 1 reply, 1 that cannot be
 * used (the mail has no usable From)". Arena. */
const char *series_none(struct arena *a, const struct mail *const *mails, size_t n);

#endif
