/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jx.h - the few jansson helpers we allow. Objects are packed with one json_pack_ex
 * and unpacked with one json_unpack_ex ("{s:s, s?i !}") beside their struct.
 */
#ifndef WL_BASE_JX_H
#define WL_BASE_JX_H

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

/* Parses text: duplicates refused, depth and size capped by the caller's len. Owner:
 * caller. */
int jx_load(const char *buf, size_t len, json_t **ret, struct err *e) MUST_CHECK;
int jx_load_file(
	const char *path, size_t cap_bytes, json_t **ret, struct err *e) MUST_CHECK;
/* json_unpack_ex that turns a failure into ERR_INVALID "what: key ... wrong type". */
int jx_unpack(
	json_t *root, struct err *e, const char *what, const char *fmt, ...) MUST_CHECK;
/* json_pack_ex that aborts on a wrong format (our fault, never the data's). Steals with
 * 'o'. */
json_t *jx_pack(const char *fmt, ...);
/* Compact text, sorted as inserted. Owner: caller, free(). */
char *jx_dump(const json_t *j);
/* 64-bit ids travel as decimal strings. */
json_t *jx_id(int64_t id);
int jx_id_parse(const char *s, int64_t *ret, struct err *e) MUST_CHECK;
bool jx_is_utf8(const char *p, size_t len);
/* A JSON string from any bytes: invalid UTF-8 becomes U+FFFD, NUL is dropped. */
json_t *jx_text(const char *p, size_t len);
json_t *jx_str_or_null(const char *s);

#endif
