/* SPDX-License-Identifier: GPL-2.0-or-later */
/* api.h - handlers of the route table, one file an entity, and what they share. */
#ifndef WL_SERVER_API_H
#define WL_SERVER_API_H

#include "base/base.h"

#include "db/db.h"
#include "server/http.h"

/* Callbacks of queries that answer a "body"; arg is the context. No row is 404. */
db_cb api_on_body;     /* 200 */
db_cb api_on_created;  /* 201 */
db_cb api_on_accepted; /* 202 */

/* NULL for "" too: forms send what was left empty. */
const char *api_text_or_null(const char *text);
/* What lists, trees, machines and tokens may be called; the words take WHAT and the name.
 */
#define API_NOT_A_NAME                                                                   \
	"%s \"%.80s\" is no name: a to z, 0 to 9, and . _ - inside, at most 63"
bool api_is_name(const char *name);
/* Each answers 400 itself and returns false. */
bool api_check_name(struct http_ctx *ctx, const char *what, const char *name);
bool api_check_len(struct http_ctx *ctx, const char *what, const char *text, size_t max);
/* Message-id of what a person gave; *ret_url: the inbox in it, or NULL. */
bool api_message_id(struct http_ctx *ctx, const char *text, const char **ret_id,
	const char **ret_url);
/* An array of texts from JSON, in the arena. */
bool api_texts(struct http_ctx *ctx, const char *what, const json_t *array, size_t max,
	const char *const **ret, size_t *ret_n);

/* Reads at most len bytes from offset in the disk thread. e NULL: buf is the callback's
 * until it returns; total is the size of the file. ERR_NOT_FOUND: no such file. */
typedef void api_read_cb(
	const char *buf, size_t len, int64_t total, const struct err *e, void *arg);
void api_read_file(struct server *srv, const char *path, int64_t offset, size_t len,
	api_read_cb *cb, void *arg);

/* blobs.c: answers with the blob, whole or by Range. content_type NULL: looks. */
void api_send_blob(struct http_ctx *ctx, const char *sha256, const char *content_type);

/* api_status.c */
void api_healthz(struct http_ctx *ctx);
void api_status(struct http_ctx *ctx);
/* api_lists.c, api_trees.c, api_submissions.c */
void api_lists_all(struct http_ctx *ctx);
void api_lists_create(struct http_ctx *ctx);
void api_lists_get(struct http_ctx *ctx);
void api_lists_delete(struct http_ctx *ctx);
void api_lists_poll(struct http_ctx *ctx);
void api_trees_all(struct http_ctx *ctx);
void api_trees_create(struct http_ctx *ctx);
void api_trees_get(struct http_ctx *ctx);
void api_trees_delete(struct http_ctx *ctx);
void api_trees_fetch(struct http_ctx *ctx);
void api_submissions_create(struct http_ctx *ctx);
void api_submissions_mbox(struct http_ctx *ctx);
void api_submissions_get(struct http_ctx *ctx);
/* api_series.c */
void api_series_all(struct http_ctx *ctx);
void api_series_get(struct http_ctx *ctx);
void api_series_by_message(struct http_ctx *ctx);
void api_series_retry(struct http_ctx *ctx);
void api_series_report(struct http_ctx *ctx);
/* api_runs.c, api_builds.c, api_history.c */
void api_runs_get(struct http_ctx *ctx);
void api_builds_get(struct http_ctx *ctx);
void api_history(struct http_ctx *ctx);
/* api_jobs.c */
void api_jobs_get(struct http_ctx *ctx);
void api_jobs_log(struct http_ctx *ctx);
void api_jobs_retry(struct http_ctx *ctx);
void api_jobs_cancel(struct http_ctx *ctx);
/* api_machines.c, api_tokens.c */
void api_machines_all(struct http_ctx *ctx);
void api_machines_get(struct http_ctx *ctx);
void api_machines_retire(struct http_ctx *ctx);
void api_tokens_all(struct http_ctx *ctx);
void api_tokens_create(struct http_ctx *ctx);
void api_tokens_revoke(struct http_ctx *ctx);
/* api_replies.c */
void api_replies_all(struct http_ctx *ctx);
void api_replies_get(struct http_ctx *ctx);
void api_replies_approve(struct http_ctx *ctx);
void api_replies_reject(struct http_ctx *ctx);
void api_replies_resolve(struct http_ctx *ctx);
/* api_events.c */
void api_events(struct http_ctx *ctx);
/* api_runner.c, joblogs.c */
void api_runner_register(struct http_ctx *ctx);
void api_runner_lease(struct http_ctx *ctx);
void api_runner_renew(struct http_ctx *ctx);
void api_runner_release(struct http_ctx *ctx);
void api_runner_finish(struct http_ctx *ctx);
void api_runner_log(struct http_ctx *ctx);
/* blobs.c */
void api_blobs_get(struct http_ctx *ctx);
void api_blobs_put(struct http_ctx *ctx);
/* static.c */
void static_page(struct http_ctx *ctx);
void static_file(struct http_ctx *ctx);

#endif
