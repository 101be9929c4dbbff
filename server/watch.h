/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * watch.h - lists that are watched over HTTP: when each is asked, and what follows from
 * its answer. The asking itself is a source's (watch_inbox.c).
 *
 * A list is asked when it is due by the database's clock; taking it and moving its next
 * time is one statement, so several servers ask once. A manifest whose fingerprints
 * differ from the last one seen enqueues the list's poll job, which walks the epochs in
 * a worker's child. Errors stand in list.why, with back-off 1, 2, 4 .. 60 minutes.
 * Lists by path are polled by the workers' own clock (chain_tick).
 */
#ifndef WL_SERVER_WATCH_H
#define WL_SERVER_WATCH_H

#include "base/base.h"

#include "base/err.h"

/* Lists are taken so long before they are due, so that the workers' clock, which is
 * there for when no server runs, leaves them alone. */
#define WATCH_AHEAD_MS 5000

struct server;
struct watch;

struct watch *watch_new(struct server *srv);
void watch_stop(struct watch *w);
void watch_free(struct watch *w); /* after watch_stop and db_free; accepts NULL */

/* ---- a source ---- */

struct watch_inbox;

/* What an archive answered. Texts are borrowed until the callback returns. */
struct watch_answer {
	bool not_modified;                /* 304 */
	const char *fingerprint;          /* over all epochs; NULL when not_modified */
	const char *etag, *last_modified; /* for the next time; may be NULL */
	int64_t retry_ms; /* it asked to be left alone for so long; 0: no */
};
typedef void watch_cb(const struct watch_answer *a, const struct err *e, void *arg);

struct event_base;
struct watch_inbox *watch_inbox_new(struct event_base *base, const char *user_agent);
void watch_inbox_free(struct watch_inbox *w); /* open questions are dropped */
/* GET URL/manifest.js.gz: one connection a host, redirects on the same host only. a is
 * set together with e where the answer was an error with Retry-After. */
void watch_inbox_ask(struct watch_inbox *w, const char *url, const char *etag,
	const char *last_modified, watch_cb *cb, void *arg);

/* Pure: the fingerprint of a manifest (gzip or plain JSON), 64 hex digits. */
int watch_manifest_fingerprint(
	const void *p, size_t len, char ret_hex[65], struct err *e) MUST_CHECK;

#endif
