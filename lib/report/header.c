// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "report/header.h"

#define VALUE_MAX   8192
#define ENCODED_MAX 75 /* of one encoded word, RFC 2047 */
#define ADDR_MAX    254

/* Length of the UTF-8 character at p, 0 when it is none. */
static size_t utf8_len(const unsigned char *p)
{
	size_t n = p[0] < 0x80   ? 1
		   : p[0] < 0xc2 ? 0
		   : p[0] < 0xe0 ? 2
		   : p[0] < 0xf0 ? 3
				 : 4;

	if (p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
		(p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

int header_check(const char *what, const char *s, struct err *e)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t word = 0;

	if (strlen(s) > VALUE_MAX)
		return err_set(e, ERR_INVALID, "%s is over %d bytes", what, VALUE_MAX);
	while (*p) {
		size_t n = utf8_len(p);

		if (*p == '\r' || *p == '\n')
			return err_set(e, ERR_INVALID, "%s holds a line break", what);
		if ((*p < 0x20 && *p != '\t') || *p == 0x7f)
			return err_set(
				e, ERR_INVALID, "%s holds a control character", what);
		if (n == 0)
			return err_set(e, ERR_INVALID, "%s is not UTF-8", what);
		word = *p == ' ' || *p == '\t' ? 0 : word + n;
		if (word > HEADER_MAX - 80)
			return err_set(e, ERR_INVALID, "%s holds a word of over %d bytes",
				what, HEADER_MAX - 80);
		p += n;
	}
	return 0;
}

const char *header_clean(struct arena *a, const char *s)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	size_t word = 0;

	for (const unsigned char *p = (const unsigned char *)s;
		*p && b.len < VALUE_MAX - 8;) {
		size_t n = utf8_len(p);
		bool blank = *p == ' ' || *p == '\t' || *p == '\r' || *p == '\n';
		/* C1 controls come as two bytes */
		bool bad = n == 0 || (!blank && *p < 0x20) || *p == 0x7f ||
			   (*p == 0xc2 && p[1] < 0xa0);

		if (blank || word + n > HEADER_MAX - 80) {
			sbuf_addc(&b, ' ');
			word = 0;
		}
		if (!blank) {
			sbuf_add(&b, bad ? "?" : (const char *)p, bad ? 1 : n);
			word += bad ? 1 : n;
		}
		p += n ? n : 1;
	}
	return arena_strndup(a, b.buf, b.len);
}

static bool is_addr_like(const char *s, const char *forbidden, size_t max)
{
	const char *at = s ? strchr(s, '@') : NULL;

	if (!at || at == s || !at[1] || strchr(at + 1, '@') || strlen(s) > max)
		return false;
	for (; *s; s++)
		if (*s <= 0x20 || *s > 0x7e || strchr(forbidden, *s))
			return false;
	return true;
}

bool header_is_addr(const char *s)
{
	return is_addr_like(s, "<>()[],;:\\\"", ADDR_MAX);
}

bool header_is_msgid(const char *s)
{
	size_t len = s ? strlen(s) : 0;

	if (len == 0 || len > HEADER_MAX - 80)
		return false;
	for (; *s; s++)
		if (*s <= 0x20 || *s > 0x7e || *s == '<' || *s == '>')
			return false;
	return true;
}

const char *header_ascii(struct arena *a, const char *s)
{
	char *copy = arena_strdup(a, s);

	for (char *p = copy; *p; p++)
		if (*p < 0x20 || *p > 0x7e)
			*p = '?';
	return copy;
}

/* ---- words ---- */

static bool is_ascii(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)s[i] > 0x7e || (unsigned char)s[i] < 0x20)
			return false;
	/* what looks encoded already would be decoded by the reader */
	return len < 2 || memcmp(s, "=?", 2) != 0;
}

/* Puts a token that cannot be broken, behind a blank or a fold. */
static void put(struct header_line *l, const char *s, size_t len)
{
	if (!l->empty && l->column + 1 + len > HEADER_FOLD) {
		sbuf_adds(l->b, "\n ");
		l->column = 1;
	} else {
		sbuf_addc(l->b, ' ');
		l->column++;
	}
	sbuf_add(l->b, s, len);
	l->column += len;
	l->empty = false;
}

void header_begin(struct header_line *l, struct sbuf *b, const char *field)
{
	*l = (struct header_line){b, strlen(field) + 1, true};
	sbuf_addf(b, "%s:", field);
}

void header_end(struct header_line *l)
{
	sbuf_addc(l->b, '\n');
}

static void q_char(struct sbuf *w, unsigned char c)
{
	bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
		     (c >= 'a' && c <= 'z') || strchr("!*+-/", c);

	if (c == ' ')
		sbuf_addc(w, '_');
	else if (plain && c)
		sbuf_addc(w, (char)c);
	else
		sbuf_addf(w, "=%02X", c);
}

/* len bytes as Q words; a character is never split, blanks between words are inside. */
static void put_encoded(
	struct header_line *l, const char *s, size_t len, const char *tail)
{
	static const char head[] = "=?utf-8?q?";
	CLEANUP(sbuf_release) struct sbuf w = SBUF_INIT;
	size_t i = 0;

	while (i < len) {
		size_t room = ENCODED_MAX - 2 - strlen(tail);

		/* the first word may share the line with the field's name */
		if (l->empty && room > HEADER_FOLD - l->column - 3 - strlen(tail))
			room = HEADER_FOLD - l->column - 3 - strlen(tail);
		sbuf_reset(&w);
		sbuf_adds(&w, head);
		while (i < len) {
			size_t n = utf8_len((const unsigned char *)s + i), before = w.len;

			for (size_t k = 0; k < n; k++)
				q_char(&w, (unsigned char)s[i + k]);
			if (w.len > room) {
				sbuf_setlen(&w, before);
				break;
			}
			i += n;
		}
		sbuf_adds(&w, "?=");
		if (i >= len)
			sbuf_adds(&w, tail);
		put(l, w.buf, w.len);
	}
}

void header_text(struct header_line *l, const char *text)
{
	const char *p = text;

	while (*p) {
		const char *from = p, *last = NULL;

		/* the next word */
		while (*p == ' ' || *p == '\t')
			from = ++p;
		while (*p && *p != ' ' && *p != '\t')
			p++;
		if (p == from)
			return;
		if (is_ascii(from, (size_t)(p - from))) {
			put(l, from, (size_t)(p - from));
			continue;
		}
		/* neighbours that need it too, with the blanks between, go into one run:
		 * blanks between encoded words are not shown */
		last = p;
		while (*p) {
			const char *q = p, *start;

			while (*q == ' ' || *q == '\t')
				q++;
			start = q;
			while (*q && *q != ' ' && *q != '\t')
				q++;
			if (q == start || is_ascii(start, (size_t)(q - start)))
				break;
			p = last = q;
		}
		put_encoded(l, from, (size_t)(last - from), "");
	}
}

/* A display name as atoms, a quoted string, or Q words. */
static void put_name(struct arena *a, struct header_line *l, const char *name)
{
	static const char atoms[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789!#$%&'*+-/=?^_`{|}~ ";
	char *quoted, *to;

	if (!is_ascii(name, strlen(name)) || strstr(name, "=?")) {
		put_encoded(l, name, strlen(name), "");
		return;
	}
	if (!name[strspn(name, atoms)]) {
		header_text(l, name);
		return;
	}
	quoted = to = arena_alloc(a, 2 * strlen(name) + 3);
	*to++ = '"';
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			*to++ = '\\';
		*to++ = *name;
	}
	*to++ = '"';
	put(l, quoted, (size_t)(to - quoted));
}

void header_addr(struct arena *a, struct header_line *l, const char *name,
	const char *addr, bool more)
{
	const char *comma = more ? "," : "";

	if (name && *name) {
		put_name(a, l, name);
		addr = arena_printf(a, "<%s>%s", addr, comma);
	} else {
		addr = arena_printf(a, "%s%s", addr, comma);
	}
	put(l, addr, strlen(addr));
}
