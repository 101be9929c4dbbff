/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mails.h - mails made in a test. */
#ifndef WL_TESTS_MAILS_H
#define WL_TESTS_MAILS_H

#include "base/base.h"

#include "mail/mail.h"
#include "tests/unit/unit.h"

#define MAILS_DIFF                                                                       \
	"diff --git a/kernel/sched/demo.c b/kernel/sched/demo.c\n"                       \
	"index 1f0c2b4d9a11..7a3e90b5cc02 100644\n"                                      \
	"--- a/kernel/sched/demo.c\n"                                                    \
	"+++ b/kernel/sched/demo.c\n"                                                    \
	"@@ -12,3 +12,4 @@ static int demo(void)\n"                                      \
	" one\n"                                                                         \
	" two\n"                                                                         \
	"+new\n"                                                                         \
	" three\n"

static inline struct mail *mails_parse_opts(
	struct arena *a, const char *text, const struct mail_opts *opts)
{
	struct mail *m = NULL;
	struct err e;

	assert_ok(mail_parse(a, text, strlen(text), opts, &m, &e), &e);
	return m;
}

static inline struct mail *mails_parse(struct arena *a, const char *text)
{
	return mails_parse_opts(a, text, NULL);
}

/* The ordinary headers, then the body as given. */
static inline struct mail *mails_body(
	struct arena *a, const char *headers, const char *body)
{
	return mails_parse(a, arena_printf(a,
				      "From: Wren Ito <wren@example.org>\nDate: Tue, 5 "
				      "Mar 2024 10:11:12 "
				      "+0100\nMessage-ID: <m@example.org>\nSubject: "
				      "[PATCH] sched: t\n%s\n%s",
				      headers, body));
}

#endif
