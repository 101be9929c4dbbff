/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every query against a migrated database: types, names of columns, rights. */
#include "testdb.h"

#include "base/file.h"
#include "base/sbuf.h"

static const struct {
	const char *ours, *theirs;
} type_names[] = {
	{"int8", "bigint"},
	{"int4", "integer"},
	{"bool", "boolean"},
	{"float8", "double precision"},
	{"timestamptz", "timestamp with time zone"},
};

/* "int8[]" -> "bigint[]"; others stay. */
static void add_type(struct sbuf *out, const char *type, size_t len)
{
	size_t base = len > 2 && !strncmp(type + len - 2, "[]", 2) ? len - 2 : len;

	for (size_t i = 0; i < ARRAY_LEN(type_names); i++) {
		if (strlen(type_names[i].ours) == base &&
			!strncmp(type, type_names[i].ours, base)) {
			sbuf_adds(out, type_names[i].theirs);
			sbuf_add(out, type + base, len - base);
			return;
		}
	}
	sbuf_add(out, type, len);
}

/* "id int8, why text" -> "bigint, text" (or with the names, for results). */
static char *header_types(const char *header, bool names)
{
	struct sbuf out = SBUF_INIT;

	for (const char *p = header; strcmp(header, "none") != 0;) {
		const char *end = strchr(p, ',') ? strchr(p, ',') : p + strlen(p);
		const char *type = memchr(p, ' ', (size_t)(end - p));

		if (!type)
			fail_msg("header \"%s\": not \"NAME TYPE, ...\"", header);
		if (names)
			sbuf_add(&out, p, (size_t)(type + 1 - p));
		add_type(&out, type + 1, (size_t)(end - type - 1));
		if (!*end)
			break;
		sbuf_adds(&out, ", ");
		p = end + 1 + strspn(end + 1, " ");
	}
	return sbuf_detach(&out, NULL);
}

static void test_types(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep) struct db_sync *s = testdb_open("postgres", "queries");
	int n_bad = 0;

	(void)state;
	for (int i = 0; i < sql_n_queries; i++) {
		const struct sql_query *q = sql_queries[i];
		CLEANUP(base_freep) char *params = header_types(q->params, false);
		CLEANUP(base_freep) char *result = header_types(q->result, true);
		const char *db_params, *db_result;
		struct err e = {.code = ERR_OK};

		assert_int_equal(q->index, i);
		if (db_sync_describe(s, q, a, &db_params, &db_result, &e) != 0) {
			print_error("%s: %s\n", q->name, e.msg);
			n_bad++;
			continue;
		}
		if (strcmp(params, db_params) != 0) {
			print_error("%s: header: params %s; database: %s\n", q->name,
				params, db_params);
			n_bad++;
		}
		if (strcmp(result, db_result) != 0) {
			print_error("%s: header: result %s; database: %s\n", q->name,
				result, db_result);
			n_bad++;
		}
	}
	assert_int_equal(n_bad, 0);
}

/* EXPLAIN looks at the rights of the query, running it with nulls at those of the
 * functions in it; whatever else it may say to nulls. */
static bool may_run(struct db_sync *s, const struct sql_query *q, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf args = SBUF_INIT;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	bool ok;

	for (int i = 0; i < q->n_params; i++)
		sbuf_adds(&args, i ? ", NULL" : " (NULL");
	sbuf_adds(&args, q->n_params ? ")" : "");
	if (db_sync_script(s, arena_printf(a, "EXPLAIN EXECUTE %s%s", q->name, args.buf),
		    e) != 0)
		return false;
	testdb_run(s, "BEGIN");
	ok = testdb_fails(s, arena_printf(a, "EXECUTE %s%s", q->name, args.buf), e) !=
	     ERR_DENIED;
	testdb_run(s, "ROLLBACK");
	return ok;
}

static void test_rights(void **state)
{
	CLEANUP(db_sync_closep)
	struct db_sync *server = testdb_open("wakelist_server", "queries");
	CLEANUP(db_sync_closep)
	struct db_sync *worker = testdb_open("wakelist_worker", "queries");
	CLEANUP(arena_freep) struct arena *a = arena_new();
	int n_bad = 0;

	(void)state;
	for (int i = 0; i < sql_n_queries; i++) {
		const struct sql_query *q = sql_queries[i];
		bool is_work = !strncmp(q->name, "work_", 5);
		struct db_sync *s = is_work ? worker : server;
		const char *p, *r;
		struct err e = {.code = ERR_OK};

		/* These are the owner's. */
		if (!strcmp(q->name, "migration_insert"))
			continue;
		if (db_sync_describe(s, q, a, &p, &r, &e) != 0 || !may_run(s, q, &e)) {
			print_error("%s as wakelist_%s: %s\n", q->name,
				is_work ? "worker" : "server", e.msg);
			n_bad++;
		}
	}
	assert_int_equal(n_bad, 0);
}

static void test_denied(void **state)
{
	static const struct {
		const char *user, *sql;
	} rows[] = {
		{"wakelist_worker", "SELECT * FROM mail"},
		{"wakelist_worker", "SELECT * FROM token"},
		{"wakelist_worker", "SELECT * FROM job"},
		{"wakelist_worker", "INSERT INTO event (entity, entity_id, what) "
				    "VALUES ('job', 1, 'x')"},
		{"wakelist_worker", "SELECT job_cancel(1, 'x')"},
		{"wakelist_worker", "CREATE TABLE t (x int)"},
		{"wakelist_worker", "CREATE TEMP TABLE t (x int)"},
		{"wakelist_server", "DELETE FROM mail"},
		{"wakelist_server", "UPDATE mail SET subject = ''"},
		{"wakelist_server", "UPDATE sample SET value = 0"},
		{"wakelist_server", "INSERT INTO sample VALUES (1, '', '', '', 0, 0, '', "
				    "'lower')"},
		{"wakelist_server", "UPDATE job SET state = 'done'"},
		{"wakelist_server", "UPDATE reply SET text = ''"},
		{"wakelist_server", "UPDATE verdict SET mark = '='"},
		{"wakelist_server", "UPDATE token SET hash = ''"},
		{"wakelist_server", "DELETE FROM token"},
		{"wakelist_server", "INSERT INTO list (name, url) VALUES ('x', '/')"},
		{"wakelist_server",
			"SELECT * FROM job_claim('runner', '{}', '{}', 'x', NULL, "
			"1, 1)"},
		{"wakelist_server", "SELECT job_finish(1, 1, 'done', '', NULL, NULL)"},
		{"wakelist_server", "DELETE FROM setting"},
		{"wakelist_server", "UPDATE fsm_state SET final = true"},
		{"wakelist_server", "INSERT INTO schema_migration VALUES (99, '', '')"},
		{"wakelist_server", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS "
				    "'SELECT 1'"},
		{"wakelist_server", "SELECT work_store(1, 1, '{}')"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(db_sync_closep)
		struct db_sync *s = testdb_open(rows[i].user, "queries");
		struct err e;

		if (testdb_fails(s, rows[i].sql, &e) != ERR_DENIED)
			fail_msg("%s: %s: %s", rows[i].user, rows[i].sql,
				e.code == ERR_OK ? "allowed" : e.msg);
	}
}

static void test_no_superuser_owns(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep) struct db_sync *s = testdb_open("postgres", "queries");

	(void)state;
	assert_string_equal(
		testdb_value(s, a,
			"SELECT count(*) FROM pg_proc p JOIN pg_roles r ON r.oid "
			"= p.proowner WHERE pronamespace = "
			"'public'::regnamespace AND (rolsuper OR "
			"has_function_privilege('public', p.oid, 'EXECUTE'))"),
		"0");
	assert_string_equal(
		testdb_value(s, a,
			"SELECT count(*) FROM pg_proc WHERE pronamespace = "
			"'public'::regnamespace AND prosecdef AND "
			"coalesce(array_to_string(proconfig, ' '), '') NOT LIKE "
			"'search_path=%'"),
		"0");
}

/* What SqlToC.cmake embedded is the file, byte by byte. */
static void test_embedded(void **state)
{
	(void)state;
	assert_true(sql_n_migrations >= 3);
	for (int i = 0; i < sql_n_migrations; i++) {
		const struct sql_migration *m = &sql_migrations[i];
		CLEANUP(sbuf_release) struct sbuf file = SBUF_INIT;
		char path[512];
		struct err e = {.code = ERR_OK};

		snprintf(path, sizeof(path), "%s/sql/migrations/%04d_%s.sql",
			WL_SOURCE_DIR, m->version, m->name);
		OK(&e, file_read(path, 1 << 22, &file, &e));
		assert_string_equal(file.buf, m->text);
		assert_int_equal(m->version, i + 1);
	}
}

/* Parameters of every kind come back as they went. */
static void test_round_trip(void **state)
{
	static const struct sql_query q = {.name = "round_trip",
		.text = "SELECT $1::int8 AS i, $2::float8 AS f, $3::bool AS b, $4::text "
			"AS t, "
			"$5::jsonb AS j, $6::bytea AS y, $7::text[] AS a, $8::int8[] AS "
			"n, "
			"$9::text AS z",
		.params = "",
		.result = "",
		.index = -1,
		.n_params = 9,
		.rows_min = 1,
		.rows_max = 1};
	static const char *const texts[] = {"", "a,b", "{x}", "\"\\", "NULL", "\xc3\xa4"};
	static const int64_t ints[] = {INT64_MIN, 0, INT64_MAX};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep) struct db_sync *s = testdb_open("postgres", "queries");
	json_t *j = json_pack("{s:s}", "k", "v\"'\\"), *back;
	const char *const *v;
	struct db_result *r;
	struct db_row row;
	size_t n;
	struct err e = {.code = ERR_OK};

	(void)state;
	OK(&e, db_sync_exec(s, &q,
		       DB_ARGS(db_i64(INT64_MIN), db_f64(0.1), db_bool(true),
			       db_text("it's; --"), db_json(j), db_bytes("\0\xff", 2),
			       db_text_array(texts, ARRAY_LEN(texts)),
			       db_i64_array(ints, ARRAY_LEN(ints)), db_null()),
		       a, &r, &e));
	row = db_result_row(r, 0);
	assert_true(db_row_i64(row, "i") == INT64_MIN);
	assert_true(db_row_f64_or(row, "f", 0) == 0.1);
	assert_true(db_row_bool(row, "b"));
	assert_string_equal(db_row_text(row, "t"), "it's; --");
	OK(&e, db_row_json(row, "j", &back, &e));
	assert_true(json_equal(j, back));
	assert_string_equal(db_row_text(row, "y"), "\\x00ff");
	OK(&e, db_row_text_array(row, "a", a, &v, &n, &e));
	assert_int_equal(n, ARRAY_LEN(texts));
	for (size_t i = 0; i < n; i++)
		assert_string_equal(v[i], texts[i]);
	assert_string_equal(
		db_row_text(row, "n"), "{-9223372036854775808,0,9223372036854775807}");
	assert_true(db_row_is_null(row, "z"));
	json_decref(j);
	json_decref(back);
}

static void test_rows_checked(void **state)
{
	struct sql_query q = {.name = "rows_checked",
		.text = "SELECT generate_series(1, $1::int8) AS n",
		.params = "n int8",
		.result = "n int8",
		.index = -1,
		.n_params = 1,
		.rows_min = 1,
		.rows_max = 1};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep) struct db_sync *s = testdb_open("postgres", "queries");
	struct err e;

	(void)state;
	assert_int_equal(db_sync_exec(s, &q, DB_ARGS(db_i64(1)), a, NULL, &e), 0);
	assert_int_equal(
		db_sync_exec(s, &q, DB_ARGS(db_i64(0)), a, NULL, &e), ERR_NOT_FOUND);
	assert_int_equal(
		db_sync_exec(s, &q, DB_ARGS(db_i64(2)), a, NULL, &e), ERR_INTERNAL);
	q.rows_min = 0;
	q.rows_max = -1;
	assert_int_equal(db_sync_exec(s, &q, DB_ARGS(db_i64(0)), a, NULL, &e), 0);
}

static int setup(void **state)
{
	(void)state;
	testdb_create("queries");
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_rights),
		cmocka_unit_test(test_denied),
		cmocka_unit_test(test_no_superuser_owns),
		cmocka_unit_test(test_embedded),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_rows_checked),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, setup, NULL);
}
