/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * head.h - the request line and headers of one HTTP/1.1 request, read strictly before
 * the HTTP server sees them. Pure.
 *
 * Refused: a head over HEAD_MAX_BYTES, lines without CR LF, folded or malformed header
 * lines, control characters, more than one Content-Length or Host, any
 * Transfer-Encoding (a length must be named), versions other than 1.0 and 1.1.
 */
#ifndef WL_SERVER_HEAD_H
#define WL_SERVER_HEAD_H

#include "base/base.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

#define HEAD_MAX_BYTES   16384u
#define HEAD_MAX_TARGET  4096u
#define HEAD_MAX_HEADERS 64u

/* One bit a method, so that a table can name several. */
enum http_method {
	HTTP_M_GET = 1,
	HTTP_M_HEAD = 2,
	HTTP_M_POST = 4,
	HTTP_M_PUT = 8,
	HTTP_M_DELETE = 16,
	HTTP_M_OPTIONS = 32,
	HTTP_M_OTHER = 64, /* a token we know no route for */
};

const char *http_method_name(enum http_method m); /* "GET"; "OTHER" */

struct head {
	enum http_method method;
	const char *target;     /* "/path?query"; starts with '/' */
	int64_t content_length; /* -1: not given */
	bool expect_continue;
	bool http10;
	bool close; /* the peer wants no further request on this connection */
	const char *authorization; /* value, or NULL */
};

/* Bytes of the head at the start of buf including the blank line, or 0 while it is not
 * whole. */
size_t head_length(const char *buf, size_t len);

/*
 * Reads a whole head of head_length() bytes. ret_clean gets the head to hand on, without
 * Expect, and with Content-Length 0 when drop_body. On failure *ret_status is the HTTP
 * status to answer with. Strings live in the arena.
 */
int head_parse(struct arena *a, const char *buf, size_t len, struct head *ret,
	int *ret_status, struct err *e) MUST_CHECK;
void head_clean(const char *buf, size_t len, bool drop_body, struct sbuf *ret_clean);

#endif
