/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "server/watch.h"

static int print_of(const char *text, char hex[65])
{
	struct err e = {0};

	return watch_manifest_fingerprint(text, strlen(text), hex, &e);
}

static void test_same(void **state UNUSED)
{
	char a[65], b[65];

	assert_int_equal(
		print_of("{\"/l/git/0.git\":{\"fingerprint\":\"x\",\"modified\":1},"
			 "\"/l/git/1.git\":{\"fingerprint\":\"y\"}}",
			a),
		0);
	/* order, times and what is no epoch do not matter */
	assert_int_equal(
		print_of("{\"/l/git/1.git\":{\"fingerprint\":\"y\",\"modified\":9},"
			 "\"/l/all.git\":{\"fingerprint\":\"z\"},"
			 "\"/l/git/0.git\":{\"fingerprint\":\"x\"}}",
			b),
		0);
	assert_string_equal(a, b);
	assert_int_equal(print_of("{\"/l/git/0.git\":{\"fingerprint\":\"x\"},"
				  "\"/l/git/1.git\":{\"fingerprint\":\"yy\"}}",
				 b),
		0);
	assert_string_not_equal(a, b);
}

static void test_bad(void **state UNUSED)
{
	static const char *const texts[] = {"", "x", "[]", "{}", "{\"/l/git/x.git\":{}}",
		"{\"/l/git/0.git\":{\"fingerprint\":7}}", "{\"/l/git/0.git\":7}",
		"\x1f\x8b", "\x1f\x8b\x08\x00nonsense"};
	char hex[65];

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		if (print_of(texts[i], hex) >= 0)
			fail_msg("taken: %s", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
