/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ours.h - which series are ours: path specs of a list against the paths of a diff.
 *
 * A spec is one of: "kernel/sched/" or "kernel/sched" (a folder with all below, or a
 * file), a glob ("*" and "?" do not match "/", "**" does), "!SPEC" (takes away),
 * "subject:WORD" (hint while there is no diff yet) and "stable" (take [PATCH x.y]
 * series).
 */
#ifndef WL_MAIL_OURS_H
#define WL_MAIL_OURS_H

#include "base/base.h"

#include "mail/assemble.h"

struct ours_spec;

/* Compiles specs (NULL terminated). ERR_INVALID names a spec that is empty, absolute, or
 * climbs with "..". */
int ours_compile(struct arena *a, const char *const *specs, struct ours_spec **ret,
	struct err *e) MUST_CHECK;
bool ours_path_matches(const struct ours_spec *spec, const char *path);

enum ours_answer { OURS_NO, OURS_YES, OURS_LATER }; /* LATER: no diff yet, subject fits */

/* submitted: a person asked for it. ret_why: the rule that decided, a sentence (arena).
 */
enum ours_answer ours_decide(struct arena *a, const struct ours_spec *spec,
	const struct series *s, bool submitted, const char **ret_why);

#endif
