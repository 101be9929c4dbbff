/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/blob.h"

#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)1 << 18)

int blob_path(
	const char *root, const char *hex, char ret_path[BLOB_PATH_MAX], struct err *e)
{
	int n;

	if (!sha256_is_hex(hex))
		return err_set(
			e, ERR_INVALID, "not a SHA-256: \"%.70s\"", hex ? hex : "");
	n = snprintf(ret_path, BLOB_PATH_MAX, "%s/%.2s/%.2s/%s", root, hex, hex + 2, hex);
	if (n < 0 || n >= BLOB_PATH_MAX - 16)
		return err_set(e, ERR_INVALID, "blob folder: the path is too long");
	return 0;
}

/* Folders of the store take the root's mode, so that several users can share it (setgid).
 */
static int make_folder(const char *root, const char *dir, struct err *e)
{
	struct stat st;

	if (mkdir(dir, 0755) != 0)
		return errno == EEXIST ? 0
				       : err_set_errno(e, errno, "blob folder: %s", dir);
	if (stat(root, &st) != 0 || chmod(dir, st.st_mode & 07777) != 0)
		return err_set_errno(e, errno, "blob folder: %s", dir);
	return file_sync_parent(dir, e);
}

int blob_make_folders(const char *root, const char *hex, struct err *e)
{
	size_t root_len = strlen(root);
	char path[BLOB_PATH_MAX];
	int status = blob_path(root, hex, path, e);

	for (size_t at = root_len + 3; status == 0 && at <= root_len + 6; at += 3) {
		path[at] = '\0';
		status = make_folder(root, path, e);
		path[at] = '/';
	}
	return status;
}

/* Opens ROOT/tmp/XXXXXX: what a crash leaves behind lies in one known folder. */
static int open_temp(
	const char *root, char tmp[BLOB_PATH_MAX], int *ret_fd, struct err *e)
{
	int n = snprintf(tmp, BLOB_PATH_MAX, "%s/tmp", root), fd;

	if (n < 0 || n >= BLOB_PATH_MAX - 16)
		return err_set(e, ERR_INVALID, "blob folder: the path is too long");
	if (file_mkdir_p(root, 0755, e) != 0 || make_folder(root, tmp, e) != 0)
		return err_wrap(e, "blob folder");
	memcpy(tmp + n, "/XXXXXX", 8);
	fd = mkostemp(tmp, O_CLOEXEC);
	if (fd < 0)
		return err_set_errno(e, errno, "blob folder: %s", tmp);
	*ret_fd = fd;
	return 0;
}

/* Makes aa/bb/ durable, then moves the finished file to its name. */
static int publish(const char *root, const char *tmp, const char *path, struct err *e)
{
	int status = blob_make_folders(root, strrchr(path, '/') + 1, e);

	if (status != 0)
		return status;
	if (rename(tmp, path) != 0)
		return err_set_errno(e, errno, "blob folder: %s", path);
	return file_sync_parent(path, e);
}

static bool is_there(const char *path, int64_t n_bytes)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == n_bytes;
}

int blob_put(const char *root, const void *p, size_t len, char ret_hex[SHA256_HEX],
	struct err *e)
{
	char path[BLOB_PATH_MAX], tmp[BLOB_PATH_MAX], hex[SHA256_HEX];
	CLEANUP(base_closep) int fd = -1;
	int status;

	sha256_hex(p, len, hex);
	status = blob_path(root, hex, path, e);
	if (status == 0 && is_there(path, (int64_t)len)) {
		status = file_sync_parent(path, e); /* whoever wrote it may have died */
	} else if (status == 0) {
		status = open_temp(root, tmp, &fd, e);
		if (status != 0)
			return status;
		if (fchmod(fd, 0444) != 0 || file_write_all(fd, p, len) != 0 ||
			fsync(fd) != 0)
			status = err_set_errno(e, errno, "blob folder: %s", tmp);
		else
			status = publish(root, tmp, path, e);
		if (status != 0)
			unlink(tmp);
	}
	if (status == 0)
		memcpy(ret_hex, hex, SHA256_HEX);
	return status;
}

/* Copies src to tmp across file systems. */
static int copy_in(const char *src, int out, const char *tmp, struct err *e)
{
	CLEANUP(base_closep) int in = open(src, O_RDONLY | O_CLOEXEC);
	CLEANUP(base_freep) char *buf = base_alloc(COPY_BYTES);
	ssize_t n;

	if (in < 0)
		return err_set_errno(e, errno, "%s", src);
	while ((n = read(in, buf, COPY_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(e, errno, "reading %s", src);
		if (file_write_all(out, buf, (size_t)n) != 0)
			return err_set_errno(e, errno, "blob folder: %s", tmp);
	}
	if (fchmod(out, 0444) != 0 || fsync(out) != 0)
		return err_set_errno(e, errno, "blob folder: %s", tmp);
	return 0;
}

static int move_across(const char *root, const char *src, const char *hex,
	const char *path, struct err *e)
{
	char tmp[BLOB_PATH_MAX], copied[SHA256_HEX];
	CLEANUP(base_closep) int fd = -1;
	int status = open_temp(root, tmp, &fd, e);

	if (status != 0)
		return status;
	status = copy_in(src, fd, tmp, e);
	if (status == 0)
		status = sha256_file_hex(tmp, copied, NULL, e);
	if (status == 0 && strcmp(copied, hex) != 0)
		status = err_set(e, ERR_CONFLICT, "%s changed while it was copied", src);
	if (status == 0)
		status = publish(root, tmp, path, e);
	if (status != 0)
		unlink(tmp);
	return status;
}

/* True when both lie on one file system, so that rename works. */
static bool same_fs(const char *root, const struct stat *src)
{
	struct stat st;

	return stat(root, &st) == 0 && st.st_dev == src->st_dev;
}

int blob_put_file(const char *root, const char *src, char ret_hex[SHA256_HEX],
	int64_t *ret_bytes, struct err *e)
{
	char path[BLOB_PATH_MAX], hex[SHA256_HEX];
	CLEANUP(base_closep) int fd = open(src, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int64_t n_bytes;
	int status;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set_errno(e, errno, "%s", src);
	if (!S_ISREG(st.st_mode))
		return err_set(e, ERR_INVALID, "%s is not a regular file", src);
	status = sha256_file_hex(src, hex, &n_bytes, e);
	if (status == 0)
		status = blob_path(root, hex, path, e);
	if (status == 0)
		status = file_mkdir_p(root, 0755, e);
	if (status != 0)
		return status;
	if (!is_there(path, n_bytes)) {
		if (same_fs(root, &st) && st.st_nlink == 1) {
			if (fchmod(fd, 0444) != 0 || fsync(fd) != 0)
				return err_set_errno(e, errno, "%s", src);
			status = publish(root, src, path, e);
		} else {
			status = move_across(root, src, hex, path, e);
		}
		if (status != 0)
			return status;
	}
	if (unlink(src) != 0 && errno != ENOENT)
		return err_set_errno(e, errno, "removing %s", src);
	memcpy(ret_hex, hex, SHA256_HEX);
	if (ret_bytes)
		*ret_bytes = n_bytes;
	return 0;
}

int blob_get(const char *root, const char *hex, size_t cap_bytes, struct sbuf *ret,
	struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	char path[BLOB_PATH_MAX], sum[SHA256_HEX];
	int status = blob_path(root, hex, path, e);

	if (status == 0)
		status = file_read(path, cap_bytes, &s, e);
	if (status == ERR_NOT_FOUND)
		return err_set(e, ERR_NOT_FOUND, "no blob %s", hex);
	if (status != 0)
		return status;
	sha256_hex(s.buf, s.len, sum);
	if (strcmp(sum, hex) != 0)
		return err_set(
			e, ERR_INTERNAL, "blob %s is damaged: its sum is %s", hex, sum);
	sbuf_add(ret, s.buf, s.len);
	return 0;
}
