// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/paired.h"
#include <math.h>
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

static double two_sided(double t, double df)
{
	return 2 * pt(-fabs(t), df, 1, 0);
}

static void interval(double mean, double se, double df, double tail, double ret[2])
{
	double half = qt(1 - tail, df, 1, 0) * se;

	ret[0] = mean - half;
	ret[1] = mean + half;
}

static void tost(double mean, double se, double df, struct stats_tost *t)
{
	t->p_lower = pt((mean - t->lo) / se, df, 0, 0);
	t->p_upper = pt((mean - t->hi) / se, df, 1, 0);
	t->p = fmax(t->p_lower, t->p_upper);
	t->equivalent = t->p <= 0.05;
}

static void paired_reset(struct stats_paired *r, double lo, double hi)
{
	*r = (struct stats_paired){
		.mean = NAN,
		.sd = NAN,
		.se = NAN,
		.df = NAN,
		.t = NAN,
		.p = NAN,
		.ci95 = {NAN, NAN},
		.ci90 = {NAN, NAN},
		.f_ratio = NAN,
		.f_p = NAN,
		.tost = {.lo = lo, .hi = hi, .p_lower = NAN, .p_upper = NAN, .p = NAN},
	};
}

/* Variance of one difference, and its df, after a look at the history. */
static double moderate(struct stats_paired *r, double prior_var, double prior_df)
{
	double own = r->sd * r->sd, own_df = (double)(r->n - 1);

	r->df = own_df;
	if (!(prior_var > 0) || !(prior_df > 0))
		return own;
	r->f_ratio = own / prior_var;
	r->f_p = pf(r->f_ratio, own_df, prior_df, 0, 0);
	if (!(r->f_p > STATS_GUARD)) {
		r->spread_changed = true;
		return own;
	}
	r->moderated = true;
	r->df = own_df + prior_df;
	return (prior_df * prior_var + own_df * own) / r->df;
}

void stats_paired_from(
	double mean, double se, double df, double lo, double hi, struct stats_paired *ret)
{
	ret->mean = mean;
	ret->se = se;
	ret->df = df;
	ret->tost.lo = lo;
	ret->tost.hi = hi;
	ret->t = mean / se;
	ret->p = two_sided(ret->t, df);
	interval(mean, se, df, 0.025, ret->ci95);
	interval(mean, se, df, 0.05, ret->ci90);
	tost(mean, se, df, &ret->tost);
}

void stats_paired(const double *d, size_t n, double prior_var, double prior_df, double lo,
	double hi, struct stats_paired *ret)
{
	struct stats_paired *r = ret;
	double var;

	paired_reset(r, lo, hi);
	r->n = n;
	r->status = stats_check(d, n);
	if (r->status != STATS_OK)
		return;
	r->mean = stats_mean(d, n);
	if (n < 2) {
		r->status = STATS_TOO_FEW;
		return;
	}
	r->sd = stats_sd(d, n);
	var = moderate(r, prior_var, prior_df);
	r->se = sqrt(var / (double)n);
	if (r->se > 0) {
		stats_paired_from(r->mean, r->se, r->df, lo, hi, r);
		return;
	}
	if (r->mean != 0) {
		r->status = STATS_NO_VARIANCE;
		return;
	}
	r->status = STATS_IDENTICAL;
	r->p = 1;
	r->ci95[0] = r->ci95[1] = r->ci90[0] = r->ci90[1] = 0;
	r->tost.equivalent = lo < 0 && hi > 0;
}

void stats_history_prior(const double *boots, size_t n, double *ret_var, double *ret_df)
{
	size_t n_pairs = n / 2, used;
	double sum = 0;

	*ret_var = 0;
	*ret_df = 0;
	if (n < STATS_HISTORY_MIN || stats_check(boots, n) != STATS_OK)
		return;
	used = n_pairs < STATS_PRIOR_DF_MAX ? n_pairs : STATS_PRIOR_DF_MAX;
	for (size_t i = n_pairs - used; i < n_pairs; i++) {
		double diff = boots[2 * i + 1] - boots[2 * i];

		sum += diff * diff;
	}
	*ret_var = sum / (double)used;
	*ret_df = (double)used;
}

void stats_margin_log(double x, double *ret_lo, double *ret_hi)
{
	*ret_lo = log1p(-x);
	*ret_hi = log1p(x);
}

/* ---- Welch ---- */

void stats_welch_summary(double mean_a, double sd_a, size_t n_a, double mean_b,
	double sd_b, size_t n_b, struct stats_welch *ret)
{
	double va, vb, largest = fmax(sd_a, sd_b), fa, fb;

	*ret = (struct stats_welch){
		.diff = NAN,
		.se = NAN,
		.df = NAN,
		.t = NAN,
		.p = NAN,
		.ci95 = {NAN, NAN},
		.ci90 = {NAN, NAN},
	};
	ret->status = STATS_EMPTY;
	if (n_a == 0 || n_b == 0)
		return;
	ret->diff = mean_b - mean_a;
	ret->status = STATS_TOO_FEW;
	if (n_a < 2 || n_b < 2)
		return;
	ret->status = mean_a == mean_b ? STATS_IDENTICAL : STATS_NO_VARIANCE;
	if (largest == 0 && mean_a == mean_b) {
		ret->p = 1;
		ret->ci95[0] = ret->ci95[1] = ret->ci90[0] = ret->ci90[1] = 0;
	}
	if (largest == 0)
		return;
	ret->status = STATS_OK;
	/* scaled, so that squares of 1e200 stay finite */
	va = (sd_a / largest) * (sd_a / largest) / (double)n_a;
	vb = (sd_b / largest) * (sd_b / largest) / (double)n_b;
	ret->se = sqrt(va + vb) * largest;
	fa = va / (va + vb);
	fb = vb / (va + vb);
	ret->df = 1 / (fa * fa / (double)(n_a - 1) + fb * fb / (double)(n_b - 1));
	ret->t = ret->diff / ret->se;
	ret->p = two_sided(ret->t, ret->df);
	interval(ret->diff, ret->se, ret->df, 0.025, ret->ci95);
	interval(ret->diff, ret->se, ret->df, 0.05, ret->ci90);
}

void stats_welch(
	const double *a, size_t n_a, const double *b, size_t n_b, struct stats_welch *ret)
{
	enum stats_status sa = stats_check(a, n_a), sb = stats_check(b, n_b);

	if (sa != STATS_OK || sb != STATS_OK) {
		stats_welch_summary(0, 0, 0, 0, 0, 0, ret);
		ret->status = sa == STATS_NONFINITE || sb == STATS_NONFINITE
				      ? STATS_NONFINITE
				      : STATS_EMPTY;
		return;
	}
	stats_welch_summary(stats_mean(a, n_a), stats_sd(a, n_a), n_a, stats_mean(b, n_b),
		stats_sd(b, n_b), n_b, ret);
}
