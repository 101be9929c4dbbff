/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "db/q_api_list.h"

#include "sql_queries.h"

void q_api_list_all_send(struct db *db, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_list_all, DB_NO_ARGS, Q_API_DEADLINE_MS, cb, arg);
}

void q_api_list_get_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_list_get, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_list_create_send(struct db *db, const char *name, const char *url,
	const char *const *match, size_t n_match, const char *tree, const char *reply,
	const char *address, int64_t poll_ms, int64_t deadline_ms, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_list_create,
		DB_ARGS(db_text(name), db_text(url),
			match ? db_text_array(match, n_match) : db_null(), db_text(tree),
			db_text(reply), db_text(address), db_id_or_null(poll_ms),
			db_id_or_null(deadline_ms)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_list_delete_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_list_delete, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_list_poll_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_list_poll, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_tree_all_send(struct db *db, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_tree_all, DB_NO_ARGS, Q_API_DEADLINE_MS, cb, arg);
}

void q_api_tree_get_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_tree_get, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_tree_create_send(struct db *db, const char *name, const char *kind,
	const char *source, const char *branch, const char *const *branches,
	size_t n_branches, int64_t fetch_ms, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_tree_create,
		DB_ARGS(db_text(name), db_text(kind), db_text(source), db_text(branch),
			branches ? db_text_array(branches, n_branches) : db_null(),
			db_id_or_null(fetch_ms)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_tree_fetch_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_tree_fetch, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_tree_delete_send(struct db *db, const char *name, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_tree_delete, DB_ARGS(db_text(name)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_submission_create_send(struct db *db, const char *message_id, const char *list,
	const char *url, const char *tree, const char *base, int64_t token_id,
	int64_t version, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_submission_create,
		DB_ARGS(db_text(message_id), db_text(list), db_text(url), db_text(tree),
			db_text(base), db_id_or_null(token_id), db_id_or_null(version)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_submission_create_mbox_send(struct db *db, const char *mbox,
	int64_t mbox_bytes, const char *tree, const char *base, int64_t token_id,
	int64_t version, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_submission_create_mbox,
		DB_ARGS(db_text(mbox), db_i64(mbox_bytes), db_text(tree), db_text(base),
			db_id_or_null(token_id), db_id_or_null(version)),
		Q_API_DEADLINE_MS, cb, arg);
}

void q_api_submission_get_send(struct db *db, int64_t id, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_submission_get, DB_ARGS(db_i64(id)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_watch_take_send(struct db *db, int64_t ahead_ms, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_watch_take, DB_ARGS(db_i64(ahead_ms)), Q_API_DEADLINE_MS, cb,
		arg);
}

void q_api_watch_said_send(struct db *db, int64_t id, bool changed, const char *error,
	int64_t retry_ms, int64_t ahead_ms, db_cb *cb, void *arg)
{
	db_send(db, &sql_api_watch_said,
		DB_ARGS(db_i64(id), db_bool(changed), db_text(error), db_i64(retry_ms),
			db_i64(ahead_ms)),
		Q_API_DEADLINE_MS, cb, arg);
}
