/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff_name.h - names in diff headers, read as git apply reads them. Pure.
 *
 * Every function takes a line with its end and gives an arena string with strip leading
 * components removed and double slashes squashed, or NULL when there is no name.
 */
#ifndef WL_PATCH_DIFF_NAME_H
#define WL_PATCH_DIFF_NAME_H

#include "base/arena.h"

struct diff_text {
	const char *p, *end; /* end is the newline, or the end of the bytes */
};

/* After "--- " or "+++ " of a git diff; up to a TAB. */
char *diff_name_git(struct diff_text t, int strip, struct arena *a);
/* After "rename from " and the like: the whole line. */
char *diff_name_whole(struct diff_text t, int strip, struct arena *a);
/* After "--- " or "+++ " of any other diff; up to a TAB or time stamp. dflt may be NULL;
 * it is preferred when the name only adds to it ("file.orig"). */
char *diff_name_traditional(
	struct diff_text t, const char *dflt, int strip, struct arena *a);
/* The one name that "diff --git a/x b/x" gives twice. t begins after "diff --git ". */
char *diff_name_header(struct diff_text t, struct arena *a);

bool diff_name_is_dev_null(struct diff_text t);
/* The time stamp after a TAB is the epoch: "no file on this side". */
bool diff_name_has_epoch(struct diff_text t);

#endif
