/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mend.h - repairs a diff that its way through mail programs damaged, where the repair is
 * proved, and names the damage where it is not. Pure but for the look-up of blobs.
 *
 * Proof: the lines that a hunk keeps or takes away are, byte for byte, those of the blob
 * that the index line names as old, at the very lines that the hunk's header says; and
 * what the repaired diff makes of that blob has the id that the index line names as new
 * (7 digits or more). So the added lines are proved too. A diff without an index line is
 * never repaired. The search for added lines is bounded by MEND_WORK_MAX.
 *
 * Kinds, which are codes of notes: tail_filled (the last hunk lacks context at its end),
 * wrapped (long lines were broken), tabs (white space was changed), qp_left
 * (quoted-printable was left undecoded), unquoted (every line began with "> "), folded
 * (line ends became blanks: named, never repaired).
 */
#ifndef WL_PATCH_MEND_H
#define WL_PATCH_MEND_H

#include "base/arena.h"

#define MEND_ID_MIN   7                   /* digits of an id that prove something */
#define MEND_WORK_MAX UINT64_C(100000000) /* bytes compared and hashed for one patch */

/* Contents of the blob with that id or beginning of an id. False: not here, or no single
 * one. They must live as long as the arena of mend_patch(). */
typedef bool mend_blob_fn(void *arg, const char *hex, const char **ret, size_t *ret_len);

struct mend_input {
	const char *text; /* a patch, or a mail's text that holds one */
	size_t len;
	bool unquote;      /* somebody asked for this very mail: a quoted diff is taken */
	const char *never; /* why a quoted one is not taken at all; NULL: it may be */
	bool other_blanks; /* only white space kept it from fitting */
	bool suspect;      /* it fits, but its mailer damaged this or another patch of its
			    * series: what its index lines can judge must agree with them */
	mend_blob_fn *blob;
	void *arg;
};

enum mend_end {
	MEND_NONE,     /* no damage is seen */
	MEND_MENDED,   /* patch is the repaired one */
	MEND_UNPROVED, /* damaged; why says how, and why it stays so */
};

struct mend_note {
	const char *code;
	const char *detail; /* names the lines */
};

struct mend {
	enum mend_end end;
	const char *patch;
	size_t len;
	struct mend_note *notes;
	size_t n_notes, notes_cap;
	const char *why; /* "line 12 of the patch: ...": the damage, and behind "; " why
			  * it stays; NULL for NONE */
	const char *folded; /* the diff that lost its line ends, borrowed; else NULL */
	size_t folded_len;
};

/* Arena a. Lines are counted in the text given. */
void mend_patch(const struct mend_input *in, struct arena *a, struct mend *ret);

#endif
