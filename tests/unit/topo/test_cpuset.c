// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "topo/cpuset.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void round_trip(void **state)
{
	static const char *const lists[] = {
		"", "0", "1023", "0-3", "0-3,8", "63-64", "0,2,4-6,127-129,1000-1023"};
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct cpuset s;
		struct err e;

		assert_int_equal(cpuset_parse(lists[i], &s, &e), 0);
		assert_string_equal(cpuset_format(a, &s), lists[i]);
	}
}

static void merges_and_sorts(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct cpuset s;
	struct err e;

	(void)state;
	assert_int_equal(cpuset_parse("8,0-2,1-3,9\n", &s, &e), 0);
	assert_string_equal(cpuset_format(a, &s), "0-3,8-9");
	assert_int_equal(cpuset_count(&s), 6);
}

static void refuses(void **state)
{
	static const char *const bad[] = {",", "1,", "a", "3-1", "1-", "-1", "1024",
		"0-1024", "0 1", "0,,1", "99999999999999999999"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct cpuset s;
		struct err e;

		assert_int_equal(cpuset_parse(bad[i], &s, &e), ERR_INVALID);
		assert_true(e.msg[0]);
	}
}

static void set_operations(void **state)
{
	struct cpuset a, b, c;
	struct err e;
	int sum = 0;

	(void)state;
	assert_int_equal(cpuset_parse("0-7", &a, &e), 0);
	assert_int_equal(cpuset_parse("4-11", &b, &e), 0);
	c = a;
	cpuset_and(&c, &b);
	assert_int_equal(cpuset_count(&c), 4);
	assert_true(cpuset_subset(&c, &a) && cpuset_subset(&c, &b));
	assert_false(cpuset_subset(&a, &b));
	cpuset_or(&c, &a);
	assert_true(cpuset_equal(&c, &a));
	cpuset_remove(&c, 0);
	assert_false(cpuset_has(&c, 0) || cpuset_has(&c, -1) || cpuset_has(&c, 5000));
	CPUSET_EACH(cpu, &c)
	sum += cpu;
	assert_int_equal(sum, 28);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),
		cmocka_unit_test(merges_and_sorts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(set_operations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
