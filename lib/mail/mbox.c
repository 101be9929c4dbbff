/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/mbox.h"

#include <ctype.h>

/*
 * git's rule: "From ", and a time of day followed by a year ("From a Mon Sep 17 00:00:00
 * 2001"). len counts the newline.
 */
static bool is_from_line(const char *p, size_t len)
{
	if (len < 20 || memcmp(p, "From ", 5))
		return false;
	const char *colon = p + len - 2;
	for (;;) {
		if (colon < p + 5 + 2)
			return false;
		if (*--colon == ':')
			break;
	}
	if (p + len - colon < 4 || !isdigit((unsigned char)colon[-4]) ||
		!isdigit((unsigned char)colon[-2]) ||
		!isdigit((unsigned char)colon[-1]) || !isdigit((unsigned char)colon[1]) ||
		!isdigit((unsigned char)colon[2]))
		return false;
	const char *year = colon + 3, *end = p + len;
	while (year < end && *year == ' ')
		year++;
	int n = 0, v = 0;
	while (year + n < end && isdigit((unsigned char)year[n]) && n < 4)
		v = v * 10 + (year[n++] - '0');
	return n > 0 && v > 90;
}

static size_t line_len(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));
	return (size_t)((nl ? nl + 1 : end) - p);
}

bool mbox_is(const char *buf, size_t len)
{
	const char *end = buf + len;
	while (buf < end && isspace((unsigned char)*buf))
		buf++;
	return buf < end && is_from_line(buf, line_len(buf, end));
}

void mbox_iter_init(struct mbox_iter *it, const char *buf, size_t len)
{
	it->p = buf;
	it->end = buf + len;
	it->single = !mbox_is(buf, len);
	while (it->p < it->end && isspace((unsigned char)*it->p))
		it->p++;
}

bool mbox_next(struct mbox_iter *it, struct mbox_mail *ret)
{
	if (it->p >= it->end)
		return false;
	ret->mboxrd = false;
	size_t first = line_len(it->p, it->end);
	if (is_from_line(it->p, first)) {
		ret->mboxrd = first >= 12 && !memcmp(it->p, "From mboxrd@", 12);
		it->p += first;
	}
	ret->p = it->p;
	while (it->p < it->end) {
		size_t n =
			it->single ? (size_t)(it->end - it->p) : line_len(it->p, it->end);
		if (!it->single && n >= 5 && *it->p == 'F' && is_from_line(it->p, n))
			break;
		it->p += n;
	}
	ret->len = (size_t)(it->p - ret->p);
	/* The empty line before the next separator belongs to the mbox. */
	if (it->p < it->end && ret->len >= 2 && ret->p[ret->len - 1] == '\n' &&
		ret->p[ret->len - 2] == '\n')
		ret->len--;
	return true;
}

/* mboxrd: a line of ">From " with any number of ">" before it loses one. */
void mbox_unpack(const struct mbox_iter *it, const struct mbox_mail *m, struct sbuf *ret)
{
	const char *p = m->p, *end = p + m->len;

	/* public-inbox ends the last mail with an empty line as well */
	if (it->p >= it->end && m->mboxrd && m->len >= 2 && !memcmp(end - 2, "\n\n", 2))
		end--;
	sbuf_reset(ret);
	while (p < end) {
		const char *q = p, *next = p + line_len(p, end);

		while (q < next && *q == '>')
			q++;
		if (m->mboxrd && q > p && next - q >= 5 && !memcmp(q, "From ", 5))
			p++;
		sbuf_add(ret, p, (size_t)(next - p));
		p = next;
	}
}
