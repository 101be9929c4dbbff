/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_initramfs.c - the archive, the list of runs, and what programs need. */
#include "base/base.h"

#include "base/file.h"
#include "base/proc.h"
#include "runners/cpio.h"
#include "runners/elfdeps.h"
#include "runners/initramfs.h"
#include <setjmp.h>
#include <stdarg.h>
#include <unistd.h>
/* after the above */
#include <cmocka.h>

static const char *const pipes[] = {"hackbench", "-p", "-g", "1", "-l", "50", NULL};
static const char *const threads[] = {"hackbench", "-T", "-p", NULL};

static void archive_bytes(void **state)
{
	CLEANUP(cpio_release) struct cpio c;

	(void)state;
	cpio_init(&c);
	cpio_dir(&c, "d", 0755);
	cpio_file(&c, "d/f", 0644, "abc", 3);
	cpio_end(&c);
	assert_int_equal(0, c.out.len % 512);
	/* header 110 bytes, name with NUL, to 4; then the next */
	assert_memory_equal(
		"07070100000001000041ED000000000000000000000002", c.out.buf, 46);
	assert_string_equal("d", c.out.buf + 110);
	assert_memory_equal("07070100000002000081A4", c.out.buf + 112, 22);
	assert_string_equal("d/f", c.out.buf + 112 + 110);
	assert_memory_equal("abc", c.out.buf + 112 + 116, 3);
	assert_non_null(memmem(c.out.buf, c.out.len, "TRAILER!!!", 11));
}

/* An independent reader agrees with what we wrote. */
static void archive_is_read(void **state)
{
	static const char *const argv[] = {"cpio", "-t", "--quiet", NULL};
	struct initramfs_load loads[] = {{.argv = pipes, .n_runs = 1, .timeout_s = 9}};
	struct initramfs_spec s = {
		.arch = "x86_64", .root = "", .loads = loads, .n_loads = 1};
	CLEANUP(sbuf_release) struct sbuf one = SBUF_INIT;
	CLEANUP(sbuf_release) struct sbuf two = SBUF_INIT;
	struct proc_spec ps = {
		.argv = argv, .deadline_ms = 20000, .out_cap_bytes = 65536};
	struct proc_result pr;
	struct err e = {0};

	(void)state;
	if (access("/usr/bin/hackbench", R_OK) || access("/bin/busybox", R_OK) ||
		access("/usr/bin/cpio", X_OK) || access("/lib/x86_64-linux-gnu", R_OK))
		skip();
	assert_int_equal(0, initramfs_build(&s, &one, &e));
	assert_int_equal(0, initramfs_build(&s, &two, &e));
	assert_int_equal(one.len, two.len);
	assert_memory_equal(one.buf, two.buf, one.len);
	proc_result_init(&pr);
	ps.in = one.buf;
	ps.in_len = one.len;
	assert_int_equal(0, proc_run(&ps, &pr, &e));
	assert_int_equal(0, pr.exit_status);
	assert_non_null(strstr(pr.out.buf, "init\n"));
	assert_non_null(strstr(pr.out.buf, "usr/bin/hackbench\n"));
	assert_non_null(strstr(pr.out.buf, "lib/libc.so.6\n"));
	assert_non_null(strstr(pr.out.buf, "wl/runs\n"));
	proc_result_release(&pr);
}

static void runs_take_turns(void **state)
{
	struct initramfs_load loads[] = {
		{.argv = pipes, .n_warmup = 1, .n_runs = 2, .timeout_s = 60},
		{.argv = threads, .n_runs = 1, .timeout_s = 5}};
	struct initramfs_spec s = {.loads = loads, .n_loads = 2};
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	struct err e = {0};

	(void)state;
	assert_int_equal(0, initramfs_runs(&s, &out, &e));
	assert_string_equal("0 warmup 0 60 hackbench -p -g 1 -l 50\n"
			    "0 run 0 60 hackbench -p -g 1 -l 50\n"
			    "1 run 0 5 hackbench -T -p\n"
			    "0 run 1 60 hackbench -p -g 1 -l 50\n",
		out.buf);
}

static int runs_of(const char *const *argv, int n_runs)
{
	struct initramfs_load load = {.argv = argv, .n_runs = n_runs, .timeout_s = 1};
	struct initramfs_spec s = {.loads = &load, .n_loads = 1};
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	struct err e = {0};

	return initramfs_runs(&s, &out, &e);
}

static void words_are_checked(void **state)
{
	static const char *const bad[] = {
		"a b", "$(reboot)", "`x`", "a;b", "a\nb", "", "*", "'", "\"", "a|b", "~"};
	const char *argv[] = {"hackbench", "-l", NULL, NULL};

	(void)state;
	argv[2] = "50";
	assert_int_equal(0, runs_of(argv, 1));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		argv[2] = bad[i];
		assert_int_equal(ERR_INVALID, runs_of(argv, 1));
	}
	argv[0] = "-x";
	argv[2] = "1";
	assert_int_equal(ERR_INVALID, runs_of(argv, 1));
	argv[0] = NULL;
	assert_int_equal(ERR_INVALID, runs_of(argv, 1));
	argv[0] = "hackbench";
	assert_int_equal(ERR_INVALID, runs_of(argv, INITRAMFS_RUNS_MAX + 1));
}

static void libraries(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char *const dirs[] = {"/lib/x86_64-linux-gnu",
		"/lib/aarch64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
		"/usr/lib/aarch64-linux-gnu", NULL};
	struct elfdep *d;
	struct err e = {0};
	bool libc = false;
	size_t n;

	(void)state;
	assert_int_equal(0, elfdeps_find(a, "/bin/sh", "", dirs, &d, &n, &e));
	assert_true(n >= 2);
	for (size_t i = 0; i < n; i++)
		libc = libc || !strcmp(d[i].guest_path, "/lib/libc.so.6");
	assert_true(libc);
	assert_int_equal(ERR_INVALID, elfdeps_find(a, WL_SOURCE_DIR "/runners/elfdeps.c",
					      "", dirs, &d, &n, &e));
	assert_int_equal(
		ERR_NOT_FOUND, elfdeps_find(a, "/nonexistent", "", dirs, &d, &n, &e));
}

static void broken_programs(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char *const dirs[] = {"/nonexistent", NULL};
	CLEANUP(sbuf_release) struct sbuf sh = SBUF_INIT;
	char path[] = "/tmp/wl-elf-XXXXXX";
	int fd = mkstemp(path);
	struct elfdep *d;
	struct err e = {0};
	size_t n;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(0, file_read("/bin/sh", ELFDEPS_FILE_MAX, &sh, &e));
	assert_int_equal(ERR_NOT_FOUND, elfdeps_find(a, "/bin/sh", "", dirs, &d, &n, &e));
	/* cut anywhere: an error or an answer, never a read outside */
	for (size_t len = 1; len < sh.len; len = len * 3 / 2 + 7) {
		assert_int_equal(0, file_write_atomic(path, sh.buf, len, 0600, &e));
		assert_true(elfdeps_find(a, path, "", dirs, &d, &n, &e) <= 0);
	}
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(archive_bytes),
		cmocka_unit_test(archive_is_read),
		cmocka_unit_test(runs_take_turns),
		cmocka_unit_test(words_are_checked),
		cmocka_unit_test(libraries),
		cmocka_unit_test(broken_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
