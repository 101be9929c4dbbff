/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_list.h"
#include "mail/ours.h"
#include "server/server.h"

#include <strings.h>

#define MATCH_MAX 64

void api_lists_all(struct http_ctx *ctx)
{
	q_api_list_all_send(ctx->srv->db, api_on_body, ctx);
}

void api_lists_get(struct http_ctx *ctx)
{
	q_api_list_get_send(ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}

void api_lists_delete(struct http_ctx *ctx)
{
	q_api_list_delete_send(ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}

void api_lists_poll(struct http_ctx *ctx)
{
	q_api_list_poll_send(ctx->srv->db, http_param(ctx, "name"), api_on_accepted, ctx);
}

/* http(s)://host/path or an absolute path; the server itself is asked nothing here. */
static bool check_url(struct http_ctx *ctx, const char *url)
{
	const char *host;

	if (!api_check_len(ctx, "url", url, 2000))
		return false;
	if (url[0] == '/') {
		if (!strstr(url, "/../") && !strstr(url, "/./"))
			return true;
		http_refuse(ctx, 400, ERR_INVALID, "url: a path without . and .. is due");
		return false;
	}
	host = strncasecmp(url, "http://", 7) == 0    ? url + 7
	       : strncasecmp(url, "https://", 8) == 0 ? url + 8
						      : NULL;
	if (host && *host && *host != '/' && !strpbrk(url, " \t\r\n\"<>\\^`{|}#?@"))
		return true;
	http_refuse(ctx, 400, ERR_INVALID,
		"url \"%.200s\" is neither http(s)://HOST/LIST nor an absolute path of "
		"an "
		"epoch",
		url);
	return false;
}

static bool check_match(struct http_ctx *ctx, const char *const *match)
{
	struct ours_spec *spec;
	struct err e = {0};

	if (!match || ours_compile(ctx->a, match, &spec, &e) == 0)
		return true;
	http_reply_err(ctx, &e);
	return false;
}

/* "": none. What a mail to it could name. */
static bool check_address(struct http_ctx *ctx, const char *s)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789.!#$%&'*+/=?^_`{|}~-";
	size_t left, right;

	if (!s || !*s)
		return true;
	left = strspn(s, word);
	right = s[left] == '@' ? strspn(s + left + 1, word) : 0;
	if (left > 0 && right > 0 && !s[left + 1 + right])
		return true;
	http_refuse(ctx, 400, ERR_INVALID, "address \"%.80s\" is no mail address", s);
	return false;
}

static bool in_range(
	struct http_ctx *ctx, const char *what, json_int_t v, int64_t min, int64_t max)
{
	if (v == 0 || (v >= min && v <= max))
		return true;
	http_refuse(ctx, 400, ERR_INVALID, "%s is not from %lld to %lld", what,
		(long long)min, (long long)max);
	return false;
}

void api_lists_create(struct http_ctx *ctx)
{
	const char *name, *url, *tree = NULL, *reply = NULL, *address = NULL;
	const char *const *match = NULL;
	size_t n_match = 0;
	json_t *specs = NULL;
	json_int_t poll_ms = 0, deadline_ms = 0;

	if (!HTTP_UNPACK(ctx, "s:s, s:s, s?o, s?s, s?s, s?s, s?I, s?I !}", "name", &name,
		    "url", &url, "match", &specs, "tree", &tree, "reply", &reply,
		    "address", &address, "poll_ms", &poll_ms, "deadline_ms",
		    &deadline_ms))
		return;
	reply = api_text_or_null(reply);
	if (!api_check_name(ctx, "name", name) || !check_url(ctx, url))
		return;
	if (specs && !api_texts(ctx, "match", specs, MATCH_MAX, &match, &n_match))
		return;
	if (n_match == 0)
		match = NULL;
	if (!check_match(ctx, match) || !api_check_len(ctx, "address", address, 254) ||
		!check_address(ctx, address) ||
		!in_range(ctx, "poll_ms", poll_ms, 1000, 86400000) ||
		!in_range(ctx, "deadline_ms", deadline_ms, 1000, INT64_C(31536000000)))
		return;
	if (reply && strcmp(reply, "hold") != 0 && strcmp(reply, "author") != 0 &&
		strcmp(reply, "list") != 0) {
		http_refuse(ctx, 400, ERR_INVALID, "reply is hold, author or list");
		return;
	}
	q_api_list_create_send(ctx->srv->db, name, url, match, n_match,
		api_text_or_null(tree), reply, api_text_or_null(address), poll_ms,
		deadline_ms, api_on_created, ctx);
}
