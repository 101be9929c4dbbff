/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/stamp.h"

#include <ctype.h>

static size_t digits(const char *s)
{
	size_t n = 0;
	while (isdigit((unsigned char)s[n]))
		n++;
	return n;
}

const char *stamp_of(struct arena *a, const char *message_id)
{
	const char *s = message_id;
	size_t first = digits(s);
	if (first < 9)
		return NULL;
	if (s[first] != '.' && s[first] != '-')
		return NULL;
	size_t second = digits(s + first + 1);
	const char *p = s + first + 1 + second;
	if (!second)
		return NULL;
	if (first == 14 && s[first] == '.' && *p == '@')
		return arena_printf(a, "quilt:%.14s%s", s, p);
	if (*p != '-')
		return NULL;
	size_t counter = digits(p + 1);
	if (!counter || counter > 4 || p[1 + counter] != '-')
		return NULL;
	return arena_printf(a, "stem:%.*s%s", (int)(p - s), s, p + 1 + counter);
}
