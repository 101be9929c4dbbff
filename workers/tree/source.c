/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/tree/source.h"

#include "workers/tree/tree.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64

static int count(struct source *s, const char *path, size_t len, struct err *e)
{
	s->n_files++;
	s->n_bytes += (int64_t)len;
	if (s->n_bytes > SOURCE_BYTES_MAX)
		return err_set(e, ERR_TOO_BIG, "the tree holds more than %lld GiB",
			(long long)(SOURCE_BYTES_MAX >> 30));
	if (strncmp(path, "kernel/sched/", 13) == 0)
		s->has_sched = true;
	job_progress(s->j, s->n_files, 0, "files", path);
	return 0;
}

int source_add_file(struct source *s, const char *path, unsigned mode, const void *p,
	size_t len, struct err *e)
{
	int status = count(s, path, len, e);

	if (status == 0 && strcmp(path, "Makefile") == 0 && len <= TREE_MAKEFILE_MAX) {
		sbuf_reset(&s->makefile);
		sbuf_add(&s->makefile, p, len);
	}
	if (status == 0)
		status = tree_import_file(s->import, path, mode, p, len, e);
	return status;
}

int source_add_link(struct source *s, const char *path, const char *target, struct err *e)
{
	int status = count(s, path, 0, e);

	return status == 0 ? tree_import_link(s->import, path, target, e) : status;
}

/* ---- folders ---- */

struct walk {
	struct source *s;
	struct sbuf path, data;
};

static int read_fd(int fd, const char *path, struct sbuf *ret, struct err *e)
{
	struct stat st;

	sbuf_reset(ret);
	if (fstat(fd, &st) != 0)
		return err_set_errno(e, errno, "%s", path);
	if (st.st_size > (off_t)PACK_OBJECT_MAX)
		return err_set(e, ERR_TOO_BIG, "%s: %lld bytes, the limit is %u", path,
			(long long)st.st_size, PACK_OBJECT_MAX);
	sbuf_grow(ret, (size_t)st.st_size + 1);
	for (;;) {
		char buf[65536];
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(e, errno, "%s", path);
		if (n == 0)
			return 0;
		if (ret->len + (size_t)n > PACK_OBJECT_MAX)
			return err_set(e, ERR_TOO_BIG, "%s grows while it is read", path);
		sbuf_add(ret, buf, (size_t)n);
	}
}

static int add_regular(struct walk *w, int dir, const char *name, struct err *e)
{
	CLEANUP(base_closep)
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	int status;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(e, errno, "%s", w->path.buf);
	status = read_fd(fd, w->path.buf, &w->data, e);
	return status == 0 ? source_add_file(w->s, w->path.buf, st.st_mode, w->data.buf,
				     w->data.len, e)
			   : status;
}

static int add_symlink(struct walk *w, int dir, const char *name, struct err *e)
{
	char target[4097];
	ssize_t len = readlinkat(dir, name, target, sizeof(target) - 1);

	if (len < 0)
		return err_set_errno(e, errno, "%s", w->path.buf);
	target[len] = '\0';
	return source_add_link(w->s, w->path.buf, target, e);
}

static int walk_dir(struct walk *w, int fd, int depth, struct err *e);

static int walk_entry(struct walk *w, int dir, const char *name, int depth, struct err *e)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_set_errno(e, errno, "%s", w->path.buf);
	if (S_ISREG(st.st_mode))
		return add_regular(w, dir, name, e);
	if (S_ISLNK(st.st_mode))
		return add_symlink(w, dir, name, e);
	if (!S_ISDIR(st.st_mode))
		return err_set(
			e, ERR_INVALID, "%s is no file, folder or link", w->path.buf);
	if (depth >= DEPTH_MAX)
		return err_set(e, ERR_TOO_BIG, "%s: folders too deep", w->path.buf);
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(e, errno, "%s", w->path.buf);
	sbuf_addc(&w->path, '/');
	return walk_dir(w, fd, depth + 1, e);
}

/* Takes fd over. w->path ends in '/' or is empty. */
static int walk_dir(struct walk *w, int fd, int depth, struct err *e)
{
	size_t base = w->path.len;
	DIR *d = fdopendir(fd);
	struct dirent *de;
	int status = 0;

	if (!d) {
		close(fd);
		return err_set_errno(e, errno, "%s", w->path.buf);
	}
	while (status == 0 && (errno = 0, de = readdir(d))) {
		if (strcmp(de->d_name, ".") == 0 || strcmp(de->d_name, "..") == 0 ||
			strcmp(de->d_name, ".git") == 0)
			continue;
		sbuf_setlen(&w->path, base);
		sbuf_adds(&w->path, de->d_name);
		status = walk_entry(w, dirfd(d), de->d_name, depth, e);
	}
	if (status == 0 && errno)
		status = err_set_errno(e, errno, "%s", w->path.buf);
	closedir(d);
	sbuf_setlen(&w->path, base);
	return status;
}

int source_read_dir(struct source *s, const char *path, struct err *e)
{
	struct walk w = {.s = s, .path = SBUF_INIT, .data = SBUF_INIT};
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), status;

	if (fd < 0)
		return err_set_errno(e, errno, "%s", path);
	status = walk_dir(&w, fd, 0, e);
	sbuf_release(&w.path);
	sbuf_release(&w.data);
	return status;
}
