/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * adjust.h - p values of one family, adjusted as R's p.adjust does. A NAN p (no test
 * possible) stays NAN and is not counted in the family's size.
 */
#ifndef WL_STATS_ADJUST_H
#define WL_STATS_ADJUST_H

#include "stats/stats.h"

enum stats_adjust {
	STATS_BH, /* Benjamini and Hochberg 1995: false discovery rate */
	STATS_BY, /* Benjamini and Yekutieli 2001: the same under any dependence */
	STATS_HOLM,
	STATS_HOCHBERG,
	STATS_BONFERRONI
};
const char *stats_adjust_name(enum stats_adjust method); /* "BH", "BY", "holm", ... */
/* ret may be p. Values outside [0, 1] are a bug. */
void stats_adjust(struct arena *a, enum stats_adjust method, const double *p, size_t n,
	double *ret);

#endif
