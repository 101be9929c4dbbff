// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/stats.h"
#include <math.h>

const char *stats_status_name(enum stats_status s)
{
	switch (s) {
	case STATS_OK:
		return "ok";
	case STATS_EMPTY:
		return "error: empty sample";
	case STATS_NONFINITE:
		return "error: non-finite value";
	case STATS_TOO_FEW:
		return "too few values for a test";
	case STATS_IDENTICAL:
		return "identical";
	case STATS_NO_VARIANCE:
		return "no variance";
	}
	return "unknown";
}

enum stats_status stats_check(const double *x, size_t n)
{
	if (n == 0)
		return STATS_EMPTY;
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return STATS_NONFINITE;
	return STATS_OK;
}

/* Power of two near the largest magnitude: dividing by it is exact and keeps sums and
 * squares of 1e300 or 1e-300 in range. */
static double scale_of(const double *x, size_t n)
{
	double largest = 0;
	int exponent;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(x[i]));
	if (largest == 0)
		return 1;
	(void)frexp(largest, &exponent);
	/* both it and its inverse must be normal numbers */
	exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
	return ldexp(1.0, exponent);
}

double stats_mean(const double *x, size_t n)
{
	double scale = scale_of(x, n), sum = 0, rest = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += x[i] / scale;
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		rest += x[i] / scale - mean;
	return (mean + rest / (double)n) * scale;
}

double stats_sd(const double *x, size_t n)
{
	double mean, scale, squares = 0, sum = 0;
	bool equal = true;

	if (n < 2)
		return NAN;
	for (size_t i = 1; i < n; i++)
		equal = equal && x[i] == x[0];
	if (equal)
		return 0; /* exactly, whatever rounding did to the mean */
	scale = scale_of(x, n);
	mean = stats_mean(x, n) / scale;
	for (size_t i = 0; i < n; i++) {
		double d = x[i] / scale - mean;

		squares += d * d;
		sum += d;
	}
	squares -= sum * sum / (double)n; /* corrects for the rounded mean */
	return sqrt(fmax(squares, 0) / (double)(n - 1)) * scale;
}

static int compare_doubles(const void *a, const void *b)
{
	double x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

void stats_sort(double *x, size_t n)
{
	if (n > 1)
		qsort(x, n, sizeof(*x), compare_doubles);
}

double stats_quantile7(const double *sorted, size_t n, double p)
{
	double at = p * (double)(n - 1), low = floor(at);
	size_t i = (size_t)low;

	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - low) * (sorted[i + 1] - sorted[i]);
}
