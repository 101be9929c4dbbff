/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/static.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/sha256.h"
#include "server/api.h"
#include "server/server.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

struct static_files {
	struct arena *a;
	struct static_entry *v;
	size_t n, cap;
};

static const struct {
	const char *ending, *content_type;
} types[] = {
	{".html", "text/html; charset=utf-8"},
	{".js", "text/javascript; charset=utf-8"},
	{".mjs", "text/javascript; charset=utf-8"},
	{".css", "text/css; charset=utf-8"},
	{".svg", "image/svg+xml"},
	{".png", "image/png"},
	{".ico", "image/x-icon"},
	{".woff2", "font/woff2"},
	{".txt", "text/plain; charset=utf-8"},
};

/* Endings that are not in the table are not for browsers. */
static const char *type_of(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		size_t n = strlen(types[i].ending);

		if (len > n && strcmp(name + len - n, types[i].ending) == 0)
			return types[i].content_type;
	}
	return NULL;
}

static int add_file(
	struct static_files *s, const char *full, const char *path, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	const char *type = type_of(path);
	char hex[SHA256_HEX];
	struct static_entry *en;
	int status;

	if (!type)
		return 0;
	if (s->n == STATIC_FILES_MAX)
		return err_set(e, ERR_TOO_BIG, "more than %d files", STATIC_FILES_MAX);
	status = file_read(full, STATIC_FILE_MAX, &text, e);
	if (status != 0)
		return status;
	sha256_hex(text.buf, text.len, hex);
	en = ARENA_PUSH(s->a, s->v, s->n, s->cap);
	en->path = arena_strdup(s->a, path);
	en->content_type = type;
	en->p = arena_memdup(s->a, text.buf, text.len ? text.len : 1);
	en->len = text.len;
	snprintf(en->etag, sizeof(en->etag), "\"%.16s\"", hex);
	return 0;
}

static int add_folder(struct static_files *s, const char *root, const char *under,
	int depth, struct err *e)
{
	const char *folder = *under ? arena_printf(s->a, "%s/%s", root, under) : root;
	DIR *d = opendir(folder);
	struct dirent *ent;
	int status = 0;

	if (!d)
		return err_set_errno(e, errno, "%s", folder);
	while (status == 0 && (ent = readdir(d))) {
		const char *path =
			*under ? arena_printf(s->a, "%s/%s", under, ent->d_name)
			       : arena_strdup(s->a, ent->d_name);
		const char *full = arena_printf(s->a, "%s/%s", root, path);
		struct stat st;

		if (ent->d_name[0] == '.' || strcmp(ent->d_name, "node_modules") == 0 ||
			lstat(full, &st) != 0)
			continue;
		if (S_ISDIR(st.st_mode) && depth < 6)
			status = add_folder(s, root, path, depth + 1, e);
		else if (S_ISREG(st.st_mode))
			status = add_file(s, full, path, e);
	}
	closedir(d);
	return status;
}

static int by_path(const void *a, const void *b)
{
	const struct static_entry *x = a, *y = b;

	return strcmp(x->path, y->path);
}

int static_load(const char *folder, struct static_files **ret, struct err *e)
{
	struct static_files *s = base_zalloc(sizeof(*s));
	int status;

	s->a = arena_new();
	status = add_folder(s, folder, "", 0, e);
	if (status == 0) {
		if (s->n)
			qsort(s->v, s->n, sizeof(*s->v), by_path);
		if (!static_find(s, "index.html"))
			status =
				err_set(e, ERR_NOT_FOUND, "%s has no index.html", folder);
	}
	if (status != 0) {
		static_free(s);
		return err_wrap(e, "the pages (web)");
	}
	*ret = s;
	return 0;
}

void static_free(struct static_files *s)
{
	if (!s)
		return;
	arena_free(s->a);
	free(s);
}

const struct static_entry *static_find(const struct static_files *s, const char *path)
{
	struct static_entry key = {.path = path};

	return s->n ? bsearch(&key, s->v, s->n, sizeof(*s->v), by_path) : NULL;
}

static void send_entry(struct http_ctx *ctx, const char *path)
{
	const struct static_entry *en = static_find(ctx->srv->web, path);
	const char *seen = http_req_header(ctx, "If-None-Match");

	if (!en) {
		http_refuse(ctx, 404, ERR_NOT_FOUND, "there is no %s", ctx->path);
		return;
	}
	http_header(ctx, "ETag", en->etag);
	http_header(ctx, "Cache-Control", "no-cache");
	if (seen && strstr(seen, en->etag))
		http_reply_evbuf(ctx, 304, NULL, NULL, -1);
	else
		http_reply_text(ctx, 200, en->content_type, en->p, en->len);
}

void static_page(struct http_ctx *ctx)
{
	send_entry(ctx, "index.html");
}

void static_file(struct http_ctx *ctx)
{
	send_entry(ctx, http_param(ctx, "path"));
}
