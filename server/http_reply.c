/* SPDX-License-Identifier: GPL-2.0-or-later */
/* http_reply.c - what a handler may ask of its request and answer to it. */
#include "base/base.h"

#include "server/http.h"

#include "base/clock.h"
#include "base/log.h"
#include "server/gate.h"
#include "server/server.h"

#include <event2/buffer.h>
#include <event2/http.h>
#include <event2/keyvalq_struct.h>
#include <inttypes.h>
#include <stdarg.h>
#include <strings.h>

#define LONG_ANSWER_BYTES (64 << 10)

static const struct {
	enum err_code code;
	int status;
} statuses[] = {
	{ERR_NOT_FOUND, 404},
	{ERR_INVALID, 400},
	{ERR_CONFLICT, 409},
	{ERR_DENIED, 403},
	{ERR_TOO_BIG, 413},
	{ERR_BUSY, 503},
	{ERR_UNAVAILABLE, 503},
	{ERR_TIMEOUT, 504},
	{ERR_CANCELLED, 409},
	{ERR_UNSUPPORTED, 501},
	{ERR_INTERNAL, 500},
};

int http_status_of(enum err_code code)
{
	for (size_t i = 0; i < ARRAY_LEN(statuses); i++) {
		if (statuses[i].code == code)
			return statuses[i].status;
	}
	return 500;
}

static const char *reason(int status)
{
	static const struct {
		int status;
		const char *text;
	} reasons[] = {
		{200, "OK"},
		{201, "Created"},
		{202, "Accepted"},
		{204, "No Content"},
		{206, "Partial Content"},
		{304, "Not Modified"},
		{400, "Bad Request"},
		{401, "Unauthorized"},
		{403, "Forbidden"},
		{404, "Not Found"},
		{405, "Method Not Allowed"},
		{409, "Conflict"},
		{411, "Length Required"},
		{413, "Content Too Large"},
		{414, "URI Too Long"},
		{415, "Unsupported Media Type"},
		{416, "Range Not Satisfiable"},
		{417, "Expectation Failed"},
		{431, "Request Header Fields Too Large"},
		{500, "Internal Server Error"},
		{501, "Not Implemented"},
		{503, "Service Unavailable"},
		{504, "Gateway Timeout"},
		{505, "HTTP Version Not Supported"},
	};

	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (reasons[i].status == status)
			return reasons[i].text;
	}
	return "Unknown";
}

/* ---- replies ---- */

static const struct {
	const char *name, *value;
} fixed_headers[] = {
	{"Content-Security-Policy", "default-src 'self'; base-uri 'none'; "
				    "form-action 'self'; frame-ancestors 'none'; "
				    "object-src 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
};

void http_header(struct http_ctx *ctx, const char *name, const char *value)
{
	struct evkeyvalq *out;

	if (ctx->loop)
		return;
	out = evhttp_request_get_output_headers(ctx->req);
	evhttp_remove_header(out, name);
	evhttp_add_header(out, name, value);
}

static void allow_header(struct http_ctx *ctx)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	for (unsigned m = HTTP_M_GET; m <= HTTP_M_OPTIONS; m <<= 1) {
		if (ctx->match.allow & m)
			sbuf_addf(&s, "%s%s", s.len ? ", " : "",
				http_method_name((enum http_method)m));
	}
	http_header(ctx, "Allow", s.buf);
}

static void common_headers(struct http_ctx *ctx, int status, const char *content_type)
{
	struct evkeyvalq *out = evhttp_request_get_output_headers(ctx->req);

	for (size_t i = 0; i < ARRAY_LEN(fixed_headers); i++)
		http_header(ctx, fixed_headers[i].name, fixed_headers[i].value);
	http_header(ctx, "X-Request-Id", ctx->id);
	if (!evhttp_find_header(out, "Cache-Control"))
		http_header(ctx, "Cache-Control", "no-store");
	if (content_type)
		http_header(ctx, "Content-Type", content_type);
	if (status == 401)
		http_header(ctx, "WWW-Authenticate", "Bearer realm=\"wakelist\"");
	if (status == 503)
		http_header(ctx, "Retry-After", "2");
	if (status == 405 || status == 204)
		allow_header(ctx);
	if (ctx->close || ctx->srv->stop_ns) {
		ctx->close = true;
		http_header(ctx, "Connection", "close");
	}
}

static void log_request(const struct http_ctx *ctx, int status, int64_t len)
{
	int64_t us = (clock_mono_ns() - ctx->start_ns) / NS_PER_US;
	enum log_level level = status >= 500                    ? LOG_LEVEL_WARN
			       : ctx->head.method == HTTP_M_GET ? LOG_LEVEL_DEBUG
								: LOG_LEVEL_INFO;

	log_event(level, "http",
		"req=%s method=%s path=%s status=%d bytes=%" PRId64 " us=%" PRId64
		"%s%s%s%s",
		ctx->id, http_method_name(ctx->head.method), log_q(ctx->path), status,
		len, us, ctx->who.role ? " token=" : "",
		ctx->who.role ? ctx->who.name : "", ctx->refuse.code ? " why=" : "",
		ctx->refuse.code ? log_q(ctx->refuse.msg) : "");
}

static void on_complete(struct evhttp_request *req UNUSED, void *arg)
{
	gate_next(arg);
}

/* The reply is decided: the connection forgets the context, evhttp gets the request. */
static void send_reply(struct http_ctx *ctx, int status, struct evbuffer *body)
{
	struct evhttp_request *req = ctx->req;
	struct gate_conn *conn = ctx->conn;

	if (conn) {
		gate_release(conn, ctx);
		evhttp_request_set_on_complete_cb(req, on_complete, conn);
	}
	ctx->req = NULL;
	http_ctx_free(ctx);
	evhttp_send_reply(req, status, reason(status), body);
	if (body)
		evbuffer_free(body);
}

static void reply_loop(
	struct http_ctx *ctx, int status, const char *content_type, struct evbuffer *body)
{
	struct http_loop *l = ctx->loop;

	l->status = status;
	l->len = body ? evbuffer_get_length(body) : 0;
	l->body = base_zalloc(l->len + 1);
	if (body) {
		evbuffer_copyout(body, l->body, l->len);
		evbuffer_free(body);
	}
	snprintf(l->content_type, sizeof(l->content_type), "%s",
		content_type ? content_type : "");
	http_ctx_free(ctx);
}

void http_reply_evbuf(struct http_ctx *ctx, int status, const char *content_type,
	struct evbuffer *body, int64_t len_bytes)
{
	int64_t len = body ? (int64_t)evbuffer_get_length(body) : len_bytes;
	char text[24];

	if (ctx->loop) {
		reply_loop(ctx, status, content_type, body);
		return;
	}
	common_headers(ctx, status, content_type);
	log_request(ctx, status, len < 0 ? 0 : len);
	if (len > LONG_ANSWER_BYTES)
		gate_long_answer(ctx->conn);
	if (ctx->head.method == HTTP_M_HEAD && body) {
		evbuffer_free(body);
		body = NULL;
	}
	if (ctx->head.method == HTTP_M_HEAD && len >= 0 && status != 304) {
		snprintf(text, sizeof(text), "%" PRId64, len);
		http_header(ctx, "Content-Length", text);
	}
	send_reply(ctx, status, body);
}

void http_reply_text(struct http_ctx *ctx, int status, const char *content_type,
	const void *p, size_t len)
{
	struct evbuffer *body = evbuffer_new();

	evbuffer_add(body, p, len);
	http_reply_evbuf(ctx, status, content_type, body, -1);
}

void http_reply_json(struct http_ctx *ctx, int status, const char *json, size_t len)
{
	struct evbuffer *body = evbuffer_new();

	evbuffer_add(body, json, len);
	evbuffer_add(body, "\n", 1);
	http_reply_evbuf(ctx, status, "application/json", body, -1);
}

void http_reply_pack(struct http_ctx *ctx, int status, json_t *j)
{
	CLEANUP(base_freep) char *text = jx_dump(j);

	json_decref(j);
	http_reply_json(ctx, status, text, strlen(text));
}

static void reply_error(struct http_ctx *ctx, int status, const struct err *e)
{
	/* the text may hold bytes of the request */
	json_t *message = jx_text(e->msg, strlen(e->msg));

	ctx->refuse = *e;
	http_reply_pack(ctx, status,
		jx_pack("{s:i, s:{s:s, s:o}}", "v", 1, "error", "code",
			err_code_name(e->code), "message", message));
}

void http_reply_err(struct http_ctx *ctx, const struct err *e)
{
	struct err copy = *e;
	int status = ctx->refuse_status ? ctx->refuse_status : http_status_of(copy.code);

	if (copy.code == ERR_INTERNAL || copy.sqlstate[0]) {
		log_warn("http_error", "req=%s sqlstate=%s why=%s", ctx->id,
			copy.sqlstate[0] ? copy.sqlstate : "-", log_q(copy.msg));
	}
	if (copy.code == ERR_INTERNAL)
		snprintf(copy.msg, sizeof(copy.msg),
			"our fault; the log says more: req=%s", ctx->id);
	reply_error(ctx, status, &copy);
}

void http_refuse(
	struct http_ctx *ctx, int status, enum err_code code, const char *fmt, ...)
{
	char text[sizeof(ctx->refuse.msg)];
	struct err e = {0};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	err_set(&e, code, "%s", text);
	reply_error(ctx, status, &e);
}

/* ---- what handlers ask ---- */

const char *http_param(const struct http_ctx *ctx, const char *name)
{
	for (size_t i = 0; i < ctx->match.n_params; i++) {
		if (strcmp(ctx->match.params[i].name, name) == 0)
			return ctx->match.params[i].value;
	}
	BUG("the route has no parameter %s", name);
}

bool http_param_id(struct http_ctx *ctx, const char *name, int64_t *ret)
{
	struct err e = {0};

	if (jx_id_parse(http_param(ctx, name), ret, &e) == 0)
		return true;
	http_reply_err(ctx, &e);
	return false;
}

const char *http_req_header(const struct http_ctx *ctx, const char *name)
{
	if (ctx->loop)
		return NULL;
	return evhttp_find_header(evhttp_request_get_input_headers(ctx->req), name);
}

bool http_is_type(const struct http_ctx *ctx, const char *type)
{
	const char *given = http_req_header(ctx, "Content-Type");
	size_t n = given ? strcspn(given, "; \t") : 0;

	return n == strlen(type) && strncasecmp(given, type, n) == 0;
}

const char *http_query(const struct http_ctx *ctx, const char *name)
{
	for (size_t i = 0; i < ctx->n_query; i++) {
		if (strcmp(ctx->query[i].name, name) == 0)
			return ctx->query[i].value;
	}
	return NULL;
}

bool http_query_only(struct http_ctx *ctx, const char *const *names, size_t n)
{
	for (size_t i = 0; i < ctx->n_query; i++) {
		size_t k = 0;

		while (k < n && strcmp(ctx->query[i].name, names[k]) != 0)
			k++;
		if (k == n) {
			http_refuse(ctx, 400, ERR_INVALID, "unknown query key \"%.60s\"",
				ctx->query[i].name);
			return false;
		}
	}
	return true;
}

bool http_query_i64(struct http_ctx *ctx, const char *name, int64_t dflt, int64_t min,
	int64_t max, int64_t *ret)
{
	const char *text = http_query(ctx, name);
	struct err e = {0};

	*ret = dflt;
	if (!text)
		return true;
	if (jx_id_parse(text, ret, &e) != 0 || *ret < min || *ret > max) {
		http_refuse(ctx, 400, ERR_INVALID,
			"%s=%.40s is no number from %" PRId64 " to %" PRId64, name, text,
			min, max);
		return false;
	}
	return true;
}

void http_watch_peer(struct http_ctx *ctx)
{
	if (ctx->conn)
		gate_watch_peer(ctx->conn);
}

/* ---- streams ---- */

void http_stream_start(struct http_ctx *ctx, const char *content_type)
{
	ctx->close = true;
	ctx->streaming = true;
	if (ctx->loop)
		return;
	common_headers(ctx, 200, content_type);
	log_request(ctx, 200, 0);
	if (ctx->conn) {
		gate_no_timeout(ctx->conn);
		gate_watch_peer(ctx->conn);
	}
	evhttp_send_reply_start(ctx->req, 200, reason(200));
}

void http_stream_send(struct http_ctx *ctx, const void *p, size_t len)
{
	struct evbuffer *b;

	if (ctx->gone)
		return;
	b = evbuffer_new();
	evbuffer_add(b, p, len);
	evhttp_send_reply_chunk(ctx->req, b);
	evbuffer_free(b);
}

size_t http_stream_pending_bytes(const struct http_ctx *ctx)
{
	return ctx->conn ? gate_output_bytes(ctx->conn) : 0;
}

void http_stream_end(struct http_ctx *ctx)
{
	struct evhttp_request *req = ctx->req;

	if (ctx->conn)
		gate_release(ctx->conn, ctx);
	ctx->req = NULL;
	http_ctx_free(ctx);
	if (req)
		evhttp_send_reply_end(req);
}

bool http_unpacked(struct http_ctx *ctx, int status)
{
	if (status == 0 && ctx->body_v == 1)
		return true;
	if (status == 0)
		http_refuse(ctx, 400, ERR_INVALID, "body: key \"v\" is %d, not 1",
			ctx->body_v);
	else
		http_reply_err(ctx, &ctx->body_err);
	return false;
}
