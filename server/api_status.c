/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "base/clock.h"
#include "base/evloop.h"
#include "db/q_api_event.h"
#include "server/io.h"
#include "server/lease.h"
#include "server/server.h"
#include "server/sse.h"

void api_healthz(struct http_ctx *ctx)
{
	struct db_stats db = db_stats(ctx->srv->db);
	struct evloop_lag lag = evloop_lag(ctx->srv->loop);
	bool up = db.n_up > 0;

	http_reply_pack(ctx, up ? 200 : 503,
		jx_pack("{s:i, s:b, s:s, s:f, s:f, s:s}", "v", 1, "ok", up, "db",
			up ? "ok" : "away", "lag_ms", (double)lag.last_ns / 1e6,
			"lag_max_ms", (double)lag.max_ns / 1e6, "version", WL_VERSION));
}

void api_status(struct http_ctx *ctx)
{
	const struct server *srv = ctx->srv;
	struct evloop_lag lag = evloop_lag(srv->loop);
	struct db_stats db = db_stats(srv->db);
	json_t *server = jx_pack("{s:s, s:I, s:{s:f, s:f, s:I, s:I}, s:{s:i, s:i, s:i}, "
				 "s:i, s:i, s:i, s:I}",
		"version", WL_VERSION, "uptime_s",
		(json_int_t)((clock_mono_ns() - srv->start_ns) / NS_PER_S), "lag",
		"last_ms", (double)lag.last_ns / 1e6, "max_ms", (double)lag.max_ns / 1e6,
		"late", (json_int_t)lag.n_late, "ticks", (json_int_t)lag.n_ticks, "db",
		"connections", db.n_up, "running", db.n_running, "queued", db.n_queued,
		"connections", http_n_conns(srv->http), "streams",
		sse_n_clients(srv->sse), "waiting_machines", lease_n_waiting(srv->lease),
		"disk_queue", (json_int_t)io_n_queued(srv->io));

	q_api_status_get_send(srv->db, server, api_on_body, ctx);
	json_decref(server);
}
