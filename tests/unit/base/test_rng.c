/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden numbers: the reference xoshiro256** and splitmix64, and a second
 * implementation of the derived functions written in Python. */
#include "base/base.h"

#include "base/clock.h"
#include "base/rng.h"
#include "tests/unit/unit.h"
#include <math.h>

static void test_xoshiro(void **state)
{
	const uint64_t want[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360)};
	struct rng r = {{1, 2, 3, 4}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(want); i++)
		assert_true(rng_u64(&r) == want[i]);
}

static void test_seeding(void **state)
{
	struct rng r, a, b;

	(void)state;
	rng_seed(&r, 1234567);
	assert_true(r.s[0] == UINT64_C(6457827717110365317));
	assert_true(r.s[1] == UINT64_C(3203168211198807973));
	assert_true(r.s[2] == UINT64_C(9817491932198370423));
	assert_true(r.s[3] == UINT64_C(4593380528125082431));
	assert_true(rng_u64(&r) == UINT64_C(3504822795582309479));
	rng_seed_named(&a, 42, "arrivals");
	rng_seed_named(&b, 42, "service");
	assert_true(rng_u64(&a) == UINT64_C(11533411338644798864));
	assert_true(rng_u64(&b) == UINT64_C(5349128973348914053));
}

static void test_derived(void **state)
{
	const uint64_t below[] = {0, 3, 6, 9, 9, 7, 7, 8, 7, 5, 6, 2};
	const uint32_t order[] = {7, 1, 6, 3, 5, 4, 2, 0};
	const double normal[] = {
		-0.7262191382447857, 0.2216227015035933, 0.46417731016247366};
	uint32_t v[] = {0, 1, 2, 3, 4, 5, 6, 7};
	struct rng r;

	(void)state;
	rng_seed(&r, 42);
	for (size_t i = 0; i < ARRAY_LEN(below); i++)
		assert_true(rng_below(&r, 10) == below[i]);
	rng_seed(&r, 42);
	assert_true(rng_unit(&r) == 0.08386297105988216);
	assert_true(rng_unit(&r) == 0.3789802506626686);
	rng_seed(&r, 42);
	for (size_t i = 0; i < ARRAY_LEN(normal); i++) /* log() may differ in an ulp */
		assert_true(fabs(rng_normal(&r) - normal[i]) < 1e-14);
	rng_seed(&r, 42);
	rng_shuffle_u32(&r, v, ARRAY_LEN(v));
	assert_memory_equal(v, order, sizeof(v));
}

static void test_bounds_and_moments(void **state)
{
	unsigned counts[3] = {0};
	double sum = 0, squares = 0;
	struct rng r;

	(void)state;
	rng_seed(&r, 7);
	for (int i = 0; i < 30000; i++) {
		double u = rng_unit(&r), z = rng_normal(&r);

		assert_true(u >= 0 && u < 1);
		counts[rng_below(&r, 3)]++;
		sum += z;
		squares += z * z;
	}
	/* Five standard errors; the seed is fixed, so this cannot flicker. */
	for (int k = 0; k < 3; k++)
		assert_in_range(counts[k], 10000 - 410, 10000 + 410);
	assert_true(fabs(sum / 30000) < 0.029);
	assert_true(fabs(squares / 30000 - 1) < 0.041);
	assert_true(rng_below(&r, 1) == 0);
}

static void test_clock(void **state)
{
	int64_t before = clock_mono_ns();
	char buf[21];

	(void)state;
	assert_string_equal(
		clock_format_utc(1796166859, buf, sizeof(buf)), "2026-12-01T23:14:19Z");
	assert_string_equal(
		clock_format_utc(0, buf, sizeof(buf)), "1970-01-01T00:00:00Z");
	assert_true(clock_mono_ns() >= before);
	assert_true(clock_real_ns() > INT64_C(1600000000) * NS_PER_S);
	assert_true(clock_cpu_ns() > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_xoshiro),
		cmocka_unit_test(test_seeding),
		cmocka_unit_test(test_derived),
		cmocka_unit_test(test_bounds_and_moments),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
