/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/msgid.h"

#include <ctype.h>
#include <strings.h>

/* Bytes that public-inbox leaves as they are in the path of a URL. */
static bool is_plain(unsigned char c)
{
	return isalnum(c) || (c && strchr("-._~!$&';()*+,=:@", c));
}

const char *msgid_url_escape(struct arena *a, const char *id)
{
	static const char hex[] = "0123456789ABCDEF";
	char *out = arena_alloc(a, strlen(id) * 3 + 1);
	size_t n = 0;
	for (; *id; id++) {
		unsigned char c = (unsigned char)*id;
		if (is_plain(c)) {
			out[n++] = *id;
			continue;
		}
		out[n++] = '%';
		out[n++] = hex[c >> 4];
		out[n++] = hex[c & 15];
	}
	out[n] = 0;
	return out;
}

static int hex_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const char *unescape(struct arena *a, const char *s, size_t len)
{
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		int hi = s[i] == '%' && i + 2 < len ? hex_value(s[i + 1]) : -1;
		int lo = hi >= 0 ? hex_value(s[i + 2]) : -1;
		if (lo < 0) {
			out[n++] = s[i];
			continue;
		}
		out[n++] = (char)(hi << 4 | lo);
		i += 2;
	}
	out[n] = 0;
	return out;
}

/* One at sign with something on both sides, printable, no white space or brackets. */
static bool is_id(const char *s)
{
	size_t len = strlen(s);
	const char *at = strchr(s, '@');
	if (!at || at == s || !at[1] || len > MSGID_MAX)
		return false;
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (c <= ' ' || c == 0x7f || c == '<' || c == '>')
			return false;
	}
	return true;
}

static int check(struct arena *a, const char *id, const char **ret, struct err *e)
{
	size_t len = strlen(id);
	if (len > 2 && id[0] == '<' && id[len - 1] == '>')
		id = arena_strndup(a, id + 1, len - 2);
	if (strlen(id) > MSGID_MAX)
		return err_set(e, ERR_INVALID, "the message-id is longer than %u bytes",
			MSGID_MAX);
	if (!is_id(id))
		return err_set(e, ERR_INVALID, "\"%.120s\" is no message-id", id);
	*ret = id;
	return 0;
}

static int from_url(struct arena *a, const char *url, const char **ret_id,
	const char **ret_base, struct err *e)
{
	const char *host = strstr(url, "://") + 3;
	const char *path = strchr(host, '/');
	if (!path || !path[1])
		return err_set(e, ERR_INVALID, "\"%.200s\" names no mail", url);
	/* The first part of the path that reads as an id is it. */
	for (const char *p = path + 1; *p;) {
		size_t len = strcspn(p, "/?#");
		const char *part = unescape(a, p, len);
		size_t n = strlen(part);
		if (n > 2 && part[0] == '<' && part[n - 1] == '>')
			part = arena_strndup(a, part + 1, n - 2);
		if (is_id(part)) {
			/* patchwork and the redirectors are no place to fetch from */
			bool list = p > path + 1 &&
				    !memmem(path, (size_t)(p - path), "/patch/", 7) &&
				    !memmem(path, (size_t)(p - path), "/cover/", 7) &&
				    strncmp(path, "/r/", 3);
			*ret_base =
				list ? arena_strndup(a, url, (size_t)(p - url)) : NULL;
			*ret_id = part;
			return 0;
		}
		if (p[len] != '/')
			break;
		p += len + 1;
	}
	return err_set(e, ERR_INVALID, "\"%.200s\" holds no message-id", url);
}

int msgid_parse(struct arena *a, const char *text, const char **ret_id,
	const char **ret_base_url, struct err *e)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t len = strlen(text);
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (!len)
		return err_set(e, ERR_INVALID, "the message-id is empty");
	if (len > 8 * MSGID_MAX)
		return err_set(e, ERR_INVALID, "the message-id is longer than %u bytes",
			MSGID_MAX);
	const char *s = arena_strndup(a, text, len);
	const char *base = NULL, *id = NULL;
	int rc;
	if (!strncasecmp(s, "https://", 8) || !strncasecmp(s, "http://", 7)) {
		rc = from_url(a, s, &id, &base, e);
	} else {
		if (!strncasecmp(s, "rfc822msgid:", 12))
			s += 12;
		else if (!strncasecmp(s, "id:", 3))
			s += 3;
		else if (!strncasecmp(s, "mid:", 4))
			s += 4;
		const char *plain = is_id(s) || *s == '<' ? s : unescape(a, s, strlen(s));
		rc = check(a, plain, &id, e);
	}
	if (rc)
		return rc;
	*ret_id = id;
	if (ret_base_url)
		*ret_base_url = base;
	return 0;
}

/* Copy of value without ( ) comments; those inside < > stay. */
static char *drop_comments(struct arena *a, const char *value)
{
	char *out = arena_alloc(a, strlen(value) + 1);
	size_t n = 0;
	int depth = 0;
	bool angle = false;
	for (; *value; value++) {
		if (!angle && *value == '(')
			depth++;
		else if (depth && *value == ')')
			depth--;
		else if (!depth) {
			if (*value == '<')
				angle = true;
			else if (*value == '>')
				angle = false;
			out[n++] = *value;
		}
	}
	out[n] = 0;
	return out;
}

void msgid_list(struct arena *a, const char *value, const char ***ret_ids, size_t *ret_n,
	bool *ret_bare)
{
	size_t cap = 0;
	*ret_ids = NULL;
	*ret_n = 0;
	*ret_bare = false;
	const char *s = strchr(value, '(') ? drop_comments(a, value) : value;
	for (const char *p = s; (p = strchr(p, '<'));) {
		const char *end = strchr(p, '>');
		if (!end)
			break;
		/* White space inside comes from folding. */
		char *id = arena_alloc(a, (size_t)(end - p));
		size_t n = 0;
		for (const char *c = p + 1; c < end; c++) {
			if (!isspace((unsigned char)*c))
				id[n++] = *c;
		}
		id[n] = 0;
		if (n && n <= MSGID_MAX)
			*(const char **)ARENA_PUSH(a, *ret_ids, *ret_n, cap) = id;
		p = end + 1;
	}
	if (*ret_n)
		return;
	while (isspace((unsigned char)*s))
		s++;
	size_t len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	const char *bare = arena_strndup(a, s, len);
	if (!is_id(bare) || strchr(strchr(bare, '@') + 1, '@'))
		return;
	*(const char **)ARENA_PUSH(a, *ret_ids, *ret_n, cap) = bare;
	*ret_bare = true;
}
