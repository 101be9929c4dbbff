/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/http.h"

#include "base/clock.h"
#include "base/evloop.h"
#include "base/log.h"
#include "server/gate.h"
#include "server/server.h"
#include "server/spool.h"

#include <arpa/inet.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <event2/util.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdarg.h>
#include <sys/socket.h>

#define HTTP_MAX_BODY      (16 << 20) /* in memory; routes say less */
#define HTTP_JSON_MAX_DEEP 64

struct http {
	struct server *srv;
	struct evhttp *evhttp;
	struct evconnlistener *listener;
	struct gate *gate;
	int port;
	int n_open;
	bool stopping;
	uint64_t n_requests;
	uint64_t boot; /* so that ids of two runs differ */
};

/* ---- contexts ---- */

static void parse_query(struct http_ctx *ctx, const char *text)
{
	struct evkeyvalq q;
	struct evkeyval *kv;

	ctx->n_query = 0;
	if (!*text)
		return;
	if (evhttp_parse_query_str(text, &q) != 0) {
		ctx->refuse_status = 400;
		err_set(&ctx->refuse, ERR_INVALID, "what follows ? cannot be read");
		return;
	}
	for (kv = q.tqh_first; kv; kv = kv->next.tqe_next) {
		if (ctx->n_query == HTTP_MAX_QUERY) {
			ctx->refuse_status = 400;
			err_set(&ctx->refuse, ERR_INVALID, "more than %u query keys",
				HTTP_MAX_QUERY);
			break;
		}
		if (!jx_is_utf8(kv->key, strlen(kv->key)) ||
			!jx_is_utf8(kv->value, strlen(kv->value))) {
			ctx->refuse_status = 400;
			err_set(&ctx->refuse, ERR_INVALID, "what follows ? is not UTF-8");
			break;
		}
		ctx->query[ctx->n_query++] = (struct http_query){
			arena_strdup(ctx->a, kv->key), arena_strdup(ctx->a, kv->value)};
	}
	evhttp_clear_headers(&q);
}

struct http_ctx *http_ctx_new(struct http *h, struct gate_conn *conn,
	const struct head *head, int status, const struct err *e, struct arena *a)
{
	struct http_ctx *ctx = ARENA_NEW(a, struct http_ctx);

	ctx->srv = h->srv;
	ctx->a = a;
	ctx->conn = conn;
	ctx->head = *head;
	ctx->start_ns = clock_mono_ns();
	snprintf(ctx->id, sizeof(ctx->id), "%08" PRIx64 "%08" PRIx64,
		h->boot & UINT32_MAX, ++h->n_requests & UINT32_MAX);
	h->n_open++;
	ctx->path = "/";
	ctx->close = head->close;
	if (status) {
		ctx->refuse_status = status;
		ctx->refuse = *e;
		ctx->close = true; /* nobody knows where the next request starts */
	}
	return ctx;
}

struct http_ctx *http_ctx_new_loop(struct server *srv, struct http_loop *loop)
{
	struct arena *a = arena_new();
	struct http_ctx *ctx = ARENA_NEW(a, struct http_ctx);

	ctx->srv = srv;
	ctx->a = a;
	ctx->loop = loop;
	ctx->path = "/";
	return ctx;
}

void http_ctx_free(struct http_ctx *ctx)
{
	if (ctx->spool) {
		spool_forget_drain(ctx->spool);
		spool_abort(ctx->spool);
	}
	json_decref(ctx->body);
	if (!ctx->loop)
		ctx->srv->http->n_open--;
	arena_free(ctx->a);
}

void http_ctx_drop(struct http_ctx *ctx)
{
	ctx->conn = NULL;
	ctx->gone = true;
	if (!ctx->judging)
		http_ctx_free(ctx);
}

void http_ctx_gone(struct http_ctx *ctx)
{
	ctx->conn = NULL;
	ctx->gone = true;
	if (ctx->on_gone)
		ctx->on_gone(ctx);
}

/* ---- before the body ---- */

static void verdict(struct http_ctx *ctx)
{
	bool spool = ctx->match.route && ctx->match.route->body == BODY_SPOOL;

	gate_decide(ctx->conn, ctx,
		ctx->refuse_status ? GATE_REFUSE
		: spool            ? GATE_SPOOL
				   : GATE_PASS);
}

static void refuse_later(struct http_ctx *ctx, int status, enum err_code code,
	const char *fmt, ...) PRINTF_LIKE(4, 5);
static void refuse_later(
	struct http_ctx *ctx, int status, enum err_code code, const char *fmt, ...)
{
	char text[sizeof(ctx->refuse.msg)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ctx->refuse_status = status;
	err_set(&ctx->refuse, code, "%s", text);
}

static bool role_fits(enum route_auth need, enum auth_role has)
{
	switch (need) {
	case AUTH_OPEN:
		return true;
	case AUTH_SUBMITTER:
		return has == AUTH_ROLE_SUBMITTER || has == AUTH_ROLE_ADMIN;
	case AUTH_ADMIN:
		return has == AUTH_ROLE_ADMIN;
	case AUTH_RUNNER:
		return has == AUTH_ROLE_RUNNER;
	case AUTH_BLOB_PUT:
		return has == AUTH_ROLE_RUNNER || has == AUTH_ROLE_ADMIN;
	}
	return false;
}

static void on_auth(const struct auth_who *who, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	const struct route *r = ctx->match.route;

	ctx->judging = false;
	if (ctx->gone) {
		http_ctx_free(ctx);
		return;
	}
	if (e) {
		ctx->refuse = *e;
		ctx->refuse_status =
			e->code == ERR_DENIED ? 401 : http_status_of(e->code);
	} else if (!role_fits(r->auth, who->role)) {
		refuse_later(ctx, 403, ERR_DENIED,
			"token %s is a %s's; this needs %s rights", who->name,
			auth_role_name(who->role), route_auth_name(r->auth));
	} else {
		ctx->who = *who;
	}
	verdict(ctx);
}

static void judge_path(struct http_ctx *ctx)
{
	size_t n = strcspn(ctx->head.target, "?");
	struct err e = {0};

	ctx->path = arena_strndup(ctx->a, ctx->head.target, n);
	parse_query(ctx, ctx->head.target[n] ? ctx->head.target + n + 1 : "");
	if (ctx->refuse_status)
		return;
	if (router_find(ctx->a, routes, n_routes, ctx->head.method, ctx->path,
		    &ctx->match, &e) != 0) {
		ctx->refuse_status = 400;
		ctx->refuse = e;
	} else if (!ctx->match.allow) {
		refuse_later(ctx, 404, ERR_NOT_FOUND, "there is no %s", ctx->path);
	} else if (!ctx->match.route && ctx->head.method != HTTP_M_OPTIONS) {
		refuse_later(ctx, 405, ERR_UNSUPPORTED, "%s does not know this method",
			ctx->path);
	}
}

static void judge_body(struct http_ctx *ctx)
{
	const struct route *r = ctx->match.route;
	int64_t len = ctx->head.content_length;
	enum route_body body = r ? r->body : BODY_NONE;

	if (body == BODY_NONE && len > 0)
		refuse_later(ctx, 400, ERR_INVALID, "%s takes no body", ctx->path);
	else if ((body == BODY_JSON || body == BODY_BYTES || body == BODY_SPOOL) &&
		 len < 0)
		refuse_later(ctx, 411, ERR_INVALID, "send a Content-Length");
	else if (r && len > r->body_max_bytes)
		refuse_later(ctx, 413, ERR_TOO_BIG,
			"the body is %" PRId64 " bytes, at most %" PRId64
			" are taken here",
			len, r->body_max_bytes);
	else if (body == BODY_SPOOL &&
		 gate_n_spools(ctx->srv->http->gate) >= GATE_SPOOL_MAX)
		refuse_later(ctx, 503, ERR_BUSY,
			"%d uploads are under way, try again soon", GATE_SPOOL_MAX);
}

void http_ctx_judge(struct http_ctx *ctx)
{
	const struct route *r;

	if (!ctx->refuse_status)
		judge_path(ctx);
	r = ctx->match.route;
	if (ctx->refuse_status || !r || r->auth == AUTH_OPEN) {
		if (!ctx->refuse_status)
			judge_body(ctx);
		verdict(ctx);
		return;
	}
	/* A body that is refused anyway is no reason to ask who sends it, but a stranger
	 * is told so first. */
	judge_body(ctx);
	ctx->judging = true;
	auth_check(ctx->srv->auth, ctx->head.authorization, on_auth, ctx);
}

/* ---- after the body ---- */

/* Nesting is capped before jansson recurses. */
static bool too_deep(const char *p, size_t len)
{
	int depth = 0;
	bool in_string = false;

	for (size_t i = 0; i < len; i++) {
		if (in_string) {
			if (p[i] == '\\')
				i++;
			else if (p[i] == '"')
				in_string = false;
		} else if (p[i] == '"') {
			in_string = true;
		} else if (p[i] == '{' || p[i] == '[') {
			if (++depth > HTTP_JSON_MAX_DEEP)
				return true;
		} else if (p[i] == '}' || p[i] == ']') {
			depth--;
		}
	}
	return false;
}

/* Absent and null are one thing in what we take. */
static void drop_nulls(json_t *body)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(body, next, key, value)
	{
		if (json_is_null(value))
			json_object_del(body, key);
	}
}

static bool take_json(struct http_ctx *ctx)
{
	const struct route *r = ctx->match.route;
	struct err e = {0};

	if (r->body == BODY_EMPTY && ctx->n_bytes == 0)
		return true;
	if (!http_is_type(ctx, "application/json")) {
		http_refuse(ctx, 415, ERR_UNSUPPORTED,
			"send the body as Content-Type: application/json");
		return false;
	}
	if (too_deep(ctx->bytes, ctx->n_bytes)) {
		http_refuse(ctx, 400, ERR_INVALID, "the JSON is nested over %d deep",
			HTTP_JSON_MAX_DEEP);
		return false;
	}
	if (jx_load(ctx->bytes, ctx->n_bytes, &ctx->body, &e) != 0) {
		http_reply_err(ctx, &e);
		return false;
	}
	if (!json_is_object(ctx->body)) {
		http_refuse(ctx, 400, ERR_INVALID, "the body is no JSON object");
		return false;
	}
	drop_nulls(ctx->body);
	return r->body != BODY_EMPTY || HTTP_UNPACK(ctx, "!}");
}

static void options(struct http_ctx *ctx)
{
	http_reply_evbuf(ctx, 204, NULL, NULL, -1);
}

static void on_request(struct evhttp_request *req, void *arg)
{
	struct http *h = arg;
	struct http_ctx *ctx = gate_claim(h->gate, req);
	struct evbuffer *in = evhttp_request_get_input_buffer(req);
	const struct route *r;

	if (!ctx) {
		log_error("http_unclaimed", "uri=%s", log_q(evhttp_request_get_uri(req)));
		evhttp_send_error(req, 500, NULL);
		return;
	}
	ctx->req = req;
	if (ctx->refuse_status) {
		http_reply_err(ctx, &ctx->refuse);
		return;
	}
	r = ctx->match.route;
	if (!r) {
		options(ctx);
		return;
	}
	ctx->bytes = NULL;
	ctx->n_bytes = 0;
	if (r->body != BODY_NONE && r->body != BODY_SPOOL) {
		ctx->n_bytes = evbuffer_get_length(in);
		ctx->bytes = evbuffer_pullup(in, -1);
	}
	if ((r->body == BODY_JSON || r->body == BODY_EMPTY) && !take_json(ctx))
		return;
	r->handle(ctx);
}

/* ---- listening ---- */

static int parse_address(
	const char *text, struct sockaddr_storage *ret, int *ret_len, struct err *e)
{
	size_t len = strlen(text);
	bool any = len > 2 && strcmp(text + len - 2, ":0") == 0;
	char copy[220];
	uint16_t *port;

	/* libevent takes no port 0: it is given 1, then 0 is put back */
	snprintf(copy, sizeof(copy), "%.*s%s", (int)(any ? len - 1 : len), text,
		any ? "1" : "");
	*ret_len = sizeof(*ret);
	if (evutil_parse_sockaddr_port(copy, (struct sockaddr *)ret, ret_len) != 0)
		return err_set(e, ERR_INVALID,
			"listen = %s is no ADDRESS:PORT (names are not looked up)", text);
	port = ret->ss_family == AF_INET6 ? &((struct sockaddr_in6 *)ret)->sin6_port
					  : &((struct sockaddr_in *)ret)->sin_port;
	if (*port == 0)
		return err_set(e, ERR_INVALID, "listen = %s names no port", text);
	if (any)
		*port = 0;
	return 0;
}

static int bound_port(evutil_socket_t fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);

	if (getsockname(fd, (struct sockaddr *)&ss, &len) != 0)
		return 0;
	return ntohs(ss.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&ss)->sin6_port
					      : ((struct sockaddr_in *)&ss)->sin_port);
}

int http_new(struct server *srv, const char *listen_at, struct http **ret, struct err *e)
{
	struct timeval silence;
	struct sockaddr_storage ss = {0};
	struct http *h;
	int len, status = parse_address(listen_at, &ss, &len, e);
	struct evconnlistener *l;

	if (status != 0)
		return status;
	l = evconnlistener_new_bind(srv->base, NULL, NULL,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE |
			LEV_OPT_DISABLED,
		512, (struct sockaddr *)&ss, len);
	if (!l && errno == EADDRINUSE)
		return err_set(e, ERR_BUSY,
			"%s is in use: another program listens there (give --listen "
			"ADDRESS:PORT)",
			listen_at);
	if (!l)
		return err_set_errno(e, errno, "cannot listen on %s", listen_at);
	silence = (struct timeval){srv->conf.http_timeout_ms / 1000,
		srv->conf.http_timeout_ms % 1000 * 1000};
	h = base_zalloc(sizeof(*h));
	h->srv = srv;
	h->listener = l;
	randombytes_buf(&h->boot, sizeof(h->boot));
	h->port = bound_port(evconnlistener_get_fd(l));
	h->evhttp = evhttp_new(srv->base);
	evhttp_set_allowed_methods(h->evhttp, UINT16_MAX);
	evhttp_set_timeout_tv(h->evhttp, &silence);
	evhttp_set_max_headers_size(h->evhttp, 2 * HEAD_MAX_BYTES);
	evhttp_set_max_body_size(h->evhttp, HTTP_MAX_BODY);
	evhttp_set_gencb(h->evhttp, on_request, h);
	h->gate =
		gate_new(h, srv->base, h->evhttp, l, (int)srv->conf.max_conns, &silence);
	if (!evhttp_bind_listener(h->evhttp, l))
		BUG("evhttp takes no listener");
	evconnlistener_enable(l);
	srv->http = h;
	*ret = h;
	return 0;
}

int http_port(const struct http *h)
{
	return h->port;
}

int http_n_conns(const struct http *h)
{
	return gate_n_conns(h->gate);
}

int http_n_open(const struct http *h)
{
	return h->n_open;
}

void http_stop_accepting(struct http *h)
{
	evconnlistener_disable(h->listener);
	gate_close_idle(h->gate);
}

void http_close_idle(struct http *h)
{
	gate_close_idle(h->gate);
}

void http_free(struct http *h)
{
	if (!h)
		return;
	evhttp_free(h->evhttp); /* closes the listener too */
	gate_free(h->gate);
	free(h);
}
