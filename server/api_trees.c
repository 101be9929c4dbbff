/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_list.h"
#include "server/server.h"

void api_trees_all(struct http_ctx *ctx)
{
	q_api_tree_all_send(ctx->srv->db, api_on_body, ctx);
}

void api_trees_get(struct http_ctx *ctx)
{
	q_api_tree_get_send(ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}

void api_trees_delete(struct http_ctx *ctx)
{
	q_api_tree_delete_send(ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}

void api_trees_create(struct http_ctx *ctx)
{
	const char *name, *kind, *source, *branch = NULL;

	if (!HTTP_UNPACK(ctx, "s:s, s:s, s:s, s?s !}", "name", &name, "kind", &kind,
		    "source", &source, "branch", &branch))
		return;
	branch = api_text_or_null(branch);
	if (!api_check_name(ctx, "name", name) ||
		!api_check_len(ctx, "source", source, 4000) ||
		!api_check_len(ctx, "branch", branch, 200))
		return;
	if (strcmp(kind, "dir") != 0 && strcmp(kind, "tarball") != 0) {
		http_refuse(ctx, 400, ERR_INVALID, "kind is dir or tarball");
		return;
	}
	if (source[0] != '/') {
		http_refuse(ctx, 400, ERR_INVALID,
			"source \"%.200s\" is no absolute path on the server", source);
		return;
	}
	q_api_tree_create_send(
		ctx->srv->db, name, kind, source, branch, api_on_created, ctx);
}
