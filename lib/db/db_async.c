/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pool: requests wait in one queue, each connection runs one at a time. A request
 * becomes its callback in finish(), and only the loop gets there: db_send merely queues
 * and wakes the loop.
 */
#include "db/db_link.h"

#include "base/clock.h"
#include <event2/event.h>
#include <inttypes.h>
#include <sys/queue.h>
#include <unistd.h>

/* After "read-only" a connection this old is made anew: the name in the dsn may lead to
 * another server by now. */
#define READ_ONLY_AGE_NS (5 * NS_PER_S)

/* A statement that lost a deadlock is sent again so often before its caller hears of it.
 */
#define GIVE_WAY_MAX 3

struct request {
	TAILQ_ENTRY(request) link;
	uint64_t ticket;
	const struct sql_query *q;
	struct arena *a;
	const char **values;
	struct event timer;
	struct pool *pool;
	struct conn *conn; /* NULL: waits in the queue */
	bool again;        /* was put back once */
	int n_deadlocks;   /* times the database chose it to give way */
	db_cb *cb;         /* NULL: forgotten */
	void *arg;
};
TAILQ_HEAD(request_list, request);

enum step { STEP_IDLE, STEP_PREPARE, STEP_EXECUTE };

struct conn {
	struct db_link link;
	struct pool *pool;
	enum step step;
	struct request *req;
	PGresult *result; /* the first one of the running step */
	bool *prepared;   /* by sql_query.index */
};

struct pool {
	struct db db;
	struct event_base *base;
	char *dsn;
	int n_conns;
	struct conn *conns;
	struct request_list queue;
	struct request_list refused;
	struct event kick;
	uint64_t next_ticket;
	bool closing;
	struct db_stats stats;
};

/* ---- requests ---- */

static void request_free(struct request *req)
{
	evtimer_del(&req->timer);
	arena_free(req->a);
	free(req);
}

/* The one place where a request ends. It is in no list and on no connection any more. */
static void finish(struct request *req, const struct db_result *r, const struct err *e)
{
	if (e)
		req->pool->stats.n_failed++;
	evtimer_del(&req->timer);
	if (req->cb)
		req->cb(r, e, req->arg);
	request_free(req);
}

/* FINISH_ERR(req, code, "text %s", ...): the text is made before the request goes. */
#define FINISH_ERR(req, ...)                                                             \
	do {                                                                             \
		struct err err_ = {.code = ERR_OK};                                      \
                                                                                         \
		err_set(&err_, __VA_ARGS__);                                             \
		finish((req), NULL, &err_);                                              \
	} while (0)

static void kick(struct pool *p)
{
	event_active(&p->kick, EV_TIMEOUT, 0);
}

/* ---- one connection ---- */

static void conn_next(struct conn *c);

/* Takes the request off the connection. */
static struct request *conn_release(struct conn *c)
{
	struct request *req = c->req;

	c->req = NULL;
	c->step = STEP_IDLE;
	PQclear(c->result);
	c->result = NULL;
	if (req) {
		req->conn = NULL;
		c->pool->stats.n_running--;
	}
	return req;
}

static bool db_gave_way(const struct err *e)
{
	return !strcmp(e->sqlstate, "40P01") || !strcmp(e->sqlstate, "40001");
}

static void put_back(struct request *req)
{
	req->again = true;
	req->pool->stats.n_queued++;
	TAILQ_INSERT_HEAD(&req->pool->queue, req, link);
	kick(req->pool);
}

static void conn_send(struct conn *c)
{
	struct request *req = c->req;
	int ok;

	if (req->q->index < 0) {
		c->step = STEP_EXECUTE;
		ok = PQsendQueryParams(c->link.pg, req->q->text, req->q->n_params, NULL,
			req->values, NULL, NULL, 0);
	} else if (c->prepared[req->q->index]) {
		c->step = STEP_EXECUTE;
		ok = PQsendQueryPrepared(c->link.pg, req->q->name, req->q->n_params,
			req->values, NULL, NULL, 0);
	} else {
		c->step = STEP_PREPARE;
		ok = PQsendPrepare(c->link.pg, req->q->name, req->q->text, 0, NULL);
	}
	if (ok)
		db_link_flush(&c->link);
	else
		db_link_drop(&c->link, PQerrorMessage(c->link.pg));
}

static bool is_free(const struct conn *c)
{
	return c->link.state == DB_LINK_UP && c->step == STEP_IDLE;
}

/* The oldest waiting request, if there is one and this connection is free. */
static void conn_next(struct conn *c)
{
	struct request *req;

	if (!is_free(c) || !(req = TAILQ_FIRST(&c->pool->queue)))
		return;
	/* Notice a server that has gone before a statement is risked on it. */
	if (!PQconsumeInput(c->link.pg)) {
		db_link_drop(&c->link, PQerrorMessage(c->link.pg));
		return;
	}
	TAILQ_REMOVE(&c->pool->queue, req, link);
	c->pool->stats.n_queued--;
	c->pool->stats.n_running++;
	c->req = req;
	req->conn = c;
	conn_send(c);
}

static void on_kick(evutil_socket_t fd, short what, void *arg)
{
	struct pool *p = arg;
	struct request *req;

	(void)fd;
	(void)what;
	while ((req = TAILQ_FIRST(&p->refused))) {
		TAILQ_REMOVE(&p->refused, req, link);
		FINISH_ERR(req, ERR_UNAVAILABLE,
			"too many requests wait for the database%s", "");
	}
	for (int i = 0; i < p->n_conns && !TAILQ_EMPTY(&p->queue); i++)
		conn_next(&p->conns[i]);
}

/* The whole answer to a PREPARE or an execution is here. False: nothing more to read. */
static bool conn_answer(struct conn *c)
{
	struct request *req = c->req;
	enum step step = c->step;
	bool closed = PQstatus(c->link.pg) == CONNECTION_BAD;
	const char *state = PQresultErrorField(c->result, PG_DIAG_SQLSTATE);
	struct db_result *r = NULL;
	struct err e = {.code = ERR_OK};
	int status;

	if (closed && !state)
		return false; /* libpq's own words; db_link drops it and on_down answers
			       */
	if (state && !strcmp(state, "26000") && !req->again) {
		/* Prepared statements are gone: a pooler gave us another server. */
		conn_release(c);
		put_back(req);
		db_link_drop(&c->link, "its prepared statements are gone");
		return false;
	}
	status = db_pq_result(
		step == STEP_PREPARE ? NULL : req->q, c->result, req->a, &r, &e);
	if (step == STEP_PREPARE && status == 0) {
		c->prepared[req->q->index] = true;
		PQclear(c->result);
		c->result = NULL;
		conn_send(c);
		return true;
	}
	if (step == STEP_PREPARE)
		err_wrap(&e, "%s", req->q->name);
	conn_release(c);
	/* A statement is a transaction: one that gave way has changed nothing. */
	if (!closed && db_gave_way(&e) && req->n_deadlocks++ < GIVE_WAY_MAX) {
		put_back(req);
		return true;
	}
	if (closed || (!strcmp(e.sqlstate, "25006") &&
			      clock_mono_ns() - c->link.up_since_ns > READ_ONLY_AGE_NS))
		db_link_drop(&c->link, e.msg);
	finish(req, status == 0 ? r : NULL, status == 0 ? NULL : &e);
	conn_next(c);
	return true;
}

static void on_input(void *arg)
{
	struct conn *c = arg;

	/* PQisBusy also reads what comes unasked. */
	while (c->link.state == DB_LINK_UP && !PQisBusy(c->link.pg) &&
		c->step != STEP_IDLE) {
		PGresult *pr = PQgetResult(c->link.pg);

		if (pr && !c->result)
			c->result = pr;
		else if (pr)
			PQclear(pr);
		else if (!c->result || !conn_answer(c))
			break;
	}
}

static void on_up(void *arg)
{
	struct conn *c = arg;
	struct pool *p = c->pool;

	memset(c->prepared, 0, (size_t)sql_n_queries * sizeof(bool));
	p->stats.n_up++;
	p->stats.n_connects++;
	p->stats.last_error[0] = '\0';
	for (int i = 0; i < p->n_conns; i++)
		if (p->conns[i].link.fails)
			db_link_hurry(&p->conns[i].link);
	conn_next(c);
}

static void count_up(struct pool *p)
{
	p->stats.n_up = 0;
	for (int i = 0; i < p->n_conns; i++)
		p->stats.n_up += p->conns[i].link.state == DB_LINK_UP;
}

static void on_down(const char *why, void *arg)
{
	struct conn *c = arg;
	struct pool *p = c->pool;
	enum step step = c->step;
	struct request *req = conn_release(c);

	count_up(p);
	snprintf(p->stats.last_error, sizeof(p->stats.last_error), "%s", why);
	if (!req)
		return;
	/* Nothing was executed before the PREPARE was answered. */
	if (step == STEP_PREPARE && !req->again) {
		put_back(req);
		return;
	}
	FINISH_ERR(req, ERR_UNAVAILABLE,
		"the connection to the database was lost while %s ran", req->q->name);
}

static const struct db_link_ops link_ops = {
	.on_up = on_up, .on_input = on_input, .on_down = on_down};

/* ---- the pool ---- */

static void on_deadline(evutil_socket_t fd, short what, void *arg)
{
	struct request *req = arg;
	struct pool *p = req->pool;
	struct conn *c = req->conn;

	(void)fd;
	(void)what;
	if (c) {
		conn_release(c);
		db_link_drop(&c->link, "a statement ran over its deadline");
		FINISH_ERR(req, ERR_TIMEOUT, "%s ran over its deadline", req->q->name);
		return;
	}
	TAILQ_REMOVE(&p->queue, req, link);
	p->stats.n_queued--;
	if (p->stats.n_up == 0)
		FINISH_ERR(req, ERR_UNAVAILABLE, "the database is away: %s",
			p->stats.last_error);
	else
		FINISH_ERR(req, ERR_TIMEOUT,
			"no connection was free for %s before its deadline",
			req->q->name);
}

static uint64_t pool_send(struct db *db, const struct sql_query *q,
	const struct db_param *params, size_t n_params, int64_t deadline_ms, db_cb *cb,
	void *arg)
{
	struct pool *p = (struct pool *)db;
	struct request *req;
	struct timeval tv;

	if (p->closing)
		return 0;
	if (deadline_ms <= 0 || deadline_ms > DB_DEADLINE_MAX_MS)
		deadline_ms = DB_DEADLINE_MAX_MS;
	req = base_zalloc(sizeof(*req));
	req->ticket = ++p->next_ticket;
	req->q = q;
	req->a = arena_new();
	req->values = db_pq_encode(req->a, q, params, n_params);
	req->pool = p;
	req->cb = cb;
	req->arg = arg;
	evtimer_assign(&req->timer, p->base, on_deadline, req);
	p->stats.n_sent++;
	if (p->stats.n_queued >= DB_QUEUE_MAX) {
		TAILQ_INSERT_TAIL(&p->refused, req, link);
	} else {
		tv.tv_sec = deadline_ms / 1000;
		tv.tv_usec = (deadline_ms % 1000) * 1000;
		evtimer_add(&req->timer, &tv);
		p->stats.n_queued++;
		TAILQ_INSERT_TAIL(&p->queue, req, link);
	}
	kick(p);
	return req->ticket;
}

static void pool_forget(struct db *db, uint64_t ticket)
{
	struct pool *p = (struct pool *)db;
	struct request *req;

	for (int i = 0; i < p->n_conns; i++) {
		if (p->conns[i].req && p->conns[i].req->ticket == ticket) {
			p->conns[i].req->cb = NULL;
			return;
		}
	}
	TAILQ_FOREACH(req, &p->queue, link)
	{
		if (req->ticket == ticket) {
			TAILQ_REMOVE(&p->queue, req, link);
			p->stats.n_queued--;
			request_free(req);
			return;
		}
	}
	TAILQ_FOREACH(req, &p->refused, link)
	if (req->ticket == ticket)
		req->cb = NULL;
}

static struct db_stats pool_stats(const struct db *db)
{
	return ((const struct pool *)db)->stats;
}

static void cancel_all(struct request_list *list)
{
	struct request *req;

	while ((req = TAILQ_FIRST(list))) {
		TAILQ_REMOVE(list, req, link);
		FINISH_ERR(req, ERR_CANCELLED, "the program stops");
	}
}

static void pool_free(struct db *db)
{
	struct pool *p = (struct pool *)db;

	p->closing = true;
	event_del(&p->kick);
	for (int i = 0; i < p->n_conns; i++) {
		struct request *req = conn_release(&p->conns[i]);

		db_link_release(&p->conns[i].link);
		free(p->conns[i].prepared);
		if (req)
			TAILQ_INSERT_HEAD(&p->queue, req, link);
	}
	cancel_all(&p->queue);
	cancel_all(&p->refused);
	free(p->conns);
	free(p->dsn);
	free(p);
}

static const struct db_ops pool_ops = {
	.send = pool_send,
	.forget = pool_forget,
	.stats = pool_stats,
	.free = pool_free,
};

struct db *db_new(struct event_base *base, const char *dsn, int n_conns)
{
	struct pool *p = base_zalloc(sizeof(*p));
	uint64_t seed = (uint64_t)clock_real_ns() ^ (uint64_t)getpid() << 32;

	if (n_conns < 1)
		BUG("db_new: %d connections", n_conns);
	p->db.ops = &pool_ops;
	p->base = base;
	p->dsn = base_strdup(dsn);
	p->n_conns = p->stats.n_conns = n_conns;
	TAILQ_INIT(&p->queue);
	TAILQ_INIT(&p->refused);
	evtimer_assign(&p->kick, base, on_kick, p);
	snprintf(p->stats.last_error, sizeof(p->stats.last_error), "not connected yet");
	p->conns = base_zalloc((size_t)n_conns * sizeof(*p->conns));
	for (int i = 0; i < n_conns; i++) {
		struct conn *c = &p->conns[i];

		c->pool = p;
		c->prepared = base_zalloc((size_t)sql_n_queries * sizeof(bool) + 1);
		db_link_init(&c->link, base, p->dsn, &link_ops, c, seed + (uint64_t)i);
	}
	return &p->db;
}

/* ---- through the table, so that a test can put its own in front ---- */

void db_free(struct db *db)
{
	if (db)
		db->ops->free(db);
}

uint64_t db_send(struct db *db, const struct sql_query *q, const struct db_param *params,
	size_t n_params, int64_t deadline_ms, db_cb *cb, void *arg)
{
	return db->ops->send(db, q, params, n_params, deadline_ms, cb, arg);
}

void db_forget(struct db *db, uint64_t ticket)
{
	db->ops->forget(db, ticket);
}

struct db_stats db_stats(const struct db *db)
{
	return db->ops->stats(db);
}
