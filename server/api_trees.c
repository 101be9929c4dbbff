/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api_list.h"
#include "server/server.h"

#define BRANCHES_MAX 32

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

void api_trees_fetch(struct http_ctx *ctx)
{
	q_api_tree_fetch_send(ctx->srv->db, http_param(ctx, "name"), api_on_body, ctx);
}

/* Where git is: what workers can fetch without a secret. */
static bool check_git_url(struct http_ctx *ctx, const char *url)
{
	static const char *const starts[] = {"https://", "http://", "file:///", "/"};
	const char *at = strstr(url, "://");

	if (at && strcspn(at + 3, "@") < strcspn(at + 3, "/")) {
		http_refuse(ctx, 400, ERR_INVALID,
			"source names a user: everybody sees it here");
		return false;
	}
	for (size_t i = 0; i < ARRAY_LEN(starts); i++)
		if (strncmp(url, starts[i], strlen(starts[i])) == 0)
			return true;
	http_refuse(ctx, 400, ERR_INVALID,
		"source \"%.200s\" is no http(s):// or file:/// URL and no absolute path",
		url);
	return false;
}

static bool check_branches(struct http_ctx *ctx, const char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (v[i][0] && strlen(v[i]) <= 200 && !strpbrk(v[i], " ~^:?*[\\") &&
			strncmp(v[i], "series/", 7) != 0)
			continue;
		http_refuse(ctx, 400, ERR_INVALID,
			"branches: \"%.200s\" is no name of a branch, or one of ours",
			v[i]);
		return false;
	}
	return true;
}

static bool check_source(struct http_ctx *ctx, const char *kind, const char *source)
{
	if (strcmp(kind, "git") == 0)
		return check_git_url(ctx, source);
	if (strcmp(kind, "dir") != 0 && strcmp(kind, "tarball") != 0)
		http_refuse(ctx, 400, ERR_INVALID, "kind is dir, tarball or git");
	else if (source[0] != '/')
		http_refuse(ctx, 400, ERR_INVALID,
			"source \"%.200s\" is no absolute path on the server", source);
	else
		return true;
	return false;
}

void api_trees_create(struct http_ctx *ctx)
{
	const char *name, *kind, *source, *branch = NULL;
	const char *const *branches = NULL;
	json_int_t fetch_ms = 0;
	json_t *names = NULL;
	size_t n_branches = 0;

	if (!HTTP_UNPACK(ctx, "s:s, s:s, s:s, s?s, s?o, s?I !}", "name", &name, "kind",
		    &kind, "source", &source, "branch", &branch, "branches", &names,
		    "fetch_ms", &fetch_ms))
		return;
	branch = api_text_or_null(branch);
	if (!api_check_name(ctx, "name", name) ||
		!api_check_len(ctx, "source", source, 4000) ||
		!api_check_len(ctx, "branch", branch, 200) ||
		!check_source(ctx, kind, source))
		return;
	if (names &&
		!api_texts(ctx, "branches", names, BRANCHES_MAX, &branches, &n_branches))
		return;
	if (!check_branches(ctx, branches, n_branches))
		return;
	if (strcmp(kind, "git") != 0 && (n_branches || fetch_ms)) {
		http_refuse(ctx, 400, ERR_INVALID,
			"branches and fetch_ms are for trees of kind git");
		return;
	}
	if (fetch_ms && (fetch_ms < 1000 || fetch_ms > INT64_C(2592000000))) {
		http_refuse(
			ctx, 400, ERR_INVALID, "fetch_ms is not from 1000 to 2592000000");
		return;
	}
	q_api_tree_create_send(ctx->srv->db, name, kind, source, branch, branches,
		n_branches, fetch_ms, api_on_created, ctx);
}
