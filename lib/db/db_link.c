/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_link.h"

#include "base/clock.h"
#include <event2/event.h>

/* A connection that lived this long is replaced without waiting. */
#define STEADY_NS (1 * NS_PER_S)

static void on_io(evutil_socket_t fd, short what, void *arg);
static void on_timer(evutil_socket_t fd, short what, void *arg);

void db_link_init(struct db_link *l, struct event_base *base, const char *dsn,
	const struct db_link_ops *ops, void *arg, uint64_t seed)
{
	memset(l, 0, sizeof(*l));
	l->base = base;
	l->dsn = dsn;
	l->ops = ops;
	l->arg = arg;
	rng_seed(&l->rng, seed);
	evtimer_assign(&l->timer, base, on_timer, l);
	event_active(&l->timer, EV_TIMEOUT, 0);
}

static void disarm(struct db_link *l)
{
	if (l->io_set)
		event_del(&l->io);
	l->io_set = false;
}

/* Events are not persistent and made anew each time: the socket may be another one after
 * every PQconnectPoll. */
static void arm(struct db_link *l, short what)
{
	disarm(l);
	event_assign(&l->io, l->base, PQsocket(l->pg), what, on_io, l);
	event_add(&l->io, NULL);
	l->io_set = true;
}

static void wait_ms(struct db_link *l, int64_t ms)
{
	struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000};

	evtimer_add(&l->timer, &tv);
}

static void close_link(struct db_link *l)
{
	disarm(l);
	evtimer_del(&l->timer);
	if (l->pg)
		PQfinish(l->pg);
	l->pg = NULL;
	l->state = DB_LINK_DOWN;
}

void db_link_release(struct db_link *l)
{
	close_link(l);
}

/* Doubling from MIN to MAX; half of it is chance, so that many clients of a database
 * that comes back do not come at one time. */
static int64_t backoff_ms(struct db_link *l)
{
	int64_t ms = DB_BACKOFF_MIN_MS;

	for (int i = 1; i < l->fails && ms < DB_BACKOFF_MAX_MS; i++)
		ms *= 2;
	if (ms > DB_BACKOFF_MAX_MS)
		ms = DB_BACKOFF_MAX_MS;
	return ms / 2 + (int64_t)rng_below(&l->rng, (uint64_t)(ms / 2) + 1);
}

void db_link_drop(struct db_link *l, const char *why)
{
	bool steady =
		l->state == DB_LINK_UP && clock_mono_ns() - l->up_since_ns >= STEADY_NS;
	char text[400];

	/* why may be a text of the connection itself. */
	snprintf(text, sizeof(text), "%s", why);
	close_link(l);
	if (!steady)
		l->fails++;
	wait_ms(l, steady ? 0 : backoff_ms(l));
	l->ops->on_down(text, l->arg);
}

static void drop_for_reason(struct db_link *l)
{
	char text[400];

	db_link_drop(l, db_pq_text(l->pg, text, sizeof(text)));
}

static void poll_connect(struct db_link *l)
{
	switch (PQconnectPoll(l->pg)) {
	case PGRES_POLLING_READING:
		arm(l, EV_READ);
		break;
	case PGRES_POLLING_WRITING:
		arm(l, EV_WRITE);
		break;
	case PGRES_POLLING_OK:
		evtimer_del(&l->timer);
		PQsetnonblocking(l->pg, 1);
		l->state = DB_LINK_UP;
		l->fails = 0;
		l->up_since_ns = clock_mono_ns();
		arm(l, EV_READ);
		l->ops->on_up(l->arg);
		break;
	default:
		drop_for_reason(l);
		break;
	}
}

static void start_connect(struct db_link *l)
{
	l->pg = db_pq_start(l->dsn);
	l->state = DB_LINK_CONNECTING;
	if (PQstatus(l->pg) == CONNECTION_BAD) {
		drop_for_reason(l);
		return;
	}
	wait_ms(l, DB_CONNECT_TIMEOUT_S * 1000);
	/* As if PQconnectPoll had said "writing", says its manual. */
	arm(l, EV_WRITE);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct db_link *l = arg;

	(void)fd;
	(void)what;
	if (l->state == DB_LINK_DOWN)
		start_connect(l);
	else if (l->state == DB_LINK_CONNECTING)
		db_link_drop(l, "no answer to the connection in time");
}

void db_link_hurry(struct db_link *l)
{
	if (l->state != DB_LINK_DOWN)
		return;
	l->fails = 0;
	wait_ms(l, 0);
}

void db_link_flush(struct db_link *l)
{
	int left;

	if (l->state != DB_LINK_UP)
		return;
	left = PQflush(l->pg);
	/* A failed write shows itself at the next read, with what the server said. */
	arm(l, left == 1 ? EV_READ | EV_WRITE : EV_READ);
}

static void on_io(evutil_socket_t fd, short what, void *arg)
{
	struct db_link *l = arg;

	(void)fd;
	l->io_set = false;
	if (l->state == DB_LINK_CONNECTING) {
		poll_connect(l);
		return;
	}
	if (what & EV_READ) {
		bool ok = PQconsumeInput(l->pg) == 1;

		/* When it closed, the server may have said why before. */
		l->ops->on_input(l->arg);
		if (l->state == DB_LINK_UP &&
			(!ok || PQstatus(l->pg) == CONNECTION_BAD)) {
			drop_for_reason(l);
			return;
		}
	}
	db_link_flush(l);
}
