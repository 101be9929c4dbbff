// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "mail/lost.h"

#define LINE_MIN 200 /* shorter ones are no header */
#define HEAD_MAX (64u << 10)
#define ID_MAX   998

static bool same(const char *p, const char *word, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char c = (char)(p[i] >= 'A' && p[i] <= 'Z' ? p[i] + 'a' - 'A' : p[i]);

		if (c != word[i])
			return false;
	}
	return true;
}

/* Behind the first of these words; word is lower case. */
static const char *behind(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++) {
		if (same(p + i, word, n))
			return p + i + n;
	}
	return NULL;
}

/* Goes to the first long line of the header; its length, 0: there is none. */
static size_t long_line(const char **p, size_t len)
{
	for (const char *end = *p + len; *p < end;) {
		const char *nl = memchr(*p, '\n', (size_t)(end - *p));
		size_t n = (size_t)((nl ? nl : end) - *p);

		if (n >= LINE_MIN)
			return n < HEAD_MAX ? n : HEAD_MAX;
		if (!n || !nl)
			return 0;
		*p = nl + 1;
	}
	return 0;
}

/* Bytes up to the next field: " Date: ". */
static size_t value_len(const char *p, const char *end)
{
	size_t n = 0;

	for (const char *q = p; q < end; q++) {
		const char *k = q + 1;

		if (*q != ' ')
			continue;
		n = (size_t)(q - p);
		while (k < end && (*k == '-' || (*k >= 'A' && *k <= 'Z') ||
					  (*k >= 'a' && *k <= 'z')))
			k++;
		if (*k == ':' && k > q + 1 && q[1] >= 'A' && q[1] <= 'Z' && k + 1 < end &&
			k[1] == ' ' && n && p[n - 1] != ']')
			return n;
	}
	return (size_t)(end - p);
}

bool lost_header_read(struct arena *a, const char *p, size_t len, struct lost_header *ret)
{
	const char *id, *end, *subject;
	size_t n;

	len = long_line(&p, len);
	subject = len ? behind(p, len, " subject: ") : NULL;
	id = subject ? behind(p, len, " message-id: <") : NULL;
	end = id ? memchr(id, '>', len - (size_t)(id - p)) : NULL;
	n = end ? (size_t)(end - id) : 0;
	if (!n || n > ID_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (id[i] <= ' ' || id[i] > '~' || id[i] == '<')
			return false;
	}
	*ret = (struct lost_header){.text = p,
		.id = arena_strndup(a, id, n),
		.subject = arena_strndup(a, subject, value_len(subject, p + len))};
	return true;
}
