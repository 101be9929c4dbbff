/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/spool.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define PATH_BYTES_MAX 4096

static const char *folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

static int failed(struct err *e, int errnum)
{
	(void)err_set_errno(e, errnum, "temporary file in %s (TMPDIR)", folder());
	if (e)
		e->code = ERR_UNAVAILABLE;
	return ERR_UNAVAILABLE;
}

int spool_open(int *ret_fd, struct err *e)
{
	char path[PATH_BYTES_MAX];
	int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	/* A file system without nameless files. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		snprintf(path, sizeof(path), "%s/wakelist-XXXXXX", folder());
		fd = mkostemp(path, O_CLOEXEC);
		if (fd >= 0)
			(void)unlink(path);
	}
	if (fd < 0)
		return failed(e, errno);
	*ret_fd = fd;
	return 0;
}

static int write_out(struct spool *s, const void *p, size_t len, struct err *e)
{
	if (s->fd < 0) {
		int rc = spool_open(&s->fd, e);

		if (rc)
			return rc;
	}
	if (file_write_all(s->fd, p, len))
		return failed(e, errno);
	s->flushed += len;
	return 0;
}

int spool_add(struct spool *s, const void *p, size_t len, uint64_t *ret_at, struct err *e)
{
	uint64_t at = spool_bytes(s);
	int rc = 0;

	if (!s->cap)
		s->cap = SPOOL_BUFFER_BYTES;
	if (!s->buf)
		s->buf = base_alloc(s->cap);
	if (len > s->cap - s->len) {
		rc = s->len ? write_out(s, s->buf, s->len, e) : 0;
		if (rc)
			return rc;
		s->len = 0;
	}
	if (len > s->cap) {
		rc = write_out(s, p, len, e);
	} else if (len) {
		memcpy(s->buf + s->len, p, len);
		s->len += len;
	}
	if (rc == 0 && ret_at)
		*ret_at = at;
	return rc;
}

int spool_read(const struct spool *s, uint64_t at, void *ret, size_t len, struct err *e)
{
	char *out = ret;

	if (at > spool_bytes(s) || len > spool_bytes(s) - at)
		BUG("spool: %zu bytes at %llu of %llu", len, (unsigned long long)at,
			(unsigned long long)spool_bytes(s));
	while (len && at < s->flushed) {
		size_t want = len < s->flushed - at ? len : (size_t)(s->flushed - at);
		ssize_t n = pread(s->fd, out, want, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return failed(e, n ? errno : EIO);
		out += n;
		at += (uint64_t)n;
		len -= (size_t)n;
	}
	if (len)
		memcpy(out, s->buf + (at - s->flushed), len);
	return 0;
}

uint64_t spool_bytes(const struct spool *s)
{
	return s->flushed + s->len;
}

void spool_release(struct spool *s)
{
	size_t cap = s->cap;

	base_closep(&s->fd);
	free(s->buf);
	*s = (struct spool){.fd = -1, .cap = cap};
}
