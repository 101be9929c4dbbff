/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sql.h - shape of what cmake/SqlToC.cmake embeds. Every query of sql/queries is a
 * const struct sql_query sql_<entity>_<verb>, declared in the generated sql_queries.h.
 */
#ifndef WL_DB_SQL_H
#define WL_DB_SQL_H

#include "base/base.h"

struct sql_query {
	const char *name;   /* "<entity>_<verb>", equal to the path */
	const char *text;   /* one statement, without the header and the last ';' */
	const char *params; /* as in the header: "id int8, why text", or "none" */
	const char *result; /* "id int8, title text", or "none" */
	int index;          /* place in sql_queries[]; -1: a test's own, not prepared */
	int n_params;
	int rows_min; /* 0 or 1 */
	int rows_max; /* 0: no result, 1, or -1: any number */
};

struct sql_migration {
	const char *name; /* "tables" of 0001_tables.sql */
	const char *text;
	const char *sha256; /* of the file */
	int version;
};

extern const struct sql_query *const sql_queries[];
extern const int sql_n_queries;
extern const struct sql_migration sql_migrations[]; /* 1, 2, 3 ... without gaps */
extern const int sql_n_migrations;
extern const char sql_bootstrap[]; /* sql/bootstrap.sql: table schema_migration */
extern const char sql_roles[];     /* sql/roles.sql: grants, applied after migrations */

#endif
