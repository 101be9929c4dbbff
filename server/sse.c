/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/sse.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/sbuf.h"
#include "db/q_api_event.h"
#include "server/http.h"
#include "server/server.h"

#include <event2/event.h>
#include <inttypes.h>
#include <sys/queue.h>

#define PAGE        500
#define PENDING_MAX 1000

struct client {
	LIST_ENTRY(client) next;
	struct sse *s;
	struct http_ctx *ctx;
	int64_t series_id; /* 0: all */
	int64_t from;      /* the backlog is read after this id */
	int64_t n_backlog;
	int64_t said;        /* id: of the last line */
	uint64_t generation; /* of the hub when the backlog query was sent */
	bool live, asking;
};

struct sse {
	struct server *srv;
	LIST_HEAD(, client) clients;
	int n_clients;
	struct event *tick;
	struct sse_mark mark;
	int64_t pending[PENDING_MAX];
	size_t n_pending;
	bool fetching, lost, was_up;
	uint64_t generation; /* grows with each batch that went out */
	int64_t last_beat_ns;
};

/* ---- the watermark ---- */

void sse_mark_saw(struct sse_mark *m, int64_t id, int64_t now_ns)
{
	size_t i = 0;

	if (m->max == 0 || id - m->max > SSE_MISSING_MAX) {
		m->n = 0;
		m->max = id;
		return;
	}
	if (id > m->max) {
		for (int64_t k = m->max + 1; k < id; k++) {
			if (m->n == SSE_MISSING_MAX) { /* the oldest has had its time */
				memmove(&m->missing[0], &m->missing[1],
					(m->n - 1) * sizeof(m->missing[0]));
				m->n--;
			}
			m->missing[m->n].id = k;
			m->missing[m->n++].since_ns = now_ns;
		}
		m->max = id;
		return;
	}
	while (i < m->n && m->missing[i].id < id)
		i++;
	if (i < m->n && m->missing[i].id == id) {
		memmove(&m->missing[i], &m->missing[i + 1],
			(m->n - i - 1) * sizeof(m->missing[0]));
		m->n--;
	}
}

void sse_mark_expire(struct sse_mark *m, int64_t older_ns)
{
	size_t keep = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->missing[i].since_ns > older_ns)
			m->missing[keep++] = m->missing[i];
	}
	m->n = keep;
}

int64_t sse_mark_value(const struct sse_mark *m)
{
	return m->n ? m->missing[0].id - 1 : m->max;
}

/* ---- clients ---- */

static void client_drop(struct client *c)
{
	struct http_ctx *ctx = c->ctx;

	LIST_REMOVE(c, next);
	c->s->n_clients--;
	ctx->on_gone = NULL;
	c->ctx = NULL;
	http_stream_end(ctx);
	if (!c->asking) /* else its query's callback frees it */
		free(c);
}

static void on_gone(struct http_ctx *ctx)
{
	client_drop(ctx->priv);
}

static void say(struct client *c, const char *text, size_t len)
{
	http_stream_send(c->ctx, text, len);
}

/* False: the client was dropped. */
static bool still_reading(struct client *c)
{
	static const char reload[] =
		"event: reload\ndata: {\"v\":1,\"why\":\"slow\"}\n\n";

	if (http_stream_pending_bytes(c->ctx) <= SSE_BUFFER_MAX)
		return true;
	log_info("sse_slow", "req=%s pending=%zu", c->ctx->id,
		http_stream_pending_bytes(c->ctx));
	say(c, reload, sizeof(reload) - 1);
	client_drop(c);
	return false;
}

static void say_reload(struct client *c, const char *why, int64_t id)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	sbuf_addf(&s,
		"event: reload\nid: %" PRId64 "\ndata: {\"v\":1,\"why\":\"%s\"}\n\n", id,
		why);
	c->said = id;
	say(c, s.buf, s.len);
}

static bool wants(const struct client *c, const char *series)
{
	char text[24];
	size_t len;

	if (c->series_id == 0)
		return true;
	len = (size_t)snprintf(text, sizeof(text), "%" PRId64, c->series_id);
	for (const char *p = series; p && *p;) {
		size_t n = strcspn(p, ",");

		if (n == len && memcmp(p, text, len) == 0)
			return true;
		p += n + (p[n] == ',');
	}
	return false;
}

static void say_event(struct client *c, struct db_row row, int64_t id_line)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	sbuf_addf(&s, "event: %s\nid: %" PRId64 "\ndata: ", db_row_text(row, "entity"),
		id_line);
	sbuf_add(&s, db_row_text(row, "body"), db_row_len(row, "body"));
	sbuf_adds(&s, "\n\n");
	c->said = id_line;
	say(c, s.buf, s.len);
}

/* ---- live events ---- */

static void fetch(struct sse *s);

static void broadcast(struct sse *s, const struct db_result *r)
{
	int64_t id_lines[PENDING_MAX], now = clock_mono_ns();
	struct client *c, *next;

	/* a client may leave after any line: each says only what was said up to it */
	for (int i = 0; i < r->n_rows && i < PENDING_MAX; i++) {
		sse_mark_saw(&s->mark, db_row_i64(db_result_row(r, i), "id"), now);
		id_lines[i] = sse_mark_value(&s->mark);
	}
	for (c = LIST_FIRST(&s->clients); c; c = next) {
		bool here = c->live;

		next = LIST_NEXT(c, next);
		for (int i = 0; here && i < r->n_rows && i < PENDING_MAX; i++) {
			struct db_row row = db_result_row(r, i);

			if (!wants(c, db_row_text(row, "series")))
				continue;
			say_event(c, row, id_lines[i]);
			here = still_reading(c);
		}
	}
	s->generation++;
}

static void reload_all(struct sse *s, const char *why)
{
	struct client *c, *next;

	for (c = LIST_FIRST(&s->clients); c; c = next) {
		next = LIST_NEXT(c, next);
		say_reload(c, why, sse_mark_value(&s->mark));
		still_reading(c);
	}
}

static void on_fetched(const struct db_result *r, const struct err *e, void *arg)
{
	struct sse *s = arg;

	s->fetching = false;
	if (e) {
		s->lost = true;
		return;
	}
	broadcast(s, r);
	if (s->lost) {
		s->lost = false;
		reload_all(s, "events were lost");
	}
	if (s->n_pending)
		fetch(s);
}

static void fetch(struct sse *s)
{
	s->fetching = true;
	q_api_event_by_ids_send(s->srv->db, s->pending, s->n_pending, on_fetched, s);
	s->n_pending = 0;
}

void sse_notify(struct sse *s, int64_t event_id)
{
	if (s->n_pending == PENDING_MAX)
		s->lost = true;
	else
		s->pending[s->n_pending++] = event_id;
	if (!s->fetching)
		fetch(s);
}

/* ---- the backlog of one client ---- */

static void ask_backlog(struct client *c);

static void on_backlog(const struct db_result *r, const struct err *e, void *arg)
{
	struct client *c = arg;
	struct sse *s = c->s;

	c->asking = false;
	if (!c->ctx) {
		free(c);
		return;
	}
	if (e) {
		c->live = true;
		say_reload(c, "the database was away", sse_mark_value(&s->mark));
		return;
	}
	for (int i = 0; i < r->n_rows; i++) {
		struct db_row row = db_result_row(r, i);

		c->from = db_row_i64(row, "id");
		say_event(c, row, c->from);
	}
	c->n_backlog += r->n_rows;
	if (!still_reading(c))
		return;
	if (c->n_backlog > SSE_BACKLOG_MAX) {
		c->live = true;
		say_reload(c, "too much has happened", sse_mark_value(&s->mark));
	} else if (r->n_rows == PAGE || c->generation != s->generation) {
		ask_backlog(c); /* what came meanwhile was not sent to this client */
	} else {
		c->live = true;
	}
}

static void ask_backlog(struct client *c)
{
	c->asking = true;
	c->generation = c->s->generation;
	q_api_event_after_send(c->s->srv->db, c->from, c->series_id, PAGE, on_backlog, c);
}

static void on_bounds(const struct db_result *r, const struct err *e, void *arg)
{
	struct client *c = arg;
	struct sse *s = c->s;
	int64_t first, last;

	c->asking = false;
	if (!c->ctx) {
		free(c);
		return;
	}
	if (e) {
		c->live = true;
		say_reload(c, "the database was away", 0);
		return;
	}
	first = db_row_i64(db_result_row(r, 0), "first");
	last = db_row_i64(db_result_row(r, 0), "last");
	if (s->mark.max == 0 && last > 0)
		sse_mark_saw(&s->mark, last, clock_mono_ns());
	if (c->from + 1 < first || c->from > last) {
		c->from = last;
		say_reload(c, "that is too long ago", last);
	}
	ask_backlog(c);
}

void sse_add(struct sse *s, struct http_ctx *ctx, int64_t series_id, int64_t after)
{
	CLEANUP(sbuf_release) struct sbuf hello = SBUF_INIT;
	struct client *c = base_zalloc(sizeof(*c));

	c->s = s;
	c->ctx = ctx;
	c->series_id = series_id;
	ctx->priv = c;
	ctx->on_gone = on_gone;
	LIST_INSERT_HEAD(&s->clients, c, next);
	s->n_clients++;
	http_stream_start(ctx, "text/event-stream");
	sbuf_addf(&hello, "retry: %d\n", SSE_RETRY_MS);
	if (after < 0 && s->mark.max)
		sbuf_addf(&hello, "id: %" PRId64 "\n", sse_mark_value(&s->mark));
	sbuf_adds(&hello, "\n");
	say(c, hello.buf, hello.len);
	c->live = after < 0;
	if (c->live)
		return;
	c->from = after;
	c->asking = true;
	q_api_event_bounds_send(s->srv->db, on_bounds, c);
}

/* ---- time ---- */

static void on_tick(evutil_socket_t fd UNUSED, short what UNUSED, void *arg)
{
	struct sse *s = arg;
	int64_t now = clock_mono_ns();
	struct client *c, *next;

	sse_mark_expire(&s->mark, now - SSE_GAP_MS * NS_PER_MS);
	if (s->lost && !s->fetching && s->srv->db_up)
		fetch(s); /* an empty one; its success tells that events can be read */
	if (now - s->last_beat_ns < SSE_HEARTBEAT_MS * NS_PER_MS)
		return;
	s->last_beat_ns = now;
	for (c = LIST_FIRST(&s->clients); c; c = next) {
		CLEANUP(sbuf_release) struct sbuf beat = SBUF_INIT;

		next = LIST_NEXT(c, next);
		/* the watermark moves when gaps are given up */
		if (c->live && s->mark.max && c->said != sse_mark_value(&s->mark)) {
			c->said = sse_mark_value(&s->mark);
			sbuf_addf(&beat, "id: %" PRId64 "\n\n", c->said);
		} else {
			sbuf_adds(&beat, ":\n\n");
		}
		say(c, beat.buf, beat.len);
		still_reading(c);
	}
}

void sse_up(struct sse *s)
{
	if (s->was_up)
		s->lost = true; /* notifications were missed while LISTEN was away */
	s->was_up = true;
}

struct sse *sse_new(struct server *srv)
{
	static const struct timeval second = {1, 0};
	struct sse *s = base_zalloc(sizeof(*s));

	s->srv = srv;
	LIST_INIT(&s->clients);
	s->last_beat_ns = clock_mono_ns();
	s->tick = event_new(srv->base, -1, EV_PERSIST, on_tick, s);
	event_add(s->tick, &second);
	return s;
}

void sse_close_all(struct sse *s)
{
	static const char bye[] = "retry: 1000\n: the server is stopping\n\n";
	struct client *c;

	while ((c = LIST_FIRST(&s->clients))) {
		say(c, bye, sizeof(bye) - 1);
		client_drop(c);
	}
}

void sse_free(struct sse *s)
{
	if (!s)
		return;
	event_free(s->tick);
	free(s);
}

int sse_n_clients(const struct sse *s)
{
	return s->n_clients;
}
