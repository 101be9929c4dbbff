/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sbuf.h"

#include <stdarg.h>

char sbuf_empty[1];

void sbuf_init(struct sbuf *s)
{
	*s = (struct sbuf)SBUF_INIT;
}

void sbuf_release(struct sbuf *s)
{
	if (s->cap)
		free(s->buf);
	sbuf_init(s);
}

void sbuf_reset(struct sbuf *s)
{
	sbuf_setlen(s, 0);
}

void sbuf_grow(struct sbuf *s, size_t extra)
{
	size_t need, cap;

	if (extra > SIZE_MAX / 4 - s->len)
		BUG("sbuf: %zu more bytes asked for", extra);
	need = s->len + extra + 1;
	if (need <= s->cap)
		return;
	cap = s->cap ? s->cap : 64;
	while (cap < need)
		cap += cap / 2 + 64;
	s->buf = base_realloc(s->cap ? s->buf : NULL, cap);
	s->buf[s->len] = '\0';
	s->cap = cap;
}

void sbuf_add(struct sbuf *s, const void *p, size_t len)
{
	if (!len)
		return;
	sbuf_grow(s, len);
	memcpy(s->buf + s->len, p, len);
	s->len += len;
	s->buf[s->len] = '\0';
}

void sbuf_adds(struct sbuf *s, const char *str)
{
	sbuf_add(s, str, strlen(str));
}

void sbuf_addc(struct sbuf *s, char c)
{
	sbuf_add(s, &c, 1);
}

void sbuf_addf(struct sbuf *s, const char *fmt, ...)
{
	va_list ap, again;
	int len;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		BUG("sbuf_addf: bad format \"%s\"", fmt);
	sbuf_grow(s, (size_t)len);
	vsnprintf(s->buf + s->len, (size_t)len + 1, fmt, again);
	va_end(again);
	s->len += (size_t)len;
}

void sbuf_setlen(struct sbuf *s, size_t len)
{
	if (len > s->len)
		BUG("sbuf_setlen: %zu over %zu", len, s->len);
	s->len = len;
	if (s->cap)
		s->buf[len] = '\0';
}

char *sbuf_detach(struct sbuf *s, size_t *ret_len)
{
	char *p;

	if (ret_len)
		*ret_len = s->len;
	sbuf_grow(s, 0);
	p = s->buf;
	sbuf_init(s);
	return p;
}
