/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file.h - whole files: capped reads, durable writes, directories. */
#ifndef WL_BASE_FILE_H
#define WL_BASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

/* Reads at most cap bytes; more is ERR_TOO_BIG naming the path and the cap. "-" is stdin.
 */
int file_read(
	const char *path, size_t cap_bytes, struct sbuf *ret, struct err *e) MUST_CHECK;
/* Temp file in the same folder, write, fsync, rename, fsync of the folder. */
int file_write_atomic(const char *path, const void *p, size_t len, mode_t mode,
	struct err *e) MUST_CHECK;
/* Writes all of it to a blocking descriptor: 0, or -1 with errno. */
int file_write_all(int fd, const void *bytes, size_t len) MUST_CHECK;
/* fsync of the folder that holds path, after a rename or a mkdir in it. */
int file_sync_parent(const char *path, struct err *e) MUST_CHECK;
int file_mkdir_p(const char *path, mode_t mode, struct err *e) MUST_CHECK;
/* Removes a tree without following links; a path that does not exist is fine. */
int file_rm_rf(const char *path, struct err *e) MUST_CHECK;
/* Takes an exclusive lock on path (made if absent); ERR_BUSY names the holder's pid.
 * Held until *ret_fd is closed or the process ends. */
int file_lock(const char *path, int *ret_fd, struct err *e) MUST_CHECK;

#endif
