/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "base/blob.h"
#include "db/q_api_series.h"
#include "server/server.h"

#define MAIL_MAX (1 << 20) /* spec: we compose no bigger one */

void api_replies_all(struct http_ctx *ctx)
{
	static const char *const keys[] = {"state"};

	if (http_query_only(ctx, keys, 1))
		q_api_reply_all_send(ctx->srv->db,
			api_text_or_null(http_query(ctx, "state")), api_on_body, ctx);
}

static void on_text(
	const char *buf, size_t len, int64_t total UNUSED, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	json_t *body = ctx->priv;

	if (e) {
		json_decref(body);
		http_refuse(
			ctx, 500, ERR_INTERNAL, "the reply's text is gone: %s", e->msg);
		return;
	}
	json_object_set_new(json_object_get(body, "reply"), "text", jx_text(buf, len));
	http_reply_pack(ctx, 200, body);
}

static void on_reply(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	char path[BLOB_PATH_MAX];
	json_t *body = NULL;
	struct err why = {0};

	if (e || r->n_rows == 0) {
		api_on_body(r, e, arg);
		return;
	}
	if (db_row_json(db_result_row(r, 0), "body", &body, &why) != 0 ||
		blob_path(ctx->srv->blob_root, db_row_text(db_result_row(r, 0), "sha256"),
			path, &why) != 0) {
		json_decref(body);
		http_reply_err(ctx, &why);
		return;
	}
	ctx->priv = body;
	api_read_file(ctx->srv, path, 0, MAIL_MAX, on_text, ctx);
}

void api_replies_get(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_reply_get_send(ctx->srv->db, id, on_reply, ctx);
}

void api_replies_approve(struct http_ctx *ctx)
{
	const char *sha256;
	int64_t id;

	if (!http_param_id(ctx, "id", &id) ||
		!HTTP_UNPACK(ctx, "s:s !}", "sha256", &sha256))
		return;
	if (!sha256_is_hex(sha256)) {
		http_refuse(ctx, 400, ERR_INVALID, "sha256 is not 64 hex digits");
		return;
	}
	q_api_reply_approve_send(
		ctx->srv->db, id, sha256, ctx->who.name, api_on_accepted, ctx);
}

void api_replies_reject(struct http_ctx *ctx)
{
	const char *why = "";
	int64_t id;

	if (!http_param_id(ctx, "id", &id) || !HTTP_UNPACK(ctx, "s?s !}", "why", &why) ||
		!api_check_len(ctx, "why", why, 1000))
		return;
	q_api_reply_reject_send(ctx->srv->db, id, why, ctx->who.name, api_on_body, ctx);
}

void api_replies_resolve(struct http_ctx *ctx)
{
	const char *outcome;
	int64_t id;

	if (!http_param_id(ctx, "id", &id) ||
		!HTTP_UNPACK(ctx, "s:s !}", "outcome", &outcome))
		return;
	if (strcmp(outcome, "sent") != 0 && strcmp(outcome, "again") != 0) {
		http_refuse(ctx, 400, ERR_INVALID, "outcome is sent or again");
		return;
	}
	q_api_reply_resolve_send(
		ctx->srv->db, id, outcome, ctx->who.name, api_on_accepted, ctx);
}
