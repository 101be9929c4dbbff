// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * apply_many.c - what wakelist apply does, for many mailboxes in one process.
 *
 *     apply_many REPO < lines of "BASE 3way|plain MBOX"
 *
 * The mails of an mbox are one series, in their order. One line of JSON for each: that of
 * wakelist apply, or {"error": SENTENCE, "exit": STATUS} where it prints none.
 */
#include "base/base.h"

#include "base/file.h"
#include "base/jx.h"
#include "mail/mail.h"
#include "mail/mbox.h"
#include "patch/apply.h"

#define PATCHES_MAX 16
#define INPUT_MAX   (64u << 20)

static int read_patches(const char *path, struct arena *a, struct apply_patch *ret,
	size_t *ret_n, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct mbox_iter it;
	struct mbox_mail one;
	const char *copy;
	int rc = file_read(path, INPUT_MAX, &text, e);

	if (rc)
		return rc;
	copy = arena_strndup(a, text.buf, text.len);
	mbox_iter_init(&it, copy, text.len);
	for (*ret_n = 0; mbox_next(&it, &one) && *ret_n < PATCHES_MAX; ++*ret_n) {
		struct mail_opts opts = {.mboxrd = one.mboxrd};
		struct mail *m;

		rc = mail_parse(a, one.p, one.len, &opts, &m, e);
		if (!rc)
			rc = apply_patch_from_mail(m, a, &ret[*ret_n], e);
		if (rc)
			return rc;
	}
	return 0;
}

/* Caller owns the answer. */
static json_t *answer(const struct apply_request *how, const char *path)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_patch patches[PATCHES_MAX];
	struct apply_request req = *how;
	struct apply_outcome *out;
	struct err e;
	int rc = read_patches(path, a, patches, &req.n_patches, &e);
	bool is_no = rc == ERR_INVALID || rc == ERR_TOO_BIG;

	req.patches = patches;
	if (!rc)
		rc = apply_run(&req, a, &out, &e);
	return rc ? jx_pack("{s:s, s:i}", "error", e.msg, "exit", is_no ? 1 : 3)
		  : apply_outcome_json(out);
}

int main(int argc, char **argv)
{
	char *line = NULL;
	size_t cap = 0;

	if (argc != 2) {
		fputs("usage: apply_many REPO < LIST\n", stderr);
		return 2;
	}
	while (getline(&line, &cap, stdin) > 0) {
		struct apply_request req = {.repo = argv[1],
			.committer_name = "Test Committer",
			.committer_email = "committer@example.org"};
		char *how = strchr(line, ' '), *path = how ? strchr(how + 1, ' ') : NULL;
		json_t *j;
		char *text;

		if (!path) {
			fprintf(stderr, "apply_many: not a line of a list: %s", line);
			break;
		}
		*how++ = 0;
		*path++ = 0;
		path[strcspn(path, "\n")] = 0;
		req.base.explicit_rev = line;
		req.no_3way = !strcmp(how, "plain");
		j = answer(&req, path);
		text = jx_dump(j);
		puts(text);
		fflush(stdout);
		free(text);
		json_decref(j);
	}
	free(line);
	return 0;
}
