/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES_MAX 4096

int file_read(const char *path, size_t cap_bytes, struct sbuf *ret, struct err *e)
{
	bool is_stdin = strcmp(path, "-") == 0;
	CLEANUP(base_closep) int own = -1;
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	int fd = STDIN_FILENO;

	if (!is_stdin)
		fd = own = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(e, errno, "%s", path);
	for (;;) {
		size_t room = cap_bytes - s.len < 65536 ? cap_bytes - s.len + 1 : 65536;
		ssize_t n;

		sbuf_grow(&s, room);
		n = read(fd, s.buf + s.len, room);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(e, errno, "reading %s",
				is_stdin ? "standard input" : path);
		if (n == 0)
			break;
		s.len += (size_t)n;
		s.buf[s.len] = '\0';
		if (s.len > cap_bytes)
			return err_set(e, ERR_TOO_BIG, "%s is over %zu bytes",
				is_stdin ? "standard input" : path, cap_bytes);
	}
	sbuf_add(ret, s.buf, s.len);
	return 0;
}

int file_write_all(int fd, const void *bytes, size_t len)
{
	const char *p = bytes;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_sync_parent(const char *path, struct err *e)
{
	CLEANUP(base_freep) char *dir = base_strdup(path);
	char *slash = strrchr(dir, '/');
	CLEANUP(base_closep) int fd = -1;

	if (slash == dir)
		slash++;
	if (slash)
		*slash = '\0';
	fd = open(slash ? dir : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) != 0)
		return err_set_errno(e, errno, "syncing the folder of %s", path);
	return 0;
}

int file_write_atomic(
	const char *path, const void *p, size_t len, mode_t mode, struct err *e)
{
	char tmp[PATH_BYTES_MAX];
	CLEANUP(base_closep) int fd = -1;
	int n = snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path);
	int saved;

	if (n < 0 || (size_t)n >= sizeof(tmp))
		return err_set_errno(e, ENAMETOOLONG, "%.64s...", path);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(e, errno, "writing %s", path);
	if (fchmod(fd, mode) == 0 && file_write_all(fd, p, len) == 0 && fsync(fd) == 0 &&
		rename(tmp, path) == 0)
		return file_sync_parent(path, e);
	saved = errno;
	unlink(tmp);
	return err_set_errno(e, saved, "writing %s", path);
}

int file_mkdir_p(const char *path, mode_t mode, struct err *e)
{
	CLEANUP(base_freep) char *p = base_strdup(path);
	struct stat st;

	for (char *s = p + 1; *p && *s; s++) {
		if (*s != '/')
			continue;
		*s = '\0';
		if (mkdir(p, mode) != 0 && errno != EEXIST)
			return err_set_errno(e, errno, "making the folder %s", p);
		*s = '/';
	}
	if (mkdir(path, mode) == 0)
		return 0;
	if (errno == EEXIST && stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	return err_set_errno(e, errno, "making the folder %s", path);
}

/* Empties and removes name in dir. Each level holds one descriptor. */
static int remove_at(int dir, const char *name)
{
	CLEANUP(base_closep) int fd = -1;
	const struct dirent *d;
	int status = 0;
	DIR *list;

	if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return -1;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	(void)fchmod(fd, 0700); /* build trees hold read-only folders */
	list = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 0));
	if (!list)
		return -1;
	while (status == 0 && (d = readdir(list))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		status = remove_at(fd, d->d_name);
	}
	closedir(list);
	return status == 0 ? unlinkat(dir, name, AT_REMOVEDIR) : status;
}

int file_rm_rf(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) != 0 && errno == ENOENT)
		return 0;
	if (remove_at(AT_FDCWD, path) != 0)
		return err_set_errno(e, errno, "removing %s", path);
	return 0;
}

int file_lock(const char *path, int *ret_fd, struct err *e)
{
	CLEANUP(base_closep) int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	char text[32];
	ssize_t n;
	int len;

	if (fd < 0)
		return err_set_errno(e, errno, "%s", path);
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		long pid;

		if (errno != EWOULDBLOCK)
			return err_set_errno(e, errno, "locking %s", path);
		n = pread(fd, text, sizeof(text) - 1, 0);
		text[n > 0 ? n : 0] = '\0';
		pid = strtol(text, NULL, 10);
		if (pid > 0)
			return err_set(
				e, ERR_BUSY, "%s is in use by process %ld", path, pid);
		return err_set(e, ERR_BUSY, "%s is in use by another process", path);
	}
	len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)len, 0) != len)
		return err_set_errno(e, errno, "writing %s", path);
	*ret_fd = fd;
	fd = -1;
	return 0;
}
