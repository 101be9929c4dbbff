/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "server/server.h"
#include "server/sse.h"

void api_events(struct http_ctx *ctx)
{
	static const char *const keys[] = {"series", "after"};
	const char *last = http_req_header(ctx, "Last-Event-ID");
	int64_t series, after;
	struct err e = {0};

	if (!http_query_only(ctx, keys, ARRAY_LEN(keys)) ||
		!http_query_i64(ctx, "series", 0, 1, INT64_MAX, &series) ||
		!http_query_i64(ctx, "after", -1, 0, INT64_MAX / 2, &after))
		return;
	/* what the browser remembers is newer than what the page was written with */
	if (last && *last && jx_id_parse(last, &after, &e) != 0) {
		http_refuse(ctx, 400, ERR_INVALID, "Last-Event-ID is no id of ours");
		return;
	}
	if (ctx->head.method == HTTP_M_HEAD) {
		http_reply_evbuf(ctx, 200, "text/event-stream", NULL, -1);
		return;
	}
	if (sse_n_clients(ctx->srv->sse) >= ctx->srv->conf.max_streams) {
		http_refuse(ctx, 503, ERR_BUSY, "%lld event streams are open, no more",
			(long long)ctx->srv->conf.max_streams);
		return;
	}
	sse_add(ctx->srv->sse, ctx, series, after);
}
