/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repo_broken.h - what of a repository cannot be read, and where it lies. libgit2 takes a
 * pack that is damaged for one that is not there, and does not say which object, nor in
 * which file, it failed to read.
 */
#ifndef WL_PATCH_REPO_BROKEN_H
#define WL_PATCH_REPO_BROKEN_H

#include "base/arena.h"
#include "base/err.h"

struct git_oid;
struct git_repository;

/* A pack of the repository, or of one that it borrows from, is cut short, is not that of
 * its index, or cannot be opened: e says which and why (INTERNAL). Looks at both ends of
 * each file, not at the objects. False: there is none, e is untouched. */
bool repo_broken_packs(struct git_repository *r, struct arena *a, struct err *e);
/* Fills e for an object that is there and cannot be read, why being libgit2's words:
 * names the pack or file. Returns INTERNAL. */
int repo_broken_object(struct git_repository *r, const struct git_oid *id,
	const char *why, struct arena *a, struct err *e);
/* Fills e for an object that others name and that is not there. UNAVAILABLE: the clone is
 * partial, and git fetches it when asked for it; else INTERNAL. */
int repo_broken_missing(struct git_repository *r, const struct git_oid *id,
	struct arena *a, struct err *e);

#endif
