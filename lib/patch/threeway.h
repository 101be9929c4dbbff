/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threeway.h - what git am -3 does with a patch that does not fit: the files that its
 * index lines name, the patch applied to these, and a merge of that change with what the
 * base made of the same files meanwhile. In memory; only touched paths take part.
 *
 * Stricter than git: a file that the base no longer has is followed only on evidence
 * (moved.h), never to whatever file of the tree is most like it.
 */
#ifndef WL_PATCH_THREEWAY_H
#define WL_PATCH_THREEWAY_H

#include "patch/apply.h"
#include "patch/diff.h"
#include "patch/stage.h"

enum threeway_end {
	THREEWAY_MERGED,
	THREEWAY_CONFLICT,
	THREEWAY_NO_BLOBS, /* the repository lacks a file that the patch is made for, or
			    * the patch is damaged otherwise */
	THREEWAY_EDITED,   /* its hunks do not apply to the files that it names */
	THREEWAY_BLANKS,   /* nor these, for white space */
};

struct threeway {
	enum threeway_end end;
	const char *why; /* one sentence; NULL when merged */
};

/*
 * s: fresh, on the tree of commit tip. out: what place_diff() said of d there, a
 * conflict; it is changed only when the end is MERGED (then it tells where each hunk
 * went, result 3way or exact; the stage holds the new files, which may be those of the
 * base) or CONFLICT (then hunks that merge are no longer blamed, and those that do not
 * are told). The files that the patch makes of the named ones are written to the
 * repository, since a later patch of the series may name them, as with git.
 */
int threeway_place(struct stage *s, const git_oid *tip, const struct diff *d,
	struct arena *a, struct apply_patch_outcome *out, struct threeway *ret,
	struct err *e) MUST_CHECK;

#endif
