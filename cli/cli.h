/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cli.h - one row a command; cli/commands.c holds the table, cli/cmd_<noun>.c the code.
 *
 * A command gets argv from its own name on: "wakelist mail parse F" calls cmd_mail with
 * {"mail", "parse", "F"}. It prints results on stdout and everything else on stderr, and
 * returns one of enum cli_exit. A command answers --help itself (cli_is_help).
 */
#ifndef WL_CLI_CLI_H
#define WL_CLI_CLI_H

#include "base/base.h"

#include "base/err.h"
#include "base/jx.h"

enum cli_exit {
	CLI_OK = 0,
	CLI_NO = 1,     /* the answer is no: does not apply, cannot be parsed */
	CLI_USAGE = 2,  /* called wrongly */
	CLI_FAILED = 3, /* could not do it */
};

struct cli_command {
	const char *name;
	const char *summary; /* one line of --help */
	int (*run)(int argc, char **argv);
};

/* Arguments of a plumbing command: options in any place, what is left are files. --json
 * is taken and means nothing: these print JSON always. An option with a value is given
 * once at most. What begins with "-" is an option, "-" alone a file, as is all after
 * "--". */
struct cli_arguments {
	const char *command; /* for messages */
	struct arena *a;
	void *arg;
	bool (*flag)(void *arg, const char *name); /* true: taken; NULL: no flags */
	/* 0: taken; -1: no such option; CLI_USAGE after the message. value is "" where
	 * there was none, which is a usage error after all. */
	int (*option)(void *arg, const char *name, const char *value);
};
/* 0, or CLI_USAGE after the message. files has room for argc. */
int cli_take_arguments(const struct cli_arguments *c, int argc, char **argv, char **files,
	size_t *ret_n_files);
/* The same for a command without options that takes exactly n of them, which what names:
 * "one file, or - for standard input". ret has room for n. */
int cli_take_files(const char *command, const char *what, int argc, char **argv,
	char **ret, size_t n) MUST_CHECK;

extern const struct cli_command cli_commands[]; /* ends with a NULL name */

/* Prints "wakelist: TEXT" and returns CLI_USAGE. */
int cli_usage(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* Prints "wakelist: MESSAGE" on stderr; CLI_NO for what the input got wrong, CLI_FAILED
 * for the rest. */
int cli_fail(const struct err *e);
/* The same where no input is at fault: CLI_FAILED. */
int cli_failed(const struct err *e);
/* The same for a file that was to be read: CLI_NO when it is over a limit, else
 * CLI_FAILED. */
int cli_fail_read(const struct err *e);
/* The same for an unknown second word: names the nearest ones. names ends with NULL. */
int cli_unknown(const char *what, const char *word, const char *const *names);
bool cli_is_help(const char *arg); /* -h, --help, help */
/* "help" comes first, or -h or --help before "--". argv begins with the command. */
bool cli_asks_help(int argc, char **argv);
/* Writes compact JSON, reals with 15 digits, and a newline; takes j. CLI_FAILED when
 * stdout cannot be written. */
int cli_print_json(json_t *j);

int cmd_mail(int argc, char **argv);
int cmd_apply(int argc, char **argv);
int cmd_touch(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_stats(int argc, char **argv);
int cmd_log(int argc, char **argv); /* becomes wakelist-runner */

#endif
