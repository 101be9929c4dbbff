/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_series.h"
#include "server/server.h"

#define POINTS_MAX 500

void api_history(struct http_ctx *ctx)
{
	static const char *const keys[] = {
		"bench", "load", "metric", "topology", "machine"};
	const char *v[ARRAY_LEN(keys)];

	if (!http_query_only(ctx, keys, ARRAY_LEN(keys)))
		return;
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		v[i] = api_text_or_null(http_query(ctx, keys[i]));
	q_api_history_points_send(
		ctx->srv->db, v[0], v[1], v[2], v[3], v[4], POINTS_MAX, api_on_body, ctx);
}
