/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * testdb.h - databases for the tests of lib/db. A program run without WL_TEST_DSN runs
 * itself under tests/harness/pg-start, so each has a cluster of its own.
 */
#ifndef WL_TESTS_TESTDB_H
#define WL_TESTS_TESTDB_H

#include "db/db_migrate.h"
#include "sql_queries.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>

#include <cmocka.h>

/* Fails the test with the error's text. */
#define OK(e, call)                                                                      \
	do {                                                                             \
		if ((call) != 0)                                                         \
			fail_msg("%s: %s (%s)", #call, (e)->msg, (e)->sqlstate);         \
	} while (0)

/* First thing in main. */
static inline void testdb_need_server(char **argv)
{
	if (getenv("WL_TEST_DSN"))
		return;
	execl(WL_SOURCE_DIR "/tests/harness/pg-start", "pg-start", "run", argv[0], NULL);
	perror("pg-start");
	exit(1);
}

static inline const char *testdb_dsn(struct arena *a, const char *user, const char *name)
{
	return arena_printf(
		a, "host=%s/sock user=%s dbname=%s", getenv("WL_TEST_PG"), user, name);
}

static inline struct db_sync *testdb_open(const char *user, const char *name)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err e = {.code = ERR_OK};
	struct db_sync *s = NULL;

	OK(&e, db_sync_open(testdb_dsn(a, user, name), &s, &e));
	return s;
}

static inline void testdb_run(struct db_sync *s, const char *sql)
{
	struct err e = {.code = ERR_OK};

	if (db_sync_script(s, sql, &e) != 0)
		fail_msg("%s: %s", sql, e.msg);
}

/* An empty database that belongs to wakelist_owner, who is no superuser. */
static inline void testdb_create_empty(const char *name)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep) struct db_sync *s = testdb_open("postgres", "postgres");
	struct db_result *r;
	struct err e = {.code = ERR_OK};

	OK(&e, db_sync_text(s, "SELECT FROM pg_roles WHERE rolname = 'wakelist_owner'", a,
		       &r, &e));
	if (r->n_rows == 0)
		testdb_run(s, "CREATE ROLE wakelist_owner LOGIN CREATEROLE");
	testdb_run(s, arena_printf(a, "DROP DATABASE IF EXISTS %s", name));
	testdb_run(s, arena_printf(a, "CREATE DATABASE %s OWNER wakelist_owner", name));
}

/* A migrated one, copied from a template that the first call makes. */
static inline void testdb_create(const char *name)
{
	static bool have_template;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct db_migrate_report report;
	struct db_sync *s;
	struct err e = {.code = ERR_OK};

	if (!have_template) {
		testdb_create_empty("wl_template");
		OK(&e, db_migrate(testdb_dsn(a, "wakelist_owner", "wl_template"), &report,
			       &e));
		have_template = true;
	}
	s = testdb_open("postgres", "postgres");
	testdb_run(s, arena_printf(a, "DROP DATABASE IF EXISTS %s WITH (FORCE)", name));
	testdb_run(
		s, arena_printf(a,
			   "CREATE DATABASE %s OWNER wakelist_owner TEMPLATE wl_template",
			   name));
	/* Rights of the database itself are not copied. */
	testdb_run(s, arena_printf(a, "REVOKE ALL ON DATABASE %s FROM PUBLIC", name));
	testdb_run(s, arena_printf(a,
			      "GRANT CONNECT ON DATABASE %s TO wakelist_server, "
			      "wakelist_worker",
			      name));
	db_sync_close(s);
}

/* The one value of a text, in the arena; NULL for SQL NULL or no row. */
static inline const char *testdb_value(
	struct db_sync *s, struct arena *a, const char *sql)
{
	struct db_result *r;
	struct err e = {.code = ERR_OK};

	if (db_sync_text(s, sql, a, &r, &e) != 0)
		fail_msg("%s: %s", sql, e.msg);
	if (r->n_rows == 0)
		return NULL;
	return r->cells[0].text;
}

/* The code that a text fails with, ERR_OK when it does not. */
static inline enum err_code testdb_fails(
	struct db_sync *s, const char *sql, struct err *e)
{
	e->code = ERR_OK;
	if (db_sync_script(s, sql, e) == 0)
		return ERR_OK;
	return e->code;
}

#endif
