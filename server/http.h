/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * http.h - the HTTP edge: one context for each request, exactly one reply for each
 * context.
 *
 * A handler gets a context whose route, rights and body are checked. It answers with one
 * http_reply_*, at once or later; that call frees the context. Everything it allocates
 * lies in ctx->a. When the peer leaves early, ctx->gone is set and on_gone called; the
 * handler still owes its reply (which then goes nowhere).
 */
#ifndef WL_SERVER_HTTP_H
#define WL_SERVER_HTTP_H

#include "base/base.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/jx.h"
#include "server/auth.h"
#include "server/head.h"
#include "server/router.h"

struct evbuffer;
struct evhttp_request;
struct event_base;
struct gate_conn;
struct http;
struct server;
struct spool;

#define HTTP_MAX_QUERY 16u

struct http_query {
	const char *name, *value; /* decoded */
};

/* Where a reply goes in a unit test (ctx->loop): no socket. */
struct http_loop {
	int status;
	char *body; /* caller, free() */
	size_t len;
	char content_type[64];
};

struct http_ctx {
	struct server *srv;
	struct arena *a;
	struct gate_conn *conn;     /* NULL: the peer left */
	struct evhttp_request *req; /* NULL until the whole request is here */
	struct http_loop *loop;     /* tests */

	char id[17]; /* X-Request-Id */
	int64_t start_ns;
	struct head head;
	const char *path; /* undecoded, without the query */
	struct route_match match;
	struct http_query query[HTTP_MAX_QUERY];
	size_t n_query;
	struct auth_who who; /* role AUTH_ROLE_NONE on open routes */
	json_t *body;        /* BODY_JSON */
	int body_v;          /* HTTP_UNPACK's */
	struct err body_err;
	const void *bytes; /* BODY_BYTES, and the text of BODY_JSON */
	size_t n_bytes;
	struct spool *spool; /* BODY_SPOOL; the handler takes it */

	int refuse_status; /* 0, or answer so without asking the handler */
	struct err refuse;
	bool close; /* no further request on this connection */

	bool gone;
	void (*on_gone)(struct http_ctx *ctx); /* may reply */
	void *priv;                            /* the handler's */

	bool judging; /* waits for auth_check */
	bool streaming;
};

/* ---- the server ---- */

/* Listens; ERR_BUSY "port 8080 of 127.0.0.1 is in use ...", ERR_INVALID for what is no
 * ADDRESS:PORT. Port 0 asks the kernel: http_port() tells. */
int http_new(struct server *srv, const char *listen_at, struct http **ret,
	struct err *e) MUST_CHECK;
int http_port(const struct http *h);
int http_n_conns(const struct http *h);
int http_n_open(const struct http *h); /* requests not answered yet */
void http_stop_accepting(struct http *h);
void http_close_idle(struct http *h);
/* Every open request must have been answered. Accepts NULL. */
void http_free(struct http *h);

/* ---- for handlers ---- */

const char *http_param(const struct http_ctx *ctx, const char *name); /* aborts if none */
/* Answers 400 itself and returns false when it is no id. */
bool http_param_id(struct http_ctx *ctx, const char *name, int64_t *ret);
const char *http_req_header(const struct http_ctx *ctx, const char *name); /* or NULL */
/* Whether the Content-Type is that, whatever its parameters. */
bool http_is_type(const struct http_ctx *ctx, const char *type);
const char *http_query(const struct http_ctx *ctx, const char *name); /* NULL: absent */
/* Answers 400 itself and returns false: a key that is not among names, a bad number. */
bool http_query_only(struct http_ctx *ctx, const char *const *names, size_t n);
bool http_query_i64(struct http_ctx *ctx, const char *name, int64_t dflt, int64_t min,
	int64_t max, int64_t *ret);
/*
 * HTTP_UNPACK(ctx, "s:s, s?i !}", "name", &name, "n", &n): the object in ctx->body, whose
 * "v" must be 1 (or absent where the route takes BODY_EMPTY); null is as good as absent.
 * Answers 400 itself and is false when it does not fit. Texts live as long as ctx.
 */
#define HTTP_UNPACK(ctx, fmt, ...)                                                       \
	http_unpacked((ctx),                                                             \
		((ctx)->body_v = 1,                                                      \
			jx_unpack((ctx)->body, &(ctx)->body_err, "body", "{s?i, " fmt,   \
				"v", &(ctx)->body_v __VA_OPT__(, ) __VA_ARGS__)))
bool http_unpacked(struct http_ctx *ctx, int status);

void http_header(struct http_ctx *ctx, const char *name, const char *value);
void http_reply_text(struct http_ctx *ctx, int status, const char *content_type,
	const void *p, size_t len);
void http_reply_json(struct http_ctx *ctx, int status, const char *json, size_t len);
void http_reply_pack(struct http_ctx *ctx, int status, json_t *j); /* j is taken */
void http_reply_err(struct http_ctx *ctx, const struct err *e);
/* An answer that the table code -> status does not give. */
void http_refuse(struct http_ctx *ctx, int status, enum err_code code, const char *fmt,
	...) PRINTF_LIKE(4, 5);
/* body is taken (NULL: none). len_bytes: Content-Length of an answer to HEAD. */
void http_reply_evbuf(struct http_ctx *ctx, int status, const char *content_type,
	struct evbuffer *body, int64_t len_bytes);

/* ---- streams (sse.c) ---- */

void http_stream_start(struct http_ctx *ctx, const char *content_type);
void http_stream_send(struct http_ctx *ctx, const void *p, size_t len);
size_t http_stream_pending_bytes(const struct http_ctx *ctx); /* not yet in the kernel */
void http_stream_end(struct http_ctx *ctx);                   /* frees ctx */
/* Notices a peer that leaves while a request waits (long polls). */
void http_watch_peer(struct http_ctx *ctx);

/* THE table code -> status. */
int http_status_of(enum err_code code);

/* ---- between gate.c and http.c ---- */

/* A context for a head that was read; conn may be refused already (status != 0). */
struct http_ctx *http_ctx_new(struct http *h, struct gate_conn *conn,
	const struct head *head, int status, const struct err *e, struct arena *a);
struct http_ctx *http_ctx_new_loop(struct server *srv, struct http_loop *loop);
/* Finds the route, the right to it and the limits of the body; calls gate_decide(). */
void http_ctx_judge(struct http_ctx *ctx);
/* The peer left before the request was whole, or before evhttp had it. */
void http_ctx_drop(struct http_ctx *ctx);
void http_ctx_free(struct http_ctx *ctx);
/* The peer left a request that a handler has. */
void http_ctx_gone(struct http_ctx *ctx);

#endif
