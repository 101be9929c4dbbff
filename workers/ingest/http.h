/* SPDX-License-Identifier: GPL-2.0-or-later */
/* http.h - polite GET by libcurl: one request, caps, redirects on one host only. */
#ifndef WL_WORKERS_INGEST_HTTP_H
#define WL_WORKERS_INGEST_HTTP_H

#include "base/err.h"
#include "base/sbuf.h"

#define HTTP_BODY_MAX ((size_t)64 << 20)

struct http_answer {
	long status; /* 200, 404 ... */
	struct sbuf body;
	char content_type[128]; /* lower case, without parameters; "" unknown */
};

/* 0 whenever a server answered, whatever its status. UNAVAILABLE: nobody did, in words
 * that name the host. TOO_BIG. The body is not inflated. */
int http_get(const char *url, struct http_answer *ret, struct err *e) MUST_CHECK;
void http_answer_release(struct http_answer *a);
/* Inflates gzip, capped. INVALID: damaged. */
int http_gunzip(const struct sbuf *in, size_t cap_bytes, struct sbuf *ret,
	struct err *e) MUST_CHECK;

#endif
