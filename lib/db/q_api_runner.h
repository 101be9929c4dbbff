/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * q_api_runner.h - queries of the server: machines, their leases and results, blobs.
 * Each starts and calls back from the loop, once (db.h). Most answer one column "body",
 * the JSON that goes out as it is: q_api_body().
 */
#ifndef WL_DB_Q_API_RUNNER_H
#define WL_DB_Q_API_RUNNER_H

#include "base/base.h"

#include "db/q_api.h"

void q_api_machine_all_send(struct db *db, db_cb *cb, void *arg);
void q_api_machine_get_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_machine_retire_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_runner_register_send(struct db *db, int64_t token_id, const char *name,
	const char *arch, const char *const *caps, size_t n_caps, const json_t *topology,
	const json_t *tools, const char *session, bool test_only, db_cb *cb, void *arg);
void q_api_runner_lease_send(struct db *db, int64_t token_id, int64_t machine_id,
	const char *session, const char *const *kinds, size_t n_kinds, int n, db_cb *cb,
	void *arg);
void q_api_runner_holds_send(
	struct db *db, int64_t token_id, int64_t id, int64_t fence, db_cb *cb, void *arg);
void q_api_runner_renew_send(struct db *db, int64_t token_id, int64_t id, int64_t fence,
	const json_t *progress, db_cb *cb, void *arg);
void q_api_runner_finish_send(struct db *db, int64_t token_id, int64_t id, int64_t fence,
	const char *outcome, const char *why, const json_t *result, const char *log,
	const char *const *blobs, size_t n_blobs, db_cb *cb, void *arg);
void q_api_runner_job_send(struct db *db, int64_t id, db_cb *cb, void *arg);
/* As renew; the lease ends and the attempt does not count. */
void q_api_runner_give_back_send(
	struct db *db, int64_t token_id, int64_t id, int64_t fence, db_cb *cb, void *arg);
void q_api_runner_release_send(
	struct db *db, int64_t id, int64_t fence, db_cb *cb, void *arg);
void q_api_blob_put_send(
	struct db *db, const char *sha256, int64_t bytes, db_cb *cb, void *arg);

#endif
