/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * origin.h - the commit that brought lines into a file, or took them out, by walking back
 * along parents that have the file so: what git log -S tells, for one path and one way.
 * Reads commits, trees and versions of the file; bounded.
 */
#ifndef WL_PATCH_ORIGIN_H
#define WL_PATCH_ORIGIN_H

#include "base/arena.h"
#include "base/err.h"
#include <git2.h>

#define ORIGIN_BACK     10000 /* commits that are looked at */
#define ORIGIN_VERSIONS 300   /* versions of the file that are read */

struct origin {
	const char *commit; /* 12 hex; NULL: not known */
	const char *title;
	const char *email; /* of the author, lower case */
};

/*
 * lines: whole lines with their newlines. gone: the file of tip lacks them, and the
 * commit that took them away is looked for. Not known: where history ends or begins with
 * them (an import), and beyond the bounds. Renames are not followed. Arena.
 */
int origin_find(git_repository *repo, const git_oid *tip, const char *path,
	const char *lines, size_t len, bool gone, struct arena *a, struct origin *ret,
	struct err *e) MUST_CHECK;
/* "0123456789ab ("title")". Arena. */
const char *origin_words(const struct origin *o, struct arena *a);

#endif
