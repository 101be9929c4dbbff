/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/lease.h"

#include "base/clock.h"
#include "base/log.h"
#include "db/q_api_runner.h"
#include "server/http.h"
#include "server/server.h"

#include <event2/event.h>
#include <inttypes.h>
#include <sys/queue.h>

struct waiter {
	LIST_ENTRY(waiter) next;
	struct lease *l;
	struct http_ctx *ctx;
	struct lease_ask ask;
	int64_t until_ns, asked_ns;
	bool asking, again;
};

struct lease {
	struct server *srv;
	LIST_HEAD(, waiter) waiters;
	int n;
	bool stopping;
	struct event *tick;
};

static void end(struct waiter *w)
{
	LIST_REMOVE(w, next);
	w->l->n--;
	w->ctx->on_gone = NULL;
	free(w);
}

static void no_jobs(struct waiter *w)
{
	struct http_ctx *ctx = w->ctx;

	end(w);
	http_reply_pack(ctx, 200, jx_pack("{s:i, s:[]}", "v", 1, "jobs"));
}

static void on_released(
	const struct db_result *r UNUSED, const struct err *e, void *arg UNUSED)
{
	if (e)
		log_warn("lease_release", "why=%s", log_q(e->msg));
}

/* The machine left while the queue was asked: what it was given goes back at once. */
static void give_back(struct lease *l, const char *body, size_t len)
{
	json_auto_t *j = json_loadb(body, len, 0, NULL);
	json_t *job;
	size_t i;

	json_array_foreach(json_object_get(j, "jobs"), i, job)
	{
		const char *text = NULL;
		json_int_t fence = 0;
		int64_t id;
		struct err e = {0};

		if (json_unpack(job, "{s:s, s:I}", "id", &text, "fence", &fence) != 0 ||
			jx_id_parse(text, &id, &e) != 0)
			continue;
		log_info("lease_back", "job=%" PRId64, id);
		q_api_runner_release_send(l->srv->db, id, fence, on_released, NULL);
	}
}

static void ask(struct waiter *w);

static void on_lease(const struct db_result *r, const struct err *e, void *arg)
{
	struct waiter *w = arg;
	struct lease *l = w->l;
	struct http_ctx *ctx = w->ctx;
	const char *body;
	size_t len = 0;
	int64_t n;

	w->asking = false;
	if (e) {
		end(w);
		http_reply_err(ctx, e);
		return;
	}
	body = q_api_body(r, &len);
	n = db_row_i64(db_result_row(r, 0), "n");
	if (n > 0 && ctx->gone)
		give_back(l, body, len);
	if (n > 0 && !ctx->gone) {
		end(w);
		http_reply_json(ctx, 200, body, len);
	} else if (ctx->gone || l->stopping || clock_mono_ns() >= w->until_ns) {
		no_jobs(w);
	} else if (w->again) {
		ask(w);
	}
}

static void ask(struct waiter *w)
{
	w->asking = true;
	w->again = false;
	w->asked_ns = clock_mono_ns();
	q_api_runner_lease_send(w->l->srv->db, w->ctx->who.token_id, w->ask.machine_id,
		w->ask.session, w->ask.kinds, w->ask.n_kinds, w->ask.max, on_lease, w);
}

static void on_gone(struct http_ctx *ctx)
{
	struct waiter *w = ctx->priv;

	if (!w->asking)
		no_jobs(w);
}

void lease_wait(struct lease *l, struct http_ctx *ctx, const struct lease_ask *a)
{
	struct waiter *w = base_zalloc(sizeof(*w));

	w->l = l;
	w->ctx = ctx;
	w->ask = *a;
	w->until_ns = clock_mono_ns() + a->wait_ms * NS_PER_MS;
	ctx->priv = w;
	ctx->on_gone = on_gone;
	LIST_INSERT_HEAD(&l->waiters, w, next);
	l->n++;
	http_watch_peer(ctx);
	ask(w);
}

void lease_wake(struct lease *l)
{
	struct waiter *w;

	LIST_FOREACH(w, &l->waiters, next)
	{
		if (w->asking)
			w->again = true;
		else
			ask(w);
	}
}

static void on_tick(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct lease *l = arg;
	int64_t now = clock_mono_ns();
	struct waiter *w, *next;

	for (w = LIST_FIRST(&l->waiters); w; w = next) {
		next = LIST_NEXT(w, next);
		if (w->asking)
			continue;
		if (now >= w->until_ns)
			no_jobs(w);
		else if (now - w->asked_ns >= LEASE_POLL_MS * NS_PER_MS)
			ask(w);
	}
}

void lease_stop(struct lease *l)
{
	struct waiter *w, *next;

	l->stopping = true;
	for (w = LIST_FIRST(&l->waiters); w; w = next) {
		next = LIST_NEXT(w, next);
		if (!w->asking)
			no_jobs(w);
	}
}

struct lease *lease_new(struct server *srv)
{
	static const struct timeval period = {0, 250000};
	struct lease *l = base_zalloc(sizeof(*l));

	l->srv = srv;
	LIST_INIT(&l->waiters);
	l->tick = event_new(srv->base, -1, EV_PERSIST, on_tick, l);
	event_add(l->tick, &period);
	return l;
}

void lease_free(struct lease *l)
{
	if (!l)
		return;
	event_free(l->tick);
	free(l);
}

int lease_n_waiting(const struct lease *l)
{
	return l->n;
}
