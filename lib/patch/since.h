/* SPDX-License-Identifier: GPL-2.0-or-later */
/* since.h - which commit brought what a patch asks for, where a base has it already. */
#ifndef WL_PATCH_SINCE_H
#define WL_PATCH_SINCE_H

#include "patch/apply.h"
#include "patch/diff.h"
#include <git2.h>

/* d is the diff that out is the answer to: already, or a conflict with hunks that are
 * there. Of the first such hunk: "f.c: hunk 1 of 2 is there since 0123456789ab
 * ("title")", arena a; NULL: there is none, or history does not tell (origin.h). */
int since_find(git_repository *repo, const git_oid *tip, const struct diff *d,
	const struct apply_patch_outcome *out, struct arena *a, const char **ret,
	struct err *e) MUST_CHECK;

#endif
