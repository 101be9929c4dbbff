/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_series.h"
#include "model/fsm.h"
#include "server/server.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MAX     500

/* "MICROSECONDS.ID", as "next" of the last answer said it. */
static bool parse_cursor(
	struct http_ctx *ctx, const char *text, int64_t *ret_us, int64_t *ret_id)
{
	const char *dot = text ? strchr(text, '.') : NULL;
	struct err e = {0};

	*ret_us = *ret_id = 0;
	if (!text)
		return true;
	if (dot &&
		jx_id_parse(arena_strndup(ctx->a, text, (size_t)(dot - text)), ret_us,
			&e) == 0 &&
		jx_id_parse(dot + 1, ret_id, &e) == 0)
		return true;
	http_refuse(ctx, 400, ERR_INVALID, "before=%.60s is no \"next\" of ours", text);
	return false;
}

/* A state of lib/model/fsm.c, or none. */
static bool check_state(struct http_ctx *ctx, const char *state)
{
	const struct fsm *f = fsm_find("series");
	const char *names = NULL;

	if (!state || fsm_find_state(f, state))
		return true;
	for (const struct fsm_state *s = f->states; s < f->states + f->n_states; s++)
		names = names ? arena_printf(ctx->a, "%s, %s", names, s->name) : s->name;
	http_refuse(ctx, 400, ERR_INVALID, "state=%.60s is none of %s", state, names);
	return false;
}

void api_series_all(struct http_ctx *ctx)
{
	static const char *const keys[] = {"state", "list", "before", "limit", "q"};
	int64_t limit, us, id;
	const char *q, *state = api_text_or_null(http_query(ctx, "state"));

	if (!http_query_only(ctx, keys, ARRAY_LEN(keys)) ||
		!http_query_i64(ctx, "limit", LIMIT_DEFAULT, 1, LIMIT_MAX, &limit) ||
		!parse_cursor(
			ctx, api_text_or_null(http_query(ctx, "before")), &us, &id) ||
		!check_state(ctx, state))
		return;
	q = api_text_or_null(http_query(ctx, "q"));
	if (!api_check_len(ctx, "q", q, 1000))
		return;
	q_api_series_all_send(ctx->srv->db, state,
		api_text_or_null(http_query(ctx, "list")), us, id, q, (int)limit,
		api_on_body, ctx);
}

void api_series_get(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_series_get_send(ctx->srv->db, id, api_on_body, ctx);
}

void api_series_by_message(struct http_ctx *ctx)
{
	const char *id;

	if (api_message_id(ctx, http_param(ctx, "msgid"), &id, NULL))
		q_api_series_by_message_send(ctx->srv->db, id, api_on_body, ctx);
}

void api_series_retry(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_series_retry_send(ctx->srv->db, id, api_on_accepted, ctx);
}

static void on_report(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;

	if (e)
		http_reply_err(ctx, e);
	else if (r->n_rows == 0)
		http_refuse(ctx, 404, ERR_NOT_FOUND,
			"no reply has been composed for this series");
	else
		api_send_blob(ctx, db_row_text(db_result_row(r, 0), "sha256"),
			"text/plain; charset=utf-8");
}

void api_series_report(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_series_report_send(ctx->srv->db, id, on_report, ctx);
}
