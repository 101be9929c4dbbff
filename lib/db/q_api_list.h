/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * q_api_list.h - queries of the server: lists, trees, submissions and the watching of
 * lists. Each starts and calls back from the loop, once (db.h). Most answer one column
 * "body", the JSON that goes out as it is: q_api_body().
 */
#ifndef WL_DB_Q_API_LIST_H
#define WL_DB_Q_API_LIST_H

#include "base/base.h"

#include "db/q_api.h"

void q_api_list_all_send(struct db *db, db_cb *cb, void *arg);
void q_api_list_get_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_list_create_send(struct db *db, const char *name, const char *url,
	const char *const *match, size_t n_match, const char *tree, const char *reply,
	const char *address, int64_t poll_ms, int64_t deadline_ms, db_cb *cb, void *arg);
void q_api_list_delete_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_list_poll_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_tree_all_send(struct db *db, db_cb *cb, void *arg);
void q_api_tree_get_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_tree_create_send(struct db *db, const char *name, const char *kind,
	const char *source, const char *branch, const char *const *branches,
	size_t n_branches, int64_t fetch_ms, db_cb *cb, void *arg);
void q_api_tree_fetch_send(struct db *db, const char *name, db_cb *cb, void *arg);
void q_api_tree_delete_send(struct db *db, const char *name, db_cb *cb, void *arg);
/* version 0: the newest. */
void q_api_submission_create_send(struct db *db, const char *message_id, const char *list,
	const char *url, const char *tree, const char *base, int64_t token_id,
	int64_t version, db_cb *cb, void *arg);
/* mbox: SHA-256 of a blob that is in the store; its row is made as well. */
void q_api_submission_create_mbox_send(struct db *db, const char *mbox,
	int64_t mbox_bytes, const char *tree, const char *base, int64_t token_id,
	int64_t version, db_cb *cb, void *arg);
void q_api_submission_get_send(struct db *db, int64_t id, db_cb *cb, void *arg);
void q_api_watch_take_send(struct db *db, int64_t ahead_ms, db_cb *cb, void *arg);
void q_api_watch_said_send(struct db *db, int64_t id, bool changed, const char *error,
	int64_t retry_ms, int64_t ahead_ms, db_cb *cb, void *arg);

#endif
