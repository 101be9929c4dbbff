/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.h - one parsed diff onto one tree: the checks and steps of git apply --index.
 *
 * Renames and copies read the tree as it was; two diffs of one path build on each other.
 * An answer of "no" is in the outcome, not in the error.
 */
#ifndef WL_PATCH_PLACE_H
#define WL_PATCH_PLACE_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/apply.h"
#include "patch/diff.h"
#include "patch/stage.h"

/*
 * Fills out->result (exact, offset, conflict or rejected), error, files and notes from
 * arena a; the stage then holds what the patch makes of the tree, unless it failed. All
 * files are judged even when one fails, so that people see the whole picture.
 */
int place_diff(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e) MUST_CHECK;

/* The same for a diff that place_diff() has judged on the base: only what it does to the
 * files, without the refusals. */
int place_judged(struct stage *s, const struct diff *d, struct arena *a,
	struct apply_patch_outcome *out, struct err *e) MUST_CHECK;

/* True when the whole diff applies backwards: the tree has it already. */
int place_is_applied(
	struct stage *s, const struct diff *d, bool *ret, struct err *e) MUST_CHECK;

#endif
