/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quantile.h - quantiles by the definitions of Hyndman and Fan (1996), as R numbers them,
 * and the usual description of one sample.
 */
#ifndef WL_STATS_QUANTILE_H
#define WL_STATS_QUANTILE_H

#include "stats/stats.h"

enum stats_quantile_type {
	STATS_Q1 = 1, /* inverse of the empirical distribution */
	STATS_Q6 = 6, /* p (n + 1) */
	STATS_Q7 = 7  /* 1 + p (n - 1): R's default, numpy's "linear" */
};
/* sorted ascending and finite, n > 0, 0 <= p <= 1. */
double stats_quantile(
	enum stats_quantile_type type, const double *sorted, size_t n, double p);

struct stats_describe {
	enum stats_status status;
	size_t n;
	double mean, sd, median, mad, min, max, trimmed_mean; /* mad without a factor */
};
/* NAN everywhere for EMPTY and NONFINITE; sd NAN for n = 1. sorted receives the sorted
 * values (room for n); it may be NULL. */
void stats_describe(struct arena *a, const double *x, size_t n,
	struct stats_describe *ret, double *sorted);

#endif
