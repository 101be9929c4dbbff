/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_mail.c - wakelist mail parse FILE|- | series SOURCE | claims FILE|- */
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmd_mail.h"
#include "cli/mail_source.h"
#include "mail/mail_json.h"
#include "mail/stream.h"

#include <errno.h>
#include <unistd.h>

#define SHOWN_EACH 1000 /* mails */

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
	if (file_read(argv[1], MAIL_MAX_BYTES, &text, &e))
		return cli_fail_read(&e);
	CLEANUP(arena_freep) struct arena *a = arena_new();
	/* The bytes as they came, as git mailinfo reads them: no mbox, so CR stays. */
	struct mail_opts opts = {.keep_cr = true};
	struct mail *m;
	if (mail_parse(a, text.buf, text.len, &opts, &m, &e))
		return cli_fail(&e);
	int rc = cli_print_json(mail_json(m));
	return rc == CLI_OK && m->rejected ? CLI_NO : rc;
}

struct gathering {
	struct series_stream *stream;
	struct arena *scratch; /* one mail */
	size_t n, n_empty;
	bool shows; /* progress, on standard error */
};

static int gather(void *arg, const struct mail_source_item *item, struct err *e)
{
	struct gathering *g = arg;
	struct mail_opts opts = {
		.mboxrd = item->mboxrd, .received_at = item->received_at};
	struct mail *m;
	int rc = mail_parse(g->scratch, item->p, item->len, &opts, &m, e);
	if (rc == ERR_INVALID) {
		g->n_empty++;
		rc = 0;
	} else if (rc == 0) {
		g->n++;
		rc = series_stream_add(g->stream, m, e);
	}
	arena_reset(g->scratch);
	if (g->shows && g->n % SHOWN_EACH == 0)
		fprintf(stderr, "\r%zu mails read", g->n);
	return rc;
}

static int print_text(void *arg, const char *text, size_t len, struct err *e)
{
	(void)arg;
	return fwrite(text, 1, len, stdout) == len
		       ? 0
		       : err_set_errno(e, errno, "cannot write to stdout");
}

static int print_series(
	struct gathering *g, const struct series_clock *clock, struct err *e)
{
	if (g->shows && g->n >= SHOWN_EACH)
		fprintf(stderr, "\r\033[K%zu mails read, assembling\n", g->n);
	int rc = series_stream_write(g->stream, clock, print_text, NULL, e);
	if (rc == 0)
		rc = print_text(NULL, "\n", 1, e);
	if (rc == 0 && fflush(stdout))
		rc = err_set_errno(e, errno, "cannot write to stdout");
	return rc;
}

static int mail_series_help(void)
{
	puts("usage: wakelist mail series [--at SECONDS] MBOX|MAILDIR|EPOCH.git|-\n"
	     "\n"
	     "Reads many mails and prints the patch series they make as JSON, and the "
	     "mails\n"
	     "that are part of none. --at is the time (seconds since 1970) at which "
	     "states are\n"
	     "judged; without it nothing is late. An epoch is a public-inbox git "
	     "repository.\n"
	     "Mails go through a temporary file in TMPDIR, about 1.5 KB each.");
	return CLI_OK;
}

static int read_time(const char *text, int64_t *ret)
{
	char *end;
	errno = 0;
	long long v = strtoll(text, &end, 10);
	if (errno || end == text || *end || v <= 0)
		return cli_usage("--at takes seconds since 1970, not \"%.40s\"", text);
	*ret = v;
	return 0;
}

static int mail_series_run(int argc, char **argv)
{
	struct series_clock clock = {.now = 0};
	const char *source = NULL;
	for (int i = 1; i < argc; i++) {
		if (cli_is_help(argv[i]))
			return mail_series_help();
		const char *at = !strcmp(argv[i], "--at") && i + 1 < argc ? argv[++i]
				 : !strncmp(argv[i], "--at=", 5)          ? argv[i] + 5
									  : NULL;
		if (at) {
			if (read_time(at, &clock.now))
				return CLI_USAGE;
		} else if (source || (argv[i][0] == '-' && argv[i][1])) {
			return cli_usage("mail series takes one source and --at SECONDS");
		} else {
			source = argv[i];
		}
	}
	if (!source)
		return cli_usage(
			"mail series needs a source (wakelist mail series --help)");
	struct err e;
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	CLEANUP(series_stream_freep)
	struct series_stream *stream = series_stream_new(NULL);
	struct gathering g = {
		.stream = stream, .scratch = scratch, .shows = isatty(STDERR_FILENO)};
	if (mail_source_read(source, gather, &g, &e))
		return cli_fail(&e);
	if (g.n_empty && !g.n)
		return cli_fail(
			&(struct err){.code = ERR_INVALID, .msg = "no mail in there"});
	return print_series(&g, &clock, &e) ? cli_fail(&e) : CLI_OK;
}

static int mail_help(void)
{
	puts("usage: wakelist mail parse FILE|-\n"
	     "       wakelist mail series [--at SECONDS] MBOX|MAILDIR|EPOCH.git|-\n"
	     "       wakelist mail claims FILE|-");
	return CLI_OK;
}

int cmd_mail(int argc, char **argv)
{
	static const char *const names[] = {"parse", "series", "claims", NULL};
	if (argc < 2)
		return cli_usage("mail needs a word: parse, series or claims (wakelist "
				 "mail --help)");
	if (cli_is_help(argv[1]))
		return mail_help();
	if (!strcmp(argv[1], "parse"))
		return mail_parse_run(argc - 1, argv + 1);
	if (!strcmp(argv[1], "series"))
		return mail_series_run(argc - 1, argv + 1);
	if (!strcmp(argv[1], "claims"))
		return mail_claims_run(argc - 1, argv + 1);
	return cli_unknown("mail command", argv[1], names);
}
