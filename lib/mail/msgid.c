/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/msgid.h"

#include "mail/charset.h"

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

/* NULL: a %00, behind which the text would silently end. */
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
		if (!(hi | lo))
			return NULL;
		out[n++] = (char)(hi << 4 | lo);
		i += 2;
	}
	out[n] = 0;
	return out;
}

/* Without the < > around it. */
static const char *unwrap(struct arena *a, const char *s)
{
	size_t len = strlen(s);
	return len > 2 && s[0] == '<' && s[len - 1] == '>'
		       ? arena_strndup(a, s + 1, len - 2)
		       : s;
}

/* An at sign with something on both sides, printable, no white space or brackets. */
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
	if (!id)
		return err_set(e, ERR_INVALID, "the message-id holds a NUL");
	id = unwrap(a, id);
	if (strlen(id) > MSGID_MAX)
		return err_set(e, ERR_INVALID, "the message-id is longer than %u bytes",
			MSGID_MAX);
	if (!is_id(id) || !charset_is_utf8(id, strlen(id)))
		return err_set(e, ERR_INVALID, "\"%.120s\" is no message-id", id);
	*ret = id;
	return 0;
}

static bool starts(const char *s, const char *with)
{
	return !strncasecmp(s, with, strlen(with));
}

/* Whether the mail's list can be fetched from what stands before the id: not from a
 * redirector, a patchwork or a patchew, which are no public-inbox. */
static bool is_inbox(const char *host, const char *path, const char *id)
{
	size_t n = (size_t)(id - path);
	return n > 1 && !starts(host, "patchew.org/") && !starts(path, "/r/") &&
	       !memmem(path, n, "/patch/", 7) && !memmem(path, n, "/cover/", 7);
}

/* What follows a list's address, not a mail's id, in the archives of Mailman 3. */
static bool is_mailman(const char *rest)
{
	return starts(rest, "/message/") || starts(rest, "/thread/");
}

static int from_url(struct arena *a, const char *url, const char **ret_id,
	const char **ret_base, struct err *e)
{
	const char *host = strstr(url, "://") + 3;
	const char *path = strchr(host, '/');
	const char *id = NULL;
	if (!path || path == host || !path[1])
		return err_set(e, ERR_INVALID, "\"%.200s\" names no mail", url);
	for (const char *p = path + 1; *p;) {
		size_t len = strcspn(p, "/?#");
		const char *part = unescape(a, p, len);
		if (!part)
			return err_set(
				e, ERR_INVALID, "\"%.200s\" holds a NUL (%%00)", url);
		part = unwrap(a, part);
		if (strchr(part, '@') && !is_mailman(p + len)) {
			int rc = check(a, part, ret_id, e);
			if (rc)
				return rc;
			if (id)
				return err_set(e, ERR_INVALID,
					"\"%.200s\" holds two message-ids", url);
			id = p;
		}
		if (p[len] != '/')
			break;
		p += len + 1;
	}
	if (!id)
		return err_set(e, ERR_INVALID, "\"%.200s\" holds no message-id", url);
	*ret_base = is_inbox(host, path, id) ? arena_strndup(a, url, (size_t)(id - url))
					     : NULL;
	return 0;
}

/* A URL, also one pasted without its scheme from the hosts that everybody uses; else
 * NULL. */
static const char *as_url(struct arena *a, const char *s)
{
	static const char *const hosts[] = {"lore.kernel.org/", "lkml.kernel.org/r/",
		"patch.msgid.link/", "msgid.link/", "patchwork.kernel.org/"};
	if (starts(s, "https://") || starts(s, "http://"))
		return s;
	for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
		if (starts(s, hosts[i]))
			return arena_printf(a, "https://%s", s);
	}
	return NULL;
}

int msgid_parse(struct arena *a, const char *text, const char **ret_id,
	const char **ret_base_url, struct err *e)
{
	static const char *const prefixes[] = {"rfc822msgid:", "id:", "mid:"};
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
	for (const char *c = s; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			return err_set(e, ERR_INVALID,
				"the message-id holds a control character");
	}
	if (!charset_is_utf8(s, len))
		return err_set(e, ERR_INVALID, "the message-id is no UTF-8");
	const char *url = as_url(a, unwrap(a, s));
	const char *base = NULL, *id = NULL;
	int rc;
	if (url) {
		/* base ends up in a request */
		rc = strpbrk(url, " <>\"")
			     ? err_set(e, ERR_INVALID, "\"%.200s\" is no URL", url)
			     : from_url(a, url, &id, &base, e);
	} else {
		for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
			if (starts(s, prefixes[i])) {
				s += strlen(prefixes[i]);
				break;
			}
		}
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
