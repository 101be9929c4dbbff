/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spans.h - function spans of the texts of touched files: runs Universal Ctags, shut in
 * (ctags.h). Blocks: for programs and children that do one job, not for loops.
 */
#ifndef WL_PLAN_SPANS_H
#define WL_PLAN_SPANS_H

#include "base/base.h"

#include "plan/touch.h"

/* Fills spans of all texts that are C. Bounded in time, memory and output; a text that
 * the scanner dies of stays without spans and the rest is scanned anew. *ret_why: why
 * nothing (or not all) was scanned, for people, or NULL. Arena. */
void spans_scan(
	struct arena *a, struct touch_file *files, size_t n_files, const char **ret_why);

#endif
