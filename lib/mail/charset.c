/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/charset.h"

#include <errno.h>
#include <strings.h>

/* windows-1252, 0x80 to 0x9f; the five holes are the C1 controls. */
static const uint16_t cp1252[32] = {
	0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, /* 80 */
	0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d, 0x8f,   /* 88 */
	0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, /* 90 */
	0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d, 0x017e, 0x0178, /* 98 */
};

static bool is_utf8_name(const char *name)
{
	return !strcasecmp(name, "utf-8") || !strcasecmp(name, "utf8");
}

static bool is_narrow_name(const char *name)
{
	return !strncasecmp(name, "iso-8859-", 9) ||
	       !strncasecmp(name, "windows-125", 11) || !strncasecmp(name, "latin", 5) ||
	       !strncasecmp(name, "cp125", 5);
}

void charset_init(struct charset *c, const char *name)
{
	memset(c, 0, sizeof(*c));
	size_t len = strlen(name);
	if (len == 0 || is_utf8_name(name)) {
		c->same = true;
		return;
	}
	/* "//" would select iconv's own suffixes; no charset has it. */
	if (len >= sizeof(c->name) || strstr(name, "//"))
		return;
	memcpy(c->name, name, len + 1);
	c->narrow = is_narrow_name(name);
	c->over_ascii = c->narrow || !strcasecmp(name, "us-ascii");
	c->cd = iconv_open("UTF-8", strcasecmp(name, "latin-1") ? name : "ISO-8859-1");
	c->open = c->cd != (iconv_t)-1;
}

void charset_release(struct charset *c)
{
	if (c->open)
		iconv_close(c->cd);
	memset(c, 0, sizeof(*c));
}

bool charset_add(struct charset *c, const char *p, size_t len, struct sbuf *out)
{
	if (c->same) {
		sbuf_add(out, p, len);
		return true;
	}
	if (!c->open)
		return false;
	if (c->over_ascii && charset_is_ascii(p, len)) {
		sbuf_add(out, p, len);
		return true;
	}
	size_t start = out->len;
	char *in = (char *)(uintptr_t)p;
	size_t left = len;
	iconv(c->cd, NULL, NULL, NULL, NULL);
	for (;;) {
		sbuf_grow(out, left * 2 + 16);
		char *to = out->buf + out->len;
		size_t room = out->cap - out->len - 1;
		size_t before = room;
		size_t rc = left ? iconv(c->cd, &in, &left, &to, &room)
				 : iconv(c->cd, NULL, NULL, &to, &room);
		bool full = rc == (size_t)-1 && errno == E2BIG;
		out->len += before - room;
		out->buf[out->len] = 0;
		if (rc == (size_t)-1 && !full) {
			sbuf_setlen(out, start);
			return false;
		}
		if (!full && left == 0)
			return true;
	}
}

size_t charset_utf8_char(const char *p, size_t len)
{
	const unsigned char *s = (const unsigned char *)p;
	if (len == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || len < n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
		(s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

bool charset_is_ascii(const char *p, size_t len)
{
	size_t i = 0;
	for (; i + 8 <= len; i += 8) {
		uint64_t w;
		memcpy(&w, p + i, 8);
		if (w & UINT64_C(0x8080808080808080))
			return false;
	}
	for (; i < len; i++) {
		if (p[i] & 0x80)
			return false;
	}
	return true;
}

bool charset_is_utf8(const char *p, size_t len)
{
	if (charset_is_ascii(p, len))
		return true;
	for (size_t i = 0; i < len;) {
		size_t n = charset_utf8_char(p + i, len - i);
		if (!n)
			return false;
		i += n;
	}
	return true;
}

void charset_add_repaired(const char *p, size_t len, struct sbuf *out)
{
	for (size_t i = 0; i < len;) {
		size_t n = charset_utf8_char(p + i, len - i);
		if (n) {
			sbuf_add(out, p + i, n);
			i += n;
			continue;
		}
		unsigned int c = (unsigned char)p[i++];
		if (c < 0xa0)
			c = cp1252[c - 0x80];
		if (c < 0x800) {
			sbuf_addc(out, (char)(0xc0 | c >> 6));
		} else {
			sbuf_addc(out, (char)(0xe0 | c >> 12));
			sbuf_addc(out, (char)(0x80 | (c >> 6 & 0x3f)));
		}
		sbuf_addc(out, (char)(0x80 | (c & 0x3f)));
	}
}
