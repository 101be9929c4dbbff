/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sbuf.h - growable byte buffer; buf is always NUL terminated and never NULL. */
#ifndef WL_BASE_SBUF_H
#define WL_BASE_SBUF_H

#include "base/base.h"

struct sbuf {
	char *buf;
	size_t len;
	size_t cap; /* 0: buf points at a shared empty string */
};

extern char sbuf_empty[1];
#define SBUF_INIT                                                                        \
	{                                                                                \
		.buf = sbuf_empty, .len = 0, .cap = 0                                    \
	}

void sbuf_init(struct sbuf *s);
void sbuf_release(struct sbuf *s); /* frees and re-initialises; for CLEANUP too */
void sbuf_reset(struct sbuf *s);   /* length 0, keeps memory */
void sbuf_grow(struct sbuf *s, size_t extra);
void sbuf_add(struct sbuf *s, const void *p, size_t len);
void sbuf_adds(struct sbuf *s, const char *str);
void sbuf_addc(struct sbuf *s, char c);
void sbuf_addf(struct sbuf *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
void sbuf_setlen(struct sbuf *s, size_t len);       /* len <= s->len */
char *sbuf_detach(struct sbuf *s, size_t *ret_len); /* owner: caller, free() */

#endif
