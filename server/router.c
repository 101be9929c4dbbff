/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/router.h"

#include "base/jx.h"

struct seg {
	const char *text;
	size_t len;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int decode(
	struct arena *a, const char *p, size_t len, struct seg *ret, struct err *e)
{
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		int hi, lo;

		if (p[i] != '%') {
			out[n++] = p[i];
			continue;
		}
		hi = i + 2 < len ? hex_digit(p[i + 1]) : -1;
		lo = i + 2 < len ? hex_digit(p[i + 2]) : -1;
		if (hi >= 0 && lo >= 0) {
			out[n++] = (char)(hi * 16 + lo);
			i += 2;
			continue;
		}
		return err_set(e, ERR_INVALID, "a %% in the address starts no %%XX");
	}
	out[n] = '\0';
	if (memchr(out, '\0', n))
		return err_set(e, ERR_INVALID, "a NUL in the address");
	if (!jx_is_utf8(out, n))
		return err_set(e, ERR_INVALID, "the address is not UTF-8");
	if ((n == 1 && out[0] == '.') || (n == 2 && out[0] == '.' && out[1] == '.'))
		return err_set(e, ERR_INVALID, "the address holds a dot segment");
	ret->text = out;
	ret->len = n;
	return 0;
}

static int split(
	struct arena *a, const char *path, struct seg *segs, size_t *ret_n, struct err *e)
{
	size_t n = 0;
	const char *p = path + 1;

	for (;;) {
		size_t len = strcspn(p, "/");
		int status;

		if (n == ROUTE_MAX_SEGS)
			return err_set(e, ERR_INVALID, "the address has too many parts");
		status = decode(a, p, len, &segs[n++], e);
		if (status != 0)
			return status;
		if (!p[len])
			break;
		p += len + 1;
	}
	/* "/lists/" is "/lists", "/" is one empty segment */
	if (n > 1 && segs[n - 1].len == 0)
		n--;
	*ret_n = n;
	return 0;
}

static bool fits(struct arena *a, const char *pattern, const struct seg *segs,
	size_t n_segs, struct route_match *m)
{
	const char *p = pattern + 1;
	size_t i = 0;

	m->n_params = 0;
	for (;; i++) {
		size_t len = strcspn(p, "/");

		if (i == n_segs)
			return false;
		if (*p == '*') {
			CLEANUP(sbuf_release) struct sbuf rest = SBUF_INIT;

			for (; i < n_segs; i++) {
				sbuf_add(&rest, segs[i].text, segs[i].len);
				if (i + 1 < n_segs)
					sbuf_addc(&rest, '/');
			}
			m->params[m->n_params++] = (struct route_param){
				p + 1, arena_strndup(a, rest.buf, rest.len), rest.len};
			return true;
		}
		if (*p == ':') {
			if (segs[i].len == 0 || m->n_params == ROUTE_MAX_PARAMS)
				return false;
			m->params[m->n_params++] =
				(struct route_param){arena_strndup(a, p + 1, len - 1),
					segs[i].text, segs[i].len};
		} else if (segs[i].len != len || memcmp(segs[i].text, p, len) != 0) {
			return false;
		}
		if (!p[len])
			return i + 1 == n_segs;
		p += len + 1;
	}
}

int router_find(struct arena *a, const struct route *table, size_t n,
	enum http_method method, const char *path, struct route_match *ret, struct err *e)
{
	struct seg segs[ROUTE_MAX_SEGS];
	enum http_method wanted = method == HTTP_M_HEAD ? HTTP_M_GET : method;
	size_t n_segs;
	struct route_match found = {0};
	int status = split(a, path, segs, &n_segs, e);

	if (status != 0)
		return status;
	for (size_t i = 0; i < n; i++) {
		struct route_match m = {0};

		if (!fits(a, table[i].pattern, segs, n_segs, &m))
			continue;
		found.allow |= table[i].method;
		if (!found.route && table[i].method == wanted) {
			unsigned allow = found.allow;

			found = m;
			found.allow = allow;
			found.route = &table[i];
		}
	}
	if (found.allow & HTTP_M_GET)
		found.allow |= HTTP_M_HEAD;
	if (found.allow)
		found.allow |= HTTP_M_OPTIONS;
	*ret = found;
	return 0;
}

const char *route_auth_name(enum route_auth auth)
{
	static const char *const names[] = {
		[AUTH_OPEN] = "open",
		[AUTH_SUBMITTER] = "submitter",
		[AUTH_ADMIN] = "admin",
		[AUTH_RUNNER] = "runner",
		[AUTH_BLOB_PUT] = "runner",
	};

	return names[auth];
}
