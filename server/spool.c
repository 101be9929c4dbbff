/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "server/spool.h"

#include "base/blob.h"
#include "base/file.h"
#include <errno.h>
#include <event2/buffer.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

struct spool {
	struct io *io;
	char *root, *tmp;
	void (*on_drain)(void *arg);
	void *arg;
	int64_t pending; /* loop only */
	int n_items;     /* loop only: work submitted and not done */
	bool aborted;    /* loop only */

	/* the disk thread's until the last done */
	int fd;
	int64_t bytes;
	crypto_hash_sha256_state hash;
	struct err err;
	char want[SHA256_HEX];
	bool had_it;

	spool_cb *cb;
	void *cb_arg;
};

struct piece {
	struct spool *s;
	char *p;
	size_t len;
};

int spool_prepare(const char *root, struct err *e)
{
	char tmp[BLOB_PATH_MAX];
	int status;

	snprintf(tmp, sizeof(tmp), "%s/spool", root);
	status = file_rm_rf(tmp, e);
	return status == 0 ? file_mkdir_p(tmp, 0755, e) : status;
}

struct spool *spool_new(
	struct io *io, const char *root, void (*on_drain)(void *arg), void *arg)
{
	static int64_t n;
	struct spool *s = base_zalloc(sizeof(*s));
	char tmp[BLOB_PATH_MAX];

	s->io = io;
	s->root = base_strdup(root);
	snprintf(tmp, sizeof(tmp), "%s/spool/%d.%lld", root, (int)getpid(),
		(long long)++n);
	s->tmp = base_strdup(tmp);
	s->on_drain = on_drain;
	s->arg = arg;
	s->fd = -1;
	crypto_hash_sha256_init(&s->hash);
	return s;
}

static void spool_free(struct spool *s)
{
	free(s->root);
	free(s->tmp);
	free(s);
}

static void open_tmp(struct spool *s)
{
	if (s->fd >= 0 || s->err.code)
		return;
	s->fd = open(s->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (s->fd < 0)
		err_set_errno(&s->err, errno, "cannot write %s", s->tmp);
}

static void work_write(void *arg)
{
	struct piece *p = arg;
	struct spool *s = p->s;

	open_tmp(s);
	if (s->err.code)
		return;
	if (file_write_all(s->fd, p->p, p->len) != 0) {
		err_set_errno(&s->err, errno, "cannot write %s", s->tmp);
		return;
	}
	crypto_hash_sha256_update(&s->hash, (const unsigned char *)p->p, p->len);
	s->bytes += (int64_t)p->len;
}

static void work_remove(void *arg)
{
	struct spool *s = arg;

	if (s->fd >= 0) {
		close(s->fd);
		s->fd = -1;
		unlink(s->tmp);
	}
}

static void done_remove(void *arg)
{
	spool_free(arg);
}

static void maybe_remove(struct spool *s)
{
	if (s->aborted && s->n_items == 0)
		io_submit(s->io, work_remove, done_remove, s);
}

static void done_write(void *arg)
{
	struct piece *p = arg;
	struct spool *s = p->s;

	s->n_items--;
	s->pending -= (int64_t)p->len;
	free(p->p);
	free(p);
	if (s->aborted)
		maybe_remove(s);
	else if (s->on_drain)
		s->on_drain(s->arg);
}

void spool_add(struct spool *s, struct evbuffer *from, size_t len)
{
	struct piece *p = base_zalloc(sizeof(*p));

	p->s = s;
	p->len = len;
	p->p = base_alloc(len ? len : 1);
	if (evbuffer_remove(from, p->p, len) != (int)len)
		BUG("spool_add: %zu bytes are not there", len);
	s->pending += (int64_t)len;
	s->n_items++;
	io_submit(s->io, work_write, done_write, p);
}

int64_t spool_pending_bytes(const struct spool *s)
{
	return s->pending;
}

void spool_forget_drain(struct spool *s)
{
	s->on_drain = NULL;
}

/* Checks the sum, makes the bytes durable, then gives them their name. */
static int put_in_store(struct spool *s, struct err *e)
{
	unsigned char sum[SHA256_BYTES];
	char hex[SHA256_HEX], path[BLOB_PATH_MAX];
	struct stat st;
	int status;

	open_tmp(s);
	if (s->err.code) {
		*e = s->err;
		return s->err.code;
	}
	crypto_hash_sha256_final(&s->hash, sum);
	sodium_bin2hex(hex, sizeof(hex), sum, sizeof(sum));
	if (!s->want[0])
		snprintf(s->want, sizeof(s->want), "%s", hex);
	if (strcmp(hex, s->want) != 0)
		return err_set(e, ERR_INVALID,
			"the bytes that came have the SHA-256 %s, not %s", hex, s->want);
	status = blob_path(s->root, hex, path, e);
	if (status != 0)
		return status;
	if (stat(path, &st) == 0 && st.st_size == s->bytes) {
		s->had_it = true;
		unlink(s->tmp);
		return 0;
	}
	status = blob_make_folders(s->root, hex, e);
	if (status != 0)
		return status;
	if (fsync(s->fd) != 0)
		return err_set_errno(e, errno, "cannot sync %s", s->tmp);
	if (rename(s->tmp, path) != 0)
		return err_set_errno(e, errno, "cannot rename %s to %s", s->tmp, path);
	return file_sync_parent(path, e);
}

static void work_finish(void *arg)
{
	struct spool *s = arg;
	struct err e = {0};

	if (put_in_store(s, &e) != 0) {
		s->err = e;
		unlink(s->tmp);
	}
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static void done_finish(void *arg)
{
	struct spool *s = arg;

	s->cb(s->want, s->bytes, s->had_it, s->err.code ? &s->err : NULL, s->cb_arg);
	spool_free(s);
}

void spool_finish(struct spool *s, const char *want_hex, spool_cb *cb, void *arg)
{
	snprintf(s->want, sizeof(s->want), "%s", want_hex ? want_hex : "");
	s->on_drain = NULL;
	s->cb = cb;
	s->cb_arg = arg;
	io_submit(s->io, work_finish, done_finish, s);
}

void spool_abort(struct spool *s)
{
	if (!s)
		return;
	s->aborted = true;
	s->on_drain = NULL;
	maybe_remove(s);
}
