/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/sbuf.h"
#include "tests/unit/unit.h"

static void test_append(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	(void)state;
	assert_string_equal(s.buf, "");
	sbuf_setlen(&s, 0); /* on the shared empty string */
	sbuf_adds(&s, "ab");
	sbuf_addc(&s, 'c');
	sbuf_add(&s, "\0d", 2);
	sbuf_add(&s, NULL, 0);
	sbuf_addf(&s, "%d%s", 12, "x");
	assert_int_equal(s.len, 8);
	assert_memory_equal(s.buf, "abc\0d12x", 9);
	sbuf_setlen(&s, 2);
	assert_string_equal(s.buf, "ab");
	sbuf_reset(&s);
	assert_string_equal(s.buf, "");
	assert_true(s.cap > 0);
}

static void test_grows(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	(void)state;
	for (int i = 0; i < 100000; i++)
		sbuf_addc(&s, (char)('a' + i % 26));
	assert_int_equal(s.len, 100000);
	assert_int_equal(strlen(s.buf), 100000);
	for (int i = 0; i < 100000; i++)
		assert_int_equal(s.buf[i], 'a' + i % 26);
	sbuf_addf(&s, "%5000d", 1);
	assert_int_equal(s.len, 105000);
}

static void test_detach(void **state)
{
	struct sbuf s = SBUF_INIT;
	size_t len = 9;
	char *p = sbuf_detach(&s, &len);

	(void)state;
	assert_string_equal(p, "");
	assert_int_equal(len, 0);
	free(p);
	sbuf_adds(&s, "text");
	p = sbuf_detach(&s, NULL);
	assert_string_equal(p, "text");
	assert_int_equal(s.len, 0);
	assert_string_equal(s.buf, "");
	free(p);
	sbuf_release(&s); /* twice is fine */
	sbuf_release(&s);
	assert_int_equal(sbuf_empty[0], 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_append),
		cmocka_unit_test(test_grows),
		cmocka_unit_test(test_detach),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
