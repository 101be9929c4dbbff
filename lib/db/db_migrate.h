/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * db_migrate.h - the embedded migrations against a database. Forward only, one
 * transaction each, under an advisory lock: any number may call db_migrate at once.
 */
#ifndef WL_DB_DB_MIGRATE_H
#define WL_DB_DB_MIGRATE_H

#include "db/db.h"

struct db_migrate_report {
	int from, to; /* schema versions before and after; 0: empty */
};

/*
 * Applies what is missing, then sql/roles.sql (always: grants follow the program).
 * ERR_CONFLICT, nothing changed: the database is newer than the program, or an applied
 * migration is not the one we know. A migration that fails is rolled back whole and
 * named in the error; those before it stay.
 */
int db_migrate(
	const char *dsn, struct db_migrate_report *ret_report, struct err *e) MUST_CHECK;

/* For tests: another list than the embedded one, and no roles when roles is NULL. */
int db_migrate_list(struct db_sync *s, const struct sql_migration *list, int n,
	const char *roles, struct db_migrate_report *ret_report,
	struct err *e) MUST_CHECK;

/*
 * Does the schema fit this program exactly? r is the answer to sql_migration_list, or
 * NULL with the error that came instead. ERR_CONFLICT with a sentence that says what to
 * do; other errors (the database is away) are handed on.
 */
int db_schema_check(
	const struct db_result *r, const struct err *why, struct err *e) MUST_CHECK;

#endif
