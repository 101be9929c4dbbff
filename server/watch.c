/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/watch.h"

#include "base/log.h"
#include "db/q_api_list.h"
#include "server/server.h"

#include <event2/event.h>
#include <inttypes.h>
#include <sys/queue.h>

/* What is remembered of a list between two questions. */
struct known {
	LIST_ENTRY(known) next;
	struct watch *w;
	int64_t id;
	char *name;
	char *etag, *last_modified, *fingerprint;
	bool asking, polled;
};

struct watch {
	struct server *srv;
	struct watch_inbox *inbox;
	struct event *tick;
	LIST_HEAD(, known) lists;
	bool taking;
};

static void replace(char **slot, const char *text)
{
	free(*slot);
	*slot = text ? base_strdup(text) : NULL;
}

static struct known *known_get(struct watch *w, int64_t id, const char *name)
{
	struct known *k;

	LIST_FOREACH(k, &w->lists, next)
	{
		if (k->id == id)
			return k;
	}
	k = base_zalloc(sizeof(*k));
	k->w = w;
	k->id = id;
	k->name = base_strdup(name);
	LIST_INSERT_HEAD(&w->lists, k, next);
	return k;
}

static void on_said(
	const struct db_result *r UNUSED, const struct err *e, void *arg UNUSED)
{
	if (e && e->code != ERR_CANCELLED)
		log_warn("watch_store", "why=%s", log_q(e->msg));
}

static void on_answer(const struct watch_answer *a, const struct err *e, void *arg)
{
	struct known *k = arg;
	struct server *srv = k->w->srv;
	bool changed;

	k->asking = false;
	if (e) {
		log_info("watch", "list=%s error=%s why=%s", k->name,
			err_code_name(e->code), log_q(e->msg));
		q_api_watch_said_send(srv->db, k->id, false, e->msg, a ? a->retry_ms : 0,
			WATCH_AHEAD_MS, on_said, NULL);
		return;
	}
	/* a poll that has not succeeded yet is asked for again, changed or not */
	changed = !k->polled ||
		  (!a->not_modified && (!k->fingerprint || strcmp(k->fingerprint,
								   a->fingerprint) != 0));
	if (!a->not_modified) {
		replace(&k->fingerprint, a->fingerprint);
		replace(&k->etag, a->etag);
		replace(&k->last_modified, a->last_modified);
	}
	log_debug("watch", "list=%s changed=%d not_modified=%d", k->name, changed,
		a->not_modified);
	q_api_watch_said_send(
		srv->db, k->id, changed, NULL, 0, WATCH_AHEAD_MS, on_said, NULL);
}

static void on_taken(const struct db_result *r, const struct err *e, void *arg)
{
	struct watch *w = arg;

	w->taking = false;
	for (int i = 0; !e && w->inbox && i < r->n_rows; i++) {
		struct db_row row = db_result_row(r, i);
		struct known *k =
			known_get(w, db_row_i64(row, "id"), db_row_text(row, "name"));

		if (k->asking)
			continue;
		k->asking = true;
		k->polled = db_row_bool(row, "polled");
		watch_inbox_ask(w->inbox, db_row_text(row, "url"), k->etag,
			k->last_modified, on_answer, k);
	}
}

static void on_tick(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct watch *w = arg;

	if (w->taking || !w->srv->db_up)
		return;
	w->taking = true;
	q_api_watch_take_send(w->srv->db, WATCH_AHEAD_MS, on_taken, w);
}

struct watch *watch_new(struct server *srv)
{
	static const struct timeval second = {1, 0};
	struct watch *w = base_zalloc(sizeof(*w));
	const char *contact = srv->conf.contact;

	w->srv = srv;
	LIST_INIT(&w->lists);
	w->inbox = watch_inbox_new(srv->base,
		arena_printf(srv->a, "wakelist/%s (+%s)", WL_VERSION, contact));
	w->tick = event_new(srv->base, -1, EV_PERSIST, on_tick, w);
	event_add(w->tick, &second);
	return w;
}

void watch_stop(struct watch *w)
{
	event_del(w->tick);
	watch_inbox_free(w->inbox);
	w->inbox = NULL;
}

void watch_free(struct watch *w)
{
	struct known *k;

	if (!w)
		return;
	while ((k = LIST_FIRST(&w->lists))) {
		LIST_REMOVE(k, next);
		free(k->name);
		free(k->etag);
		free(k->last_modified);
		free(k->fingerprint);
		free(k);
	}
	event_free(w->tick);
	free(w);
}
