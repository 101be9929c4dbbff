/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moved.h - where a file went that a tree no longer has, from evidence only: the commit
 * that took it away put a similar one elsewhere; or, where history does not tell, one
 * file alone has its contents, or its name and most of its lines. A merely similar file
 * is no evidence (git would merge into it).
 */
#ifndef WL_PATCH_MOVED_H
#define WL_PATCH_MOVED_H

#include "patch/stage.h"

#define MOVED_BACK 2000 /* first-parent commits that are searched */

struct moved {
	const char *to;  /* its path in the tree; NULL: not known */
	const char *how; /* "renamed to g by 0123456789ab"; else why it is not known */
	bool maybe;      /* not known which of several it is */
};

/* path is absent from the tree of s, which is that of commit tip. old: the contents that
 * the patch knows. Arena of s. */
int moved_find(struct stage *s, const git_oid *tip, const char *path, const git_oid *old,
	struct moved *ret, struct err *e) MUST_CHECK;

#endif
