/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epochs.h - git, and the mails of public-inbox epochs, for tests. */
#ifndef WL_TESTS_EPOCHS_H
#define WL_TESTS_EPOCHS_H

#include "base/base.h"

#include "base/proc.h"
#include "mail/mail.h"
#include "tests/unit/unit.h"

/* Runs it to its end with in as its standard input; it must start. */
static inline void epochs_git(
	const char *const *argv, const void *in, size_t in_len, struct proc_result *r)
{
	static const char *const env[] = {
		"GIT_CONFIG_NOSYSTEM=1", "HOME=/nonexistent", NULL};
	struct proc_spec spec = {.argv = argv,
		.env = env,
		.in = in,
		.in_len = in_len,
		.deadline_ms = 60000,
		.out_cap_bytes = (size_t)1 << 30};
	struct err e;
	proc_result_init(r);
	assert_ok(proc_run(&spec, r, &e), &e);
}

/* All mails of an epoch, in memory: "ID blob LEN\n" text "\n" each. */
static inline size_t epochs_read(const char *git, struct proc_result *ret_blobs)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *dir = arena_printf(a, "--git-dir=%s", git);
	const char *list[] = {"git", dir, "rev-list", "--reverse", "--all", NULL};
	const char *batch[] = {"git", dir, "cat-file", "--batch", NULL};
	CLEANUP(proc_result_release) struct proc_result commits;
	CLEANUP(sbuf_release) struct sbuf ask = SBUF_INIT;
	size_t n = 0;
	epochs_git(list, NULL, 0, &commits);
	for (const char *p = commits.out.buf; *p; p += strcspn(p, "\n") + 1) {
		sbuf_addf(&ask, "%.*s:m\n", (int)strcspn(p, "\n"), p);
		n++;
	}
	epochs_git(batch, ask.buf, ask.len, ret_blobs);
	assert_false(ret_blobs->out_cut);
	return n;
}

/* Next mail of epochs_read(); false at the end. Commits without a mail are passed over.
 */
static inline bool epochs_next(
	const char **at, const char *end, char oid[64], struct mail_bytes *ret)
{
	while (*at < end) {
		const char *nl = memchr(*at, '\n', (size_t)(end - *at));
		const char *blob = memmem(*at, (size_t)(nl - *at), " blob ", 6);
		snprintf(oid, 64, "%.*s", (int)strcspn(*at, " \n"), *at);
		*at = nl + 1;
		if (!blob)
			continue;
		*ret = (struct mail_bytes){*at, strtoul(blob + 6, NULL, 10)};
		*at += ret->len + 1;
		return true;
	}
	return false;
}

#endif
