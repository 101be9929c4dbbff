/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trim.h - one number per boot: the 20 % trimmed mean of logs (method v1, 2.2).
 *
 * floor(0.2 n) values are cut from each end of the sorted runs, by rule and on both sides
 * alike; nothing else is ever dropped.
 */
#ifndef WL_STATS_TRIM_H
#define WL_STATS_TRIM_H

#include "stats/stats.h"

#define STATS_TRIM 0.2

/* Scale on which a row is analysed. Logs need every value > 0 and more than a few
 * levels: stats_scale_pick() decides once for all boots of a row. */
enum stats_scale { STATS_LOG, STATS_LINEAR };

/* Trimmed mean of x as it is. n > 0, finite. scratch holds n values; may not be x. */
double stats_trimmed_mean(const double *x, size_t n, double *scratch);
/* Same of log(x); every x > 0. */
double stats_trimmed_log_mean(const double *x, size_t n, double *scratch);
/* STATS_LINEAR when a value is <= 0, or when all values are integers with fewer than 4
 * levels over both sides (bucketed latencies); else STATS_LOG. */
enum stats_scale stats_scale_pick(
	const double *a, size_t n_a, const double *b, size_t n_b);

#endif
