/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * router.h - which row of the route table a path means. Pure.
 *
 * A pattern is literal segments, ":name" (one segment) and "*name" (the rest, last
 * only). Segments are percent-decoded after the split, so %2F never makes a segment; a
 * decoded NUL, "." or ".." is refused before any row is looked at.
 */
#ifndef WL_SERVER_ROUTER_H
#define WL_SERVER_ROUTER_H

#include "base/base.h"

#include "server/head.h"

#define ROUTE_MAX_PARAMS 3u
#define ROUTE_MAX_SEGS   16u

struct http_ctx;

enum route_auth {
	AUTH_OPEN,
	AUTH_SUBMITTER, /* submitter or admin */
	AUTH_ADMIN,
	AUTH_RUNNER,
	AUTH_BLOB_PUT, /* runner or admin */
};

/* How the body of a request is taken. */
enum route_body {
	BODY_NONE,
	BODY_EMPTY, /* none, or an object with "v" at most: acts that need no words */
	BODY_JSON,  /* application/json, an object; in ctx->body */
	BODY_BYTES, /* in memory: http_ctx_body_bytes() */
	BODY_SPOOL, /* into a file by the disk thread, never in memory */
};

/* One row of THE table. */
struct route {
	enum http_method method;
	const char *pattern;
	enum route_auth auth;
	enum route_body body;
	int64_t body_max_bytes;
	void (*handle)(struct http_ctx *ctx);
	const char *doc; /* one line */
};

extern const struct route routes[];
extern const size_t n_routes;

struct route_param {
	const char *name;
	const char *value; /* decoded */
	size_t len;
};
struct route_match {
	const struct route *route;
	struct route_param params[ROUTE_MAX_PARAMS];
	size_t n_params;
	unsigned allow; /* methods of every row whose pattern fits; 0: no such path */
};

/*
 * path is what stands before '?'. 0 with ret->route set, or NULL when no row fits
 * (ret->allow then tells 405 from 404). HEAD finds GET rows. ERR_INVALID: the path
 * cannot be a path of ours (bad escape, NUL, dot segments, too deep).
 */
int router_find(struct arena *a, const struct route *table, size_t n,
	enum http_method method, const char *path, struct route_match *ret,
	struct err *e) MUST_CHECK;
const char *route_auth_name(enum route_auth auth); /* "open", "submitter" ... */

#endif
