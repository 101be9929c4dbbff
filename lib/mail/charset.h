/* SPDX-License-Identifier: GPL-2.0-or-later */
/* charset.h - bytes to UTF-8 by iconv, with the last resorts a mail reader needs. */
#ifndef WL_MAIL_CHARSET_H
#define WL_MAIL_CHARSET_H

#include "base/base.h"

#include "base/arena.h"
#include "base/sbuf.h"

#include <iconv.h>

/* An opened conversion, kept for all lines of a part. */
struct charset {
	char name[64];
	iconv_t cd;
	bool same;       /* UTF-8 or none: bytes are copied */
	bool open;       /* cd is open */
	bool narrow;     /* one byte a character, so UTF-8 text in it is doubtful */
	bool over_ascii; /* ASCII text is the same in it */
};

/* name: as a mail declares it, "" for none. Unknown: charset_add refuses all of it. */
void charset_init(struct charset *c, const char *name);
void charset_release(struct charset *c);
/* Appends p as UTF-8. false (nothing appended) when the charset is unknown or p is not in
 * it. */
bool charset_add(struct charset *c, const char *p, size_t len, struct sbuf *out);

bool charset_is_utf8(const char *p, size_t len);
bool charset_is_ascii(const char *p, size_t len);
/* Length of the valid UTF-8 character at p, 0 when there is none. */
size_t charset_utf8_char(const char *p, size_t len);
/* Appends p, valid UTF-8 characters as they are, other bytes read as windows-1252. */
void charset_add_repaired(const char *p, size_t len, struct sbuf *out);

#endif
