/* SPDX-License-Identifier: GPL-2.0-or-later */
/* db_pq.h - inside lib/db only: between our types and libpq's. */
#ifndef WL_DB_DB_PQ_H
#define WL_DB_DB_PQ_H

#include "db/db.h"
#include <libpq-fe.h>

void db_pq_clearp(PGresult **r);

/* Starts a connection: UTF-8, statement_timeout DB_DEADLINE_MAX_MS, and a server that
 * stops a statement whose client has gone. Never NULL; look at PQstatus. */
PGconn *db_pq_start(const char *dsn);
/* The same for programs that may block: waits for the connection, no statement_timeout.
 */
PGconn *db_pq_open(const char *dsn);

/* Parameters as texts, in the arena; NULL entries are SQL NULL. */
const char **db_pq_encode(struct arena *a, const struct sql_query *q,
	const struct db_param *params, size_t n_params);

/* Copies an answer into the arena and checks it against the query's rows. q NULL: no
 * check. A PGresult that is an error becomes one. */
int db_pq_result(const struct sql_query *q, const PGresult *pr, struct arena *a,
	struct db_result **ret, struct err *e) MUST_CHECK;
/* What libpq says about a connection, one line: "no such file ...". buf returned. */
const char *db_pq_text(const PGconn *pg, char *buf, size_t size);

#endif
