/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stream.h - series_assemble() and series_set_json() for more mails than memory holds.
 *
 * The text is that of series_set_json() to the byte. A digest of each mail goes to a
 * temporary file (spool.h); assembly then runs group by group: the patches and covers of
 * one author, and those other mails that can change what becomes of them. In memory are
 * 24 bytes a mail, the largest group, and fixed buffers (docs/mail.md has the figures).
 *
 * Mails are tied by hashes of ids, which only choose what is in a group: two texts of one
 * hash make a group larger and change nothing else.
 */
#ifndef WL_MAIL_STREAM_H
#define WL_MAIL_STREAM_H

#include "base/base.h"

#include "mail/assemble.h"

#define SERIES_STREAM_MAX_MAILS  20000000u
#define SERIES_STREAM_SORT_BYTES ((size_t)4 << 20)

struct series_stream;

struct series_stream_stats {
	size_t mails, groups;
	size_t largest_mails, largest_bytes; /* group: mails; digests and assembly */
	uint64_t spooled_bytes;              /* in temporary files, at most */
};

/* For tests, which pass little; 0 is the usual. */
struct series_stream_opts {
	size_t sort_bytes;      /* for each list: SERIES_STREAM_SORT_BYTES */
	unsigned int hash_bits; /* of the hashes of ids and authors: 64 */
};

/* Owner: caller. opts NULL: the usual. */
struct series_stream *series_stream_new(const struct series_stream_opts *opts);
void series_stream_freep(struct series_stream **s);
/* m is borrowed for the call. ERR_TOO_BIG above SERIES_STREAM_MAX_MAILS, ERR_UNAVAILABLE
 * when the temporary file cannot grow. */
int series_stream_add(
	struct series_stream *s, const struct mail *m, struct err *e) MUST_CHECK;
/* Assembles all that was added and hands the text to write, piece by piece; once. Ends
 * with write's status when that is not 0. ERR_TOO_BIG: over SERIES_MAX_MAILS mails in one
 * group. */
int series_stream_write(struct series_stream *s, const struct series_clock *clock,
	int (*write)(void *arg, const char *text, size_t len, struct err *e), void *arg,
	struct err *e) MUST_CHECK;
void series_stream_stats(const struct series_stream *s, struct series_stream_stats *ret);

#endif
