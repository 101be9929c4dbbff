/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/api.h"

#include "db/q_api.h"
#include "mail/msgid.h"
#include "server/io.h"
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a path of the API is about, in words: "series 9"; the path where no row fits. */
static const char *thing_of(struct http_ctx *ctx)
{
	static const char api[] = "/api/v1/";
	static const struct {
		const char *head, *noun;
	} things[] = {
		{"builds/", "build"},
		{"jobs/", "job"},
		{"lists/", "list"},
		{"machines/", "machine"},
		{"r/", "series with the mail"},
		{"replies/", "reply"},
		{"runs/", "run"},
		{"series/", "series"},
		{"submissions/", "submission"},
		{"tokens/", "token"},
		{"trees/", "tree"},
	};
	const char *p = ctx->path;

	if (strncmp(p, api, sizeof(api) - 1) != 0)
		return p;
	p += sizeof(api) - 1;
	for (size_t i = 0; i < ARRAY_LEN(things); i++) {
		size_t n = strlen(things[i].head);

		if (!strncmp(p, things[i].head, n))
			return arena_printf(ctx->a, "%s %.*s", things[i].noun,
				(int)strcspn(p + n, "/"), p + n);
	}
	return ctx->path;
}

static void answer(
	struct http_ctx *ctx, int status, const struct db_result *r, const struct err *e)
{
	const char *body;
	size_t len;

	if (e) {
		http_reply_err(ctx, e);
		return;
	}
	body = q_api_body(r, &len);
	if (body)
		http_reply_json(ctx, status, body, len);
	else
		http_refuse(ctx, 404, ERR_NOT_FOUND, "there is no %s", thing_of(ctx));
}

void api_on_body(const struct db_result *r, const struct err *e, void *arg)
{
	answer(arg, 200, r, e);
}

void api_on_created(const struct db_result *r, const struct err *e, void *arg)
{
	answer(arg, 201, r, e);
}

void api_on_accepted(const struct db_result *r, const struct err *e, void *arg)
{
	answer(arg, 202, r, e);
}

const char *api_text_or_null(const char *text)
{
	return text && *text ? text : NULL;
}

bool api_is_name(const char *name)
{
	size_t len = strlen(name);

	return len >= 1 && len <= 63 && name[0] != '.' && name[0] != '_' &&
	       name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") == len;
}

bool api_check_name(struct http_ctx *ctx, const char *what, const char *name)
{
	if (api_is_name(name))
		return true;
	http_refuse(ctx, 400, ERR_INVALID, API_NOT_A_NAME, what, name);
	return false;
}

bool api_check_len(struct http_ctx *ctx, const char *what, const char *text, size_t max)
{
	if (!text || strlen(text) <= max)
		return true;
	http_refuse(ctx, 400, ERR_INVALID, "%s is longer than %zu bytes", what, max);
	return false;
}

bool api_message_id(
	struct http_ctx *ctx, const char *text, const char **ret_id, const char **ret_url)
{
	struct err e = {0};

	if (msgid_parse(ctx->a, text, ret_id, ret_url, &e) == 0)
		return true;
	http_reply_err(ctx, &e);
	return false;
}

bool api_texts(struct http_ctx *ctx, const char *what, const json_t *array, size_t max,
	const char *const **ret, size_t *ret_n)
{
	size_t n = json_array_size(array);
	const char **v;

	if (!json_is_array(array) || n > max) {
		http_refuse(ctx, 400, ERR_INVALID, "%s is no array of at most %zu texts",
			what, max);
		return false;
	}
	v = ARENA_ARRAY(ctx->a, const char *, n + 1);
	for (size_t i = 0; i < n; i++) {
		v[i] = json_string_value(json_array_get(array, i));
		if (!v[i] || strlen(v[i]) > 255) {
			http_refuse(ctx, 400, ERR_INVALID,
				"%s[%zu] is no text of at most 255 bytes", what, i);
			return false;
		}
	}
	*ret = v;
	*ret_n = n;
	return true;
}

/* ---- files, by the disk thread ---- */

struct read_work {
	char *path;
	int64_t offset;
	size_t want;
	char *buf;
	size_t len;
	int64_t total;
	struct err err;
	api_read_cb *cb;
	void *arg;
};

static void work_read(void *arg)
{
	struct read_work *w = arg;
	CLEANUP(base_closep) int fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_set_errno(&w->err, errno, "%s", strrchr(w->path, '/') + 1);
		return;
	}
	w->total = st.st_size;
	w->buf = base_alloc(w->want + 1);
	while (w->len < w->want) {
		ssize_t n = pread(fd, w->buf + w->len, w->want - w->len,
			w->offset + (int64_t)w->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err_set_errno(&w->err, errno, "%s", strrchr(w->path, '/') + 1);
		if (n <= 0)
			break;
		w->len += (size_t)n;
	}
	w->buf[w->len] = '\0';
}

static void done_read(void *arg)
{
	struct read_work *w = arg;

	w->cb(w->buf, w->len, w->total, w->err.code ? &w->err : NULL, w->arg);
	free(w->buf);
	free(w->path);
	free(w);
}

void api_read_file(struct server *srv, const char *path, int64_t offset, size_t len,
	api_read_cb *cb, void *arg)
{
	struct read_work *w = base_zalloc(sizeof(*w));

	*w = (struct read_work){.path = base_strdup(path),
		.offset = offset,
		.want = len,
		.cb = cb,
		.arg = arg};
	io_submit(srv->io, work_read, done_read, w);
}
