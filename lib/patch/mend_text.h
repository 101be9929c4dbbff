/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mend_text.h - damage that is of the text as a whole, found and undone. Pure; results
 * are in the arena. Private to lib/patch/mend*.c and its tests. */
#ifndef WL_PATCH_MEND_TEXT_H
#define WL_PATCH_MEND_TEXT_H

#include "base/arena.h"

struct mend_text {
	const char *p;
	size_t len;
	uint32_t line;    /* 1-based, where p begins in the text that it was found in */
	uint32_t n_files; /* as a diffstat before p says; 0: none does */
};

/* A quoted git diff: its lines without the marks, up to the first line that has none.
 * False: there is none. *ret_more: another quoted hunk or diff follows the end, so
 * that what was found is not all. */
bool mend_unquote(const char *p, size_t len, struct arena *a, struct mend_text *ret,
	bool *ret_more);
/* N of the line " N files changed"; 0: the line is another one. */
uint32_t mend_stat_line(const char *p, size_t len);
/* A diff whose line ends became blanks. False: there is none. */
bool mend_folded(const char *p, size_t len, struct mend_text *ret);
/* Line of the first sign of quoted-printable that was not decoded in a hunk; 0: none, or
 * some "=" in a hunk begins no code, so that it is not encoded. */
uint32_t mend_qp_line(const char *p, size_t len);
/* Quoted-printable decoded; what is no code stays. */
void mend_qp_decode(const char *p, size_t len, struct arena *a, struct mend_text *ret);

#endif
