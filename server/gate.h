/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate.h - what evhttp 2.1 lacks, in front of it: a cap on connections, a look at each
 * head before its body is read, bodies that go to a file instead of memory, and word
 * of peers that leave.
 *
 * Bytes of a connection are taken out of evhttp's input buffer as they arrive. A whole
 * head is read strictly (head.h), routed and authorised; then the request is handed to
 * evhttp in one piece, or its body goes to a spool and evhttp sees none, or the body is
 * thrown away and the refusal is answered. One request at a time per connection; the
 * next waits here (pipelining is legal, only not parallel).
 */
#ifndef WL_SERVER_GATE_H
#define WL_SERVER_GATE_H

#include "base/base.h"

#include "server/head.h"

struct event_base;
struct evhttp;
struct evhttp_request;
struct evconnlistener;
struct bufferevent;
struct gate;
struct gate_conn;
struct http;
struct http_ctx;

#define GATE_HEAD_MS        30000 /* a head must be whole this long after its first byte */
#define GATE_DROP_MAX_BYTES (64 << 20) /* of a refused body read only to be polite */
#define GATE_SPOOL_MAX      8          /* bodies on their way to disk at once */

enum gate_verdict { GATE_PASS, GATE_SPOOL, GATE_REFUSE };

struct gate *gate_new(struct http *h, struct event_base *base, struct evhttp *evhttp,
	struct evconnlistener *listener, int max_conns, const struct timeval *silence);
void gate_free(struct gate *g); /* after evhttp_free */
int gate_n_conns(const struct gate *g);
int gate_n_spools(const struct gate *g);
/* Closes connections that are between two requests. */
void gate_close_idle(struct gate *g);

/* The decision about a context; once, from inside http_ctx_new's caller or later. */
void gate_decide(struct gate_conn *c, struct http_ctx *ctx, enum gate_verdict verdict);
/* evhttp has a whole request: the context that belongs to it, or NULL (our fault). */
struct http_ctx *gate_claim(struct gate *g, struct evhttp_request *req);
/* The context has been answered; the connection forgets it. */
void gate_release(struct gate_conn *c, struct http_ctx *ctx);
/* The answer is in the kernel: the next request may come. */
void gate_next(struct gate_conn *c);
void gate_watch_peer(struct gate_conn *c);
size_t gate_output_bytes(const struct gate_conn *c);
/* A long answer goes out: the peer need not send, only read. Ends with the answer. */
void gate_long_answer(struct gate_conn *c);
/* No deadline any more (event streams). */
void gate_no_timeout(struct gate_conn *c);

#endif
