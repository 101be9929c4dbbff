/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge3.h - one file with two changes of one ancestor: the merge of git, by the same
 * algorithm (libgit2's copy of xdiff), and where a file was changed. Pure.
 */
#ifndef WL_PATCH_MERGE3_H
#define WL_PATCH_MERGE3_H

#include "base/arena.h"
#include "base/err.h"

struct merge3_text {
	const char *p; /* not NULL */
	size_t len;    /* < 1 GiB */
};

enum merge3_fit {
	MERGE3_CLEAN,
	MERGE3_CONFLICT, /* both changed the same or adjacent lines, in different ways */
	MERGE3_BINARY,   /* one of the three is no text (a NUL near its start) */
};

/* *ret (arena) is set when clean. */
int merge3_texts(const struct merge3_text *base, const struct merge3_text *ours,
	const struct merge3_text *theirs, struct arena *a, enum merge3_fit *ret_fit,
	struct merge3_text *ret, struct err *e) MUST_CHECK;

/* Lines old_at..old_at+old_n became new_at..new_at+new_n; 0-based; either may be none. */
struct merge3_change {
	size_t old_at, old_n, new_at, new_n;
};

/* What changed between two texts, ascending. Arena. */
int merge3_changes(const struct merge3_text *from, const struct merge3_text *to,
	struct arena *a, struct merge3_change **ret, size_t *ret_n,
	struct err *e) MUST_CHECK;

/* The change that touches lines [at, end) of the old side, neighbours included; NULL. */
const struct merge3_change *merge3_touching(
	const struct merge3_change *v, size_t n, size_t at, size_t end);
/* How far line at of the old side, outside of all changes, was moved by them. */
int64_t merge3_moved(const struct merge3_change *v, size_t n, size_t at);

#endif
