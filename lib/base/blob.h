/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob.h - content-addressed files under ROOT/aa/bb/<sha256>, written by temp file,
 * fsync, rename. Putting the same bytes twice is harmless. Blocking: children only,
 * except blob_path().
 */
#ifndef WL_BASE_BLOB_H
#define WL_BASE_BLOB_H

#include "base/sbuf.h"
#include "base/sha256.h"

#define BLOB_PATH_MAX 4096

int blob_put(const char *root, const void *p, size_t len, char ret_hex[SHA256_HEX],
	struct err *e) MUST_CHECK;
/* Moves (same file system: rename or link, else copy) a finished file in; src is gone
 * after. */
int blob_put_file(const char *root, const char *src, char ret_hex[SHA256_HEX],
	int64_t *ret_bytes, struct err *e) MUST_CHECK;
int blob_get(const char *root, const char *hex, size_t cap_bytes, struct sbuf *ret,
	struct err *e) MUST_CHECK; /* ERR_NOT_FOUND; verifies the sum */
/* Path of a blob, existing or not. ERR_INVALID when hex is no SHA-256. */
int blob_path(const char *root, const char *hex, char ret_path[BLOB_PATH_MAX],
	struct err *e) MUST_CHECK;

/* Makes ROOT/aa/bb durable, with the root's mode. For who writes a blob by itself. */
int blob_make_folders(const char *root, const char *hex, struct err *e) MUST_CHECK;

#endif
