/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_series.h"
#include "server/server.h"

void api_builds_get(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_build_get_send(ctx->srv->db, id, api_on_body, ctx);
}
