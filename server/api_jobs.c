/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_series.h"
#include "server/joblogs.h"
#include "server/server.h"

void api_jobs_get(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_job_get_send(ctx->srv->db, id, api_on_body, ctx);
}

void api_jobs_retry(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_job_retry_send(ctx->srv->db, id, api_on_accepted, ctx);
}

void api_jobs_cancel(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_job_cancel_send(ctx->srv->db, id, ctx->who.name, api_on_body, ctx);
}

struct log_ask {
	int64_t id, offset;
};

static void on_log_row(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	struct log_ask *ask = ctx->priv;
	struct db_row row;

	if (e) {
		http_reply_err(ctx, e);
	} else if (r->n_rows == 0) {
		http_refuse(ctx, 404, ERR_NOT_FOUND, "there is no job %lld",
			(long long)ask->id);
	} else {
		row = db_result_row(r, 0);
		joblog_send(ctx, ask->id, db_row_i64(row, "fence"),
			db_row_text(row, "log"), ask->offset);
	}
}

void api_jobs_log(struct http_ctx *ctx)
{
	static const char *const keys[] = {"offset"};
	struct log_ask *ask = ARENA_NEW(ctx->a, struct log_ask);

	ctx->priv = ask;
	if (http_param_id(ctx, "id", &ask->id) &&
		http_query_only(ctx, keys, ARRAY_LEN(keys)) &&
		http_query_i64(ctx, "offset", 0, 0, INT64_MAX / 2, &ask->offset))
		q_api_job_log_send(ctx->srv->db, ask->id, on_log_row, ctx);
}
