/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * between.h - what differs between two commits, in the form that diff.h gives patches:
 * hunks stand exactly where they are in both trees, whatever a mail said.
 */
#ifndef WL_PATCH_BETWEEN_H
#define WL_PATCH_BETWEEN_H

#include "patch/diff.h"
#include "patch/repo.h"

/* Renames are found as git finds them; three lines of context. TOO_BIG over
 * DIFF_PATCH_MAX bytes. Arena. */
int repo_diff(struct git_repository *r, const char *base_hex, const char *patched_hex,
	struct arena *a, struct diff **ret, struct err *e) MUST_CHECK;

#endif
