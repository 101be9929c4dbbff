/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blobs.c - bytes by their SHA-256. Going out: the file is mapped and sent in pieces by
 * the loop as the peer reads. Coming in: spool.h, so that neither hashing nor fsync is
 * done in the loop.
 */
#include "base/base.h"

#include "server/api.h"

#include "base/blob.h"
#include "db/q_api_runner.h"
#include "server/server.h"
#include "server/spool.h"

#include <errno.h>
#include <event2/buffer.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_BYTES 512

struct range {
	int64_t from, len;
};

/* One range of "bytes=A-B", "bytes=A-" or "bytes=-N": 1; none or several: 0 (send all);
 * -1: it cannot be satisfied. */
static int parse_range(const char *text, int64_t size, struct range *ret)
{
	long long a, b;
	char *end;

	if (!text || strncmp(text, "bytes=", 6) != 0 || strchr(text, ','))
		return 0;
	text += 6;
	if (*text == '-') {
		if (!text[1] || strspn(text + 1, "0123456789") != strlen(text + 1))
			return 0;
		errno = 0;
		b = strtoll(text + 1, NULL, 10);
		if (errno || b == 0 || size == 0)
			return -1;
		ret->len = b < size ? b : size;
		ret->from = size - ret->len;
		return 1;
	}
	errno = 0;
	a = strtoll(text, &end, 10);
	if (end == text || *end != '-' || *text < '0' || *text > '9')
		return 0;
	b = size - 1;
	if (end[1]) {
		if (strspn(end + 1, "0123456789") != strlen(end + 1))
			return 0;
		b = strtoll(end + 1, NULL, 10);
	}
	if (errno || a >= size || b < a)
		return -1;
	if (b >= size)
		b = size - 1;
	ret->from = a;
	ret->len = b - a + 1;
	return 1;
}

/* Text is shown by browsers, everything else is kept. */
static const char *look(int fd)
{
	unsigned char buf[LOOK_BYTES];
	ssize_t n = pread(fd, buf, sizeof(buf), 0);

	for (ssize_t i = 0; i < n; i++) {
		if (buf[i] == 0 || (buf[i] < 0x20 && !strchr("\t\n\r\f\033\b", buf[i])))
			return "application/octet-stream";
	}
	return n > 0 ? "text/plain; charset=utf-8" : "application/octet-stream";
}

static void send_file(struct http_ctx *ctx, int fd, int64_t size, const char *type)
{
	struct evbuffer *body = evbuffer_new();
	struct range r = {0, size};
	struct evbuffer_file_segment *seg;
	char text[80];
	int ranged = parse_range(http_req_header(ctx, "Range"), size, &r);

	http_header(ctx, "Accept-Ranges", "bytes");
	if (ranged < 0) {
		close(fd);
		evbuffer_free(body);
		snprintf(text, sizeof(text), "bytes */%" PRId64, size);
		http_header(ctx, "Content-Range", text);
		http_refuse(
			ctx, 416, ERR_INVALID, "the blob has %" PRId64 " bytes", size);
		return;
	}
	if (ranged > 0) {
		snprintf(text, sizeof(text), "bytes %" PRId64 "-%" PRId64 "/%" PRId64,
			r.from, r.from + r.len - 1, size);
		http_header(ctx, "Content-Range", text);
	}
	if (r.len == 0 || ctx->head.method == HTTP_M_HEAD) {
		close(fd);
		evbuffer_free(body);
		http_reply_evbuf(ctx, ranged ? 206 : 200, type, NULL, r.len);
		return;
	}
	seg = evbuffer_file_segment_new(fd, r.from, r.len, EVBUF_FS_CLOSE_ON_FREE);
	if (!seg || evbuffer_add_file_segment(body, seg, 0, r.len) != 0) {
		if (seg)
			evbuffer_file_segment_free(seg);
		else
			close(fd);
		evbuffer_free(body);
		http_refuse(ctx, 503, ERR_UNAVAILABLE, "the blob cannot be read now");
		return;
	}
	evbuffer_file_segment_free(seg);
	http_reply_evbuf(ctx, ranged ? 206 : 200, type, body, -1);
}

void api_send_blob(struct http_ctx *ctx, const char *sha256, const char *content_type)
{
	char path[BLOB_PATH_MAX], etag[SHA256_HEX + 2];
	const char *seen = http_req_header(ctx, "If-None-Match");
	struct err e = {0};
	struct stat st;
	int fd;

	if (blob_path(ctx->srv->blob_root, sha256, path, &e) != 0) {
		http_reply_err(ctx, &e);
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		http_refuse(ctx, 404, ERR_NOT_FOUND, "there is no blob %s", sha256);
		return;
	}
	snprintf(etag, sizeof(etag), "\"%s\"", sha256);
	http_header(ctx, "ETag", etag);
	if (!content_type)
		http_header(ctx, "Cache-Control", "public, max-age=31536000, immutable");
	if (seen && strstr(seen, etag)) {
		close(fd);
		http_reply_evbuf(ctx, 304, NULL, NULL, -1);
		return;
	}
	send_file(ctx, fd, st.st_size, content_type ? content_type : look(fd));
}

static void on_known(const struct db_result *r UNUSED, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;

	if (e)
		http_reply_err(ctx, e);
	else
		api_send_blob(ctx, http_param(ctx, "sha256"), NULL);
}

/* Who asks with HEAD will not send it. A file whose row was lost with the server or the
 * database that were to write it gets its row now: the answer "it is here" must be true
 * for what refers to it next. */
void api_blobs_get(struct http_ctx *ctx)
{
	const char *hex = http_param(ctx, "sha256");
	char path[BLOB_PATH_MAX];
	struct err e = {0};
	struct stat st;

	if (ctx->head.method == HTTP_M_HEAD &&
		blob_path(ctx->srv->blob_root, hex, path, &e) == 0 &&
		stat(path, &st) == 0)
		q_api_blob_put_send(ctx->srv->db, hex, st.st_size, on_known, ctx);
	else
		api_send_blob(ctx, hex, NULL);
}

struct put {
	char hex[SHA256_HEX];
	int64_t bytes;
};

static void on_row(const struct db_result *r UNUSED, const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	const struct put *p = ctx->priv;

	if (e)
		http_reply_err(ctx, e);
	else
		http_reply_pack(ctx, 201,
			jx_pack("{s:i, s:s, s:I}", "v", 1, "sha256", p->hex, "bytes",
				(json_int_t)p->bytes));
}

static void on_stored(const char *hex, int64_t bytes, bool had_it UNUSED,
	const struct err *e, void *arg)
{
	struct http_ctx *ctx = arg;
	struct put *p;

	if (e) {
		http_reply_err(ctx, e);
		return;
	}
	p = ARENA_NEW(ctx->a, struct put);
	snprintf(p->hex, sizeof(p->hex), "%s", hex);
	p->bytes = bytes;
	ctx->priv = p;
	q_api_blob_put_send(ctx->srv->db, p->hex, bytes, on_row, ctx);
}

void api_blobs_put(struct http_ctx *ctx)
{
	const char *hex = http_param(ctx, "sha256");
	struct spool *s = ctx->spool;

	if (!sha256_is_hex(hex)) {
		http_refuse(ctx, 400, ERR_INVALID,
			"a blob's name is its SHA-256, 64 hex digits");
		return;
	}
	ctx->spool = NULL;
	spool_finish(s, hex, on_stored, ctx);
}
