/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/err.h"
#include "base/file.h"
#include "base/orphan.h"
#include "base/proc.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Waits for a line that never comes, under the name that its path ends in. */
static pid_t waiter(const char *program, const char *arg)
{
	const char *const argv[] = {program, "-c", "read line", arg, NULL};
	struct proc_fd fd = {.child_fd = 0};
	struct proc_spec spec = {
		.argv = argv, .fds = &fd, .n_fds = 1, .die_with_parent = true};
	struct err e = {0};
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	fd.parent_fd = ends[0];
	assert_int_equal(proc_spawn(&spec, &pid, &e), 0);
	close(ends[0]); /* ends[1] stays open until the test ends */
	return pid;
}

static bool killed(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static void only_bwrap_of_that_folder(void **state)
{
	char dir[] = "/tmp/wl-orphan.XXXXXX", bwrap[64], mine[64], next[64];
	pid_t orphan, neighbour, other;
	struct err e;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(bwrap, sizeof(bwrap), "%s/bwrap", dir);
	snprintf(mine, sizeof(mine), "%s/7/12.1", dir);
	snprintf(next, sizeof(next), "%s/77/12.1", dir);
	assert_int_equal(symlink("/bin/sh", bwrap), 0);
	orphan = waiter(bwrap, mine);
	neighbour = waiter(bwrap, next);
	other = waiter("/bin/sh", mine);
	snprintf(mine, sizeof(mine), "%s/7", dir);
	assert_int_equal(orphans_kill(mine), 1);
	assert_true(killed(orphan));
	assert_int_equal(waitpid(neighbour, NULL, WNOHANG), 0);
	assert_int_equal(waitpid(other, NULL, WNOHANG), 0);
	assert_int_equal(orphans_kill(mine), 0);
	kill(neighbour, SIGKILL);
	kill(other, SIGKILL);
	assert_true(killed(neighbour));
	assert_true(killed(other));
	assert_int_equal(file_rm_rf(dir, &e), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_bwrap_of_that_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
