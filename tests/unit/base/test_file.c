/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/blob.h"
#include "tests/unit/unit.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ABC_SUM "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

static char *path_in(void **state, const char *name)
{
	static char ring[4][512];
	static unsigned next;
	char *p = ring[next++ % ARRAY_LEN(ring)];

	snprintf(p, sizeof(ring[0]), "%s/%s", (char *)*state, name);
	return p;
}

static size_t count_entries(const char *path)
{
	DIR *d = opendir(path);
	size_t n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static void test_read_and_write(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	char *path = path_in(state, "f");
	struct stat st;
	struct err e;

	assert_err(file_read(path, 10, &s, &e), ERR_NOT_FOUND, &e, path);
	assert_ok(file_write_atomic(path, "hello\0you", 9, 0640, &e), &e);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	sbuf_adds(&s, "<");
	assert_ok(file_read(path, 9, &s, &e), &e);
	assert_int_equal(s.len, 10);
	assert_memory_equal(s.buf, "<hello\0you", 11);
	assert_err(file_read(path, 8, &s, &e), ERR_TOO_BIG, &e, "8 bytes");
	assert_int_equal(s.len, 10);
	assert_ok(file_write_atomic(path, "", 0, 0640, &e), &e);
	sbuf_reset(&s);
	assert_ok(file_read(path, 0, &s, &e), &e);
	assert_int_equal(s.len, 0);
	assert_int_equal(count_entries(*state), 1); /* no temp file is left */
	assert_err(file_write_atomic(path_in(state, "no/f"), "x", 1, 0600, &e),
		ERR_NOT_FOUND, &e, "no/f");
}

static void test_folders(void **state)
{
	char *deep = path_in(state, "a/b/c"), *file = path_in(state, "a/b/c/f");
	char *keep = path_in(state, "keep");
	struct err e;

	assert_ok(file_mkdir_p(deep, 0755, &e), &e);
	assert_ok(file_mkdir_p(deep, 0755, &e), &e);
	assert_ok(file_write_atomic(file, "x", 1, 0600, &e), &e);
	assert_int_not_equal(file_mkdir_p(file, 0755, &e), 0);
	assert_ok(file_mkdir_p(keep, 0755, &e), &e);
	assert_ok(file_write_atomic(path_in(state, "keep/f"), "x", 1, 0600, &e), &e);
	assert_int_equal(symlink(path_in(state, "keep"), path_in(state, "a/link")), 0);
	assert_int_equal(chmod(path_in(state, "a/b"), 0500), 0);
	assert_ok(file_rm_rf(path_in(state, "a"), &e), &e);
	assert_ok(file_rm_rf(path_in(state, "a"), &e), &e); /* gone is fine */
	assert_int_equal(access(path_in(state, "keep/f"), F_OK), 0);
	assert_int_equal(count_entries(*state), 1);
}

static void test_lock_names_the_holder(void **state)
{
	char *path = path_in(state, "lock"), want[64];
	int fd = -1, fd2 = -1, status;
	struct err e;
	pid_t pid;

	assert_ok(file_lock(path, &fd, &e), &e);
	snprintf(want, sizeof(want), "is in use by process %ld", (long)getpid());
	pid = fork();
	if (pid == 0)
		_exit(file_lock(path, &fd2, &e) == ERR_BUSY && strstr(e.msg, want) ? 0
										   : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fd);
	assert_ok(file_lock(path, &fd, &e), &e);
	close(fd);
}

static void test_sums(void **state)
{
	char hex[SHA256_HEX], *path = path_in(state, "abc");
	int64_t n = 0;
	struct err e;

	sha256_hex("abc", 3, hex);
	assert_string_equal(hex, ABC_SUM);
	sha256_hex(NULL, 0, hex);
	assert_int_equal(strncmp(hex, "e3b0c44298fc1c14", 16), 0);
	assert_ok(file_write_atomic(path, "abc", 3, 0600, &e), &e);
	assert_ok(sha256_file_hex(path, hex, &n, &e), &e);
	assert_string_equal(hex, ABC_SUM);
	assert_int_equal(n, 3);
	assert_true(sha256_is_hex(ABC_SUM));
	assert_false(sha256_is_hex(ABC_SUM "0"));
	assert_false(sha256_is_hex("BA7816BF"));
	assert_false(sha256_is_hex(NULL));
	assert_err(sha256_file_hex(path_in(state, "none"), hex, NULL, &e), ERR_NOT_FOUND,
		&e, "none");
}

static void test_blob_round_trip(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	char *root = path_in(state, "blobs"), hex[SHA256_HEX], path[BLOB_PATH_MAX];
	struct stat st;
	struct err e;

	assert_ok(blob_put(root, "abc", 3, hex, &e), &e);
	assert_string_equal(hex, ABC_SUM);
	assert_ok(blob_put(root, "abc", 3, hex, &e), &e); /* twice is harmless */
	assert_ok(blob_path(root, hex, path, &e), &e);
	assert_non_null(strstr(path, "/blobs/ba/78/" ABC_SUM));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0444);
	assert_int_equal(count_entries(path_in(state, "blobs/tmp")), 0);
	assert_ok(blob_get(root, hex, 3, &s, &e), &e);
	assert_string_equal(s.buf, "abc");
	assert_err(blob_get(root, hex, 2, &s, &e), ERR_TOO_BIG, &e, "2 bytes");
	assert_err(blob_path(root, "../../etc/passwd", path, &e), ERR_INVALID, &e,
		"not a SHA-256");
	hex[0] = 'c';
	assert_err(blob_get(root, hex, 3, &s, &e), ERR_NOT_FOUND, &e, hex);
	assert_string_equal(s.buf, "abc");
}

static void test_blob_damage(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	char *root = path_in(state, "blobs"), hex[SHA256_HEX], path[BLOB_PATH_MAX];
	struct err e;

	assert_ok(blob_put(root, "abc", 3, hex, &e), &e);
	assert_ok(blob_path(root, hex, path, &e), &e);
	assert_ok(file_write_atomic(path, "abd", 3, 0444, &e), &e);
	assert_err(blob_get(root, hex, 3, &s, &e), ERR_INTERNAL, &e, "damaged");
	assert_int_equal(s.len, 0);
	/* A name with too few bytes is what a file system may leave after a crash
	 * without fsync; putting it again repairs it. */
	assert_ok(file_write_atomic(path, "a", 1, 0444, &e), &e);
	assert_ok(blob_put(root, "abc", 3, hex, &e), &e);
	assert_ok(blob_get(root, hex, 3, &s, &e), &e);
	assert_string_equal(s.buf, "abc");
}

static void test_blob_files(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	char *root = path_in(state, "blobs"), *src = path_in(state, "src");
	char hex[SHA256_HEX];
	int64_t n = 0;
	struct err e;

	for (int round = 0; round < 3; round++) {
		assert_ok(file_write_atomic(src, "abc", 3, 0600, &e), &e);
		/* The last round: another name of it stays writable, so it is copied. */
		if (round == 2) {
			assert_ok(file_rm_rf(root, &e), &e);
			assert_int_equal(link(src, path_in(state, "other")), 0);
		}
		assert_ok(blob_put_file(root, src, hex, &n, &e), &e);
		assert_int_equal(n, 3);
		assert_string_equal(hex, ABC_SUM);
		assert_int_equal(access(src, F_OK), -1);
		sbuf_reset(&s);
		assert_ok(blob_get(root, hex, 3, &s, &e), &e);
		assert_string_equal(s.buf, "abc");
	}
	assert_err(blob_put_file(root, src, hex, &n, &e), ERR_NOT_FOUND, &e, "src");
	assert_int_equal(symlink("/etc/passwd", src), 0);
	assert_int_not_equal(blob_put_file(root, src, hex, &n, &e), 0);
	assert_err(blob_put_file(root, *state, hex, &n, &e), ERR_INVALID, &e, "regular");
}

/* Whatever the moment, a writer that dies leaves either no blob or a whole one. */
static void test_blob_killed_writer(void **state)
{
	char *root = path_in(state, "blobs"), hex[SHA256_HEX], path[BLOB_PATH_MAX];
	const size_t len = (size_t)2 << 20;
	char *data = base_alloc(len);
	struct err e;

	memset(data, 'k', len);
	sha256_hex(data, len, hex);
	assert_ok(blob_path(root, hex, path, &e), &e);
	for (int round = 0; round < 12; round++) {
		int ready[2];
		char c;
		pid_t pid;

		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			(void)!write(ready[1], "x", 1);
			_exit(blob_put(root, data, len, hex, &e) == 0 ? 0 : 1);
		}
		close(ready[1]);
		assert_int_equal(read(ready[0], &c, 1), 1);
		for (volatile int spin = 0; spin < round * round * 40000; spin++)
			;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ready[0]);
		if (access(path, F_OK) == 0) {
			CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

			assert_ok(blob_get(root, hex, len, &s, &e), &e);
			assert_int_equal(unlink(path), 0);
		}
	}
	assert_ok(blob_put(root, data, len, hex, &e), &e);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(test_read_and_write),
		unit_folder_test(test_folders),
		unit_folder_test(test_lock_names_the_holder),
		unit_folder_test(test_sums),
		unit_folder_test(test_blob_round_trip),
		unit_folder_test(test_blob_damage),
		unit_folder_test(test_blob_files),
		unit_folder_test(test_blob_killed_writer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
