/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/head.h"
#include <strings.h>

static const struct {
	const char *name;
	enum http_method method;
} methods[] = {
	{"GET", HTTP_M_GET},
	{"HEAD", HTTP_M_HEAD},
	{"POST", HTTP_M_POST},
	{"PUT", HTTP_M_PUT},
	{"DELETE", HTTP_M_DELETE},
	{"OPTIONS", HTTP_M_OPTIONS},
};

const char *http_method_name(enum http_method m)
{
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (methods[i].method == m)
			return methods[i].name;
	}
	return "OTHER";
}

size_t head_length(const char *buf, size_t len)
{
	/* A blank line with a bare LF ends the head too: it is refused as a whole. */
	for (const char *p = buf, *end = buf + len; p < end; p++) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return 0;
		if (p + 1 < end && p[1] == '\n')
			return (size_t)(p + 2 - buf);
		if (p + 2 < end && p[1] == '\r' && p[2] == '\n')
			return (size_t)(p + 3 - buf);
	}
	return 0;
}

static bool is_token_char(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || (c && strchr("!#$%&'*+-.^_`|~", c));
}

/* One line without its CR LF: name, and value without the blanks around it. */
static int split_header(struct arena *a, const char *line, size_t len,
	const char **ret_name, const char **ret_value, struct err *e)
{
	size_t n = 0, from, to = len;

	while (n < len && is_token_char((unsigned char)line[n]))
		n++;
	if (n == 0 || n == len || line[n] != ':')
		return err_set(e, ERR_INVALID, "a header line is malformed");
	for (from = n + 1; from < to && (line[from] == ' ' || line[from] == '\t');)
		from++;
	while (to > from && (line[to - 1] == ' ' || line[to - 1] == '\t'))
		to--;
	for (size_t i = from; i < to; i++) {
		unsigned char c = (unsigned char)line[i];

		if ((c < 0x20 && c != '\t') || c == 0x7f)
			return err_set(e, ERR_INVALID,
				"a control character in header %.*s", (int)n, line);
	}
	*ret_name = arena_strndup(a, line, n);
	*ret_value = arena_strndup(a, line + from, to - from);
	return 0;
}

static int refuse(
	int *ret_status, int status, struct err *e, enum err_code code, const char *text)
{
	*ret_status = status;
	return err_set(e, code, "%s", text);
}

static int parse_request_line(struct arena *a, const char *line, size_t len,
	struct head *h, int *ret_status, struct err *e)
{
	const char *sp = memchr(line, ' ', len), *target, *sp2;
	size_t n_method, n_target;

	if (!sp || sp == line)
		return refuse(
			ret_status, 400, e, ERR_INVALID, "the request line is malformed");
	n_method = (size_t)(sp - line);
	for (size_t i = 0; i < n_method; i++) {
		if (!is_token_char((unsigned char)line[i]))
			return refuse(ret_status, 400, e, ERR_INVALID,
				"the request line is malformed");
	}
	h->method = HTTP_M_OTHER;
	for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
		if (strlen(methods[i].name) == n_method &&
			memcmp(methods[i].name, line, n_method) == 0)
			h->method = methods[i].method;
	}
	target = sp + 1;
	sp2 = memchr(target, ' ', len - (size_t)(target - line));
	if (!sp2)
		return refuse(
			ret_status, 400, e, ERR_INVALID, "the request line is malformed");
	n_target = (size_t)(sp2 - target);
	if (n_target > HEAD_MAX_TARGET)
		return refuse(ret_status, 414, e, ERR_TOO_BIG,
			"the address is longer than 4096 bytes");
	if (n_target == 0 || target[0] != '/')
		return refuse(ret_status, 400, e, ERR_INVALID,
			"the address does not start with /");
	for (size_t i = 0; i < n_target; i++) {
		unsigned char c = (unsigned char)target[i];

		if (c <= 0x20 || c >= 0x7f || strchr("\"<>\\^`{|}#", c))
			return refuse(ret_status, 400, e, ERR_INVALID,
				"the address holds a byte that must be percent-encoded");
	}
	sp2++;
	if (len - (size_t)(sp2 - line) != 8 || memcmp(sp2, "HTTP/1.", 7) != 0 ||
		(sp2[7] != '0' && sp2[7] != '1'))
		return refuse(ret_status, 505, e, ERR_UNSUPPORTED,
			"only HTTP/1.0 and HTTP/1.1 are spoken here");
	h->http10 = sp2[7] == '0';
	h->target = arena_strndup(a, target, n_target);
	return 0;
}

static int parse_length(const char *value, int64_t *ret)
{
	int64_t n = 0;

	if (!*value || strspn(value, "0123456789") != strlen(value) || strlen(value) > 15)
		return -1;
	for (; *value; value++)
		n = n * 10 + (*value - '0');
	*ret = n;
	return 0;
}

/* What matters of one header. */
static int take_header(struct head *h, const char *name, const char *value, int *n_hosts,
	int *ret_status, struct err *e)
{
	if (strcasecmp(name, "Content-Length") == 0) {
		if (h->content_length >= 0)
			return refuse(ret_status, 400, e, ERR_INVALID,
				"Content-Length is there twice");
		if (parse_length(value, &h->content_length) != 0)
			return refuse(ret_status, 400, e, ERR_INVALID,
				"Content-Length is no number");
	} else if (strcasecmp(name, "Transfer-Encoding") == 0) {
		return refuse(ret_status, 411, e, ERR_INVALID,
			"send a Content-Length, not a Transfer-Encoding");
	} else if (strcasecmp(name, "Expect") == 0) {
		if (strcasecmp(value, "100-continue") != 0)
			return refuse(ret_status, 417, e, ERR_UNSUPPORTED,
				"only Expect: 100-continue is known");
		h->expect_continue = true;
	} else if (strcasecmp(name, "Host") == 0) {
		if ((*n_hosts)++)
			return refuse(
				ret_status, 400, e, ERR_INVALID, "Host is there twice");
	} else if (strcasecmp(name, "Authorization") == 0) {
		if (h->authorization)
			return refuse(ret_status, 400, e, ERR_INVALID,
				"Authorization is there twice");
		h->authorization = value;
	} else if (strcasecmp(name, "Connection") == 0) {
		h->close = h->close || strcasestr(value, "close");
	}
	return 0;
}

int head_parse(struct arena *a, const char *buf, size_t len, struct head *ret,
	int *ret_status, struct err *e)
{
	struct head h = {.content_length = -1};
	size_t at = 0, n_headers = 0;
	int n_hosts = 0, status;

	if (memchr(buf, '\0', len))
		return refuse(ret_status, 400, e, ERR_INVALID, "a NUL in the request");
	for (bool first = true; at < len; first = false) {
		const char *line = buf + at;
		const char *nl = memchr(line, '\n', len - at);
		const char *name, *value;
		size_t n;

		if (!nl || nl == line || nl[-1] != '\r')
			return refuse(ret_status, 400, e, ERR_INVALID,
				"header lines must end with CR LF");
		n = (size_t)(nl - line) - 1;
		at += n + 2;
		if (first) {
			status = parse_request_line(a, line, n, &h, ret_status, e);
			if (status != 0)
				return status;
			continue;
		}
		if (n == 0)
			break;
		if (++n_headers > HEAD_MAX_HEADERS)
			return refuse(
				ret_status, 431, e, ERR_TOO_BIG, "more than 64 headers");
		status = split_header(a, line, n, &name, &value, e);
		if (status != 0) {
			*ret_status = 400;
			return status;
		}
		status = take_header(&h, name, value, &n_hosts, ret_status, e);
		if (status != 0)
			return status;
	}
	*ret = h;
	return 0;
}

void head_clean(const char *buf, size_t len, bool drop_body, struct sbuf *ret_clean)
{
	for (size_t at = 0; at < len;) {
		const char *line = buf + at;
		const char *nl = memchr(line, '\n', len - at);
		size_t n = nl ? (size_t)(nl - line) + 1 : len - at;

		at += n;
		if (n > 7 && strncasecmp(line, "Expect:", 7) == 0)
			continue;
		if (drop_body && n > 15 && strncasecmp(line, "Content-Length:", 15) == 0)
			continue;
		if (n == 2 && line[0] == '\r' && drop_body)
			sbuf_adds(ret_clean, "Content-Length: 0\r\n");
		sbuf_add(ret_clean, line, n);
	}
}
