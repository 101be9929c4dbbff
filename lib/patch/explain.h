/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explain.h - why a hunk does not fit, in one sentence and a few lines. Pure. */
#ifndef WL_PATCH_EXPLAIN_H
#define WL_PATCH_EXPLAIN_H

#include "base/arena.h"
#include "patch/diff.h"
#include "patch/hunk.h"

/* A line of text for a sentence: blanks trimmed, at most 60 bytes, valid UTF-8. Arena. */
const char *explain_text(const char *p, size_t len, struct arena *a);

/* What only white space keeps from fitting. */
enum explain_blanks {
	BLANKS_NO,     /* more than white space differs */
	BLANKS_DIFFER, /* white space */
	BLANKS_CR,     /* only CRs, which the base has before line ends */
};

/* Where the two lines of the sentence differ only behind what it can quote, it quotes
 * both from a little before that: "..." stands for the start. */
struct explain_hunk {
	const char
		*error; /* "hunk 2 of 5 expects "x" near line 9; the base has "y" at 7" */
	const char
		*closest; /* "-wanted\n+found\n", at most 12 lines; NULL: nothing alike */
	int64_t at;       /* index of the first line of the closest region; -1 */
	enum explain_blanks blanks; /* there, or where it expects to be */
};

/* h is hunk number k of n (1-based) and does not fit img, as place says. Arena a. */
void explain_hunk(struct image *img, const struct diff_hunk *h, uint32_t k, uint32_t n,
	const struct hunk_place *place, struct arena *a, struct explain_hunk *ret);

#endif
