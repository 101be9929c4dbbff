/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "db/q_api_series.h"

#include "sql_queries.h"

void q_api_series_all_send(struct db *db, const char *state, const char *list,
	int64_t before_us, int64_t before_id, const char *q, int n, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_series_all,
		DB_ARGS(db_text(state), db_text(list), db_id_or_null(before_us),
			db_id_or_null(before_id), db_text(q), db_i64(n)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_series_get_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_series_get, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_series_by_message_send(
	struct db *db, const char *message_id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_series_by_message, DB_ARGS(db_text(message_id)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_series_retry_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_series_retry, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_series_report_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_series_report, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_run_get_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_run_get, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_build_get_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_build_get, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_job_get_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_job_get, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_job_log_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_job_log, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_job_retry_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_job_retry, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_job_cancel_send(
	struct db *db, int64_t id, const char *by, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_job_cancel, DB_ARGS(db_i64(id), db_text(by)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_history_points_send(struct db *db, const char *bench, const char *load,
	const char *metric, const char *topology, const char *machine, int n, db_cb *cb,
	void *arg)
{
	db_send(db, &sql_api_history_points,
		DB_ARGS(db_text(bench), db_text(load), db_text(metric), db_text(topology),
			db_text(machine), db_i64(n)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_reply_all_send(struct db *db, const char *state, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_reply_all, DB_ARGS(db_text(state)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_reply_get_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_reply_get, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_reply_approve_send(struct db *db, int64_t id, const char *sha256,
	const char *by, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_reply_approve,
		DB_ARGS(db_i64(id), db_text(sha256), db_text(by)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_reply_reject_send(
	struct db *db, int64_t id, const char *why, const char *by, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_reply_reject, DB_ARGS(db_i64(id), db_text(why), db_text(by)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_reply_resolve_send(struct db *db, int64_t id, const char *outcome,
	const char *by, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_reply_resolve,
		DB_ARGS(db_i64(id), db_text(outcome), db_text(by)), Q_API_DEADLINE_MS, cb,
		arg);
}
