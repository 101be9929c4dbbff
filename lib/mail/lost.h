/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lost.h - a mail whose header lost its line ends, as text pasted from a page may: no
 * field of it can be read, but where its original is can be said. Pure. */
#ifndef WL_MAIL_LOST_H
#define WL_MAIL_LOST_H

#include "base/arena.h"

struct lost_header {
	const char *text;    /* from its long line on, borrowed */
	const char *id;      /* without brackets */
	const char *subject; /* as it stands there */
};

/* The header has a long line that holds " Subject: " and " Message-ID: <id>", in any
 * case. False: it is not such a mail. Arena. */
bool lost_header_read(
	struct arena *a, const char *p, size_t len, struct lost_header *ret);

#endif
