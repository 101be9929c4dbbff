/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/gate.h"

#include "base/clock.h"
#include "base/log.h"
#include "server/http.h"
#include "server/server.h"
#include "server/spool.h"
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <sys/queue.h>
#include <sys/socket.h>

#define HELD_MAX_BYTES  (64 << 10) /* read ahead while a request is being answered */
#define SPOOL_MAX_BYTES (4 << 20)  /* in memory on their way to the disk */

enum conn_state {
	CONN_HEAD,     /* the next head is not whole */
	CONN_DECIDING, /* a head waits for its verdict */
	CONN_BODY,     /* collecting a body for evhttp */
	CONN_SPOOL,    /* the body goes to a file */
	CONN_DROP,     /* the body of a refused request goes nowhere */
	CONN_BUSY,     /* evhttp or a handler has the request */
	CONN_DEAD,     /* framing is lost or close was said: ignore what comes */
};

struct gate_conn {
	LIST_ENTRY(gate_conn) next;
	struct gate *g;
	struct bufferevent *bev;       /* evhttp's; gone with the connection */
	struct evhttp_connection *con; /* known after the first loop turn */
	struct event *adopt;
	struct evbuffer *in; /* taken from evhttp, not yet given back */
	enum conn_state state;
	bool feeding;          /* the bytes being added to the input are ours */
	bool in_callback;      /* evhttp reads after we return */
	int64_t head_since_ns; /* 0: no byte of the next head is here */
	size_t head_bytes;
	int64_t body_left;
	struct http_ctx *ctx; /* of DECIDING .. BUSY */
};

struct gate {
	struct http *http;
	struct event_base *base;
	struct evconnlistener *listener;
	struct event *sweep;
	LIST_HEAD(, gate_conn) conns;
	int n_conns, max_conns, n_spools;
	struct timeval silence;
	bool full;
};

static void conn_work(struct gate_conn *c);

static void conn_free(struct gate_conn *c)
{
	struct gate *g = c->g;
	struct http_ctx *ctx = c->ctx;

	LIST_REMOVE(c, next);
	g->n_conns--;
	if (g->full && g->n_conns < g->max_conns) {
		g->full = false;
		evconnlistener_enable(g->listener);
	}
	if (c->state == CONN_SPOOL)
		g->n_spools--;
	if (c->adopt)
		event_free(c->adopt);
	evbuffer_free(c->in);
	c->ctx = NULL;
	if (ctx && ctx->req)
		http_ctx_gone(ctx);
	else if (ctx)
		http_ctx_drop(ctx);
	free(c);
}

static void on_close(struct evhttp_connection *con UNUSED, void *arg)
{
	conn_free(arg);
}

/* evhttp has set itself as the argument of the bufferevent's callbacks by now; there is
 * no other way to its connection before the first request. */
static void on_adopt(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct gate_conn *c = arg;
	void *con = NULL;

	event_free(c->adopt);
	c->adopt = NULL;
	bufferevent_getcb(c->bev, NULL, NULL, NULL, &con);
	if (!con || evhttp_connection_get_bufferevent(con) != c->bev)
		BUG("this libevent keeps its connections elsewhere");
	c->con = con;
	evhttp_connection_set_closecb(con, on_close, c);
}

/* Gives evhttp what it may read now. */
static void feed(struct gate_conn *c, const void *p, size_t len, struct evbuffer *body,
	size_t body_len)
{
	struct evbuffer *input = bufferevent_get_input(c->bev);

	c->feeding = true;
	/* outside of its own reading, a bufferevent keeps its input frozen */
	evbuffer_unfreeze(input, 0);
	if (evbuffer_add(input, p, len) != 0 ||
		(body_len && evbuffer_remove_buffer(body, input, body_len) < 0))
		BUG("evhttp's input takes no bytes");
	evbuffer_freeze(input, 0);
	c->feeding = false;
	c->state = CONN_BUSY;
	if (!c->in_callback)
		bufferevent_trigger(c->bev, EV_READ,
			BEV_TRIG_IGNORE_WATERMARKS | BEV_TRIG_DEFER_CALLBACKS);
}

/* A refused head may be anything: evhttp gets a clean one in its place. */
static void feed_refusal(struct gate_conn *c, bool close)
{
	static const char get[] = "GET / HTTP/1.1\r\nHost: refused\r\n\r\n";
	static const char head[] = "HEAD / HTTP/1.1\r\nHost: refused\r\n\r\n";

	if (close || c->ctx->head.http10)
		c->ctx->close = true;
	if (c->ctx->head.method == HTTP_M_HEAD)
		feed(c, head, sizeof(head) - 1, NULL, 0);
	else
		feed(c, get, sizeof(get) - 1, NULL, 0);
}

/* Hands on the head at the start of c->in, with body_len bytes after it. */
static void feed_request(struct gate_conn *c, bool drop_body, size_t body_len)
{
	CLEANUP(sbuf_release) struct sbuf clean = SBUF_INIT;
	const char *p = (const char *)evbuffer_pullup(c->in, (ev_ssize_t)c->head_bytes);

	head_clean(p, c->head_bytes, drop_body, &clean);
	evbuffer_drain(c->in, c->head_bytes);
	c->head_bytes = 0;
	feed(c, clean.buf, clean.len, c->in, body_len);
}

static void say_continue(struct gate_conn *c)
{
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
	ssize_t n;

	/* between two answers nothing else is on its way out */
	if (!c->ctx->head.expect_continue || c->ctx->head.http10)
		return;
	n = send(bufferevent_getfd(c->bev), text, sizeof(text) - 1,
		MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)n; /* a peer that gets none sends its body after a second anyway */
}

static void on_spool_drain(void *arg)
{
	struct gate_conn *c = arg;

	if (c->state == CONN_SPOOL &&
		spool_pending_bytes(c->ctx->spool) < SPOOL_MAX_BYTES / 2)
		bufferevent_enable(c->bev, EV_READ);
}

static void start_spool(struct gate_conn *c)
{
	struct server *srv = c->ctx->srv;

	c->ctx->spool = spool_new(srv->io, srv->blob_root, on_spool_drain, c);
	c->g->n_spools++;
	c->state = CONN_SPOOL;
	say_continue(c);
}

static void start_drop(struct gate_conn *c)
{
	bool close = c->ctx->head.expect_continue || c->body_left > GATE_DROP_MAX_BYTES;

	if (c->body_left < 0 || (close && c->body_left > 0)) {
		evbuffer_drain(c->in, evbuffer_get_length(c->in));
		feed_refusal(c, true);
		return;
	}
	evbuffer_drain(c->in, c->head_bytes);
	c->head_bytes = 0;
	c->state = CONN_DROP;
}

void gate_decide(struct gate_conn *c, struct http_ctx *ctx, enum gate_verdict verdict)
{
	if (c->ctx != ctx || c->state != CONN_DECIDING)
		BUG("a verdict about a request that waits for none");
	bufferevent_enable(c->bev, EV_READ); /* it was held when much came meanwhile */
	switch (verdict) {
	case GATE_PASS:
		c->state = CONN_BODY;
		if (c->body_left > 0)
			say_continue(c);
		break;
	case GATE_SPOOL:
		start_spool(c);
		break;
	case GATE_REFUSE:
		start_drop(c);
		break;
	}
	if (!c->in_callback)
		conn_work(c);
}

/* A whole head: make its context and ask for the verdict. */
static void take_head(struct gate_conn *c)
{
	struct arena *a = arena_new();
	struct head head = {.content_length = -1};
	struct err e = {0};
	const char *p = (const char *)evbuffer_pullup(c->in, (ev_ssize_t)c->head_bytes);
	int http_status = 0;

	c->head_since_ns = 0;
	c->state = CONN_DECIDING;
	c->body_left = 0;
	if (head_parse(a, p, c->head_bytes, &head, &http_status, &e) != 0)
		c->body_left = -1; /* unknown: framing is lost */
	else if (head.content_length > 0)
		c->body_left = head.content_length;
	c->ctx = http_ctx_new(c->g->http, c, &head, http_status, &e, a);
	http_ctx_judge(c->ctx);
}

static void head_too_big(struct gate_conn *c)
{
	struct head head = {.content_length = -1};
	struct err e = {0};

	err_set(&e, ERR_TOO_BIG, "the request's head is over %u bytes", HEAD_MAX_BYTES);
	c->state = CONN_DECIDING;
	c->body_left = -1;
	c->ctx = http_ctx_new(c->g->http, c, &head, 431, &e, arena_new());
	http_ctx_judge(c->ctx);
}

static bool work_head(struct gate_conn *c)
{
	size_t len = evbuffer_get_length(c->in);
	size_t look = len > HEAD_MAX_BYTES ? HEAD_MAX_BYTES : len;
	const char *p;

	if (len == 0)
		return false;
	if (!c->head_since_ns)
		c->head_since_ns = clock_mono_ns();
	p = (const char *)evbuffer_pullup(c->in, (ev_ssize_t)look);
	if (look >= 2 && p[0] == '\r' && p[1] == '\n') { /* allowed before a request */
		evbuffer_drain(c->in, 2);
		return true;
	}
	c->head_bytes = head_length(p, look);
	if (c->head_bytes)
		take_head(c);
	else if (len >= HEAD_MAX_BYTES)
		head_too_big(c);
	else
		return false;
	return true;
}

static bool work_body(struct gate_conn *c)
{
	if (evbuffer_get_length(c->in) < c->head_bytes + (size_t)c->body_left)
		return false;
	feed_request(c, false, (size_t)c->body_left);
	return true;
}

static bool work_spool(struct gate_conn *c)
{
	size_t len;

	/* the head is kept in front for evhttp: the body's bytes are moved past it */
	if (c->head_bytes) {
		CLEANUP(sbuf_release) struct sbuf clean = SBUF_INIT;
		const char *p =
			(const char *)evbuffer_pullup(c->in, (ev_ssize_t)c->head_bytes);

		head_clean(p, c->head_bytes, true, &clean);
		c->ctx->bytes = arena_strndup(c->ctx->a, clean.buf, clean.len);
		c->ctx->n_bytes = clean.len;
		evbuffer_drain(c->in, c->head_bytes);
		c->head_bytes = 0;
	}
	len = evbuffer_get_length(c->in);
	if ((int64_t)len > c->body_left)
		len = (size_t)c->body_left;
	if (len) {
		spool_add(c->ctx->spool, c->in, len);
		c->body_left -= (int64_t)len;
	}
	if (c->body_left > 0) {
		if (spool_pending_bytes(c->ctx->spool) >= SPOOL_MAX_BYTES)
			bufferevent_disable(c->bev, EV_READ);
		return false;
	}
	bufferevent_enable(c->bev, EV_READ);
	spool_forget_drain(c->ctx->spool);
	c->g->n_spools--;
	feed(c, c->ctx->bytes, c->ctx->n_bytes, NULL, 0);
	return true;
}

static bool work_drop(struct gate_conn *c)
{
	size_t len = evbuffer_get_length(c->in);

	if ((int64_t)len > c->body_left)
		len = (size_t)c->body_left;
	evbuffer_drain(c->in, len);
	c->body_left -= (int64_t)len;
	if (c->body_left > 0)
		return false;
	feed_refusal(c, false);
	return true;
}

/* As far as it goes with the bytes that are here. */
static void conn_work(struct gate_conn *c)
{
	bool again = true;

	while (again) {
		switch (c->state) {
		case CONN_HEAD:
			again = work_head(c);
			break;
		case CONN_BODY:
			again = work_body(c);
			break;
		case CONN_SPOOL:
			again = work_spool(c);
			break;
		case CONN_DROP:
			again = work_drop(c);
			break;
		case CONN_DEAD:
			evbuffer_drain(c->in, evbuffer_get_length(c->in));
			again = false;
			break;
		case CONN_DECIDING:
		case CONN_BUSY:
			if (evbuffer_get_length(c->in) > HELD_MAX_BYTES)
				bufferevent_disable(c->bev, EV_READ);
			again = false;
			break;
		}
	}
}

/* Takes what the socket added, leaves what was given to evhttp before. */
static void on_input(
	struct evbuffer *input, const struct evbuffer_cb_info *info, void *arg)
{
	struct gate_conn *c = arg;
	size_t keep;

	if (c->feeding || info->n_added == 0)
		return;
	c->feeding = true; /* our own moving about is no news */
	keep = evbuffer_get_length(input) - info->n_added;
	if (keep == 0) {
		evbuffer_add_buffer(c->in, input);
	} else {
		struct evbuffer *front = evbuffer_new();

		evbuffer_remove_buffer(input, front, keep);
		evbuffer_add_buffer(c->in, input);
		evbuffer_unfreeze(input, 0);
		evbuffer_add_buffer(input, front);
		evbuffer_free(front);
	}
	c->feeding = false;
	c->in_callback = true;
	conn_work(c);
	c->in_callback = false;
}

static struct bufferevent *on_accept(struct event_base *base, void *arg)
{
	struct gate *g = arg;
	struct gate_conn *c = base_zalloc(sizeof(*c));

	c->g = g;
	c->bev = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
	if (!c->bev)
		BUG("no memory for a connection");
	c->in = evbuffer_new();
	evbuffer_add_cb(bufferevent_get_input(c->bev), on_input, c);
	LIST_INSERT_HEAD(&g->conns, c, next);
	if (++g->n_conns >= g->max_conns) {
		g->full = true;
		evconnlistener_disable(g->listener);
		log_warn("http_full", "conns=%d", g->n_conns);
	}
	c->adopt = event_new(base, -1, 0, on_adopt, c);
	event_active(c->adopt, EV_TIMEOUT, 1);
	return c->bev;
}

/* Heads that trickle in are cut off; evhttp's own timeout only sees silence. */
static void on_sweep(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct gate *g = arg;
	struct gate_conn *c, *next;
	int64_t late = clock_mono_ns() - GATE_HEAD_MS * NS_PER_MS;

	for (c = LIST_FIRST(&g->conns); c; c = next) {
		next = LIST_NEXT(c, next);
		if (c->con && c->state == CONN_HEAD && c->head_since_ns &&
			c->head_since_ns < late)
			evhttp_connection_free(c->con);
	}
}

struct gate *gate_new(struct http *h, struct event_base *base, struct evhttp *evhttp,
	struct evconnlistener *listener, int max_conns, const struct timeval *silence)
{
	static const struct timeval second = {1, 0};
	struct gate *g = base_zalloc(sizeof(*g));

	g->http = h;
	g->base = base;
	g->listener = listener;
	g->max_conns = max_conns;
	g->silence = *silence;
	LIST_INIT(&g->conns);
	g->sweep = event_new(base, -1, EV_PERSIST, on_sweep, g);
	event_add(g->sweep, &second);
	evhttp_set_bevcb(evhttp, on_accept, g);
	return g;
}

void gate_free(struct gate *g)
{
	if (!g)
		return;
	if (!LIST_EMPTY(&g->conns))
		BUG("%d connections outlive the HTTP server", g->n_conns);
	event_free(g->sweep);
	free(g);
}

int gate_n_conns(const struct gate *g)
{
	return g->n_conns;
}

int gate_n_spools(const struct gate *g)
{
	return g->n_spools;
}

void gate_close_idle(struct gate *g)
{
	struct gate_conn *c, *next;

	for (c = LIST_FIRST(&g->conns); c; c = next) {
		next = LIST_NEXT(c, next);
		if (c->con && c->state == CONN_HEAD)
			evhttp_connection_free(c->con);
	}
}

struct http_ctx *gate_claim(struct gate *g, struct evhttp_request *req)
{
	struct evhttp_connection *con = evhttp_request_get_connection(req);
	struct gate_conn *c;

	LIST_FOREACH(c, &g->conns, next)
	{
		if (c->con == con && c->state == CONN_BUSY)
			return c->ctx;
	}
	return NULL;
}

void gate_release(struct gate_conn *c, struct http_ctx *ctx)
{
	if (c->ctx == ctx)
		c->ctx = NULL;
	if (ctx->close)
		c->state = CONN_DEAD;
}

void gate_next(struct gate_conn *c)
{
	if (c->state != CONN_BUSY)
		return;
	c->state = CONN_HEAD;
	bufferevent_set_timeouts(c->bev, &c->g->silence, &c->g->silence);
	/* evhttp starts to read when we return, and finds what is fed here */
	c->in_callback = true;
	conn_work(c);
	c->in_callback = false;
}

void gate_watch_peer(struct gate_conn *c)
{
	bufferevent_enable(c->bev, EV_READ);
}

size_t gate_output_bytes(const struct gate_conn *c)
{
	return evbuffer_get_length(bufferevent_get_output(c->bev));
}

void gate_long_answer(struct gate_conn *c)
{
	bufferevent_set_timeouts(c->bev, NULL, &c->g->silence);
}

void gate_no_timeout(struct gate_conn *c)
{
	bufferevent_set_timeouts(c->bev, NULL, NULL);
}
