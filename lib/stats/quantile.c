// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/quantile.h"
#include "stats/trim.h"
#include <math.h>

static double at(const double *sorted, size_t n, double position)
{
	double i = floor(position), f = position - i;

	if (i < 1)
		return sorted[0];
	if (i >= (double)n)
		return sorted[n - 1];
	return sorted[(size_t)i - 1] + f * (sorted[(size_t)i] - sorted[(size_t)i - 1]);
}

double stats_quantile(
	enum stats_quantile_type type, const double *sorted, size_t n, double p)
{
	double count = (double)n;

	switch (type) {
	case STATS_Q1: {
		/* R allows for rounding of n p: 4 machine epsilons */
		double np = count * p, i = floor(np + 4 * 2.220446049250313e-16);

		return at(sorted, n, np > i ? i + 1 : i);
	}
	case STATS_Q6:
		return at(sorted, n, p * (count + 1));
	case STATS_Q7:
		break;
	}
	return stats_quantile7(sorted, n, p);
}

void stats_describe(struct arena *a, const double *x, size_t n,
	struct stats_describe *ret, double *sorted)
{
	double *s = ARENA_ARRAY(a, double, n + 1), *t = ARENA_ARRAY(a, double, n + 1);

	*ret = (struct stats_describe){
		.status = stats_check(x, n),
		.n = n,
		.mean = NAN,
		.sd = NAN,
		.median = NAN,
		.mad = NAN,
		.min = NAN,
		.max = NAN,
		.trimmed_mean = NAN,
	};
	if (ret->status != STATS_OK)
		return;
	memcpy(s, x, n * sizeof(*x));
	stats_sort(s, n);
	if (sorted)
		memcpy(sorted, s, n * sizeof(*s));
	ret->mean = stats_mean(x, n);
	ret->sd = stats_sd(x, n);
	ret->median = stats_quantile7(s, n, 0.5);
	ret->min = s[0];
	ret->max = s[n - 1];
	ret->trimmed_mean = stats_trimmed_mean(x, n, t);
	for (size_t i = 0; i < n; i++)
		t[i] = fabs(x[i] - ret->median);
	stats_sort(t, n);
	ret->mad = stats_quantile7(t, n, 0.5);
}
