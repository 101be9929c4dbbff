/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "base/rng.h"
#include "server/sse.h"

static void test_order(void **state UNUSED)
{
	struct sse_mark m = {0};

	assert_int_equal(sse_mark_value(&m), 0);
	sse_mark_saw(&m, 10, 1);
	assert_int_equal(sse_mark_value(&m), 10);
	sse_mark_saw(&m, 11, 1);
	assert_int_equal(sse_mark_value(&m), 11);
	sse_mark_saw(&m, 14, 2); /* 12 and 13 are missing */
	assert_int_equal(sse_mark_value(&m), 11);
	sse_mark_saw(&m, 13, 3);
	assert_int_equal(sse_mark_value(&m), 11);
	sse_mark_saw(&m, 12, 3);
	assert_int_equal(sse_mark_value(&m), 14);
	sse_mark_saw(&m, 12, 3); /* again: nothing */
	sse_mark_saw(&m, 5, 3);  /* from before we were here */
	assert_int_equal(sse_mark_value(&m), 14);
}

static void test_expire(void **state UNUSED)
{
	struct sse_mark m = {0};

	sse_mark_saw(&m, 1, 0);
	sse_mark_saw(&m, 3, 100);
	sse_mark_saw(&m, 5, 200);
	sse_mark_expire(&m, 99);
	assert_int_equal(sse_mark_value(&m), 1);
	sse_mark_expire(&m, 100);
	assert_int_equal(sse_mark_value(&m), 3);
	sse_mark_expire(&m, 200);
	assert_int_equal(sse_mark_value(&m), 5);
}

static void test_far(void **state UNUSED)
{
	struct sse_mark m = {0};

	sse_mark_saw(&m, 1, 0);
	for (int64_t id = 3; id < 3 + 4 * SSE_MISSING_MAX; id += 2)
		sse_mark_saw(&m, id, 0); /* more gaps than are kept: the oldest go */
	assert_true(m.n <= SSE_MISSING_MAX);
	sse_mark_saw(&m, 1000000, 0);
	assert_int_equal(sse_mark_value(&m), 1000000);
	assert_int_equal(m.n, 0);
}

/* Whatever the order: never more than what was seen without a gap, and at the end all. */
static void test_random(void **state UNUSED)
{
	struct rng r;

	rng_seed(&r, 7);
	for (int round = 0; round < 200; round++) {
		struct sse_mark m = {0};
		bool seen[101] = {true};
		uint32_t order[100];

		for (uint32_t i = 0; i < 100; i++)
			order[i] = i + 1;
		/* local disorder only, as commits have */
		for (size_t i = 0; i < 100; i += 10)
			rng_shuffle_u32(&r, order + i, 10);
		sse_mark_saw(&m, 1000, 0);
		for (size_t i = 0; i < 100; i++) {
			int64_t full = 0;

			sse_mark_saw(&m, 1000 + order[i], 1);
			seen[order[i]] = true;
			while (full < 100 && seen[full + 1])
				full++;
			assert_int_equal(sse_mark_value(&m), 1000 + full);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_expire),
		cmocka_unit_test(test_far),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
