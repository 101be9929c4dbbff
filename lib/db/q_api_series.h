/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * q_api_series.h - queries of the server: series and what came of them: runs, builds,
 * jobs, history, replies. Each starts and calls back from the loop, once (db.h). Most
 * answer one column "body", the JSON that goes out as it is: q_api_body().
 */
#ifndef WL_DB_Q_API_SERIES_H
#define WL_DB_Q_API_SERIES_H

#include "base/base.h"

#include "db/q_api.h"

void q_api_series_all_send(struct db *db, const char *state, const char *list,
	int64_t before_us, int64_t before_id, const char *q, int n, db_cb *cb, void *arg);
void q_api_series_get_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_series_by_message_send(
	struct db *db, const char *message_id, db_cb *cb, void *arg);
void q_api_series_retry_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_series_report_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_run_get_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_build_get_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_job_get_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_job_log_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_job_retry_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_job_cancel_send(
	struct db *db, int64_t id, const char *by, db_cb *cb, void *arg);
void q_api_history_points_send(struct db *db, const char *bench, const char *load,
	const char *metric, const char *topology, const char *machine, int n, db_cb *cb,
	void *arg);
void q_api_reply_all_send(struct db *db, const char *state, db_cb *cb, void *arg);
void q_api_reply_get_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_reply_approve_send(struct db *db, int64_t id, const char *sha256,
	const char *by, db_cb *cb, void *arg);
void q_api_reply_reject_send(
	struct db *db, int64_t id, const char *why, const char *by, db_cb *cb, void *arg);
void q_api_reply_resolve_send(struct db *db, int64_t id, const char *outcome,
	const char *by, db_cb *cb, void *arg);

#endif
