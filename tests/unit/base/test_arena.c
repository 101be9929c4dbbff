/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/arena.h"
#include "tests/unit/unit.h"

static void test_alignment_and_contents(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char *p[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(p); i++) {
		p[i] = arena_alloc(a, i);
		assert_int_equal((uintptr_t)p[i] % 16, 0);
		memset(p[i], (int)i, i);
	}
	for (size_t i = 0; i < ARRAY_LEN(p); i++)
		for (size_t k = 0; k < i; k++)
			assert_int_equal((unsigned char)p[i][k], i);
	assert_int_equal(arena_used_bytes(a), 199 * 200 / 2);
}

static void test_big_and_zeroed(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	size_t n = (size_t)5 << 20;
	unsigned char *p = arena_zalloc(a, n);

	(void)state;
	for (size_t i = 0; i < n; i += 4093)
		assert_int_equal(p[i], 0);
	p[n - 1] = 1;
	arena_reset(a);
	assert_int_equal(arena_used_bytes(a), 0);
	memset(arena_alloc(a, 100), 7, 100);
	arena_reset(a);
	p = arena_zalloc(a, 100); /* the same memory, zeroed again */
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(p[i], 0);
}

static void test_grow_last(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char *p = arena_strdup(a, "0123456789");
	char *q = arena_realloc(a, p, 11, 500), *r;

	(void)state;
	assert_ptr_equal(p, q); /* the newest grows in place */
	assert_string_equal(q, "0123456789");
	(void)arena_alloc(a, 1);
	r = arena_realloc(a, q, 500, 600);
	assert_ptr_not_equal(q, r);
	assert_string_equal(r, "0123456789");
	assert_non_null(arena_realloc(a, NULL, 0, 10));
	assert_string_equal(arena_realloc(a, arena_strdup(a, "abc"), 4, 100000), "abc");
}

static void test_strings(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	assert_null(arena_strdup(a, NULL));
	assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
	assert_string_equal(arena_strndup(a, NULL, 0), "");
	assert_string_equal(arena_printf(a, "%s-%04d", "x", 42), "x-0042");
	assert_int_equal(strlen(arena_printf(a, "%9000d", 1)), 9000);
	assert_memory_equal(arena_memdup(a, "a\0b", 3), "a\0b", 3);
}

static void test_push(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct pair {
		int x;
		char *y;
	} *v = NULL;
	size_t len = 0, cap = 0;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		struct pair *p = ARENA_PUSH(a, v, len, cap);

		assert_int_equal(p->x, 0);
		assert_null(p->y);
		p->x = i;
	}
	assert_int_equal(len, 1000);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(v[i].x, i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alignment_and_contents),
		cmocka_unit_test(test_big_and_zeroed),
		cmocka_unit_test(test_grow_last),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_push),
	};

	arena_free(NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
