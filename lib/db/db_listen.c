/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/db_link.h"

#include "base/clock.h"
#include "base/sbuf.h"
#include <unistd.h>

struct db_listen {
	struct db_link link;
	char *dsn;
	char *command; /* LISTEN a; LISTEN b */
	bool ready;    /* the command was answered */
	bool failed;   /* it was refused */
	const struct db_listen_ops *ops;
	void *arg;
};

static void on_up(void *arg)
{
	struct db_listen *l = arg;

	l->ready = l->failed = false;
	if (!PQsendQuery(l->link.pg, l->command))
		db_link_drop(&l->link, PQerrorMessage(l->link.pg));
	else
		db_link_flush(&l->link);
}

/* The answers to LISTEN, then nothing but notifications. */
static void read_answers(struct db_listen *l)
{
	while (!l->ready && !PQisBusy(l->link.pg)) {
		CLEANUP(db_pq_clearp) PGresult *pr = PQgetResult(l->link.pg);

		if (!pr) {
			l->ready = true;
			break;
		}
		if (PQresultStatus(pr) != PGRES_COMMAND_OK)
			l->failed = true;
	}
}

static void on_input(void *arg)
{
	struct db_listen *l = arg;
	bool was_ready = l->ready;
	PGnotify *n;

	read_answers(l);
	if (l->failed) {
		db_link_drop(&l->link, PQerrorMessage(l->link.pg));
		return;
	}
	if (l->ready && !was_ready)
		l->ops->on_up(l->arg);
	while ((n = PQnotifies(l->link.pg))) {
		l->ops->on_notify(n->relname, n->extra, l->arg);
		PQfreemem(n);
	}
}

static void on_down(const char *why, void *arg)
{
	struct db_listen *l = arg;

	l->ready = false;
	if (l->ops->on_down)
		l->ops->on_down(why, l->arg);
}

static const struct db_link_ops link_ops = {
	.on_up = on_up, .on_input = on_input, .on_down = on_down};

struct db_listen *db_listen_new(struct event_base *base, const char *dsn,
	const char *const *channels, size_t n_channels, const struct db_listen_ops *ops,
	void *arg)
{
	struct db_listen *l = base_zalloc(sizeof(*l));
	struct sbuf s = SBUF_INIT;

	for (size_t i = 0; i < n_channels; i++) {
		if (!channels[i][0] ||
			strspn(channels[i], "abcdefghijklmnopqrstuvwxyz_0123456789") !=
				strlen(channels[i]))
			BUG("db_listen: channel \"%s\"", channels[i]);
		sbuf_addf(&s, "LISTEN %s;", channels[i]);
	}
	l->command = sbuf_detach(&s, NULL);
	l->dsn = base_strdup(dsn);
	l->ops = ops;
	l->arg = arg;
	db_link_init(&l->link, base, l->dsn, &link_ops, l,
		(uint64_t)clock_real_ns() ^ (uint64_t)getpid() << 32);
	return l;
}

void db_listen_free(struct db_listen *l)
{
	if (!l)
		return;
	db_link_release(&l->link);
	free(l->command);
	free(l->dsn);
	free(l);
}
