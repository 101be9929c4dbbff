// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_unfold.c - archives that show a mail as one long line: line ends are put back
 * where rows and headings begin, so that the readers find them.
 */
#include "base/base.h"

#include "base/sbuf.h"
#include "bench/claims_doc.h"
#include <ctype.h>

#define LONG_LINE 1500

static bool is_unfolded(const char *text, size_t len)
{
	size_t lines = 1;

	for (size_t i = 0; i < len; i++)
		lines += text[i] == '\n';
	return len < LONG_LINE || len / lines < LONG_LINE;
}

/* "50.0000th:" or "*99.0000th:" at p: its length, 0 for none. */
static size_t percentile_len(const char *p)
{
	size_t n = *p == '*', k = strspn(p + n, "0123456789.");

	n += k;
	return k && strncmp(p + n, "th:", 3) == 0 ? n + 3 : 0;
}

/* A letter, and no "name=", begins at p. */
static bool begins_text(const char *p)
{
	return isalpha((unsigned char)*p) != 0;
}

/* The word that ends before p, behind a ':' : "patch: Latency", not "Re: x" in a header.
 */
static bool ends_heading(const char *from, const char *p)
{
	return p - from >= 3 && p[-1] == ':' && isalnum((unsigned char)p[-2]) &&
	       p[0] == ' ' && begins_text(p + 1);
}

static bool ends_row(const char *from, const char *p)
{
	return p > from && p[-1] == ')' && p[0] == ' ' && begins_text(p + 1) &&
	       p - from > 2 && (p[-2] == '%' || strncmp(p - 2, "t)", 2) == 0);
}

static bool at_start(const struct sbuf *out)
{
	return !out->len || out->buf[out->len - 1] == '\n';
}

const char *cl_unfold(struct arena *a, const char *text, size_t len, size_t *ret_len)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	const char *copy, *end;

	*ret_len = len;
	if (len > CLAIMS_TEXT_MAX || is_unfolded(text, len))
		return text;
	copy = arena_strndup(a, text, len);
	end = strstr(copy, " diff --git ");
	if (!end)
		end = copy + strlen(copy);
	for (const char *p = copy; p < end;) {
		size_t n = *p == ' ' ? percentile_len(p + 1) : 0;

		if (n) {
			const char *q = p + 1 + n + strspn(p + 1 + n, " ");

			q += strspn(q, "0123456789.");
			sbuf_addf(&out, "%s%.*s\n", at_start(&out) ? "" : "\n",
				(int)(q - p - 1), p + 1);
			p = q;
			continue;
		}
		if (ends_heading(copy, p) || ends_row(copy, p) ||
			(p[0] == ' ' && p > copy && p[-1] == '.' && begins_text(p + 1))) {
			sbuf_addc(&out, '\n');
			p++;
			continue;
		}
		if (p[0] == ' ' && p[1] == '>' && p[2] == ' ') { /* quoting */
			p += 2;
			continue;
		}
		sbuf_addc(&out, *p++);
	}
	*ret_len = out.len;
	return arena_strndup(a, out.buf, out.len);
}
