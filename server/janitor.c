/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/janitor.h"

#include "base/log.h"
#include "db/q_api_event.h"
#include "server/server.h"

#include <event2/event.h>

#define SWEEP_TICKS 60

struct janitor {
	struct server *srv;
	struct event *tick;
	int64_t n_ticks;
	bool busy, failed;
};

static void on_done(const struct db_result *r UNUSED, const struct err *e, void *arg)
{
	struct janitor *j = arg;

	j->busy = false;
	/* the database being away is said once, by whoever notices it first */
	if (e && !j->failed && e->code != ERR_CANCELLED)
		log_warn("janitor", "why=%s", log_q(e->msg));
	j->failed = e;
}

static void on_tick(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct janitor *j = arg;

	if (j->busy || !j->srv->db_up)
		return;
	j->busy = true;
	q_api_tick_run_send(j->srv->db, j->srv->conf.keep_events,
		j->n_ticks++ % SWEEP_TICKS == 0, on_done, j);
}

struct janitor *janitor_new(struct server *srv)
{
	static const struct timeval second = {1, 0};
	struct janitor *j = base_zalloc(sizeof(*j));

	j->srv = srv;
	j->tick = event_new(srv->base, -1, EV_PERSIST, on_tick, j);
	event_add(j->tick, &second);
	return j;
}

void janitor_stop(struct janitor *j)
{
	event_del(j->tick);
}

void janitor_free(struct janitor *j)
{
	if (!j)
		return;
	event_free(j->tick);
	free(j);
}
