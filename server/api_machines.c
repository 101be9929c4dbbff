/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_runner.h"
#include "server/server.h"

void api_machines_all(struct http_ctx *ctx)
{
	q_api_machine_all_send(ctx->srv->db, api_on_body, ctx);
}

void api_machines_get(struct http_ctx *ctx)
{
	q_api_machine_get_send(ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}

void api_machines_retire(struct http_ctx *ctx)
{
	q_api_machine_retire_send(
		ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}
