/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "db/q_api_event.h"

#include "sql_queries.h"

void q_api_event_by_ids_send(
	struct db *db, const int64_t *ids, size_t n_ids, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_event_by_ids, DB_ARGS(db_i64_array(ids, n_ids)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_event_after_send(
	struct db *db, int64_t after, int64_t series_id, int n, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_event_after,
		DB_ARGS(db_i64(after), db_id_or_null(series_id), db_i64(n)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_event_bounds_send(struct db *db, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_event_bounds, DB_NO_ARGS, Q_API_DEADLINE_MS, cb, arg);
}

void q_api_status_get_send(struct db *db, const json_t *server, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_status_get, DB_ARGS(db_json(server)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_tick_run_send(
	struct db *db, int64_t keep_events, bool sweep, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_tick_run, DB_ARGS(db_i64(keep_events), db_bool(sweep)),
		Q_API_DEADLINE_MS, cb, arg);
}
