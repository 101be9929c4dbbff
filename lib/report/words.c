// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "report/words.h"

/* Length of a colour or cursor code at p. */
static size_t escape_len(const char *p)
{
	size_t n = 2;

	if (p[0] != 0x1b || p[1] != '[')
		return 0;
	while (p[n] >= 0x20 && p[n] < 0x40)
		n++;
	return p[n] ? n + 1 : n;
}

/* ASCII for the punctuation that compilers and mails use; '?' for the rest. */
static char ascii_for(const unsigned char *p, size_t left)
{
	if (left < 3 || p[0] != 0xe2 || p[1] != 0x80)
		return '?';
	switch (p[2]) {
	case 0x98: /* single quotes */
	case 0x99:
		return '\'';
	case 0x9c: /* double quotes */
	case 0x9d:
		return '"';
	case 0x90: /* hyphens and dashes */
	case 0x91:
	case 0x93:
	case 0x94:
		return '-';
	default:
		return '?';
	}
}

const char *words_clean(struct arena *a, const char *s, size_t max)
{
	size_t n = 0, len = s ? strlen(s) : 0;
	char *to = arena_alloc(a, (len < max ? len : max) + 4);

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];
		size_t skip = escape_len(s + i);

		if (skip) {
			i += skip - 1;
			continue;
		}
		if (c == '\r' || ((c & 0xc0) == 0x80 && i && (s[i - 1] & 0x80)))
			continue; /* or the rest of a character that is there already */
		if (n == max) {
			n = max > 3 ? max - 3 : 0;
			memcpy(to + n, "...", 3);
			n += 3;
			break;
		}
		if (c == '\t' || c == '\n')
			to[n++] = ' ';
		else if (c >= 0x20 && c <= 0x7e)
			to[n++] = (char)c;
		else
			to[n++] = ascii_for((const unsigned char *)s + i, len - i);
	}
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = 0;
	return to;
}

void words_wrap(struct sbuf *b, const char *first, const char *rest, const char *text,
	size_t width)
{
	const char *indent = first;

	do {
		size_t room, n = strlen(text), cut;

		sbuf_adds(b, indent);
		room = width > strlen(indent) + 8 ? width - strlen(indent) : 8;
		if (n > room) {
			cut = room;
			while (cut > 0 && text[cut] != ' ')
				cut--;
			n = cut ? cut : room;
		}
		while (n && text[n - 1] == ' ')
			n--;
		sbuf_add(b, text, n);
		/* an empty indented line would end in blanks */
		while (b->len && b->buf[b->len - 1] == ' ')
			sbuf_setlen(b, b->len - 1);
		sbuf_addc(b, '\n');
		text += n;
		while (*text == ' ')
			text++;
		indent = rest;
	} while (*text);
}

const char *words_count(struct arena *a, long n, const char *noun)
{
	return arena_printf(a, "%ld %s%s", n, noun, n == 1 ? "" : "s");
}

const char *words_list(struct arena *a, const char *const *items, size_t n)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;

	for (size_t i = 0; i < n; i++)
		sbuf_addf(&b, "%s%s",
			i == 0       ? ""
			: i + 1 == n ? " and "
				     : ", ",
			items[i]);
	return arena_strndup(a, b.buf, b.len);
}
