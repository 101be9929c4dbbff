/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * q_api_event.h - queries of the server: events, status and the janitor.
 * Each starts and calls back from the loop, once (db.h). Most answer one column "body",
 * the JSON that goes out as it is: q_api_body().
 */
#ifndef WL_DB_Q_API_EVENT_H
#define WL_DB_Q_API_EVENT_H

#include "base/base.h"

#include "db/q_api.h"

void q_api_event_by_ids_send(
	struct db *db, const int64_t *ids, size_t n_ids, db_cb *cb, void *arg);
void q_api_event_after_send(
	struct db *db, int64_t after, int64_t series_id, int n, db_cb *cb, void *arg);
void q_api_event_bounds_send(struct db *db, db_cb *cb, void *arg);
void q_api_status_get_send(struct db *db, const json_t *server, db_cb *cb, void *arg);
void q_api_tick_run_send(
	struct db *db, int64_t keep_events, bool sweep, db_cb *cb, void *arg);

#endif
