/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testdb.h"

#include <sys/wait.h>

static void test_from_empty(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct db_migrate_report report;
	struct db_result *r;
	struct db_sync *s;
	struct err e = {.code = ERR_OK};

	(void)state;
	testdb_create_empty("m_empty");
	s = testdb_open("wakelist_owner", "m_empty");
	/* Before: a program is told what to do. */
	assert_int_equal(db_sync_exec(s, &sql_migration_list, DB_NO_ARGS, a, &r, &e),
		ERR_INTERNAL);
	{
		struct err why = e;

		assert_int_equal(db_schema_check(NULL, &why, &e), ERR_CONFLICT);
		assert_string_equal(
			e.msg, "the database is empty: run \"wakelistd migrate\" first");
	}
	OK(&e, db_migrate(testdb_dsn(a, "wakelist_owner", "m_empty"), &report, &e));
	assert_int_equal(report.from, 0);
	assert_int_equal(report.to, sql_n_migrations);
	OK(&e, db_migrate(testdb_dsn(a, "wakelist_owner", "m_empty"), &report, &e));
	assert_int_equal(report.from, sql_n_migrations);
	assert_int_equal(report.to, sql_n_migrations);
	OK(&e, db_sync_exec(s, &sql_migration_list, DB_NO_ARGS, a, &r, &e));
	assert_int_equal(r->n_rows, sql_n_migrations);
	OK(&e, db_schema_check(r, NULL, &e));
	db_sync_close(s);
}

/* Runs the migrations of the program after sql has changed what is recorded. */
static void check_refused(const char *sql, const char *want)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct db_migrate_report report;
	struct db_result *r;
	struct db_sync *s;
	struct err e = {.code = ERR_OK};

	testdb_create("m_refused");
	s = testdb_open("wakelist_owner", "m_refused");
	testdb_run(s, sql);
	assert_int_equal(
		db_migrate(testdb_dsn(a, "wakelist_owner", "m_refused"), &report, &e),
		ERR_CONFLICT);
	assert_string_equal(e.msg, want);
	OK(&e, db_sync_exec(s, &sql_migration_list, DB_NO_ARGS, a, &r, &e));
	assert_int_equal(db_schema_check(r, NULL, &e), ERR_CONFLICT);
	assert_string_equal(e.msg, want);
	db_sync_close(s);
}

static void test_changed_sum(void **state)
{
	(void)state;
	check_refused(
		"UPDATE schema_migration SET sha256 = repeat('0', 64) WHERE version = 2",
		"migration 0002_fsm of the database is not the one this program knows: "
		"applied migrations must not be edited");
}

static void test_newer_schema(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	check_refused(arena_printf(a,
			      "INSERT INTO schema_migration VALUES (%d, 'next', "
			      "repeat('0', 64))",
			      sql_n_migrations + 1),
		arena_printf(a,
			"the database is at migration %d, this program knows up to %d: "
			"install the newer wakelist",
			sql_n_migrations + 1, sql_n_migrations));
}

static void test_older_schema(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct db_result *r;
	struct db_sync *s;
	struct err e = {.code = ERR_OK};

	(void)state;
	testdb_create("m_older");
	s = testdb_open("wakelist_owner", "m_older");
	testdb_run(s, "DELETE FROM schema_migration WHERE version > 2");
	OK(&e, db_sync_exec(s, &sql_migration_list, DB_NO_ARGS, a, &r, &e));
	assert_int_equal(db_schema_check(r, NULL, &e), ERR_CONFLICT);
	assert_string_equal(e.msg,
		arena_printf(a,
			"the database is at migration 2, this program needs %d: run "
			"\"wakelistd migrate\" first",
			sql_n_migrations));
	db_sync_close(s);
}

/* A migration that breaks leaves nothing of itself, and the next try goes on there. */
static void test_broken_one_is_whole(void **state)
{
	struct sql_migration list[] = {
		{.version = 1,
			.name = "one",
			.sha256 = "1",
			.text = "CREATE TABLE t1 (x int)"},
		{.version = 2,
			.name = "two",
			.sha256 = "2",
			.text = "CREATE TABLE t2 (x int); SELECT 1/0"},
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct db_migrate_report report;
	struct db_sync *s;
	struct err e = {.code = ERR_OK};

	(void)state;
	testdb_create_empty("m_broken");
	s = testdb_open("wakelist_owner", "m_broken");
	assert_int_equal(db_migrate_list(s, list, 2, NULL, &report, &e), ERR_INVALID);
	assert_string_equal(e.msg, "migration 0002_two: division by zero");
	assert_string_equal(testdb_value(s, a,
				    "SELECT concat(to_regclass('t1'), '|', "
				    "to_regclass('t2'), '|', (SELECT max(version) FROM "
				    "schema_migration))"),
		"t1||1");
	list[1].text = "CREATE TABLE t2 (x int)";
	OK(&e, db_migrate_list(s, list, 2, NULL, &report, &e));
	assert_int_equal(report.from, 1);
	assert_int_equal(report.to, 2);
	db_sync_close(s);
}

/* Four programs start at once; one migrates, the others find it done. */
static void test_concurrent(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *dsn = testdb_dsn(a, "wakelist_owner", "m_concurrent");
	pid_t pids[4];

	(void)state;
	testdb_create_empty("m_concurrent");
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0) {
			struct db_migrate_report report;
			struct err e = {.code = ERR_OK};

			if (db_migrate(dsn, &report, &e) != 0) {
				print_error("%s\n", e.msg);
				_exit(100);
			}
			_exit(report.from == 0 ? 1 : report.from == report.to ? 0 : 101);
		}
	}
	{
		int n_did = 0;

		for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
			int status;

			assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
			assert_true(WIFEXITED(status));
			assert_true(WEXITSTATUS(status) <= 1);
			n_did += WEXITSTATUS(status);
		}
		assert_int_equal(n_did, 1);
	}
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_from_empty),
		cmocka_unit_test(test_changed_sum),
		cmocka_unit_test(test_newer_schema),
		cmocka_unit_test(test_older_schema),
		cmocka_unit_test(test_broken_one_is_whole),
		cmocka_unit_test(test_concurrent),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
