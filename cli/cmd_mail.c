/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_mail.c - wakelist mail parse FILE|- | series SOURCE | claims FILE|- */
#include "base/base.h"

#include "base/file.h"
#include "cli/cli.h"
#include "cli/cmd_mail.h"
#include "cli/mail_source.h"
#include "mail/mail_json.h"
#include "mail/mbox.h"
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

/* One mail; of an mbox the first, when it is the only one: its separator stays, as git
 * mailinfo reads it too. */
static int check_single(const char *path, const struct sbuf *text, struct err *e)
{
	struct mbox_iter it;
	struct mbox_mail m;
	size_t n = 0;

	if (!mbox_is(text->buf, text->len))
		return 0;
	for (mbox_iter_init(&it, text->buf, text->len); mbox_next(&it, &m);)
		n++;
	if (n > 1)
		return err_set(e, ERR_INVALID,
			"%s holds %zu mails; wakelist mail series reads them all, git "
			"mailsplit cuts them",
			strcmp(path, "-") ? path : "standard input", n);
	return 0;
}

int mail_file_read(const char *command, int argc, char **argv, struct sbuf *ret)
{
	struct err e;
	char *path;
	int rc = cli_take_files(
		command, "one file, or - for standard input", argc, argv, &path, 1);

	if (rc)
		return rc;
	if (file_read(path, MAIL_MAX_BYTES, ret, &e))
		return cli_fail_read(&e);
	return check_single(path, ret, &e) ? cli_fail(&e) : 0;
}

static int mail_parse_run(int argc, char **argv)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	/* The bytes as they came, as git mailinfo reads them: no mbox, so CR stays. */
	struct mail_opts opts = {.keep_cr = true};
	struct mail *m;
	struct err e;
	int rc;

	if (cli_asks_help(argc, argv))
		return mail_parse_help();
	rc = mail_file_read("mail parse", argc, argv, &text);
	if (rc)
		return rc;
	if (mail_parse(a, text.buf, text.len, &opts, &m, &e))
		return cli_fail(&e);
	rc = cli_print_json(mail_json(m));
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

static int series_option(void *arg, const char *name, const char *value)
{
	struct series_clock *clock = arg;

	return strcmp(name, "--at") == 0 ? read_time(value, &clock->now) : -1;
}

static int mail_series_run(int argc, char **argv)
{
	struct series_clock clock = {.now = 0};
	CLEANUP(arena_freep) struct arena *scratch = arena_new();
	struct cli_arguments args = {.command = "mail series",
		.a = scratch,
		.arg = &clock,
		.option = series_option};
	char **files = ARENA_ARRAY(scratch, char *, (size_t)argc + 1);
	size_t n_files = 0;

	if (cli_asks_help(argc, argv))
		return mail_series_help();
	if (cli_take_arguments(&args, argc, argv, files, &n_files))
		return CLI_USAGE;
	if (n_files != 1)
		return cli_usage("mail series takes one source (wakelist mail series "
				 "--help)");
	struct err e;
	CLEANUP(series_stream_freep)
	struct series_stream *stream = series_stream_new(NULL);
	struct gathering g = {
		.stream = stream, .scratch = scratch, .shows = isatty(STDERR_FILENO)};
	if (mail_source_read(files[0], gather, &g, &e))
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
