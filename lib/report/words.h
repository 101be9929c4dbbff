/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.h - text for mails: cleaning, wrapping, padding. Internal to lib/report. */
#ifndef WL_REPORT_WORDS_H
#define WL_REPORT_WORDS_H

#include "base/arena.h"
#include "base/sbuf.h"

/* Printing ASCII: tabs become blanks, other bytes '?' (one per UTF-8 character), at most
 * max bytes with "..." where it was cut. NULL gives "". */
const char *words_clean(struct arena *a, const char *s, size_t max);
/* Adds text (cleaned already) wrapped at width: the first line after `first`, others
 * after `rest`; a word that is too long is cut hard. Ends in a newline. */
void words_wrap(struct sbuf *b, const char *first, const char *rest, const char *text,
	size_t width);
/* "1 boot", "2 boots". */
const char *words_count(struct arena *a, long n, const char *noun);
/* "a", "a and b", "a, b and c". */
const char *words_list(struct arena *a, const char *const *items, size_t n);

#endif
