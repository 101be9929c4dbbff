/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * joblogs.h - logs of runners' jobs while they grow: DATA/joblogs/ID.FENCE, one file a
 * lease, appended in order. Once final the whole log is a blob and is read from there.
 */
#ifndef WL_SERVER_JOBLOGS_H
#define WL_SERVER_JOBLOGS_H

#include "base/base.h"

#include "server/http.h"

#define JOBLOG_MAX_BYTES   (INT64_C(64) << 20) /* of one lease */
#define JOBLOG_PIECE_BYTES (1 << 20)           /* of one answer */

/* Answers with what follows offset, text/plain. sha256 NULL: from the growing file. */
void joblog_send(struct http_ctx *ctx, int64_t job_id, int64_t fence, const char *sha256,
	int64_t offset);
/* Appends ctx->bytes at offset and answers {v,size}; 409 with size when that is not
 * where the file ends. */
void joblog_append(struct http_ctx *ctx, int64_t job_id, int64_t fence, int64_t offset);

#endif
