/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_log.c - wakelist log check FILE|-: a console log -> panics, splats, stalls, JSON.
 * wakelist-runner does it; calls, help and a file that cannot be opened are answered
 * here, under the name that was called. */
#include "base/base.h"

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <unistd.h>

static int log_check_help(void)
{
	puts("usage: wakelist log check FILE|-\n"
	     "\n"
	     "Reads a console log and prints what the kernel reported, as JSON: panics, "
	     "oopses,\n"
	     "warnings, lockdep, stalls, lockups, hung tasks, KASAN, KCSAN, OOM kills "
	     "and\n"
	     "restarts. Exit status 0 whatever was found, 2 called wrongly, 3 failed.");
	return CLI_OK;
}

/* As git does it: the program beside ours, else in PATH. Returns only when it fails. */
static int become_runner(char **args)
{
	char self[PATH_MAX], beside[PATH_MAX + 32];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len > 0) {
		self[len] = '\0';
		snprintf(beside, sizeof(beside), "%s/wakelist-runner", dirname(self));
		execv(beside, args);
	}
	execvp("wakelist-runner", args);
	fprintf(stderr, "wakelist: wakelist-runner is not installed here: %s\n",
		strerror(errno));
	return CLI_FAILED;
}

/* FILE becomes standard input. */
static int open_input(const char *path, struct err *e)
{
	char first;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = 0;

	if (fd < 0)
		return err_set_errno(e, errno, "%s", path);
	/* a folder opens, and cannot be read */
	if (read(fd, &first, 0) < 0 || dup2(fd, STDIN_FILENO) < 0)
		rc = err_set_errno(e, errno, "%s", path);
	close(fd);
	return rc;
}

static int log_check(const char *path)
{
	char program[] = "wakelist-runner", log[] = "log", verb[] = "check",
	     input[] = "-";
	char *args[] = {program, log, verb, input, NULL};
	struct err e;

	if (strcmp(path, "-") != 0 && open_input(path, &e))
		return cli_failed(&e);
	return become_runner(args);
}

int cmd_log(int argc, char **argv)
{
	static const char *const verbs[] = {"check", NULL};

	if (cli_asks_help(argc, argv))
		return log_check_help();
	if (argc < 2)
		return cli_usage("usage: wakelist log check FILE|-");
	if (strcmp(argv[1], "check") != 0)
		return cli_unknown("log command", argv[1], verbs);
	if (argc != 3 || (argv[2][0] == '-' && argv[2][1]))
		return cli_usage("log check takes one file, or - for standard input");
	return log_check(argv[2]);
}
