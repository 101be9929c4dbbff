/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sha256.h - SHA-256 by libsodium, and hexadecimal text. */
#ifndef WL_BASE_SHA256_H
#define WL_BASE_SHA256_H

#include "base/err.h"

#define SHA256_BYTES 32
#define SHA256_HEX   65 /* with the NUL */

void sha256_hex(const void *p, size_t len, char ret_hex[SHA256_HEX]);
/* Its first eight bytes as a number: a key that nobody makes collide at will, but two
 * texts may share. */
uint64_t sha256_number(const void *p, size_t len);
/* Streams a file of any size. ret_bytes may be NULL. */
int sha256_file_hex(const char *path, char ret_hex[SHA256_HEX], int64_t *ret_bytes,
	struct err *e) MUST_CHECK;
/* True for exactly 64 lower-case hex digits. */
bool sha256_is_hex(const char *s);

#endif
