/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/err.h"
#include "base/log.h"
#include "tests/unit/unit.h"
#include <errno.h>

static void test_set_and_wrap(void **state)
{
	struct err e = {.sqlstate = "40001"};

	(void)state;
	assert_int_equal(err_set(&e, ERR_TOO_BIG, "%d bytes", 7), ERR_TOO_BIG);
	assert_int_equal(e.code, ERR_TOO_BIG);
	assert_string_equal(e.msg, "7 bytes");
	assert_string_equal(e.sqlstate, "");
	assert_int_equal(err_wrap(&e, "mail %d", 3), ERR_TOO_BIG);
	assert_string_equal(e.msg, "mail 3: 7 bytes");
	assert_int_equal(err_set(&e, ERR_BUSY, "again (%s)", e.msg), ERR_BUSY);
	assert_string_equal(e.msg, "again (mail 3: 7 bytes)");
	assert_int_equal(err_set(NULL, ERR_DENIED, "nobody listens"), ERR_DENIED);
}

static void test_one_line_and_cut(void **state)
{
	char longer[1000];
	struct err e;

	(void)state;
	err_set(&e, ERR_INVALID, "two\nlines\r\tand");
	assert_string_equal(e.msg, "two lines  and");
	memset(longer, 'x', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, ERR_INVALID, "%s", longer);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_string_equal(e.msg + sizeof(e.msg) - 4, "...");
	err_wrap(&e, "at the edge");
	assert_int_equal(strncmp(e.msg, "at the edge: xxx", 16), 0);
	assert_string_equal(e.msg + sizeof(e.msg) - 4, "...");
}

static void test_errno(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(err_set_errno(&e, ENOENT, "/x"), ERR_NOT_FOUND);
	assert_string_equal(e.msg, "/x: No such file or directory");
	assert_int_equal(err_set_errno(&e, EACCES, "/x"), ERR_DENIED);
	assert_int_equal(err_set_errno(&e, ENOSPC, "/x"), ERR_UNAVAILABLE);
	assert_int_equal(err_set_errno(&e, EIO, "/x"), ERR_INTERNAL);
}

static void test_names_and_outcomes(void **state)
{
	(void)state;
	assert_string_equal(err_code_name(ERR_OK), "ok");
	assert_string_equal(err_code_name(ERR_NOT_FOUND), "not_found");
	assert_string_equal(err_code_name(ERR_INTERNAL), "internal");
	for (int a = ERR_INTERNAL; a <= 0; a++)
		for (int b = a + 1; b <= 0; b++)
			assert_string_not_equal(err_code_name(a), err_code_name(b));
	assert_int_equal(err_outcome(ERR_UNAVAILABLE), ERR_OUTCOME_RETRY);
	assert_int_equal(err_outcome(ERR_INVALID), ERR_OUTCOME_FAIL);
	assert_int_equal(err_outcome(ERR_INTERNAL), ERR_OUTCOME_PARK);
}

static void test_log_quotes(void **state)
{
	char longer[3000];
	const char *q;
	enum log_level level = LOG_LEVEL_ERROR;

	(void)state;
	assert_string_equal(log_q("a \"b\"\\\n\x01"), "\"a \\\"b\\\"\\\\\\n\\x01\"");
	assert_string_equal(log_q(NULL), "\"\"");
	memset(longer, '\x02', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	q = log_q(longer);
	assert_true(strlen(q) < 1024);
	assert_string_equal(q + strlen(q) - 4, "...\"");
	assert_int_equal(log_parse_level("debug", &level), 0);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
	assert_int_equal(log_parse_level("loud", &level), -1);
	assert_int_equal(level, LOG_LEVEL_DEBUG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_set_and_wrap),
		cmocka_unit_test(test_one_line_and_cut),
		cmocka_unit_test(test_errno),
		cmocka_unit_test(test_names_and_outcomes),
		cmocka_unit_test(test_log_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
