/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * q_work.h - the queries of the workers' supervisor. Each starts and returns a ticket
 * (db_forget); the callback reads its row with the function beside it.
 */
#ifndef WL_DB_Q_WORK_H
#define WL_DB_Q_WORK_H

#include "base/base.h"

#include "db/db.h"

struct q_work_claimed {
	int64_t id, fence;
	const char *kind, *op; /* borrowed from the result */
	int attempt;
	int64_t series_id; /* 0: none */
};

/* Up to n ready jobs of these kinds, leased to owner. */
uint64_t q_work_claim_send(struct db *db, const char *const *kinds, size_t n_kinds,
	const char *owner, int64_t lease_ms, int n, int64_t deadline_ms, db_cb *cb,
	void *arg);
struct q_work_claimed q_work_claim_row(const struct db_result *r, int n);

/* Input of the job's child; *ret_input NULL: nothing to run. Owner: caller. */
uint64_t q_work_load_send(struct db *db, int64_t id, int64_t fence, int64_t deadline_ms,
	db_cb *cb, void *arg);
int q_work_load_row(
	const struct db_result *r, json_t **ret_input, struct err *e) MUST_CHECK;

/* The next four answer false when the lease was no longer ours: nothing changed. */
uint64_t q_work_store_send(struct db *db, int64_t id, int64_t fence, const json_t *result,
	int64_t deadline_ms, db_cb *cb, void *arg);
uint64_t q_work_fail_send(struct db *db, int64_t id, int64_t fence, const char *outcome,
	const char *why, int64_t deadline_ms, db_cb *cb, void *arg);
uint64_t q_work_release_send(struct db *db, int64_t id, int64_t fence, const char *why,
	int64_t deadline_ms, db_cb *cb, void *arg);
uint64_t q_work_renew_send(struct db *db, int64_t id, int64_t fence, int64_t lease_ms,
	const json_t *progress, int64_t deadline_ms, db_cb *cb, void *arg);
bool q_work_held(const struct db_result *r);

/* What only time brings about; and how a supervisor runs its children. */
uint64_t q_work_tick_send(struct db *db, int64_t deadline_ms, db_cb *cb, void *arg);
uint64_t q_work_hello_send(struct db *db, const char *owner, const char *sandbox,
	int jobs, int64_t deadline_ms, db_cb *cb, void *arg);

#endif
