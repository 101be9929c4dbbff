/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_list.h"
#include "server/server.h"
#include "server/spool.h"

#include <strings.h>

#define VERSION_MIN 1
#define VERSION_MAX 999 /* as the table has it */

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
	json_int_t version = 0;

	if (!HTTP_UNPACK(ctx, "s:s, s?s, s?s, s?s, s?s, s?I !}", "message_id", &text,
		    "list", &list, "url", &url, "tree", &tree, "base", &base, "version",
		    &version))
		return;
	if (json_object_get(ctx->body, "version") &&
		(version < VERSION_MIN || version > VERSION_MAX)) {
		http_refuse(ctx, 400, ERR_INVALID, "version is no number from %d to %d",
			VERSION_MIN, VERSION_MAX);
		return;
	}
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
		base, ctx->who.token_id, version, api_on_accepted, ctx);
}

/* What the query says, until the mbox is on disk. */
struct mbox {
	const char *tree, *base;
	int64_t version; /* 0: the newest */
};

static void on_stored(const char *hex, int64_t bytes, bool had_it UNUSED,
	const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	const struct mbox *m = ctx->priv;

	if (e)
		http_reply_err(ctx, e);
	else
		q_api_submission_create_mbox_send(ctx->srv->db, hex, bytes, m->tree,
			m->base, ctx->who.token_id, m->version, api_on_accepted, ctx);
}

/* Not a byte of it is looked at here: a worker's child reads it. */
void api_submissions_mbox(struct http_ctx *ctx)
{
	static const char *const keys[] = {"tree", "base", "version"};
	struct mbox *m = ARENA_NEW(ctx->a, struct mbox);
	struct spool *spool = ctx->spool;

	if (!http_query_only(ctx, keys, ARRAY_LEN(keys)) ||
		!http_query_i64(ctx, "version", 0, VERSION_MIN, VERSION_MAX, &m->version))
		return;
	m->tree = api_text_or_null(http_query(ctx, "tree"));
	m->base = api_text_or_null(http_query(ctx, "base"));
	if (!api_check_len(ctx, "base", m->base, 200))
		return;
	if (!http_is_type(ctx, "application/mbox") &&
		!http_is_type(ctx, "message/rfc822")) {
		http_refuse(ctx, 415, ERR_UNSUPPORTED,
			"send mails as Content-Type: application/mbox or message/rfc822");
		return;
	}
	if (ctx->head.content_length == 0) {
		http_refuse(ctx, 400, ERR_INVALID, "the mbox is empty");
		return;
	}
	ctx->priv = m;
	ctx->spool = NULL;
	spool_finish(spool, NULL, on_stored, ctx);
}
