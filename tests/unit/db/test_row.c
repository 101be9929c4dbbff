/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_row.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct db_result one_text(const char *text, struct db_cell *cell)
{
	static const char *const cols[] = {"x"};

	cell->text = text;
	cell->len = text ? strlen(text) : 0;
	return (struct db_result){
		.n_rows = 1, .n_cols = 1, .cols = cols, .cells = cell, .query = "test"};
}

static void check_array(const char *text, size_t n, const char *const *want)
{
	struct arena *a = arena_new();
	struct db_cell cell;
	struct db_result r = one_text(text, &cell);
	const char *const *v;
	size_t got;
	struct err e;

	assert_int_equal(
		db_row_text_array(db_result_row(&r, 0), "x", a, &v, &got, &e), 0);
	assert_int_equal(got, n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(v[i], want[i]);
	arena_free(a);
}

static void test_text_array(void **state)
{
	(void)state;
	check_array(NULL, 0, NULL);
	check_array("{}", 0, NULL);
	check_array("{a}", 1, (const char *[]){"a"});
	check_array("{a,b,c}", 3, (const char *[]){"a", "b", "c"});
	check_array("{\"\",\"a,b\",c}", 3, (const char *[]){"", "a,b", "c"});
	check_array("{\"a\\\"b\",\"c\\\\d\",\"{}\"}", 3,
		(const char *[]){"a\"b", "c\\d", "{}"});
	check_array("{\"NULL\",x}", 2, (const char *[]){"NULL", "x"});
}

static void test_text_array_refused(void **state)
{
	static const char *const bad[] = {
		"a", "", "{", "}", "{{a},{b}}", "{a,NULL}", "[0:1]={a,b}"};
	struct arena *a = arena_new();
	const char *const *v;
	size_t n;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct db_cell cell;
		struct db_result r = one_text(bad[i], &cell);
		struct err e = {.code = ERR_OK};

		assert_int_equal(
			db_row_text_array(db_result_row(&r, 0), "x", a, &v, &n, &e),
			ERR_INTERNAL);
		assert_int_equal(e.code, ERR_INTERNAL);
	}
	arena_free(a);
}

static void test_numbers(void **state)
{
	struct db_cell cell;
	struct db_result r = one_text("-9223372036854775808", &cell);
	struct db_row row = db_result_row(&r, 0);

	(void)state;
	assert_true(db_row_i64(row, "x") == INT64_MIN);
	cell.text = NULL;
	assert_true(db_row_is_null(row, "x"));
	assert_int_equal(db_row_i64_or(row, "x", 7), 7);
	assert_false(db_row_bool(row, "x"));
	assert_null(db_row_text(row, "x"));
	cell.text = "t";
	assert_true(db_row_bool(row, "x"));
	cell.text = "f";
	assert_false(db_row_bool(row, "x"));
	cell.text = "0.1";
	assert_true(db_row_f64_or(row, "x", 0) == 0.1);
}

static void test_json(void **state)
{
	struct db_cell cell;
	struct db_result r = one_text("{\"a\": [1, 2]}", &cell);
	struct err e = {.code = ERR_OK};
	json_t *j;

	(void)state;
	assert_int_equal(db_row_json(db_result_row(&r, 0), "x", &j, &e), 0);
	assert_int_equal(json_array_size(json_object_get(j, "a")), 2);
	json_decref(j);
	r = one_text(NULL, &cell);
	assert_int_equal(db_row_json(db_result_row(&r, 0), "x", &j, &e), 0);
	assert_null(j);
	r = one_text("{", &cell);
	assert_int_equal(db_row_json(db_result_row(&r, 0), "x", &j, &e), ERR_INTERNAL);
}

static void test_sqlstates(void **state)
{
	static const struct {
		const char *sqlstate;
		enum err_code code;
	} rows[] = {
		{NULL, ERR_UNAVAILABLE},
		{"", ERR_UNAVAILABLE},
		{"08006", ERR_UNAVAILABLE},
		{"23505", ERR_CONFLICT},
		{"23514", ERR_CONFLICT},
		{"23503", ERR_CONFLICT},
		{"23502", ERR_INTERNAL},
		{"25006", ERR_UNAVAILABLE},
		{"25P02", ERR_INTERNAL},
		{"22P02", ERR_INVALID},
		{"22021", ERR_INVALID},
		{"40001", ERR_BUSY},
		{"40P01", ERR_BUSY},
		{"42501", ERR_DENIED},
		{"42P01", ERR_INTERNAL},
		{"42703", ERR_INTERNAL},
		{"53400", ERR_BUSY},
		{"53100", ERR_UNAVAILABLE},
		{"53300", ERR_UNAVAILABLE},
		{"57014", ERR_TIMEOUT},
		{"57P01", ERR_UNAVAILABLE},
		{"57P03", ERR_UNAVAILABLE},
		{"58030", ERR_UNAVAILABLE},
		{"XX000", ERR_INTERNAL},
		{"P0001", ERR_CONFLICT},
		{"P0002", ERR_NOT_FOUND},
		{"99999", ERR_INTERNAL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(db_sqlstate_code(rows[i].sqlstate), rows[i].code);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text_array),
		cmocka_unit_test(test_text_array_refused),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_sqlstates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
