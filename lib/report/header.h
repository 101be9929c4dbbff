/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - header fields: what may be in a value, RFC 2047 words, folding at 78.
 * Internal to lib/report.
 */
#ifndef WL_REPORT_HEADER_H
#define WL_REPORT_HEADER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

#define HEADER_FOLD 78
#define HEADER_MAX  998 /* bytes of a word that cannot be folded: refused above */

/* ERR_INVALID "WHAT holds a line break" for CR, LF and other control characters (a tab is
 * fine), for invalid UTF-8, and for a value over 8 KiB or a word over HEADER_MAX. */
int header_check(const char *what, const char *s, struct err *e) MUST_CHECK;
/* "left@right", printing ASCII without blanks, brackets, quotes or commas; <= 254. */
bool header_is_addr(const char *s);
/* Bare, printing ASCII without blanks and <>; mails in use have ids without "@" too. */
bool header_is_msgid(const char *s);
/* Outside text made fit for header_check: what is no text becomes '?', line breaks
 * blanks, too long words are broken, the rest is cut. Arena. */
const char *header_clean(struct arena *a, const char *s);
const char *header_ascii(struct arena *a, const char *s); /* other bytes become '?' */

/* One field under construction. */
struct header_line {
	struct sbuf *b;
	size_t column;
	bool empty;
};

void header_begin(struct header_line *l, struct sbuf *b, const char *field);
/* Unstructured text, checked before: ASCII words as they are, others as Q words. */
void header_text(struct header_line *l, const char *text);
/* One address; a comma behind it when more follow. */
void header_addr(struct arena *a, struct header_line *l, const char *name,
	const char *addr, bool more);
void header_end(struct header_line *l);

#endif
