// SPDX-License-Identifier: GPL-2.0-or-later
/* Small exact cases, degenerate input and invariances. Values from R 4.2.2 where noted.
 */
#include "base/base.h"

#include "base/rng.h"
#include "stats/adjust.h"
#include "stats/binom.h"
#include "stats/paired.h"
#include "stats/quantile.h"
#include "stats/trim.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define assert_near(want, got, rel)                                                      \
	do {                                                                             \
		double w_ = (want), g_ = (got);                                          \
		if (!(fabs(w_ - g_) <= (rel)*fmax(1e-300, fabs(w_))))                    \
			fail_msg("%.17g, want %.17g", g_, w_);                           \
	} while (0)

static void trimming(void **state)
{
	static const double five[] = {5, 100, 1, 3, 4};
	static const double four[] = {1, 2, 3, 10};
	double scratch[8];

	(void)state;
	/* 5 runs lose one a side, 4 lose none */
	assert_near(4, stats_trimmed_mean(five, 5, scratch), 1e-15);
	assert_near(4, stats_trimmed_mean(four, 4, scratch), 1e-15);
	assert_near(7, stats_trimmed_mean(&(double){7}, 1, scratch), 1e-15);
	assert_near(log(60) / 3, stats_trimmed_log_mean(five, 5, scratch), 1e-14);
	assert_true(five[1] == 100); /* input is left alone */
}

static void scales(void **state)
{
	static const double a[] = {17, 17, 18}, b[] = {17, 18, 17};
	static const double c[] = {17, 18, 19}, d[] = {20, 17, 18};
	static const double e[] = {1.5, 1.5}, zero[] = {0, 1.5};

	(void)state;
	assert_int_equal(stats_scale_pick(a, 3, b, 3), STATS_LINEAR); /* two levels */
	assert_int_equal(stats_scale_pick(c, 3, d, 3), STATS_LOG);    /* four levels */
	assert_int_equal(stats_scale_pick(e, 2, e, 2), STATS_LOG);
	assert_int_equal(stats_scale_pick(e, 2, zero, 2), STATS_LINEAR);
}

/* t.test(c(.01,.03,.02,.04)) in R: t = 3.87298, df = 3, p = 0.03046617,
 * CI 0.004457397 .. 0.045542603 */
static void paired_plain(void **state)
{
	static const double d[] = {.01, .03, .02, .04};
	struct stats_paired r;

	(void)state;
	stats_paired(d, 4, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_OK);
	assert_near(3.872983346207417, r.t, 1e-12);
	assert_near(3, r.df, 0);
	assert_near(0.030466291662170, r.p, 1e-9);
	assert_near(0.004457397432391, r.ci95[0], 1e-9);
	assert_near(0.045542602567609, r.ci95[1], 1e-9);
	assert_true(r.ci90[0] > r.ci95[0] && r.ci90[1] < r.ci95[1]);
	assert_false(r.tost.equivalent || r.moderated || r.spread_changed);
}

static void equivalence_is_the_90_interval(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 5);
	for (int i = 0; i < 500; i++) {
		double d[6];
		struct stats_paired r;

		for (int k = 0; k < 6; k++)
			d[k] = 0.008 * rng_normal(&rng);
		stats_paired(d, 6, 0, 0, -.01, .01, &r);
		assert_int_equal(
			r.tost.equivalent, r.ci90[0] >= -.01 && r.ci90[1] <= .01);
	}
}

static void degenerate_pairs(void **state)
{
	static const double same[] = {.02, .02, .02}, zero[] = {0, 0, 0};
	static const double bad[] = {1, NAN}, inf[] = {INFINITY};
	struct stats_paired r;

	(void)state;
	stats_paired(same, 0, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_EMPTY);
	assert_true(isnan(r.mean) && isnan(r.p));
	stats_paired(bad, 2, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_NONFINITE);
	stats_paired(inf, 1, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_NONFINITE);
	stats_paired(same, 1, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_TOO_FEW);
	assert_near(.02, r.mean, 0);
	assert_true(isnan(r.p) && isnan(r.ci95[0]) && !r.tost.equivalent);
	stats_paired(same, 3, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_NO_VARIANCE);
	assert_true(isnan(r.p) && !r.tost.equivalent);
	stats_paired(zero, 3, 0, 0, -.01, .01, &r);
	assert_int_equal(r.status, STATS_IDENTICAL);
	assert_true(r.p == 1 && r.ci95[1] == 0 && r.tost.equivalent);
}

static void history_helps_and_is_guarded(void **state)
{
	static const double d[] = {.01, .03, .02, .04};
	double boots[40], var, df;
	struct stats_paired r;
	struct rng rng;

	(void)state;
	/* own variance 1.667e-4 on 3 df; prior as large: pooled */
	stats_paired(d, 4, 1.6e-4, 15, -.01, .01, &r);
	assert_true(r.moderated && !r.spread_changed);
	assert_near(18, r.df, 0);
	assert_near(sqrt((15 * 1.6e-4 + 3 * (0.0005 / 3)) / 18 / 4), r.se, 1e-12);
	/* prior much smaller: the spread has changed, history is not used */
	stats_paired(d, 4, 1e-6, 15, -.01, .01, &r);
	assert_true(!r.moderated && r.spread_changed);
	assert_near(3, r.df, 0);

	rng_seed(&rng, 1);
	for (size_t i = 0; i < 40; i++)
		boots[i] = 0.01 * rng_normal(&rng);
	stats_history_prior(boots, STATS_HISTORY_MIN - 1, &var, &df);
	assert_true(var == 0 && df == 0);
	stats_history_prior(boots, 8, &var, &df);
	assert_near(4, df, 0);
	stats_history_prior(boots, 40, &var, &df);
	assert_near(STATS_PRIOR_DF_MAX, df, 0);
	/* a step between pairs is no noise of a pair */
	for (size_t i = 0; i < 10; i++)
		boots[i] = i < 4 ? 1 : 2;
	stats_history_prior(boots, 10, &var, &df);
	assert_true(var == 0);
}

static void magnitudes(void **state)
{
	static const double scales[] = {1e-300, 1e-12, 1, 1e15, 1e300};
	static const double x[] = {1, 2, 3, 4.5};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scales); i++) {
		double y[4];

		for (size_t k = 0; k < 4; k++)
			y[k] = x[k] * scales[i];
		assert_near(2.625 * scales[i], stats_mean(y, 4), 1e-14);
		assert_near(1.4930394055974097 * scales[i], stats_sd(y, 4), 1e-13);
	}
	/* an offset of 1e9 costs no digits */
	assert_near(1.4930394055974097,
		stats_sd((double[]){1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4.5}, 4), 1e-9);
	assert_true(stats_sd((double[]){0.1, 0.1, 0.1}, 3) == 0);
	assert_true(isnan(stats_sd(x, 1)));
}

static void welch_cases(void **state)
{
	static const double a[] = {7, 7, 7}, b[] = {8, 8, 8};
	struct stats_welch w;

	(void)state;
	stats_welch(a, 3, b, 3, &w);
	assert_int_equal(w.status, STATS_NO_VARIANCE);
	stats_welch(a, 3, a, 3, &w);
	assert_int_equal(w.status, STATS_IDENTICAL);
	assert_true(w.p == 1);
	stats_welch(a, 1, b, 3, &w);
	assert_int_equal(w.status, STATS_TOO_FEW);
	stats_welch(a, 0, b, 3, &w);
	assert_int_equal(w.status, STATS_EMPTY);
	stats_welch(a, 3, (double[]){1, NAN}, 2, &w);
	assert_int_equal(w.status, STATS_NONFINITE);
}

/* R: p.adjust(c(.01, .02, .03, .5, NA), "BH") and the others */
static void adjusting(void **state)
{
	static const double p[] = {.03, NAN, .01, .5, .02};
	static const double want[][5] = {
		[STATS_BH] = {.04, NAN, .04, .5, .04},
		[STATS_BY] = {.25 / 3, NAN, .25 / 3, 1, .25 / 3},
		[STATS_HOLM] = {.06, NAN, .04, .5, .06},
		[STATS_HOCHBERG] = {.06, NAN, .04, .5, .06},
		[STATS_BONFERRONI] = {.12, NAN, .04, 1, .08},
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	double q[5];

	(void)state;
	for (int m = STATS_BH; m <= STATS_BONFERRONI; m++) {
		stats_adjust(a, (enum stats_adjust)m, p, 5, q);
		for (int i = 0; i < 5; i++) {
			if (isnan(want[m][i]))
				assert_true(isnan(q[i]));
			else
				assert_near(want[m][i], q[i], 1e-12);
		}
	}
	stats_adjust(a, STATS_BH, p, 0, q);
	memcpy(q, p, sizeof(p));
	stats_adjust(a, STATS_BH, q, 5, q); /* in place */
	assert_near(.04, q[0], 1e-12);
}

/* The order of rows changes nothing, and no adjusted p is below its own. */
static void adjusting_is_order_free(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct rng rng;

	(void)state;
	rng_seed(&rng, 11);
	for (int round = 0; round < 200; round++) {
		double p[20], q[20], p2[20], q2[20];

		for (int i = 0; i < 20; i++)
			p[i] = round % 2 ? rng_unit(&rng) : floor(rng_unit(&rng) * 5) / 5;
		for (int i = 0; i < 20; i++)
			p2[i] = p[19 - i];
		for (int m = STATS_BH; m <= STATS_BONFERRONI; m++) {
			stats_adjust(a, (enum stats_adjust)m, p, 20, q);
			stats_adjust(a, (enum stats_adjust)m, p2, 20, q2);
			for (int i = 0; i < 20; i++) {
				assert_true(q[i] == q2[19 - i]);
				assert_true(q[i] >= p[i] && q[i] <= 1);
			}
		}
	}
}

static void bounds_of_counts(void **state)
{
	struct stats_binom b;

	(void)state;
	stats_binom(0, 59, &b);
	assert_near(1 - pow(.05, 1.0 / 59), b.upper95, 1e-12);
	assert_true(b.ci95[0] == 0);
	stats_binom(59, 59, &b);
	assert_true(b.ci95[1] == 1 && b.upper95 == 1);
	stats_binom(0, 0, &b);
	assert_int_equal(b.status, STATS_EMPTY);
	assert_near(1, stats_binom_upper_p(0, 10, .5), 0);
	assert_near(1.0 / 1024, stats_binom_upper_p(10, 10, .5), 1e-12);
}

static void describing(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct stats_describe d;

	(void)state;
	stats_describe(a, (double[]){3, 1, 2, 10}, 4, &d, NULL);
	assert_near(2.5, d.median, 0);
	assert_near(1, d.mad, 0); /* of 1.5 .5 .5 7.5 */
	assert_true(d.min == 1 && d.max == 10);
	stats_describe(a, (double[]){1, INFINITY}, 2, &d, NULL);
	assert_int_equal(d.status, STATS_NONFINITE);
	assert_true(isnan(d.median));
	assert_near(
		1.75, stats_quantile(STATS_Q7, (double[]){1, 2, 3, 4}, 4, .25), 1e-15);
	assert_near(
		1.25, stats_quantile(STATS_Q6, (double[]){1, 2, 3, 4}, 4, .25), 1e-15);
	assert_near(1, stats_quantile(STATS_Q1, (double[]){1, 2, 3, 4}, 4, .25), 0);
	assert_near(4, stats_quantile(STATS_Q6, (double[]){1, 2, 3, 4}, 4, 1), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trimming),
		cmocka_unit_test(scales),
		cmocka_unit_test(paired_plain),
		cmocka_unit_test(equivalence_is_the_90_interval),
		cmocka_unit_test(degenerate_pairs),
		cmocka_unit_test(history_helps_and_is_guarded),
		cmocka_unit_test(magnitudes),
		cmocka_unit_test(welch_cases),
		cmocka_unit_test(adjusting),
		cmocka_unit_test(adjusting_is_order_free),
		cmocka_unit_test(bounds_of_counts),
		cmocka_unit_test(describing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
