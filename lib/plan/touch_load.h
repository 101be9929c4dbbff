/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch_load.h - what touch_make() needs, from two commits of a repository: their diff,
 * and both texts of each changed file whose lines can be read. No process: the caller has
 * the texts scanned (spans.h).
 */
#ifndef WL_PLAN_TOUCH_LOAD_H
#define WL_PLAN_TOUCH_LOAD_H

#include "patch/repo.h"
#include "plan/touch.h"

#define TOUCH_LOAD_MAX_BYTES (64u << 20) /* all texts; files after that have none */

/* Arena; both commits must be readable in r. */
int touch_load(struct git_repository *r, const char *base_hex, const char *patched_hex,
	struct arena *a, struct touch_file **ret, size_t *ret_n,
	struct err *e) MUST_CHECK;
/* The same from a patch alone, when it is on no tree: no texts, lines as the patch says
 * them. Appends to *files. */
void touch_load_diff(struct arena *a, const struct diff *d, struct touch_file **files,
	size_t *n, size_t *cap);

#endif
