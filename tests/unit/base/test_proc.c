/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/clock.h"
#include "base/proc.h"
#include "tests/unit/unit.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SH(script) ((const char *const[]){"sh", "-c", (script), NULL})

static void run(struct proc_spec spec, struct proc_result *r)
{
	struct err e;

	if (!spec.out_cap_bytes)
		spec.out_cap_bytes = 1 << 20;
	assert_ok(proc_run(&spec, r, &e), &e);
}

static void test_output_and_status(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	char text[64];

	(void)state;
	run((struct proc_spec){.argv = SH("echo out; echo err >&2; exit 3")}, &r);
	assert_string_equal(r.out.buf, "out\n");
	assert_string_equal(r.err.buf, "err\n");
	assert_int_equal(r.exit_status, 3);
	assert_int_equal(r.signal, 0);
	assert_false(r.timed_out);
	assert_false(r.out_cut);
	assert_true(r.wall_ns > 0);
	assert_true(r.max_rss_bytes > 100000);
	assert_string_equal(proc_result_text(&r, text, sizeof(text)), "exit status 3");
	run((struct proc_spec){.argv = SH("echo out; echo err >&2"),
		    .merge_stderr = true},
		&r);
	assert_string_equal(r.out.buf, "out\nerr\n");
	assert_int_equal(r.err.len, 0);
	run((struct proc_spec){.argv = SH("kill -9 $$")}, &r);
	assert_int_equal(r.signal, SIGKILL);
	assert_int_equal(r.exit_status, -1);
	assert_string_equal(
		proc_result_text(&r, text, sizeof(text)), "killed by signal 9");
}

static void test_exec_failures(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	struct proc_spec spec = {
		.argv = (const char *const[]){"no-such-program-xyz", NULL}};
	char path[512];
	struct err e;
	pid_t pid;

	assert_err(proc_run(&spec, &r, &e), ERR_NOT_FOUND, &e,
		"running no-such-program-xyz: No such file");
	assert_err(proc_spawn(&spec, &pid, &e), ERR_NOT_FOUND, &e, "no-such-program-xyz");
	spec.argv = (const char *const[]){"true", NULL};
	spec.cwd = "/no/such/folder";
	assert_err(proc_run(&spec, &r, &e), ERR_NOT_FOUND, &e, "/no/such/folder");
	snprintf(path, sizeof(path), "%s/plain", (char *)*state);
	assert_ok(file_write_atomic(path, "x", 1, 0644, &e), &e);
	spec.cwd = NULL;
	spec.argv = (const char *const[]){path, NULL};
	assert_err(proc_run(&spec, &r, &e), ERR_DENIED, &e, "plain");
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no zombie is left */
}

static void test_stdin(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	const size_t len = 3000001;
	char *data = base_alloc(len);

	(void)state;
	for (size_t i = 0; i < len; i++)
		data[i] = (char)('a' + i % 23);
	/* Far over a pipe's size in both directions at once. */
	run((struct proc_spec){.argv = (const char *const[]){"cat", NULL},
		    .in = data,
		    .in_len = len,
		    .out_cap_bytes = len},
		&r);
	assert_int_equal(r.out.len, len);
	assert_memory_equal(r.out.buf, data, len);
	assert_false(r.out_cut);
	/* A program that reads nothing neither blocks nor kills us. */
	run(
		(struct proc_spec){
			.argv = SH("exec <&-; echo done"), .in = data, .in_len = len},
		&r);
	assert_string_equal(r.out.buf, "done\n");
	run((struct proc_spec){.argv = (const char *const[]){"cat", NULL}}, &r);
	assert_int_equal(r.out.len, 0);
	free(data);
}

static void test_output_cap(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};

	(void)state;
	run((struct proc_spec){.argv = SH("head -c 500000 /dev/zero; "
					  "head -c 200000 /dev/zero >&2"),
		    .out_cap_bytes = 1000},
		&r);
	assert_int_equal(r.exit_status, 0); /* read to the end, not cut off by SIGPIPE */
	assert_int_equal(r.out.len, 1000);
	assert_true(r.out_cut);
	assert_int_equal(r.err.len, 65536);
}

static void test_deadline_kills_the_group(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	char text[64];
	long grandchild;

	(void)state;
	run((struct proc_spec){.argv = SH("sleep 1000 & echo $!; wait"),
		    .deadline_ms = 300},
		&r);
	assert_true(r.timed_out);
	assert_int_equal(r.signal, SIGKILL);
	assert_true(r.wall_ns >= 300 * NS_PER_MS);
	assert_true(r.wall_ns < 30 * NS_PER_S);
	assert_string_equal(
		proc_result_text(&r, text, sizeof(text)), "no answer after 0 s");
	grandchild = strtol(r.out.buf, NULL, 10);
	assert_true(grandchild > 1);
	snprintf(text, sizeof(text), "/proc/%ld/cmdline", grandchild);
	/* Gone, or a zombie that init has not collected: no command line either way. */
	for (int64_t until = clock_mono_ns() + 10 * NS_PER_S;;) {
		CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
		struct err e;

		if (file_read(text, 4096, &s, &e) != 0 || s.len == 0)
			break;
		assert_true(clock_mono_ns() < until);
	}
}

static void test_leftovers_do_not_hold_us(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};

	(void)state;
	/* The background process keeps stdout open. */
	run((struct proc_spec){.argv = SH("sleep 1000 & echo here; exit 4"),
		    .deadline_ms = 60000},
		&r);
	assert_int_equal(r.exit_status, 4);
	assert_false(r.timed_out);
	assert_string_equal(r.out.buf, "here\n");
}

static void test_environment(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	const char *const env[] = {"A=1", "HOME=/there", NULL};

	(void)state;
	setenv("WL_TEST_INHERITED", "yes", 1);
	setenv("LC_ALL", "en_US.UTF-8", 1);
	run((struct proc_spec){.argv = SH(
				       "echo $LC_ALL $WL_TEST_INHERITED $A $HOME; pwd"),
		    .env = env,
		    .cwd = "/"},
		&r);
	assert_string_equal(r.out.buf, "C yes 1 /there\n/\n");
	run((struct proc_spec){.argv = (const char *const[]){"env", NULL},
		    .clear_env = true},
		&r);
	assert_null(strstr(r.out.buf, "WL_TEST_INHERITED"));
	assert_non_null(strstr(r.out.buf, "HOME=/nonexistent\n"));
	assert_non_null(strstr(r.out.buf, "LC_ALL=C\n"));
	assert_non_null(strstr(r.out.buf, "PATH="));
}

static void test_descriptors(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	int stray = open("/dev/null", O_RDONLY); /* no CLOEXEC, on purpose */
	int a[2], b[2];
	struct proc_fd fds[2];

	(void)state;
	assert_true(stray >= 3);
	assert_int_equal(pipe(a), 0);
	assert_int_equal(pipe(b), 0);
	assert_int_equal(write(a[1], "aa", 2), 2);
	assert_int_equal(write(b[1], "bb", 2), 2);
	close(a[1]);
	close(b[1]);
	/* Each target is the other's source. */
	fds[0] = (struct proc_fd){a[0], b[0]};
	fds[1] = (struct proc_fd){b[0], a[0]};
	{
		char script[200];

		snprintf(script, sizeof(script),
			"cat <&%d; cat <&%d; echo; cd /proc/self/fd; "
			"for f in *; do [ -e $f ] && echo $f; done; :",
			b[0], a[0]);
		run((struct proc_spec){.argv = SH(script), .fds = fds, .n_fds = 2}, &r);
	}
	assert_int_equal(strncmp(r.out.buf, "aabb\n0\n1\n", 9), 0);
	assert_non_null(strstr(r.out.buf, "\n2\n"));
	{
		char line[32];

		snprintf(line, sizeof(line), "\n%d\n", stray);
		assert_null(strstr(r.out.buf, line));
		snprintf(line, sizeof(line), "\n%d\n", a[0]);
		assert_non_null(strstr(r.out.buf, line));
	}
	close(a[0]);
	close(b[0]);
	close(stray);
}

/* True for an arm64 build under qemu-user: programs that we start are the host's. */
static bool is_emulated(void)
{
#ifdef __aarch64__
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};

	run((struct proc_spec){.argv = SH("uname -m")}, &r);
	return strcmp(r.out.buf, "aarch64\n") != 0;
#else
	return false;
#endif
}

static void test_limits(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};

	run((struct proc_spec){.argv = SH("ulimit -v; ulimit -t; ulimit -c"),
		    .mem_limit_bytes = INT64_C(1) << 30,
		    .cpu_limit_s = 7},
		&r);
	if (is_emulated()) /* qemu-user takes RLIMIT_AS and does nothing */
		assert_string_equal(r.out.buf, "unlimited\n7\n0\n");
	else
		assert_string_equal(r.out.buf, "1048576\n7\n0\n");
	run((struct proc_spec){.argv = SH("head -c 100000 /dev/zero > f; exit 9"),
		    .cwd = *state,
		    .file_limit_bytes = 5000,
		    .deadline_ms = 60000},
		&r);
	run((struct proc_spec){.argv = SH("wc -c < f"), .cwd = *state}, &r);
	assert_string_equal(r.out.buf, "5000\n");
	run((struct proc_spec){.argv = SH("while :; do :; done"),
		    .cpu_limit_s = 1,
		    .deadline_ms = 100000},
		&r);
	assert_true(r.signal == SIGXCPU || r.signal == SIGKILL);
	assert_false(r.timed_out);
	assert_true(r.cpu_ns > 50 * NS_PER_MS);
	run((struct proc_spec){.argv = SH("grep NoNewPrivs: /proc/self/status"),
		    .no_new_privs = true,
		    .die_with_parent = true},
		&r);
	assert_string_equal(r.out.buf, "NoNewPrivs:\t1\n");
}

static void test_user(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};

	(void)state;
	if (geteuid() != 0)
		skip();
	run((struct proc_spec){.argv = SH("id -u; id -g; id -G"),
		    .cwd = "/",
		    .uid = 65534,
		    .gid = 65534},
		&r);
	assert_string_equal(r.out.buf, "65534\n65534\n65534\n");
}

static void test_signals_are_reset(void **state)
{
	CLEANUP(proc_result_release)
	struct proc_result r = {.out = SBUF_INIT, .err = SBUF_INIT};
	sigset_t set, old;

	(void)state;
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, &old);
	run((struct proc_spec){.argv = SH("grep -E 'SigBlk|SigIgn' /proc/self/status")},
		&r);
	sigprocmask(SIG_SETMASK, &old, NULL);
	signal(SIGPIPE, SIG_DFL);
	assert_string_equal(
		r.out.buf, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void test_spawn(void **state)
{
	char path[512];
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	CLEANUP(base_closep) int out = -1;
	struct proc_spec spec = {.argv = SH("cat; echo to-file; exit 5")};
	struct proc_fd fds[1];
	struct err e;
	int status;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/out", (char *)*state);
	out = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fds[0] = (struct proc_fd){out, STDOUT_FILENO};
	spec.fds = fds;
	spec.n_fds = 1;
	assert_ok(proc_spawn(&spec, &pid, &e), &e);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_ok(file_read(path, 100, &s, &e), &e);
	assert_string_equal(s.buf, "to-file\n");
}

/* What a program leaves in its group goes when it is reaped. */
static void test_reap(void **state)
{
	struct proc_spec spec = {.argv = SH("sleep 60 & exit 5")};
	struct proc_fd fd = {.child_fd = 3};
	struct pollfd end = {.events = POLLIN};
	int held[2], status = 0;
	struct err e;
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(held), 0);
	fd.parent_fd = held[1];
	spec.fds = &fd;
	spec.n_fds = 1;
	assert_ok(proc_spawn(&spec, &pid, &e), &e);
	close(held[1]);
	end.fd = held[0];
	while (!proc_reap(pid, &status))
		poll(NULL, 0, 5);
	assert_int_equal(WEXITSTATUS(status), 5);
	assert_int_equal(poll(&end, 1, 30000), 1);
	assert_int_equal(read(held[0], &c, 1), 0);
	close(held[0]);
	assert_true(proc_reap(pid, &status)); /* nobody any more */
	assert_int_equal(status, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_and_status),
		unit_folder_test(test_exec_failures),
		cmocka_unit_test(test_stdin),
		cmocka_unit_test(test_output_cap),
		cmocka_unit_test(test_deadline_kills_the_group),
		cmocka_unit_test(test_leftovers_do_not_hold_us),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_descriptors),
		unit_folder_test(test_limits),
		cmocka_unit_test(test_user),
		cmocka_unit_test(test_signals_are_reset),
		unit_folder_test(test_spawn),
		cmocka_unit_test(test_reap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
