/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binom.h - how sure a count of x in n is: exact (Clopper and Pearson 1934) bounds. */
#ifndef WL_STATS_BINOM_H
#define WL_STATS_BINOM_H

#include "stats/stats.h"

struct stats_binom {
	enum stats_status status; /* EMPTY for n = 0 */
	double ci95[2];
	double upper95; /* one-sided */
};
/* x <= n. */
void stats_binom(size_t x, size_t n, struct stats_binom *ret);
/* P(X >= x) for n trials of probability p. */
double stats_binom_upper_p(size_t x, size_t n, double p);

#endif
