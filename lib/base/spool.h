/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spool.h - bytes that are not to be held in memory: appended, read back at any place.
 *
 * They lie in a file without a name in TMPDIR (else /tmp), made when the buffer is full
 * for the first time, so that little input needs no file; it is gone with the descriptor,
 * however the process ends. A full disk is ERR_UNAVAILABLE naming the folder.
 */
#ifndef WL_BASE_SPOOL_H
#define WL_BASE_SPOOL_H

#include "base/err.h"

#define SPOOL_BUFFER_BYTES ((size_t)256 << 10)

struct spool {
	int fd; /* -1: no file yet */
	char *buf;
	size_t len, cap;  /* of buf; cap 0: SPOOL_BUFFER_BYTES */
	uint64_t flushed; /* bytes in the file */
};

#define SPOOL_INIT                                                                       \
	{                                                                                \
		.fd = -1                                                                 \
	}

/* *ret_at (may be NULL): where the bytes stand. */
int spool_add(struct spool *s, const void *p, size_t len, uint64_t *ret_at,
	struct err *e) MUST_CHECK;
/* All len bytes must have been added: else a BUG. */
int spool_read(const struct spool *s, uint64_t at, void *ret, size_t len,
	struct err *e) MUST_CHECK;
uint64_t spool_bytes(const struct spool *s);
void spool_release(struct spool *s); /* for CLEANUP too; s can be used again */
/* The file itself, for who writes it otherwise. *ret_fd: the caller's, to close. */
int spool_open(int *ret_fd, struct err *e) MUST_CHECK;

#endif
