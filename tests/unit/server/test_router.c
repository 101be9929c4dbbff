/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "server/router.h"

static const struct route table[] = {
	{.method = HTTP_M_GET, .pattern = "/"},
	{.method = HTTP_M_GET, .pattern = "/lists"},
	{.method = HTTP_M_POST, .pattern = "/lists"},
	{.method = HTTP_M_GET, .pattern = "/lists/:name"},
	{.method = HTTP_M_GET, .pattern = "/lists/:name/log"},
	{.method = HTTP_M_GET, .pattern = "/r/:msgid"},
	{.method = HTTP_M_GET, .pattern = "/static/*path"},
};

static int find(
	struct arena *a, enum http_method m, const char *path, struct route_match *ret)
{
	struct err e = {0};

	return router_find(a, table, ARRAY_LEN(table), m, path, ret, &e);
}

static void test_found(void **state UNUSED)
{
	static const struct {
		enum http_method method;
		const char *path;
		int row;
		const char *value; /* of the only parameter */
	} rows[] = {
		{HTTP_M_GET, "/", 0, NULL},
		{HTTP_M_HEAD, "/lists", 1, NULL},
		{HTTP_M_GET, "/lists/", 1, NULL},
		{HTTP_M_POST, "/lists", 2, NULL},
		{HTTP_M_GET, "/lists/a", 3, "a"},
		{HTTP_M_GET, "/lists/%61%2e", 3, "a."},
		{HTTP_M_GET, "/lists/a/log", 4, "a"},
		{HTTP_M_GET, "/r/a%2Fb@c", 5, "a/b@c"},
		{HTTP_M_GET, "/r/a+b@c", 5, "a+b@c"},
		{HTTP_M_GET, "/static/a/b.js", 6, "a/b.js"},
	};
	struct arena *a = arena_new();
	struct route_match m;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		assert_int_equal(find(a, rows[i].method, rows[i].path, &m), 0);
		if (m.route != &table[rows[i].row])
			fail_msg("another row for %s", rows[i].path);
		assert_int_equal(m.n_params, rows[i].value ? 1 : 0);
		if (rows[i].value)
			assert_string_equal(m.params[0].value, rows[i].value);
	}
	arena_free(a);
}

static void test_not_found(void **state UNUSED)
{
	struct arena *a = arena_new();
	struct route_match m;

	assert_int_equal(find(a, HTTP_M_GET, "/nothing", &m), 0);
	assert_int_equal(m.allow, 0);
	assert_int_equal(find(a, HTTP_M_GET, "/lists/a/b/c", &m), 0);
	assert_int_equal(m.allow, 0);
	assert_int_equal(find(a, HTTP_M_GET, "//lists", &m), 0);
	assert_int_equal(m.allow, 0);
	assert_int_equal(find(a, HTTP_M_DELETE, "/lists", &m), 0);
	assert_null(m.route);
	assert_int_equal(
		m.allow, HTTP_M_GET | HTTP_M_HEAD | HTTP_M_POST | HTTP_M_OPTIONS);
	arena_free(a);
}

static void test_refused(void **state UNUSED)
{
	static const char *const paths[] = {"/static/../x", "/static/%2e%2e/x",
		"/static/.", "/%2E%2e", "/lists/%", "/lists/%4", "/lists/%zz",
		"/lists/a%00b", "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s"};
	struct arena *a = arena_new();
	struct route_match m;

	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		if (find(a, HTTP_M_GET, paths[i], &m) != ERR_INVALID)
			fail_msg("taken: %s", paths[i]);
	}
	arena_free(a);
}

/* What the real table promises: no row hides a later one, every row is documented. */
static void test_table(void **state UNUSED)
{
	for (size_t i = 0; i < n_routes; i++) {
		assert_non_null(routes[i].handle);
		assert_true(strlen(routes[i].doc) > 2);
		assert_int_equal(routes[i].pattern[0], '/');
		assert_true(
			(routes[i].body == BODY_NONE) == (routes[i].body_max_bytes == 0));
		if (routes[i].method != HTTP_M_GET)
			assert_int_not_equal(routes[i].auth, AUTH_OPEN);
		for (size_t k = 0; k < i; k++) {
			if (routes[i].method == routes[k].method &&
				strcmp(routes[i].pattern, routes[k].pattern) == 0)
				fail_msg("%s is there twice", routes[i].pattern);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_not_found),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
