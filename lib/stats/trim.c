// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/trim.h"
#include <math.h>

#define FEW_LEVELS 4

double stats_trimmed_mean(const double *x, size_t n, double *scratch)
{
	/* 0.2 is a little more than a fifth in binary, so 5 runs give exactly 1 */
	size_t cut = (size_t)(STATS_TRIM * (double)n);

	memcpy(scratch, x, n * sizeof(*x));
	stats_sort(scratch, n);
	return stats_mean(scratch + cut, n - 2 * cut);
}

double stats_trimmed_log_mean(const double *x, size_t n, double *scratch)
{
	size_t cut = (size_t)(STATS_TRIM * (double)n);

	memcpy(scratch, x, n * sizeof(*x));
	stats_sort(scratch, n);
	for (size_t i = 0; i < n; i++)
		scratch[i] = log(scratch[i]);
	return stats_mean(scratch + cut, n - 2 * cut);
}

/* Adds v to the levels seen; false once there are too many to be "few". */
static bool level_add(double *levels, size_t *n, double v)
{
	for (size_t i = 0; i < *n; i++)
		if (levels[i] == v)
			return true;
	if (*n + 1 >= FEW_LEVELS)
		return false;
	levels[(*n)++] = v;
	return true;
}

enum stats_scale stats_scale_pick(
	const double *a, size_t n_a, const double *b, size_t n_b)
{
	double levels[FEW_LEVELS];
	size_t n_levels = 0;
	bool few = true;

	for (size_t i = 0; i < n_a + n_b; i++) {
		double v = i < n_a ? a[i] : b[i - n_a];

		if (!(v > 0))
			return STATS_LINEAR;
		if (few)
			few = v == floor(v) && level_add(levels, &n_levels, v);
	}
	return few ? STATS_LINEAR : STATS_LOG;
}
