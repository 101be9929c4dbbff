/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sse.h - server-sent events: rows of table event, as NOTIFY wl_event announces them.
 *
 * At least once. Ids are given out before their transactions commit, so a lower id can
 * arrive after a higher one: the "id:" that is sent is the highest one below which
 * nothing is missing (gaps count as filled after SSE_GAP_MS). A client that resumes
 * after it may see an event twice, never miss one. An id older than what is kept, a
 * backlog over SSE_BACKLOG_MAX, a lost LISTEN connection: event "reload".
 */
#ifndef WL_SERVER_SSE_H
#define WL_SERVER_SSE_H

#include "base/base.h"

#define SSE_GAP_MS       30000
#define SSE_HEARTBEAT_MS 15000
#define SSE_BUFFER_MAX   (256 << 10) /* of one slow reader; then it is dropped */
#define SSE_BACKLOG_MAX  5000
#define SSE_RETRY_MS     2000

struct http_ctx;
struct server;
struct sse;

struct sse *sse_new(struct server *srv);
void sse_free(struct sse *s); /* after sse_close_all and db_free; accepts NULL */
/* Takes the context. series_id 0: all; after -1: from now on. */
void sse_add(struct sse *s, struct http_ctx *ctx, int64_t series_id, int64_t after);
void sse_notify(struct sse *s, int64_t event_id);
/* LISTEN works (again): clients that were here before are told to reload. */
void sse_up(struct sse *s);
void sse_close_all(struct sse *s);
int sse_n_clients(const struct sse *s);

/* The watermark, for its unit test. */
#define SSE_MISSING_MAX 256
struct sse_mark {
	int64_t max; /* highest id seen; 0: none */
	size_t n;
	struct {
		int64_t id, since_ns;
	} missing[SSE_MISSING_MAX]; /* ascending */
};
void sse_mark_saw(struct sse_mark *m, int64_t id, int64_t now_ns);
void sse_mark_expire(struct sse_mark *m, int64_t older_ns);
int64_t sse_mark_value(const struct sse_mark *m);

#endif
