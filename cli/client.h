/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * client.h - one connection to a wakelistd: where it is, who we are, JSON calls, the
 * event stream. Blocking; one struct per process.
 *
 * Server and token are, first that is there: options --server and --token-file, the
 * environment (WAKELIST_SERVER, WAKELIST_TOKEN_FILE), ./data/cli.conf, then
 * ~/.config/wakelist/cli.conf ("server = URL", "token_file = PATH").
 */
#ifndef WL_CLI_CLIENT_H
#define WL_CLI_CLIENT_H

#include "base/arena.h"
#include "base/err.h"
#include "base/jx.h"

struct client;

/* server, token_file: NULL where the option was not given. Owner: caller, client_free().
 */
int client_open(const char *server, const char *token_file, struct client **ret,
	struct err *e) MUST_CHECK;
void client_free(struct client *c);
void client_freep(struct client **c);
const char *client_server(const struct client *c);

/*
 * path is below /api/v1 ("/series/12"); body is taken and may be NULL. Anything but 2xx
 * is an error with the server's sentence; ERR_UNAVAILABLE when nobody answers. *ret:
 * owner caller.
 */
int client_call(struct client *c, const char *method, const char *path, json_t *body,
	json_t **ret, struct err *e) MUST_CHECK;
/* POSTs len bytes of that Content-Type; answers as client_call. */
int client_upload(struct client *c, const char *path, const char *type, const char *p,
	size_t len, json_t **ret, struct err *e) MUST_CHECK;
/* The same for text (a log, a mail); appended to nothing, owner: caller, free(). */
int client_text(struct client *c, const char *path, char **ret, struct err *e) MUST_CHECK;

/*
 * Follows GET /events of one series: on_event at once, after each event, at most one call
 * a 200 ms, and once every 5 s without one. Ends when on_event returns non-zero. When the
 * stream ends (a restart of the server) the calls every 5 s go on.
 */
void client_follow(
	struct client *c, const char *series_id, int (*on_event)(void *arg), void *arg);

/* Percent-encodes everything but unreserved characters. Arena. */
const char *client_escape(struct arena *a, const char *text);

#endif
