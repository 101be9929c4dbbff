// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/binom.h"
#include <math.h>
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

static double lower(double x, double n, double tail)
{
	return x > 0 ? qbeta(tail, x, n - x + 1, 1, 0) : 0;
}

static double upper(double x, double n, double tail)
{
	return x < n ? qbeta(1 - tail, x + 1, n - x, 1, 0) : 1;
}

void stats_binom(size_t x, size_t n, struct stats_binom *ret)
{
	*ret = (struct stats_binom){STATS_EMPTY, {NAN, NAN}, NAN};
	if (n == 0)
		return;
	ret->status = STATS_OK;
	ret->ci95[0] = lower((double)x, (double)n, 0.025);
	ret->ci95[1] = upper((double)x, (double)n, 0.025);
	ret->upper95 = upper((double)x, (double)n, 0.05);
}

double stats_binom_upper_p(size_t x, size_t n, double p)
{
	return x == 0 ? 1 : pbinom((double)x - 1, (double)n, p, 0, 0);
}
