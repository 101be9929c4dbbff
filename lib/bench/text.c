// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/bench.h"
#include "bench/text.h"
#include "bench/word.h"

#define JOIN_MAX_BYTES 16384 /* of each line */

/* Bytes of the escape sequence at p (p[0] is ESC): CSI, OSC, character set, or two. */
static size_t escape_len(const unsigned char *p, size_t len)
{
	size_t n = 2;

	if (len < 2)
		return len;
	if (p[1] == '[') {
		while (n < len && (p[n] < 0x40 || p[n] > 0x7e))
			n++;
		return n < len ? n + 1 : len;
	}
	if (p[1] == ']') {
		while (n < len && p[n] != 0x07 && p[n] != 0x1b)
			n++;
		if (n + 1 < len && p[n] == 0x1b)
			n++;
		return n < len ? n + 1 : len;
	}
	if (strchr("()*+", p[1]))
		return len < 3 ? len : 3;
	return n;
}

/* A no-break space, plain (U+00A0) or narrow (U+202F), in UTF-8, quoted-printable or not.
 */
static size_t no_break_len(const unsigned char *p, size_t len)
{
	if (len >= 6 && memcmp(p, "=C2=A0", 6) == 0)
		return 6;
	if (len >= 9 && memcmp(p, "=E2=80=AF", 9) == 0)
		return 9;
	if (len >= 2 && p[0] == 0xc2 && p[1] == 0xa0)
		return 2;
	if (len >= 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] == 0xaf)
		return 3;
	return 0;
}

/* Copies one line without control codes, and ends it. */
static void clean(const unsigned char *p, size_t len, char *to)
{
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		size_t blank = no_break_len(p + i, len - i);

		if (p[i] == 0x1b) {
			i += escape_len(p + i, len - i);
		} else if (blank || p[i] == '\t') {
			to[n++] = ' ';
			i += blank ? blank : 1;
		} else if (p[i] < 0x20 || p[i] == 0x7f) {
			i++;
		} else if (len - i > 2 && memcmp(p + i, "=3D", 3) == 0) {
			to[n++] = '=';
			i += 3;
		} else {
			to[n++] = (char)p[i++];
		}
	}
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = 0;
}

static const char *skip_quoting(const char *p)
{
	/* bytes that are no ASCII: a byte order mark, or what a terminal left there */
	while (*p == ' ' || *p == '>' || (*p & 0x80))
		p++;
	return p;
}

/* "[ 1234.567890] " */
static bool is_kernel_stamp(const char *p)
{
	if (*p++ != '[')
		return false;
	while (*p == ' ')
		p++;
	if (*p < '0' || *p > '9')
		return false;
	while (*p >= '0' && *p <= '9')
		p++;
	if (*p++ != '.')
		return false;
	for (int i = 0; i < 6; i++, p++)
		if (*p < '0' || *p > '9')
			return false;
	return *p == ']';
}

/* A line of a quoted-printable mail that goes on in the next: "=" at the end of 73 to 76
 * bytes. */
static bool is_soft_break(const char *line, size_t len)
{
	return len >= 73 && len <= 76 && line[len - 1] == '=' && line[len - 2] != '=';
}

/* Joins the lines that soft breaks made; other text stays where it is. */
static void unfold(struct arena *a, const char **buf, size_t *len)
{
	const char *p = *buf, *end = p + *len;
	char *copy = NULL;
	size_t n = 0;

	for (; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *stop = eol ? eol : end;
		size_t line = (size_t)(stop - p);

		if (line && stop[-1] == '\r')
			line--;
		if (eol && is_soft_break(p, line)) {
			if (!copy) {
				copy = arena_alloc(a, *len);
				n = (size_t)(p - *buf);
				memcpy(copy, *buf, n);
			}
			memcpy(copy + n, p, line - 1);
			n += line - 1;
		} else if (copy) {
			memcpy(copy + n, p, (size_t)(stop - p) + (eol ? 1 : 0));
			n += (size_t)(stop - p) + (eol ? 1 : 0);
		}
		p = eol ? eol + 1 : end;
	}
	if (copy) {
		*buf = copy;
		*len = n;
	}
}

int bench_lines(struct arena *a, const char *buf, size_t len, struct bench_lines *ret,
	struct err *e)
{
	size_t cap = 0;

	if (len > BENCH_TEXT_MAX)
		return err_set(e, ERR_TOO_BIG, "output of %zu bytes; limit %d", len,
			BENCH_TEXT_MAX);
	*ret = (struct bench_lines){0};
	unfold(a, &buf, &len);
	while (len) {
		size_t n = 0, eol;
		const char *line;
		char *copy;

		while (n < len && buf[n] != '\n' && buf[n] != '\r')
			n++;
		for (eol = n; eol < len && buf[eol] == '\r';)
			eol++;
		eol += eol < len && buf[eol] == '\n';
		if (ret->n == BENCH_LINES_MAX)
			return err_set(e, ERR_TOO_BIG, "output of more than %d lines",
				BENCH_LINES_MAX);
		copy = arena_alloc(a, n + 1);
		clean((const unsigned char *)buf, n, copy);
		line = skip_quoting(copy);
		if (!is_kernel_stamp(line))
			*ARENA_PUSH(a, ret->lines, ret->n, cap) = line;
		buf += eol;
		len -= eol;
	}
	return 0;
}

void bench_mark_cut(struct arena *a, const char *buf, size_t len, struct bench_lines *l)
{
	const char *last = l->n ? l->lines[l->n - 1] : "";
	size_t n = strlen(last);

	/* the text may end in a line that was left out */
	if (!n || !len || buf[len - 1] != last[n - 1])
		return;
	if ((last[n - 1] >= '0' && last[n - 1] <= '9') || strchr(".,-", last[n - 1]))
		l->lines[l->n - 1] = arena_printf(a, "%s%c", last, BENCH_CUT);
}

const char *bench_join(struct arena *a, const struct bench_lines *l, size_t i, size_t n)
{
	size_t len = 0;
	char *to;

	n = n < l->n - i ? n + 1 : l->n - i;
	for (size_t k = 0; k < n; k++)
		len += strnlen(l->lines[i + k], JOIN_MAX_BYTES) + 1;
	to = arena_alloc(a, len + 1);
	len = 0;
	for (size_t k = 0; k < n; k++) {
		size_t part = strnlen(l->lines[i + k], JOIN_MAX_BYTES);

		if (k)
			to[len++] = ' ';
		memcpy(to + len, l->lines[i + k], part);
		len += part;
	}
	to[len] = 0;
	return to;
}
