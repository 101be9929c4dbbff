/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * api.h - the runner's side of the server's HTTP protocol, by libcurl, blocking and
 * bounded. One handle a process. A call stops early when *stop becomes non-zero.
 *
 * Codes: UNAVAILABLE (cannot reach, 5xx, 429: try later), TIMEOUT, DENIED (401, 403),
 * NOT_FOUND, CONFLICT (409), INVALID (400, or an answer that is none), TOO_BIG (413).
 */
#ifndef WL_RUNNERS_API_H
#define WL_RUNNERS_API_H

#include "base/jx.h"
#include "base/sha256.h"
#include <signal.h>

#define API_ANSWER_MAX (16u << 20) /* bytes of a JSON answer */
#define API_BLOB_MAX   (2ll << 30) /* bytes of a pack or kernel */
#define API_PIECE_MAX  (1u << 20)  /* bytes of one piece of a log */

struct api;

/* url: "http://host:port", without a path. token_file: its first line. */
int api_open(const char *url, const char *token_file, const volatile sig_atomic_t *stop,
	struct api **ret, struct err *e) MUST_CHECK;
/* Calls after it are not cut short by *stop: what a runner says as it goes. */
void api_ignore_stop(struct api *api);
void api_close(struct api *api); /* accepts NULL */
void api_closep(struct api **api);

/* POST of a JSON object (borrowed) to a path below /api/v1; ret (may be NULL) gets the
 * answer, owner: caller. With CONFLICT ret is set too when the answer was JSON. */
int api_post(struct api *api, const char *path, const json_t *body, int64_t timeout_ms,
	json_t **ret, struct err *e) MUST_CHECK;
/* One piece of a job's log. CONFLICT: *ret_size is what the server has (-1: the lease is
 * lost). */
int api_log(struct api *api, const char *job_id, int64_t fence, int64_t offset,
	const void *p, size_t len, int64_t *ret_size, struct err *e) MUST_CHECK;
/* Fetches a blob into a file, whose sum is checked; the file is there only on success. */
int api_blob_get(
	struct api *api, const char *sha, const char *file, struct err *e) MUST_CHECK;
/* Sends a file unless the server has it; ret_sha gets its sum. */
int api_blob_put(struct api *api, const char *file, char ret_sha[SHA256_HEX],
	struct err *e) MUST_CHECK;

#endif
