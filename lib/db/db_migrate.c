/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_migrate.h"

#include "sql_queries.h"

/* "wakelist" as a number; only one migrate at a time in a database. */
#define LOCK_KEY INT64_C(0x77616b656c697374)

/* Compares what is applied with a list: same names and sums, no gaps, not more. */
static int check_applied(const struct db_result *r, const struct sql_migration *list,
	int n, int *ret_version, struct err *e)
{
	if (r->n_rows > n) {
		struct db_row last = db_result_row(r, r->n_rows - 1);

		return err_set(e, ERR_CONFLICT,
			"the database is at migration %d, this program knows up to %d: "
			"install the newer wakelist",
			(int)db_row_i64(last, "version"), n);
	}
	for (int i = 0; i < r->n_rows; i++) {
		struct db_row row = db_result_row(r, i);
		int version = (int)db_row_i64(row, "version");

		if (version != list[i].version)
			return err_set(e, ERR_CONFLICT,
				"migration %d is missing in the database, %d is there",
				list[i].version, version);
		if (strcmp(db_row_text(row, "sha256"), list[i].sha256) != 0)
			return err_set(e, ERR_CONFLICT,
				"migration %04d_%s of the database is not the one this "
				"program knows: applied migrations must not be edited",
				version, db_row_text(row, "name"));
	}
	*ret_version = r->n_rows;
	return 0;
}

static int apply_one(struct db_sync *s, const struct sql_migration *m, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	int status = db_sync_begin(s, e);

	if (status == 0)
		status = db_sync_script(s, m->text, e);
	if (status == 0)
		status = db_sync_exec(s, &sql_migration_insert,
			DB_ARGS(db_i64(m->version), db_text(m->name), db_text(m->sha256)),
			a, NULL, e);
	if (status == 0)
		status = db_sync_commit(s, e);
	if (status == 0)
		return 0;
	db_sync_rollback(s);
	return err_wrap(e, "migration %04d_%s", m->version, m->name);
}

static int apply_roles(struct db_sync *s, const char *roles, struct err *e)
{
	int status = db_sync_begin(s, e);

	if (status == 0)
		status = db_sync_script(s, roles, e);
	if (status == 0)
		status = db_sync_commit(s, e);
	if (status == 0)
		return 0;
	db_sync_rollback(s);
	return err_wrap(e, "roles.sql");
}

static int migrate_locked(struct db_sync *s, const struct sql_migration *list, int n,
	const char *roles, struct db_migrate_report *ret_report, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct db_migrate_report report;
	struct db_result *r;
	int status = db_sync_script(s, sql_bootstrap, e);

	if (status == 0)
		status = db_sync_exec(s, &sql_migration_list, DB_NO_ARGS, a, &r, e);
	if (status == 0)
		status = check_applied(r, list, n, &report.from, e);
	if (status != 0)
		return status;
	for (report.to = report.from; report.to < n; report.to++) {
		status = apply_one(s, &list[report.to], e);
		if (status != 0)
			return status;
	}
	status = roles ? apply_roles(s, roles, e) : 0;
	if (status == 0)
		*ret_report = report;
	return status;
}

int db_migrate_list(struct db_sync *s, const struct sql_migration *list, int n,
	const char *roles, struct db_migrate_report *ret_report, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err unlock_err;
	int status = db_sync_exec(
		s, &sql_migration_lock, DB_ARGS(db_i64(LOCK_KEY)), a, NULL, e);

	if (status != 0)
		return status;
	status = migrate_locked(s, list, n, roles, ret_report, e);
	/* When this fails the connection is gone, and the lock with it. */
	if (db_sync_exec(s, &sql_migration_unlock, DB_ARGS(db_i64(LOCK_KEY)), a, NULL,
		    &unlock_err) != 0 &&
		status == 0)
		return err_set(e, unlock_err.code, "%s", unlock_err.msg);
	return status;
}

int db_migrate(const char *dsn, struct db_migrate_report *ret_report, struct err *e)
{
	CLEANUP(db_sync_closep) struct db_sync *s = NULL;
	int status = db_sync_open(dsn, &s, e);

	if (status != 0)
		return status;
	return db_migrate_list(
		s, sql_migrations, sql_n_migrations, sql_roles, ret_report, e);
}

int db_schema_check(const struct db_result *r, const struct err *why, struct err *e)
{
	int version, status;

	if (!r && !strcmp(why->sqlstate, "42P01"))
		return err_set(e, ERR_CONFLICT,
			"the database is empty: run \"wakelistd migrate\" first");
	if (!r) {
		if (e)
			*e = *why;
		return why->code;
	}
	status = check_applied(r, sql_migrations, sql_n_migrations, &version, e);
	if (status == 0 && version < sql_n_migrations)
		return err_set(e, ERR_CONFLICT,
			"the database is at migration %d, this program needs %d: run "
			"\"wakelistd migrate\" first",
			version, sql_n_migrations);
	return status;
}
