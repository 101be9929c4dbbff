/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * db.h - PostgreSQL for the rest of the program: an asynchronous pool on libevent
 * (struct db), LISTEN (struct db_listen) and a blocking connection (struct db_sync).
 *
 * Queries are the consts of the generated "sql_queries.h"; nobody passes SQL text. A
 * typed function per query stands in q_<entity>.[ch]. Each answer is checked against
 * the query's "rows:" line: "1" without a row is ERR_NOT_FOUND, more rows than it
 * allows is ERR_INTERNAL. An error's sqlstate is set when the database gave one.
 *
 * dsn is a libpq connection string or URI. Host names in it are resolved by libpq,
 * which blocks: programs with a loop should name a socket folder or an address.
 */
#ifndef WL_DB_DB_H
#define WL_DB_DB_H

#include "db/db_row.h"
#include "db/sql.h"

struct event_base;

/* ---- blocking: migrate, offline subcommands, tests; never inside a loop ---- */

struct db_sync;

/* ERR_UNAVAILABLE while nobody answers; waits at most 10 s for the connection. */
int db_sync_open(const char *dsn, struct db_sync **ret, struct err *e) MUST_CHECK;
void db_sync_close(struct db_sync *s); /* accepts NULL */
void db_sync_closep(struct db_sync **s);
/* ret may be NULL. The result is in the arena. */
int db_sync_exec(struct db_sync *s, const struct sql_query *q,
	const struct db_param *params, size_t n_params, struct arena *a,
	struct db_result **ret, struct err *e) MUST_CHECK;
int db_sync_begin(struct db_sync *s, struct err *e) MUST_CHECK;
int db_sync_commit(struct db_sync *s, struct err *e) MUST_CHECK;
void db_sync_rollback(struct db_sync *s); /* harmless outside a transaction */
/* Many statements without parameters: migrations and tests. */
int db_sync_script(struct db_sync *s, const char *sql, struct err *e) MUST_CHECK;
/* The answer to one text that is no query of ours, for tests and for looking around. */
int db_sync_text(struct db_sync *s, const char *sql, struct arena *a,
	struct db_result **ret, struct err *e) MUST_CHECK;
/* Parameter and result types of a query, "int8, text[]", as the database sees them. */
int db_sync_describe(struct db_sync *s, const struct sql_query *q, struct arena *a,
	const char **ret_params, const char **ret_result, struct err *e) MUST_CHECK;

/* ---- asynchronous pool ---- */

#define DB_QUEUE_MAX         10000 /* requests waiting for a connection; then UNAVAILABLE */
#define DB_DEADLINE_MAX_MS   60000 /* also the database's statement_timeout */
#define DB_BACKOFF_MIN_MS    100
#define DB_BACKOFF_MAX_MS    5000 /* between attempts to connect, with jitter */
#define DB_CONNECT_TIMEOUT_S 10

/* Exactly one call for each db_send, from the loop and never from inside db_send.
 * r is NULL on error, else borrowed until the callback returns; e is NULL on success. */
typedef void db_cb(const struct db_result *r, const struct err *e, void *arg);

struct db;

struct db_stats {
	int n_conns;   /* wanted */
	int n_up;      /* connected */
	int n_running; /* requests on a connection */
	int n_queued;  /* requests that wait for one */
	int64_t n_sent, n_failed, n_connects;
	char last_error[256]; /* of the newest failed connect; "" once one is up */
};

/* What a struct db can do: db_new makes the real one, tests put a fake in front.
 * An embedding struct starts with struct db. */
struct db_ops {
	uint64_t (*send)(struct db *db, const struct sql_query *q,
		const struct db_param *params, size_t n_params, int64_t deadline_ms,
		db_cb *cb, void *arg);
	void (*forget)(struct db *db, uint64_t ticket);
	struct db_stats (*stats)(const struct db *db);
	void (*free)(struct db *db);
};
struct db {
	const struct db_ops *ops;
};

/* Starts to connect; never fails. While the database is away or restarts, requests wait
 * up to their deadline and then get ERR_UNAVAILABLE. */
struct db *db_new(struct event_base *base, const char *dsn, int n_conns);
/* Requests still open get ERR_CANCELLED from here, and db_send then returns 0 and does
 * nothing. Not from inside a callback of the pool. Accepts NULL. */
void db_free(struct db *db);
/*
 * Parameters are copied. deadline_ms counts from now and is capped at
 * DB_DEADLINE_MAX_MS (0: that). ERR_TIMEOUT, and ERR_UNAVAILABLE with "was lost while",
 * leave open whether the statement took effect; every other error means it did not.
 * (ERR_INTERNAL of a statement that gave more rows than its header says came too late
 * to undo it.) Returns a ticket, never 0.
 */
uint64_t db_send(struct db *db, const struct sql_query *q, const struct db_param *params,
	size_t n_params, int64_t deadline_ms, db_cb *cb, void *arg);
/* The callback of this request will not be called; the statement may still run. */
void db_forget(struct db *db, uint64_t ticket);
struct db_stats db_stats(const struct db *db);

/* ---- LISTEN ---- */

struct db_listen;

struct db_listen_ops {
	void (*on_notify)(const char *channel, const char *payload, void *arg);
	/* All channels are listened to, for the first time or again: whatever was
	 * notified before may have been missed, so read the tables now. */
	void (*on_up)(void *arg);
	void (*on_down)(const char *why, void *arg); /* may be NULL */
};

/* One connection of its own. Channels are copied: names of [a-z_0-9] only, else abort. */
struct db_listen *db_listen_new(struct event_base *base, const char *dsn,
	const char *const *channels, size_t n_channels, const struct db_listen_ops *ops,
	void *arg);
void db_listen_free(struct db_listen *l); /* accepts NULL */

#endif
