/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats.h - what all of lib/stats share: the status of a computation, and moments.
 *
 * Arrays are const double *x, size_t n; nothing here reads a clock, keeps state or
 * prints. A result whose status is not STATS_OK has NAN in every number that could not
 * be computed. Values up to 1e300 and down to 1e-300 are fine (sums are scaled).
 */
#ifndef WL_STATS_STATS_H
#define WL_STATS_STATS_H

#include "base/arena.h"

enum stats_status {
	STATS_OK,
	STATS_EMPTY,      /* no value */
	STATS_NONFINITE,  /* a NaN or an infinity: the row is refused */
	STATS_TOO_FEW,    /* one value or one pair: no test is possible */
	STATS_IDENTICAL,  /* every value is equal: no change, p = 1 */
	STATS_NO_VARIANCE /* differences equal and not zero: no t; direction is known */
};
/* "ok", "error: empty sample", "error: non-finite value", ... Stable, used in JSON. */
const char *stats_status_name(enum stats_status s);

enum stats_status stats_check(const double *x, size_t n); /* OK, EMPTY or NONFINITE */
double stats_mean(const double *x, size_t n);             /* n > 0, finite; two passes */
double stats_sd(const double *x, size_t n); /* n - 1 in the denominator; NAN for n < 2 */
void stats_sort(double *x, size_t n);       /* ascending; finite values */
double stats_quantile7(const double *sorted, size_t n, double p); /* R's type 7 */

#endif
