/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jobio.h - framed JSON between the supervisor and a child: four bytes of length, most
 * significant first, then so many bytes of JSON. A frame that is empty, over the cap or
 * no JSON is ERR_INVALID: the stream cannot be read on.
 *
 * Supervisor to child, once: {"v":1,"t":"job","kind","op","data","blobs","scratch",
 * "uid","gid","in"}. Child to supervisor: any number of {"v":1,"t":"progress","done",
 * "total","unit","text"}, then {"v":1,"t":"result","result"} or {"v":1,"t":"error",
 * "code","msg"}, then the end of the stream.
 */
#ifndef WL_WORKERS_JOBIO_H
#define WL_WORKERS_JOBIO_H

#include "base/base.h"

#include "base/err.h"
#include "base/jx.h"
#include "base/sbuf.h"

#define JOBIO_FD        3
#define JOBIO_HEAD      ((size_t)4)
#define JOBIO_FRAME_MAX ((size_t)64 << 20)

/* Appends one frame. ERR_TOO_BIG above the cap; out is unchanged then. */
int jobio_encode(struct sbuf *out, const json_t *j, struct err *e) MUST_CHECK;
/* Takes one frame off the front of buf: 1 and *ret (owner: caller) and *ret_used; 0 when
 * more bytes are needed; negative for what can never become a frame. */
int jobio_decode(const char *buf, size_t len, json_t **ret, size_t *ret_used,
	struct err *e) MUST_CHECK;

/* Blocking forms, for the child. jobio_read: ERR_UNAVAILABLE when the peer is gone. */
int jobio_read(int fd, json_t **ret, struct err *e) MUST_CHECK;
int jobio_write(int fd, const json_t *j, struct err *e) MUST_CHECK;

enum jobio_type { JOBIO_PROGRESS, JOBIO_RESULT, JOBIO_ERROR };

/* What a child said; borrowed from the frame. */
struct jobio_msg {
	enum jobio_type type;
	json_t *progress; /* object without "v" and "t"; owner: caller, json_decref */
	json_t *result;   /* borrowed */
	enum err_code code;
	const char *text;
};

/* Strict: unknown types, keys and codes are ERR_INVALID. */
int jobio_msg_parse(json_t *frame, struct jobio_msg *ret, struct err *e) MUST_CHECK;

#endif
