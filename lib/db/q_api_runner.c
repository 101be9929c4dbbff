/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "db/q_api_runner.h"

#include "sql_queries.h"

void q_api_machine_all_send(struct db *db, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_machine_all, DB_NO_ARGS, Q_API_DEADLINE_MS, cb, arg);
}

void q_api_machine_get_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_machine_get, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_machine_retire_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_machine_retire, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS,
		cb, arg);
}

void q_api_runner_register_send(struct db *db, int64_t token_id, const char *name,
	const char *arch, const char *const *caps, size_t n_caps, const json_t *topology,
	const json_t *tools, const char *session, bool test_only, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_register,
		DB_ARGS(db_i64(token_id), db_text(name), db_text(arch),
			caps ? db_text_array(caps, n_caps) : db_null(), db_json(topology),
			db_json(tools), db_text(session), db_bool(test_only)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_runner_lease_send(struct db *db, int64_t token_id, int64_t machine_id,
	const char *session, const char *const *kinds, size_t n_kinds, int n, db_cb *cb,
	void *arg)
{
	db_send(db, &sql_api_runner_lease,
		DB_ARGS(db_i64(token_id), db_i64(machine_id), db_text(session),
			kinds ? db_text_array(kinds, n_kinds) : db_null(), db_i64(n)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_runner_holds_send(
	struct db *db, int64_t token_id, int64_t id, int64_t fence, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_holds,
		DB_ARGS(db_i64(token_id), db_i64(id), db_i64(fence)), Q_API_DEADLINE_MS,
		cb, arg);
}

void q_api_runner_renew_send(struct db *db, int64_t token_id, int64_t id, int64_t fence,
	const json_t *progress, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_renew,
		DB_ARGS(db_i64(token_id), db_i64(id), db_i64(fence), db_json(progress)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_runner_finish_send(struct db *db, int64_t token_id, int64_t id, int64_t fence,
	const char *outcome, const char *why, const json_t *result, const char *log,
	const char *const *blobs, size_t n_blobs, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_finish,
		DB_ARGS(db_i64(token_id), db_i64(id), db_i64(fence), db_text(outcome),
			db_text(why), db_json(result), db_text(log),
			blobs ? db_text_array(blobs, n_blobs) : db_null()),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_runner_job_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_job, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb, arg);
}

void q_api_runner_give_back_send(
	struct db *db, int64_t token_id, int64_t id, int64_t fence, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_give_back,
		DB_ARGS(db_i64(token_id), db_i64(id), db_i64(fence)), Q_API_DEADLINE_MS,
		cb, arg);
}

void q_api_runner_release_send(
	struct db *db, int64_t id, int64_t fence, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_runner_release, DB_ARGS(db_i64(id), db_i64(fence)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_blob_put_send(
	struct db *db, const char *sha256, int64_t bytes, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_blob_put, DB_ARGS(db_text(sha256), db_i64(bytes)),
		Q_API_DEADLINE_MS, cb, arg);
}
