/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prefix.h - the bracketed words of a subject: "[RFC PATCH -next v3 02/10] title".
 *
 * Counts and versions are integers in units of 1/PREFIX_UNIT: "2" is 2 * PREFIX_UNIT,
 * "0.5" is 5 (whole * PREFIX_UNIT + minor), so that 0.5 sorts before 1 and v2.1 between
 * v2 and v3.
 */
#ifndef WL_MAIL_PREFIX_H
#define WL_MAIL_PREFIX_H

#include "base/base.h"

#include "base/arena.h"

#define PREFIX_UNIT  INT64_C(100000)
#define PREFIX_NONE  INT64_C(-1)
#define PREFIX_FIRST PREFIX_UNIT /* n = 1 or version 1 */

/* Notes about odd forms; bits. */
enum prefix_note {
	PREFIX_GLUED = 1 << 0,         /* "PATCHv3", "PATCH1/8" */
	PREFIX_BEYOND_TOTAL = 1 << 1,  /* n > m */
	PREFIX_TWO_VERSIONS = 1 << 2,  /* they differ; the highest counts */
	PREFIX_PAREN_VERSION = 1 << 3, /* "(v3)" right of the groups or at the end */
	PREFIX_LATE_COUNT = 1 << 4,    /* "[PATCH] 1/2: title" */
	PREFIX_SECOND_PAIR = 1 << 5,   /* "[PATCH 1/2 3/4]" */
	PREFIX_DIGITS_CUT = 1 << 6,    /* a number over 5 digits was not read */
};

struct prefix {
	const char **tags; /* other words, in order, as written */
	size_t n_tags;
	int64_t version; /* PREFIX_UNIT when the subject names none */
	int64_t n;       /* PREFIX_NONE: no count; 0: cover */
	int64_t m;       /* PREFIX_NONE: no total; else a multiple of PREFIX_UNIT */
	bool version_explicit;
	bool patch; /* the word PATCH, PATCHES or PATCHSET stands there */
	bool rfc;
	bool rft;
	bool resend;
	bool reply;         /* a reply word stands before it (forwarding words too) */
	bool forwarded;     /* the reply word means forwarded */
	bool tip;           /* "[tip: BRANCH]" or "[tip:BRANCH]" */
	const char *tree;   /* tree or branch named, NULL for none */
	const char *title;  /* what follows, reply words and groups off, trimmed */
	unsigned int notes; /* enum prefix_note */
};

/* subject: decoded, white space already single. branches: NULL terminated names that
 * count as a tree, or NULL. Never fails: what is no prefix is title. */
void prefix_parse(struct arena *a, const char *subject, const char *const *branches,
	struct prefix *ret);
/* "2", "0.5", "2.1"; "" for PREFIX_NONE. buf of at least 16 bytes; returned. */
const char *prefix_number(int64_t number, char *buf, size_t size);
/* Skips one reply word with its colon at *s; true when there was one. */
bool prefix_skip_reply(const char **s, bool *ret_forwarded);

#endif
