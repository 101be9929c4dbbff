/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * body.h - the walk over a mail's body that yields git mailinfo's two files.
 *
 * A line machine, not a MIME tree: see docs/mail.md for what it does where git and the
 * RFCs differ.
 */
#ifndef WL_MAIL_BODY_H
#define WL_MAIL_BODY_H

#include "base/base.h"

#include "mail/header.h"

/* What the headers of a mail or part say about its text. */
struct body_type {
	const char *boundary; /* NULL: none */
	const char *charset;  /* "" none */
	const char *transfer; /* "" none */
	bool flowed, delsp;
};

struct body {
	struct mail_bytes msg, patch; /* arena */
	struct mail_bytes raw_patch;  /* p NULL unless a flowed part is in patch */
	/* In-body headers as written (value only, not decoded), NULL for none. */
	const char *from, *subject, *date;
	/* Of parts, where the top had none; NULL otherwise. */
	const char *part_from, *part_subject, *part_date;
	/* All of it, borrowed, where the boundary that the header names stands on no
	 * line, so that there is no part; else p NULL. */
	struct mail_bytes partless;
	bool too_big; /* decoded text over MAIL_MAX_TEXT */
};

/* Takes over one Content-Type or Content-Transfer-Encoding field; others are ignored. */
void body_type_read(struct arena *a, const struct header_field *f, struct body_type *t);

/* first: the line that ended the headers. The reader stands behind it. */
void body_read(struct arena *a, const struct body_type *top, struct mail_bytes first,
	struct header_reader *r, struct header_notes *notes, struct body *ret);

#endif
