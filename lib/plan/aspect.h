/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * aspect.h - which parts of the scheduler a touched file or function is about, and why a
 * topology can notice. Tables only; the plan's sentences are made from them.
 */
#ifndef WL_PLAN_ASPECT_H
#define WL_PLAN_ASPECT_H

#include "base/base.h"

struct aspect_rule {
	const char *path;     /* file, or folder ending in '/' */
	const char *function; /* NULL: any; a glob with '*' */
	const char *aspect;   /* DESIGN section 3: "wake_path", "features", ... */
	const char *why;      /* clause after "PATH is touched: " */
};

/* Best rule for a file (function may be NULL): a rule with a function beats one without,
 * a longer path a shorter one. NULL: the path is no business of the scheduler. */
const struct aspect_rule *aspect_find(const char *path, const char *function);
/* False for documentation, user-space tools and samples: nothing a kernel build sees. */
bool aspect_is_compiled(const char *path);
/* Architecture that a path is limited to ("x86_64", "aarch64", "other"), NULL for all. */
const char *aspect_arch(const char *path);

#endif
