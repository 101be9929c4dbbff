// SPDX-License-Identifier: GPL-2.0-or-later
/* cmd_mail_claims.c - wakelist mail claims FILE|- */
#include "base/base.h"

#include "base/file.h"
#include "bench/claims.h"
#include "cli/cli.h"
#include "cli/cmd_mail.h"
#include "mail/mail.h"

#include <strings.h>

static int help(void)
{
	puts("usage: wakelist mail claims FILE|-\n"
	     "\n"
	     "Reads a mail, or the text of one, and prints the benchmark results it "
	     "states as\n"
	     "JSON: base, patched, change and spread of every row of its tables. null "
	     "where the\n"
	     "text does not say. A text without results has none: exit status 0.");
	return CLI_OK;
}

/* A mail begins with header fields; a cut-out text does not. */
static bool is_mail(const char *p, size_t len)
{
	static const char *const fields[] = {"From:", "Date:", "Subject:", "Message-ID:",
		"To:", "Received:", "Return-Path:", "MIME-Version:", "Content-Type:",
		"Delivered-To:", "X-Mailer:", NULL};
	int known = 0;

	if (len > 5 && strncmp(p, "From ", 5) == 0 &&
		memchr(p, ':', len < 200 ? len : 200))
		return true;
	for (int line = 0; line < 200 && len; line++) {
		const char *end = memchr(p, '\n', len);
		size_t n = end ? (size_t)(end - p) : len;

		if (n == 0 || (n == 1 && *p == '\r'))
			break;
		for (int i = 0; fields[i]; i++) {
			size_t k = strlen(fields[i]);

			known += n > k && strncasecmp(p, fields[i], k) == 0;
		}
		n += end != NULL;
		p += n;
		len -= n;
	}
	return known >= 2;
}

/* format=flowed joins the lines of a table: we read them as they were written. */
static void unflow(struct sbuf *file)
{
	static const char flowed[] = "format=flowed", fixed[] = "format=fixed ";

	for (char *p = file->buf; (p = strcasestr(p, flowed)); p += sizeof(flowed) - 1)
		memcpy(p, fixed, sizeof(fixed) - 1);
}

/* The text to read: all of it, or message and patch of a mail (results may stand below
 * "---"). */
static int text_of(
	struct arena *a, struct sbuf *file, struct mail_bytes *ret, struct err *e)
{
	struct mail_opts opts = {0};
	struct mail *m;
	int rc;

	*ret = (struct mail_bytes){file->buf, file->len};
	if (!is_mail(file->buf, file->len) || !strchr(file->buf, '\n'))
		return 0; /* a mail on one line has no header to go by */
	unflow(file);
	rc = mail_parse(a, file->buf, file->len, &opts, &m, e);
	if (rc)
		return rc;
	char *both = arena_alloc(a, m->msg.len + m->patch.len + 1);
	if (m->msg.len)
		memcpy(both, m->msg.p, m->msg.len);
	if (m->patch.len)
		memcpy(both + m->msg.len, m->patch.p, m->patch.len);
	*ret = (struct mail_bytes){both, m->msg.len + m->patch.len};
	return 0;
}

int mail_claims_run(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf file = SBUF_INIT;
	struct mail_bytes text;
	struct claims claims;
	struct err e;
	int rc;

	if (cli_asks_help(argc, argv))
		return help();
	rc = mail_file_read("mail claims", argc, argv, &file);
	if (rc)
		return rc;
	if (text_of(a, &file, &text, &e))
		return cli_fail(&e);
	if (claims_read(a, text.p, text.len, &claims, &e))
		return cli_fail(&e);
	if (claims.cut)
		fprintf(stderr, "wakelist: only the first %d claims are printed\n",
			CLAIMS_MAX);
	return cli_print_json(claims_json(&claims));
}
