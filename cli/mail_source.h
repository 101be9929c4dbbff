/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mail_source.h - every mail of an mbox, a mail file, a maildir, a public-inbox epoch or
 * standard input, one after the other. */
#ifndef WL_CLI_MAIL_SOURCE_H
#define WL_CLI_MAIL_SOURCE_H

#include "base/base.h"

#include "base/err.h"

struct mail_source_item {
	const char *p; /* valid during the call */
	size_t len;
	bool mboxrd;
	int64_t received_at; /* commit time in an epoch, else 0 */
};

/* Calls each for every mail until it returns non-zero; those of a maildir in no order.
 * path
 * "-" is standard input. An epoch is read by the git program. One mail at a time is in
 * memory; of a file or pipe up to 26 MB. */
int mail_source_read(const char *path,
	int (*each)(void *arg, const struct mail_source_item *item, struct err *e),
	void *arg, struct err *e) MUST_CHECK;

#endif
