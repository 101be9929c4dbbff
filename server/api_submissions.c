/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_list.h"
#include "server/server.h"

#include <strings.h>

void api_submissions_get(struct http_ctx *ctx)
{
	int64_t id;

	if (http_param_id(ctx, "id", &id))
		q_api_submission_get_send(ctx->srv->db, id, api_on_body, ctx);
}

static bool is_http(const char *url)
{
	return strncasecmp(url, "http://", 7) == 0 ||
	       strncasecmp(url, "https://", 8) == 0;
}

void api_submissions_create(struct http_ctx *ctx)
{
	const char *text, *list = NULL, *url = NULL, *tree = NULL, *base = NULL;
	const char *id, *from_url = NULL;

	if (!HTTP_UNPACK(ctx, "s:s, s?s, s?s, s?s, s?s !}", "message_id", &text, "list",
		    &list, "url", &url, "tree", &tree, "base", &base))
		return;
	list = api_text_or_null(list);
	url = api_text_or_null(url);
	base = api_text_or_null(base);
	if (!api_message_id(ctx, text, &id, &from_url) ||
		!api_check_len(ctx, "base", base, 200) ||
		!api_check_len(ctx, "url", url, 2000))
		return;
	if (url && !is_http(url)) {
		http_refuse(ctx, 400, ERR_INVALID, "url is no http(s) address");
		return;
	}
	/* a person who names a list wants it from there, wherever the link points */
	if (!url && !list)
		url = from_url;
	q_api_submission_create_send(ctx->srv->db, id, list, url, api_text_or_null(tree),
		base, ctx->who.token_id, api_on_accepted, ctx);
}
