// SPDX-License-Identifier: GPL-2.0-or-later
/* The marks: their order, what each needs, and how often they are wrong. */
#include "base/base.h"

#include "base/rng.h"
#include "stats/compare.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define RUNS 5

static int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

struct noise {
	double run, boot, effect; /* relative sds; log effect on patched */
	int k, n_history;
};

static const struct stats_boot *boots(
	struct arena *a, struct rng *r, const struct noise *s, int n, double effect)
{
	struct stats_boot *b = ARENA_ARRAY(a, struct stats_boot, n + 1);

	for (int i = 0; i < n; i++) {
		double *x = ARENA_ARRAY(a, double, RUNS), level = s->boot * rng_normal(r);

		for (int k = 0; k < RUNS; k++)
			x[k] = 100 * exp(level + effect + s->run * rng_normal(r));
		b[i] = (struct stats_boot){i, x, RUNS};
	}
	return b;
}

static struct stats_row_in row(struct arena *a, struct rng *r, const struct noise *s)
{
	return (struct stats_row_in){
		.base = boots(a, r, s, s->k, 0),
		.n_base = (size_t)s->k,
		.patched = boots(a, r, s, s->k, s->effect),
		.n_patched = (size_t)s->k,
		.history = boots(a, r, s, s->n_history, 0),
		.n_history = (size_t)s->n_history,
		.judged = true,
	};
}

static struct stats_row one(struct arena *a, uint64_t seed, struct noise s)
{
	struct stats_row out;
	struct stats_row_in in;
	struct rng r;

	rng_seed(&r, seed);
	in = row(a, &r, &s);
	stats_compare(a, &in, 1, &out);
	return out;
}

static void plain_marks(void **state)
{
	struct arena *a = *state;
	struct stats_row r;

	r = one(a, 1, (struct noise){.002, .001, .05, 6, 0});
	assert_int_equal(r.mark, STATS_WORSE); /* a time that rose */
	assert_true(r.effect_pct < -4 && r.effect_pct > -6 && r.ci95_pct[1] < 0);
	r = one(a, 1, (struct noise){.002, .001, -.05, 6, 0});
	assert_int_equal(r.mark, STATS_BETTER);
	r = one(a, 1, (struct noise){.002, .001, 0, 6, 0});
	assert_int_equal(r.mark, STATS_SAME);
	r = one(a, 1, (struct noise){.02, .02, 0, 4, 0});
	assert_int_equal(r.mark, STATS_INCONCLUSIVE);
	assert_true(r.loss_excluded_pct > 0);
}

/* "=" comes before "W": a certain but tiny loss is no change. */
static void tiny_is_no_change(void **state)
{
	struct stats_row r = one(*state, 2, (struct noise){.0005, .0002, .002, 8, 0});

	assert_true(r.p < .01 && r.effect_pct < 0);
	assert_int_equal(r.mark, STATS_SAME);
}

static void direction(void **state)
{
	struct arena *a = *state;
	struct noise s = {.002, .001, .05, 6, 0};
	struct stats_row_in in[2];
	struct stats_row out[2];
	struct rng r;

	rng_seed(&r, 3);
	in[0] = row(a, &r, &s);
	in[1] = in[0];
	in[1].higher_is_better = true;
	stats_compare(a, in, 2, out);
	assert_int_equal(out[0].mark, STATS_WORSE);
	assert_int_equal(out[1].mark, STATS_BETTER);
	/* base/patched - 1 against patched/base - 1 */
	assert_true(fabs((1 + out[0].effect_pct / 100) * (1 + out[1].effect_pct / 100) -
			    1) < 1e-12);
}

static void few_blocks_make_no_claim(void **state)
{
	struct arena *a = *state;
	struct stats_row r = one(a, 4, (struct noise){.001, .0005, .05, 4, 0});

	assert_int_equal(r.mark, STATS_INCONCLUSIVE);
	assert_non_null(r.reason);
	assert_true(r.q < .05);
	/* with history behind the variance four are enough */
	r = one(a, 4, (struct noise){.001, .0005, .05, 4, 30});
	assert_int_equal(r.mark, STATS_WORSE);
	r = one(a, 4, (struct noise){.001, .0005, .05, 1, 30});
	assert_int_equal(r.status, STATS_TOO_FEW);
	assert_int_equal(r.mark, STATS_INCONCLUSIVE);
	assert_true(isnan(r.p) && isnan(r.ci95_pct[0]) && !isnan(r.effect_pct));
}

static struct stats_row_in fixed(
	struct arena *a, const double *base, const double *patched, int k, int m)
{
	struct stats_boot *x = ARENA_ARRAY(a, struct stats_boot, k);
	struct stats_boot *y = ARENA_ARRAY(a, struct stats_boot, k);

	for (int i = 0; i < k; i++) {
		x[i] = (struct stats_boot){i, base + i * m, (size_t)m};
		y[i] = (struct stats_boot){i, patched + i * m, (size_t)m};
	}
	return (struct stats_row_in){.base = x,
		.n_base = (size_t)k,
		.patched = y,
		.n_patched = (size_t)k,
		.judged = true};
}

static void constants(void **state)
{
	static const double s[] = {17, 17, 17, 17, 17, 17, 17, 17};
	static const double u[] = {18, 18, 18, 18, 18, 18, 18, 18};
	static const double zero[8] = {0};
	struct arena *a = *state;
	struct stats_row_in in[4];
	struct stats_row out[4];

	in[0] = fixed(a, s, s, 8, 1);
	in[1] = fixed(a, s, u, 8, 1);
	in[2] = fixed(a, zero, zero, 8, 1);
	in[3] = fixed(a, zero, u, 8, 1);
	stats_compare(a, in, 4, out);
	assert_int_equal(out[0].status, STATS_IDENTICAL);
	assert_int_equal(out[0].mark, STATS_SAME);
	/* equal differences: the sign-flip p of 8 blocks is 2/2^8 */
	assert_int_equal(out[1].status, STATS_NO_VARIANCE);
	assert_true(out[1].p == 2.0 / 256);
	assert_int_equal(out[1].mark, STATS_WORSE);
	assert_int_equal(out[2].mark, STATS_SAME);
	assert_int_equal(out[3].mark, STATS_INCONCLUSIVE);
	assert_non_null(strstr(out[3].reason, "zero"));
}

static void refused_values(void **state)
{
	static const double good[] = {1, 2, 3, 4}, bad[] = {1, NAN, 3, 4};
	struct arena *a = *state;
	struct stats_row_in in[3];
	struct stats_row out[3];

	in[0] = fixed(a, good, bad, 4, 1);
	in[1] = fixed(a, bad, good, 4, 1);
	in[2] = fixed(a, good, good, 4, 1);
	in[2].n_patched = 0;
	stats_compare(a, in, 3, out);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(out[i].mark, STATS_INCONCLUSIVE);
		assert_true(isnan(out[i].effect_pct) && isnan(out[i].q));
		assert_non_null(out[i].reason);
	}
	assert_int_equal(out[0].status, STATS_NONFINITE);
	assert_int_equal(out[1].status, STATS_NONFINITE);
	assert_int_equal(out[2].status, STATS_EMPTY);
}

/* Blocks that lost a side do not count; a boot without values is no boot. */
static void incomplete_blocks(void **state)
{
	static const double b[] = {10, 11, 12, 13}, p[] = {10.1, 11.2, 12.1, 13.3};
	struct stats_boot x[4], y[4];
	struct stats_row_in in = {.base = x, .patched = y, .n_base = 4, .n_patched = 4};
	struct stats_row out;

	for (int i = 0; i < 4; i++) {
		x[i] = (struct stats_boot){i, &b[i], i != 1};
		y[i] = (struct stats_boot){3 - i, &p[3 - i], 1};
	}
	stats_compare(*state, &in, 1, &out);
	assert_int_equal(out.n_pairs, 3);
	assert_int_equal(out.n_base, 3);
	assert_true(out.paired);
	assert_int_equal(out.mark, STATS_SHOWN); /* not judged */
	assert_true(isnan(out.q) && !isnan(out.p));
}

static void no_blocks_is_welch(void **state)
{
	struct arena *a = *state;
	struct noise s = {.002, .001, .05, 6, 0};
	struct stats_row_in in;
	struct stats_row out;
	struct stats_boot *x;
	struct rng r;

	rng_seed(&r, 6);
	in = row(a, &r, &s);
	x = arena_memdup(a, in.base, in.n_base * sizeof(*x));
	for (size_t i = 0; i < in.n_base; i++)
		x[i].block = -1;
	in.base = x;
	stats_compare(a, &in, 1, &out);
	assert_false(out.paired);
	assert_int_equal(out.mark, STATS_WORSE);
}

static void outliers_are_told_and_kept(void **state)
{
	struct arena *a = *state;
	struct noise s = {.005, .001, 0, 6, 0};
	struct stats_row_in in;
	struct stats_row out;
	struct rng r;

	rng_seed(&r, 7);
	in = row(a, &r, &s);
	((double *)in.patched[2].runs)[0] = 500;
	stats_compare(a, &in, 1, &out);
	assert_int_equal(out.n_outliers_patched, 1);
	assert_int_equal(out.n_outliers_base, 0);
}

static void order_of_rows(void **state)
{
	struct arena *a = *state;
	struct noise s = {.01, .005, .01, 6, 12};
	struct stats_row_in in[10], back[10];
	struct stats_row x[10], y[10];
	struct rng r;

	rng_seed(&r, 8);
	for (int i = 0; i < 10; i++) {
		s.effect = i % 3 * .02;
		in[i] = row(a, &r, &s);
		back[9 - i] = in[i];
	}
	stats_compare(a, in, 10, x);
	stats_compare(a, back, 10, y);
	for (int i = 0; i < 10; i++) {
		assert_int_equal(x[i].mark, y[9 - i].mark);
		assert_true(x[i].q == y[9 - i].q);
		assert_true(x[i].effect_pct == y[9 - i].effect_pct);
	}
}

/* 1000 rows without a change, one family each: at most 5 % are called changed (binomial
 * 99.9 % bound 72); with boots that differ as much as runs do. */
static void false_alarms(void **state)
{
	struct arena *a = *state;
	struct noise s = {.01, .01, 0, 6, 30};
	int n = 0;
	struct rng r;

	rng_seed(&r, 9);
	for (int i = 0; i < 1000; i++) {
		struct stats_row_in in = row(a, &r, &s);
		struct stats_row out;

		stats_compare(a, &in, 1, &out);
		n += out.mark == STATS_WORSE || out.mark == STATS_BETTER;
	}
	assert_in_range(n, 5, 72);
}

/* 60 tables of 44 rows, 5 of them changed by 5 %: false discoveries stay below 5 % of all
 * discoveries (with slack for 60 tables), and 9 of 10 changes are found. */
static void tables(void **state)
{
	int n_true = 0, n_false = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 10);
	for (int t = 0; t < 60; t++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct stats_row_in in[44];
		struct stats_row out[44];

		for (int i = 0; i < 44; i++) {
			struct noise s = {.01, .008, i < 5 ? .05 : 0, 6, 30};

			in[i] = row(a, &r, &s);
		}
		stats_compare(a, in, 44, out);
		for (int i = 0; i < 44; i++) {
			if (out[i].mark != STATS_WORSE && out[i].mark != STATS_BETTER)
				continue;
			n_true += i < 5 && out[i].mark == STATS_WORSE;
			n_false += i >= 5 || out[i].mark == STATS_BETTER;
		}
	}
	assert_in_range(n_true, 270, 300);
	assert_true(n_false <= 25);
}

static void letters(void **state)
{
	(void)state;
	for (int m = 0; m < STATS_N_MARKS; m++) {
		enum stats_mark back = STATS_N_MARKS;

		assert_int_equal(
			stats_mark_parse(stats_mark_char((enum stats_mark)m), &back), 0);
		assert_int_equal(back, m);
	}
	assert_int_equal(stats_mark_parse('x', &(enum stats_mark){0}), -1);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(plain_marks),
		T(tiny_is_no_change),
		T(direction),
		T(few_blocks_make_no_claim),
		T(constants),
		T(refused_values),
		T(incomplete_blocks),
		T(no_blocks_is_welch),
		T(outliers_are_told_and_kept),
		T(order_of_rows),
		T(false_alarms),
		T(tables),
		T(letters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
