/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/joblogs.h"

#include "base/blob.h"
#include "base/file.h"
#include "server/api.h"
#include "server/io.h"
#include "server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

static void log_path(
	const struct server *srv, int64_t job_id, int64_t fence, char ret[BLOB_PATH_MAX])
{
	snprintf(ret, BLOB_PATH_MAX, "%s/%" PRId64 ".%" PRId64, srv->joblog_root, job_id,
		fence);
}

static void on_piece(
	const char *buf, size_t len, int64_t total, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	char size[24];

	/* no file yet: nothing was said yet */
	if (e && e->code != ERR_NOT_FOUND) {
		http_reply_err(ctx, e);
		return;
	}
	snprintf(size, sizeof(size), "%" PRId64, e ? 0 : total);
	http_header(ctx, "X-Log-Size", size);
	http_reply_text(ctx, 200, "text/plain; charset=utf-8", e ? "" : buf, e ? 0 : len);
}

void joblog_send(struct http_ctx *ctx, int64_t job_id, int64_t fence, const char *sha256,
	int64_t offset)
{
	char path[BLOB_PATH_MAX];
	struct err e = {0};

	log_path(ctx->srv, job_id, fence, path);
	if (sha256 && blob_path(ctx->srv->blob_root, sha256, path, &e) != 0) {
		http_reply_err(ctx, &e);
		return;
	}
	api_read_file(ctx->srv, path, offset, JOBLOG_PIECE_BYTES, on_piece, ctx);
}

struct append {
	struct http_ctx *ctx;
	char path[BLOB_PATH_MAX];
	int64_t offset;
	int64_t size; /* after */
	bool elsewhere;
	struct err err;
};

static void work_append(void *arg)
{
	struct append *w = arg;
	CLEANUP(base_closep)
	int fd = open(w->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err_set_errno(&w->err, errno, "the log cannot be written");
		return;
	}
	w->size = st.st_size;
	w->elsewhere = w->size != w->offset;
	if (w->elsewhere)
		return;
	if (lseek(fd, 0, SEEK_END) < 0 ||
		file_write_all(fd, w->ctx->bytes, w->ctx->n_bytes) != 0) {
		err_set_errno(&w->err, errno, "the log cannot be written");
		if (ftruncate(fd, w->size) != 0)
			err_set_errno(&w->err, errno, "the log is half written");
		return;
	}
	w->size += (int64_t)w->ctx->n_bytes;
}

static void done_append(void *arg)
{
	struct append *w = arg;
	struct http_ctx *ctx = w->ctx;

	if (w->err.code)
		http_reply_err(ctx, &w->err);
	else if (w->elsewhere)
		http_reply_pack(ctx, 409,
			jx_pack("{s:i, s:I, s:{s:s, s:s}}", "v", 1, "size",
				(json_int_t)w->size, "error", "code",
				err_code_name(ERR_CONFLICT), "message",
				"the log does not end at this offset; go on at size"));
	else
		http_reply_pack(ctx, 200,
			jx_pack("{s:i, s:I}", "v", 1, "size", (json_int_t)w->size));
	free(w);
}

void joblog_append(struct http_ctx *ctx, int64_t job_id, int64_t fence, int64_t offset)
{
	struct append *w;

	if (offset + (int64_t)ctx->n_bytes > JOBLOG_MAX_BYTES) {
		http_refuse(ctx, 413, ERR_TOO_BIG, "a log is at most %" PRId64 " MiB",
			JOBLOG_MAX_BYTES >> 20);
		return;
	}
	w = base_zalloc(sizeof(*w));
	w->ctx = ctx;
	w->offset = offset;
	log_path(ctx->srv, job_id, fence, w->path);
	io_submit(ctx->srv->io, work_append, done_append, w);
}
