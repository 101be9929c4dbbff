/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * db_link.h - inside lib/db only: one connection that keeps itself up on an event loop.
 * Connects without blocking, comes back after a loss with back-off and jitter.
 */
#ifndef WL_DB_DB_LINK_H
#define WL_DB_DB_LINK_H

#include "base/rng.h"
#include "db/db_pq.h"
#include <event2/event_struct.h>

enum db_link_state { DB_LINK_DOWN, DB_LINK_CONNECTING, DB_LINK_UP };

/* Called from the loop only. Each may call db_link_drop. */
struct db_link_ops {
	void (*on_up)(void *arg);
	void (*on_input)(void *arg); /* bytes were read: look at PQisBusy */
	void (*on_down)(const char *why, void *arg); /* it was up, or could not come up */
};

/* Embedded in its owner; fields are read only outside db_link.c. */
struct db_link {
	enum db_link_state state;
	PGconn *pg; /* NULL while down */
	struct event_base *base;
	const char *dsn; /* owner's */
	const struct db_link_ops *ops;
	void *arg;
	struct event io, timer;
	bool io_set;
	int fails; /* attempts since it was up */
	int64_t up_since_ns;
	struct rng rng;
};

void db_link_init(struct db_link *l, struct event_base *base, const char *dsn,
	const struct db_link_ops *ops, void *arg, uint64_t seed);
void db_link_release(struct db_link *l); /* no callback */
/* Closes and connects again, at once when it had been up for a while. on_down is called.
 */
void db_link_drop(struct db_link *l, const char *why);
void db_link_hurry(struct db_link *l); /* a waiting one connects now */
void db_link_flush(struct db_link *l); /* after each PQsend...: writes, arms the events */

#endif
