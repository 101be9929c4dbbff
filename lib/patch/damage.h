/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * damage.h - a mail that does not apply as it came: what mail programs did to it, by the
 * blobs of a repository (mend.h), and the sentence for its author: the damage, what the
 * base says to a diff that cannot be applied (folded_say.h), and where the original is.
 */
#ifndef WL_PATCH_DAMAGE_H
#define WL_PATCH_DAMAGE_H

#include "patch/apply.h"
#include "patch/mend.h"
#include "patch/objects.h"
#include <git2.h>

struct damage_base {
	struct objects *made;
	const git_tree *tree;
	const git_oid *tip; /* the commit of the tree */
};

/* The answer is no, and damage of the mail may be why: it does not parse, or what is said
 * of it is that a hunk does not fit. What else there is to say (a path that is refused, a
 * file that is not there) is said. */
bool damage_may_be(const struct apply_patch_outcome *out);
/* out: the answer so far, which is no. Arena scratch; for a quoted diff see mend.h. */
void damage_look(const struct damage_base *b, const struct apply_patch *patch,
	bool unquote, const struct apply_patch_outcome *out, struct arena *scratch,
	struct mend *ret);
/* A patch that applies, of a series of which another one was damaged: MEND_NONE where
 * nothing speaks against it (mend_input.suspect). Arena scratch. */
void damage_suspect(const struct damage_base *b, const char *patch, size_t len,
	struct arena *scratch, struct mend *ret);
/* Makes out->error name what damage_look() found and what can be done; how: to ask for a
 * repair, or NULL. Arena a. */
int damage_tell(const struct damage_base *b, const struct apply_patch *patch,
	const struct mend *m, const char *how, struct arena *scratch, struct arena *a,
	struct apply_patch_outcome *out, struct err *e) MUST_CHECK;

#endif
