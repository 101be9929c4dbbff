// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/adjust.h"
#include <math.h>

const char *stats_adjust_name(enum stats_adjust method)
{
	static const char *const names[] = {"BH", "BY", "holm", "hochberg", "bonferroni"};

	return names[method];
}

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* What the method multiplies the i-th smallest (from 0) of m values by. */
static double factor(enum stats_adjust method, size_t i, size_t m, double harmonic)
{
	double n = (double)m;

	switch (method) {
	case STATS_BH:
		return n / (double)(i + 1);
	case STATS_BY:
		return n * harmonic / (double)(i + 1);
	case STATS_HOLM:
	case STATS_HOCHBERG:
		return (double)(m - i);
	case STATS_BONFERRONI:
		break;
	}
	return n;
}

void stats_adjust(
	struct arena *a, enum stats_adjust method, const double *p, size_t n, double *ret)
{
	struct ranked *order = ARENA_ARRAY(a, struct ranked, n + 1);
	double harmonic = 0, bound;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		ret[i] = p[i];
		if (isnan(p[i]))
			continue;
		if (!(p[i] >= 0 && p[i] <= 1))
			BUG("p[%zu] = %g is no probability", i, p[i]);
		order[m++] = (struct ranked){p[i], i};
	}
	qsort(order, m, sizeof(*order), by_p);
	for (size_t i = 1; i <= m; i++)
		harmonic += 1 / (double)i;
	/* step-down methods carry the largest value up, step-up ones the smallest down */
	bound = method == STATS_HOLM ? 0 : 1;
	for (size_t k = 0; k < m; k++) {
		size_t i = method == STATS_HOLM ? k : m - 1 - k;
		double v = order[i].p * factor(method, i, m, harmonic);

		v = v > 1 ? 1 : v;
		if (method == STATS_HOLM)
			v = bound = fmax(bound, v);
		else if (method != STATS_BONFERRONI)
			v = bound = fmin(bound, v);
		ret[order[i].at] = v;
	}
}
