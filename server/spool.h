/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - one big body on its way into the blob store: written and hashed piece by
 * piece by the disk thread, renamed to its sum at the end.
 *
 * Until then the file is ROOT/spool/PID.N, removed at abort and at the next start, so a
 * server that dies leaves no half blob under a sum.
 */
#ifndef WL_SERVER_SPOOL_H
#define WL_SERVER_SPOOL_H

#include "base/base.h"

#include "base/err.h"
#include "base/sha256.h"
#include "server/io.h"

struct evbuffer;
struct spool;

/* Makes ROOT and ROOT/spool and empties the latter. Blocking: at start only. */
int spool_prepare(const char *root, struct err *e) MUST_CHECK;
/* on_drain is called in the loop after a piece is on disk. */
struct spool *spool_new(
	struct io *io, const char *root, void (*on_drain)(void *arg), void *arg);
void spool_add(struct spool *s, struct evbuffer *from, size_t len); /* moves len bytes */
int64_t spool_pending_bytes(const struct spool *s); /* moved in, not yet written */
/* From here on nobody calls on_drain. */
void spool_forget_drain(struct spool *s);

/* e NULL: the blob is in the store. The spool is gone after the callback. */
typedef void spool_cb(
	const char *hex, int64_t bytes, bool had_it, const struct err *e, void *arg);
/* ERR_INVALID when the sum is not want_hex; NULL: whatever it is. */
void spool_finish(struct spool *s, const char *want_hex, spool_cb *cb, void *arg);
void spool_abort(struct spool *s); /* removes the file; accepts NULL */

#endif
