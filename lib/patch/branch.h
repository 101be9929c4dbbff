/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * branch.h - a branch that is made or moved last: looked at before anything is written,
 * locked before objects are stored, and set when they are. So what would keep it from
 * being set is known while nothing is written.
 */
#ifndef WL_PATCH_BRANCH_H
#define WL_PATCH_BRANCH_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/repo.h"

struct branch;

/* Nothing is written. INVALID: no branch name. CONFLICT: a work tree has it checked out,
 * it is a symbolic reference, or another branch is where it would be (a and a/b).
 * Arena; branch_unlock() after branch_lock(). */
int branch_look(struct git_repository *r, const char *name, struct arena *a,
	struct branch **ret, struct err *e) MUST_CHECK;
/* Nobody else can move it from now on. CONFLICT: it was made or moved since
 * branch_look(); BUSY: somebody else has it locked; DENIED and others: its lock file
 * cannot be written. */
int branch_lock(struct branch *b, struct err *e) MUST_CHECK;
/* Only when locked. What can still fail is the disk and the reflog. */
int branch_set(struct branch *b, const char *commit_hex, struct err *e) MUST_CHECK;
void branch_unlock(struct branch *b);   /* accepts NULL, and one that is not locked */
void branch_unlockp(struct branch **b); /* for CLEANUP */

#endif
