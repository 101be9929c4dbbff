/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splitting mailboxes. */
#include "base/base.h"

#include "mail/mail.h"
#include "mail/mbox.h"
#include "tests/unit/unit.h"

#define FROM "From a@x Mon Sep 17 00:00:00 2001\n"

static size_t split(const char *text, struct mbox_mail *out, size_t max)
{
	struct mbox_iter it;
	size_t n = 0;
	struct mbox_mail m;
	for (mbox_iter_init(&it, text, strlen(text)); mbox_next(&it, &m);) {
		assert_true(n < max);
		out[n++] = m;
	}
	return n;
}

static void expect(const struct mbox_mail *m, const char *text)
{
	assert_int_equal(m->len, strlen(text));
	assert_memory_equal(m->p, text, m->len);
}

static void test_split(void **state)
{
	struct mbox_mail m[4];
	(void)state;
	assert_int_equal(split(FROM "A: 1\n\nx\n\n" FROM "A: 2\n\ny\n", m, 4), 2);
	expect(&m[0], "A: 1\n\nx\n");
	expect(&m[1], "A: 2\n\ny\n");
	assert_int_equal(split("\n\n" FROM "A: 1\n", m, 4), 1);
	expect(&m[0], "A: 1\n");
	/* Not a mailbox: one mail. */
	assert_int_equal(split("A: 1\n\nFrom here on it is text.\n", m, 4), 1);
	expect(&m[0], "A: 1\n\nFrom here on it is text.\n");
	/* A line that only begins like a separator stays in its mail. */
	assert_int_equal(split(FROM "A: 1\n\nFrom the mail of Monday: 12:3x\n", m, 4), 1);
	assert_int_equal(split("", m, 4), 0);
	assert_int_equal(split("\n \n", m, 4), 0);
}

static void test_is(void **state)
{
	(void)state;
	assert_true(mbox_is(FROM, strlen(FROM)));
	assert_true(mbox_is("\n" FROM, strlen(FROM) + 1));
	assert_false(mbox_is("From: a@x\n", 10));
	assert_false(mbox_is("", 0));
}

/* ">From " loses one ">" only where the source says mboxrd. */
static void test_unescape(void **state)
{
	static const char text[] = "From mboxrd@z Thu Jan  1 00:00:00 1970\n"
				   "From: A B <a@x.org>\nMessage-ID: <1@x>\nSubject: "
				   "t\n\n>From here.\n>>From there.\n";
	struct mbox_mail m[2];
	(void)state;
	assert_int_equal(split(text, m, 2), 1);
	assert_true(m[0].mboxrd);
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (int rd = 0; rd < 2; rd++) {
		struct mail_opts opts = {.mboxrd = rd};
		struct mail *mail;
		struct err e;
		assert_ok(mail_parse(a, m[0].p, m[0].len, &opts, &mail, &e), &e);
		assert_string_equal(mail->msg.p, rd ? "From here.\n>From there.\n"
						    : ">From here.\n>>From there.\n");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_is),
		cmocka_unit_test(test_unescape),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
