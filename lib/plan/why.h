/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.h - the sentences of a plan's cells: what a series touches, and what a topology and
 * a load can show of it. Printing ASCII, bounded length, arena.
 */
#ifndef WL_PLAN_WHY_H
#define WL_PLAN_WHY_H

#include "plan/plan.h"

/* What kernels of one architecture have of what is touched. */
struct why {
	const struct touch_aspect *aspects[TOUCH_N_ASPECTS]; /* in order of their ids */
	size_t n_aspects;
	const char *path; /* the first file, of the scheduler if any; NULL: none */
	bool sched;       /* something of the scheduler: an aspect, or just a file */
};

struct why *why_make(struct arena *a, const struct touch *t, const char *arch);

/* "wake path: select_idle_sibling() changed; newidle: newidle_balance() added" */
const char *why_touched(struct arena *a, const struct touch *t, const struct why *w);
/* The aspect that this topology shows best, and how:
 * "wake path: select_idle_sibling() changed, and every wakeup goes that way; two LLCs let
 * wakeups cross a cache boundary". preset: a name that topo.h knows. */
const char *why_topology(
	struct arena *a, const struct touch *t, const struct why *w, const char *preset);
const char *why_bench(struct arena *a, const struct plan_bench *b, enum plan_tier tier);

#endif
