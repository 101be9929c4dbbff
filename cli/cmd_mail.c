/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_mail.c - wakelist mail parse FILE|- | series SOURCE */
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "mail/mail_json.h"

static int mail_parse_help(void)
{
	puts("usage: wakelist mail parse FILE|-\n"
	     "\n"
	     "Reads one mail and prints what it is as JSON: author, title, kind, place "
	     "in its\n"
	     "series, files touched, and the SHA-256 of the two files git mailinfo makes "
	     "of it.\n"
	     "Exit status 1: the mail cannot be used (\"rejected\" says why).");
	return CLI_OK;
}

static int mail_parse_run(int argc, char **argv)
{
	if (argc == 2 && cli_is_help(argv[1]))
		return mail_parse_help();
	if (argc != 2)
		return cli_usage("mail parse takes one file, or - for standard input");
	struct err e;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	if (file_read(argv[1], MAIL_MAX_BYTES + 1, &text, &e) && e.code != ERR_TOO_BIG)
		return cli_fail(&e);
	CLEANUP(arena_freep) struct arena *a = arena_new();
	/* The bytes as they came, as git mailinfo reads them: no mbox, so CR stays. */
	struct mail_opts opts = {.keep_cr = true};
	struct mail *m;
	if (mail_parse(a, text.buf, text.len, &opts, &m, &e))
		return cli_fail(&e);
	int rc = cli_print_json(mail_json(m));
	return rc == CLI_OK && m->rejected ? CLI_NO : rc;
}

static int mail_help(void)
{
	puts("usage: wakelist mail parse FILE|-");
	return CLI_OK;
}

int cmd_mail(int argc, char **argv)
{
	static const char *const names[] = {"parse", "series", NULL};
	if (argc < 2)
		return cli_usage(
			"mail needs a word: parse or series (wakelist mail --help)");
	if (cli_is_help(argv[1]))
		return mail_help();
	if (!strcmp(argv[1], "parse"))
		return mail_parse_run(argc - 1, argv + 1);
	return cli_unknown("mail command", argv[1], names);
}
