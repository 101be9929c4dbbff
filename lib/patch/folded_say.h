/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_say.h - what a base says to a diff whose line ends became blanks (folded.h), in
 * words: "its change is in the base in part: hunks 1 and 3 of 3 of f.c; superseded by
 * 0123456789ab ("title")"; "g.c is an obsolete path: the base has it as d/g.c"; "f.c has
 * no pick() at this base". Reads the tree and, where lines are there, its history.
 */
#ifndef WL_PATCH_FOLDED_SAY_H
#define WL_PATCH_FOLDED_SAY_H

#include "patch/stage.h"

#define FOLDED_SAY_HUNKS 64 /* that are looked at */

/* text: the diff, as mend_folded() finds it. tip: the commit that the stage's tree is of.
 * NULL: the base says nothing. Arena of s. */
int folded_say(struct stage *s, const git_oid *tip, const char *text, size_t len,
	const char **ret, struct err *e) MUST_CHECK;

#endif
