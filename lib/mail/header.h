/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header.h - header fields the way git reads them: loose names, the NUL that ends a
 * value, encoded words anywhere, From by its own rule.
 */
#ifndef WL_MAIL_HEADER_H
#define WL_MAIL_HEADER_H

#include "base/base.h"

#include "base/arena.h"
#include "mail/mail.h"

/* White space as git means it: not VT and FF. */
static inline bool header_isspace(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct header_field {
	const char *name; /* not NUL terminated */
	size_t name_len;
	const char *value; /* unfolded, leading white space off, NUL terminated */
};

/* A growing list of notes, kept while a mail is read. */
struct header_notes {
	struct arena *arena;
	struct mail_note *v;
	size_t n, cap;
};
/* At most one note of a code, the first. */
void header_note(struct header_notes *notes, const char *code, const char *detail);

/* Position in the bytes of a mail. */
struct header_reader {
	const char *p, *end;
};

/*
 * Reads one field with its continuation lines. false at the first line that is no field:
 * *ret_line is that line (right-trimmed, one newline added; p NULL at the end of input)
 * and it has been consumed.
 */
bool header_read_field(struct arena *a, struct header_reader *r, struct header_field *ret,
	struct mail_bytes *ret_line, struct header_notes *notes);
bool header_is(const struct header_field *f, const char *name); /* without case */
/* The value part of an in-body "Name: value" line, or NULL. */
const char *header_skip_name(const char *line, const char *name);

/* Decodes encoded words. On a word that is broken or in an unknown charset the raw text
 * stays, noted. Bytes that are no UTF-8 are read as windows-1252, noted. */
const char *header_decode(struct arena *a, const char *value, struct header_notes *notes);
/* White space runs to one blank, ends trimmed. */
const char *header_squeeze(struct arena *a, const char *text);
/* The same for each run, ends kept: git's cleanup_space. */
const char *header_squeeze_inner(struct arena *a, const char *text);

/* From, decoded, by git's rule with our two exceptions (several mailboxes; the address in
 * brackets wins). email "" when there is none. */
struct mail_addr header_from(
	struct arena *a, const char *decoded, struct header_notes *notes);
/* To, Cc: raw value -> addresses, groups flattened; appended to *ret up to max. */
void header_addresses(struct arena *a, const char *value, size_t max,
	struct mail_addr **ret, size_t *ret_n, size_t *ret_cap);
/* Value of name= in a Content-Type ("boundary=", "charset="), as git finds it; NULL if
 * absent. */
const char *header_attr(struct arena *a, const char *value, const char *name_eq);
/* git's title of a subject. keep_brackets: only groups that hold PATCH go. */
const char *header_title(struct arena *a, const char *subject, bool keep_brackets);

#endif
