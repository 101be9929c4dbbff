/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "base/jx.h"
#include "server/result.h"

#define HEX "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static int check(struct arena *a, const char *kind, const char *role, const char *outcome,
	const char *text, size_t *ret_n, struct err *e)
{
	json_auto_t *j = NULL;
	const char *const *blobs = NULL;
	int rc;

	if (text)
		assert_int_equal(jx_load(text, strlen(text), &j, e), 0);
	rc = result_check(a, kind, role, outcome, j, &blobs, ret_n, e);
	for (size_t i = 0; rc == 0 && i < *ret_n; i++)
		assert_string_equal(blobs[i], HEX);
	return rc;
}

static void test_good(void **state UNUSED)
{
	static const struct {
		const char *kind, *role, *outcome, *text;
		size_t n_blobs;
	} rows[] = {
		{"build", NULL, "done",
			"{\"v\":1,\"status\":\"ok\",\"kernel\":\"" HEX
			"\",\"release\":\"6.1\",\"errors\":[],\"warnings\":[{\"path\":"
			"\"a.c\","
			"\"line\":3,\"text\":\"x\"}],\"compiles\":3,\"wall_ms\":9,\"cc\":"
			"\"gcc\","
			"\"sandbox\":\"bwrap\"}",
			1},
		{"build", NULL, "failed",
			"{\"v\":1,\"status\":\"broken\",\"kernel\":null,\"errors\":[{"
			"\"path\":"
			"\"a.c\",\"line\":3,\"text\":\"x\"}]}",
			0},
		{"build", NULL, "retry", NULL, 0},
		{"build", NULL, "park", NULL, 0},
		{"boot", NULL, "done",
			"{\"v\":1,\"status\":\"broken\",\"booted\":false,\"serial\":"
			"\"" HEX "\",\"raw\":\"" HEX
			"\",\"argv\":[\"q\"],\"events\":[{\"kind\":\"panic\",\"line\":1,"
			"\"text\":"
			"\"x\",\"function\":null,\"stack\":[]}],\"samples\":[]}",
			2},
		{"null", "boot", "done",
			"{\"v\":1,\"status\":\"ok\",\"booted\":true,\"samples\":[{"
			"\"bench\":\"b\","
			"\"load\":\"l\",\"metric\":\"m\",\"n\":0,\"value\":1,\"unit\":"
			"\"s\","
			"\"better\":\"lower\"}]}",
			0},
		{"null", "build", "done", "{\"v\":1,\"status\":\"ok\",\"kernel\":null}",
			0},
	};
	struct arena *a = arena_new();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		size_t n = 0;

		if (check(a, rows[i].kind, rows[i].role, rows[i].outcome, rows[i].text,
			    &n, &e) != 0)
			fail_msg("row %zu: %s", i, e.msg);
		assert_int_equal(n, rows[i].n_blobs);
	}
	arena_free(a);
}

static void test_bad(void **state UNUSED)
{
	static const struct {
		const char *kind, *outcome, *text, *words;
	} rows[] = {
		{"build", "done", NULL, "needs a result"},
		{"build", "fine", NULL, "outcome"},
		{"build", "retry", "{\"status\":\"ok\"}", "no result"},
		{"build", "done", "[]", "no object"},
		{"build", "done", "{}", "status"},
		{"build", "done", "{\"status\":\"ok\"}", "kernel"},
		{"build", "done", "{\"status\":\"broken\"}", "outcome failed"},
		{"build", "failed", "{\"status\":\"ok\"}", "outcome failed"},
		{"build", "failed", "{\"status\":\"broken\",\"errors\":{}}", "arrays"},
		{"build", "failed", "{\"status\":\"broken\",\"errors\":[1]}", "errors"},
		{"build", "failed", "{\"status\":\"broken\",\"colour\":1}", "colour"},
		{"boot", "done", "{\"status\":\"ok\"}", "serial"},
		{"boot", "done", "{\"status\":\"ok\",\"serial\":\"ABC\"}", "serial"},
		{"null", "done",
			"{\"status\":\"ok\",\"samples\":[{\"bench\":\"b\",\"load\":\"l\","
			"\"metric\":\"m\",\"n\":0,\"value\":1,\"unit\":\"s\",\"better\":"
			"\"up\"}]}",
			"better"},
		{"null", "done", "{\"status\":\"ok\",\"samples\":[{\"bench\":\"b\"}]}",
			"sample"},
		{"null", "done", "{\"status\":\"ok\",\"events\":[{\"kind\":\"x\"}]}",
			"event"},
	};
	struct arena *a = arena_new();

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e = {0};
		size_t n = 0;

		if (check(a, rows[i].kind, NULL, rows[i].outcome, rows[i].text, &n, &e) !=
			ERR_INVALID)
			fail_msg("row %zu was taken", i);
		if (!strstr(e.msg, rows[i].words))
			fail_msg("row %zu says \"%s\", not %s", i, e.msg, rows[i].words);
	}
	arena_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
