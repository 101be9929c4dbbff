/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/q_work.h"

#include "sql_queries.h"

uint64_t q_work_claim_send(struct db *db, const char *const *kinds, size_t n_kinds,
	const char *owner, int64_t lease_ms, int n, int64_t deadline_ms, db_cb *cb,
	void *arg)
{
	return db_send(db, &sql_work_claim,
		DB_ARGS(db_text_array(kinds, n_kinds), db_text(owner), db_i64(lease_ms),
			db_i64(n)),
		deadline_ms, cb, arg);
}

struct q_work_claimed q_work_claim_row(const struct db_result *r, int n)
{
	struct db_row row = db_result_row(r, n);

	return (struct q_work_claimed){
		.id = db_row_i64(row, "id"),
		.fence = db_row_i64(row, "fence"),
		.kind = db_row_text(row, "kind"),
		.op = db_row_text(row, "op"),
		.attempt = (int)db_row_i64(row, "attempt"),
		.series_id = db_row_i64_or(row, "series_id", 0),
	};
}

uint64_t q_work_load_send(struct db *db, int64_t id, int64_t fence, int64_t deadline_ms,
	db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_load, DB_ARGS(db_i64(id), db_i64(fence)),
		deadline_ms, cb, arg);
}

int q_work_load_row(const struct db_result *r, json_t **ret_input, struct err *e)
{
	return db_row_json(db_result_row(r, 0), "input", ret_input, e);
}

uint64_t q_work_store_send(struct db *db, int64_t id, int64_t fence, const json_t *result,
	int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_store,
		DB_ARGS(db_i64(id), db_i64(fence), db_json(result)), deadline_ms, cb,
		arg);
}

uint64_t q_work_fail_send(struct db *db, int64_t id, int64_t fence, const char *outcome,
	const char *why, int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_fail,
		DB_ARGS(db_i64(id), db_i64(fence), db_text(outcome), db_text(why)),
		deadline_ms, cb, arg);
}

uint64_t q_work_release_send(struct db *db, int64_t id, int64_t fence, const char *why,
	int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_release,
		DB_ARGS(db_i64(id), db_i64(fence), db_text(why)), deadline_ms, cb, arg);
}

uint64_t q_work_renew_send(struct db *db, int64_t id, int64_t fence, int64_t lease_ms,
	const json_t *progress, int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_renew,
		DB_ARGS(db_i64(id), db_i64(fence), db_i64(lease_ms), db_json(progress)),
		deadline_ms, cb, arg);
}

bool q_work_held(const struct db_result *r)
{
	struct db_row row = db_result_row(r, 0);

	return db_row_bool(row, r->cols[0]);
}

uint64_t q_work_tick_send(struct db *db, int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_tick, DB_NO_ARGS, deadline_ms, cb, arg);
}

uint64_t q_work_hello_send(struct db *db, const char *owner, const char *sandbox,
	int jobs, int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db_send(db, &sql_work_hello,
		DB_ARGS(db_text(owner), db_text(sandbox), db_i64(jobs)), deadline_ms, cb,
		arg);
}
