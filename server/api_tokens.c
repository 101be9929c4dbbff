/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_token.h"
#include "server/server.h"

#include <sodium.h>

void api_tokens_all(struct http_ctx *ctx)
{
	q_api_token_all_send(ctx->srv->db, api_on_body, ctx);
}

static void on_created(const struct db_result *r UNUSED, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	const char *name = NULL, *role = NULL;
	char *secret = ctx->priv;

	if (e) {
		http_reply_err(ctx, e);
	} else if (HTTP_UNPACK(ctx, "s:s, s:s !}", "name", &name, "role", &role)) {
		http_reply_pack(ctx, 201,
			jx_pack("{s:i, s:s, s:s, s:s}", "v", 1, "name", name, "role",
				role, "token", secret));
	}
}

void api_tokens_create(struct http_ctx *ctx)
{
	const char *name, *role;
	enum auth_role parsed;
	unsigned char hash[AUTH_HASH_BYTES];
	char *secret;

	if (!HTTP_UNPACK(ctx, "s:s, s:s !}", "name", &name, "role", &role) ||
		!api_check_name(ctx, "name", name))
		return;
	if (auth_role_parse(role, &parsed) != 0) {
		http_refuse(ctx, 400, ERR_INVALID, "role is admin, submitter or runner");
		return;
	}
	secret = arena_zalloc(ctx->a, AUTH_TOKEN_TEXT);
	auth_token_make(secret);
	auth_token_hash(secret, hash);
	ctx->priv = secret;
	q_api_token_create_send(
		ctx->srv->db, name, role, hash, sizeof(hash), on_created, ctx);
}

static void on_revoked(const struct db_result *r, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;

	auth_flush(ctx->srv->auth); /* other servers hear of it by NOTIFY */
	api_on_body(r, e, arg);
}

void api_tokens_revoke(struct http_ctx *ctx)
{
	q_api_token_revoke_send(ctx->srv->db, http_param(ctx, "name"), on_revoked, ctx);
}
