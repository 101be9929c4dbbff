/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a mail is and says: kind, robots, trailers, base, prerequisites, follow-ups, time,
 * limits, the commit message. */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/mail_json.h"
#include "tests/unit/mail/mails.h"

static void test_kind(void **state)
{
#define REPLY "In-Reply-To: <p@x>\n"
	static const struct {
		const char *subject, *headers, *body, *kind;
	} rows[] = {
		{"[PATCH] t", "", "x\n---\n" MAILS_DIFF, "patch"},
		{"t", "", "x\n---\n" MAILS_DIFF, "patch"},
		{"t", REPLY, "x\n---\n" MAILS_DIFF, "reply"},
		{"[PATCH v2 2/3] t", REPLY, "x\n---\n" MAILS_DIFF, "patch"},
		{"[1/4] t", REPLY, "x\n---\n" MAILS_DIFF, "patch"},
		{"[PATCH v2 0/3] t", "", "x\n", "cover"},
		{"[PATCH v2 0/3] t", "", "x\n---\n" MAILS_DIFF, "cover"},
		{"[RFC] t", "", "x\n\n 2 files changed, 3 insertions(+)\n", "cover"},
		{"[PATCH] t", "", "x\n\nWren Ito (2):\n  one\n  two\n", "cover"},
		{"t", "", "x\n\n 2 files changed, 3 insertions(+)\n", "other"},
		{"[PATCH] t", "", "only words\n", "other"},
		{"[GIT PULL] t", "", "please pull\n", "other"},
		{"Re: [PATCH 0/3] t", REPLY, "> x\nyes\n", "reply"},
		{"Re: [PATCH] t", "", "> x\n\n" MAILS_DIFF, "reply"},
		{"Fwd: [PATCH] t", "", "x\n---\n" MAILS_DIFF, "reply"},
		{"[PATCH] t", REPLY, "> a\n> b\n> c\nd\n", "reply"},
		{"Re: [PATCH v2] t", REPLY,
			"better\n\nSigned-off-by: Wren Ito "
			"<wren@example.org>\n---\n" MAILS_DIFF,
			"patch"},
		{"Re: [PATCH v2] t", REPLY,
			"> old\nbetter\n\nSigned-off-by: Wren Ito "
			"<wren@example.org>\n---\n" MAILS_DIFF,
			"reply"},
		{"[tip: sched/core] t", "", "x\n---\n" MAILS_DIFF, "other"},
		{"Re: [tip: sched/core] t", REPLY, "> x\ny\n", "reply"},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct mail *m = mails_parse(
			a, arena_printf(a,
				   "From: Wren Ito <wren@example.org>\nMessage-ID: "
				   "<m@x>\nSubject: "
				   "%s\n%s\n%s",
				   rows[i].subject, rows[i].headers, rows[i].body));
		if (strcmp(mail_kind_name(m->kind), rows[i].kind))
			fail_msg("row %zu \"%s\": %s", i, rows[i].subject,
				mail_kind_name(m->kind));
	}
	struct mail *m = mails_body(a, "", "only words\n");
	assert_true(m->maybe_cover);
	m = mails_parse(a, "From: A <a@x>\nSubject: Re: [PATCH] t\n\n> x\n\n" MAILS_DIFF);
	assert_true(m->inline_diff);
}

/* A patch of one's own in an answer: the number in the header belongs to the mail that is
 * answered, unless the text does not name the patch anew. */
static void test_patch_in_answer(void **state)
{
	static const struct {
		const char *inbody;
		int64_t n, version;
	} rows[] = {
		{"", 3 * PREFIX_UNIT, 2 * PREFIX_UNIT},
		{"Subject: t\n\n", 3 * PREFIX_UNIT, 2 * PREFIX_UNIT},
		{"Subject: another\n\n", PREFIX_NONE, PREFIX_UNIT},
		{"Subject: [PATCH] t\n\n", PREFIX_NONE, PREFIX_UNIT},
		{"Subject: [PATCH v4 1/2] another\n\n", PREFIX_UNIT, 4 * PREFIX_UNIT},
	};

	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct mail *m = mails_parse(
			a, arena_printf(a,
				   "From: Wren Ito <wren@example.org>\n"
				   "Message-ID: <m@x>\nIn-Reply-To: <p@x>\n"
				   "Subject: Re: [PATCH v2 3/4] t\n\n%swhy\n\n"
				   "Signed-off-by: Wren Ito <wren@example.org>\n"
				   "---\n" MAILS_DIFF,
				   rows[i].inbody));

		assert_true(mail_has_note(m, "re_patch"));
		assert_int_equal(m->kind, MAIL_PATCH);
		assert_int_equal(m->posted.n, rows[i].n);
		assert_int_equal(m->posted.version, rows[i].version);
	}
}

static void test_robot(void **state)
{
	static const char *const robots[] = {"Auto-Submitted: auto-generated\n",
		"X-Mailer: tip-git-log-daemon\n", "Precedence: bulk\n",
		"Return-Path: <>\n", "X-Wakelist-Series: 3\n"};
	static const char *const people[] = {"Auto-Submitted: no\n",
		"X-Mailer: git-send-email\n", "Precedence: bulk\nList-Id: <a.b>\n",
		"Return-Path: <wren@example.org>\n"};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(robots); i++) {
		struct mail *m = mails_body(a, robots[i], "x\n");
		assert_true(m->robot);
		assert_non_null(m->robot_why);
	}
	for (size_t i = 0; i < ARRAY_LEN(people); i++)
		assert_false(mails_body(a, people[i], "x\n")->robot);
	assert_true(
		mails_parse(a, "From: kernel test robot <lkp@intel.com>\n\nx\n")->robot);
	static const char *const own[] = {"bot@wakelist.example", NULL};
	struct mail_opts opts = {.own_addresses = own};
	assert_true(mails_parse_opts(a, "From: W <bot@wakelist.example>\n\nx\n", &opts)
			    ->robot);
}

static void test_trailers(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a, "",
		"text\n\nNot: a trailer\n\nFixes: 0123456789ab (\"x\")\nFixes: ?\n"
		"Reviewed-by: Long Name\n <long@x.org>\n[wren: reworded]\n"
		"Signed-off-by: Wren Ito <wren@example.org>\n---\n" MAILS_DIFF);
	assert_int_equal(m->n_trailers, 4);
	assert_string_equal(m->trailers[0].key, "Fixes");
	assert_string_equal(m->trailers[1].value, "Long Name <long@x.org>");
	assert_string_equal(m->trailers[2].key, "");
	assert_string_equal(m->trailers[2].value, "[wren: reworded]");
	assert_string_equal(m->trailers[3].key, "Signed-off-by");
	m = mails_body(a, "", "only prose: with a colon\nand more of it\n");
	assert_int_equal(m->n_trailers, 0);
}

static void test_base(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a, "",
		"base-commit: 1111111111111111111111111111111111111111\n"
		"change-id: 20240305-demo-0123456789ab\n"
		"Depends-on: <d@x>\nBased-on: "
		"https://lore.kernel.org/r/b@x/\nSupersedes: s@x\n"
		"---\n" MAILS_DIFF "-- \n2.43.0\n\n"
		"base-commit: 2222222222222222222222222222222222222222\n"
		"prerequisite-patch-id: 3333333333333333333333333333333333333333\n"
		"prerequisite-change-id: 20240101-other-0123456789ab:v3\n"
		"prerequisite-message-id: <q@x>\n");
	assert_string_equal(m->base_commit, "2222222222222222222222222222222222222222");
	assert_string_equal(m->change_id, "20240305-demo-0123456789ab");
	assert_int_equal(m->n_prerequisites, 3);
	assert_string_equal(m->prerequisites[1].kind, "change-id");
	assert_string_equal(m->prerequisites[1].version, "v3");
	assert_string_equal(m->prerequisites[2].value, "q@x");
	assert_int_equal(m->n_prerequisite_patch_ids, 1);
	assert_int_equal(m->n_depends_on, 3);
	assert_string_equal(m->depends_on[1].message_id, "b@x");
	assert_string_equal(m->depends_on[2].rel, "supersedes");
	m = mails_body(a, "",
		"> base-commit: 1111111111111111111111111111111111111111\n"
		"base-commit: 1234\nChange-Id: "
		"I0123456789012345678901234567890123456789\n");
	assert_null(m->base_commit);
	assert_null(m->change_id);
}

static void test_followups(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_parse(a,
		"From: R <r@x>\nSubject: Re: [PATCH] t\nIn-Reply-To: <m@example.org>\n\n"
		"> Acked-by: Quoted <q@x>\n Acked-by: Indented <i@x>\nTested-by: R "
		"<r@x>\n"
		"Reviewed-by: Long\n <l@x>\nAcked-by: nobody\nTested-by: Masked "
		"<m...@x>\n"
		"---\nAcked-by: Behind <b@x>\ndiff --git a/x b/x\nTested-by: In Diff "
		"<d@x>\n\n"
		"-- \nAcked-by: Signature <s@x>\n");
	assert_int_equal(m->n_followups, 3);
	assert_string_equal(m->followups[0].value, "R <r@x>");
	assert_string_equal(m->followups[1].value, "Long <l@x>");
	assert_string_equal(m->followups[2].value, "Behind <b@x>");
}

static void test_tip(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_parse(a,
		"From: tip-bot2 for Wren Ito <tip-bot2@x>\nSubject: [tip: sched/core] "
		"sched: t\n\n"
		"Commit-ID:     0123456789abcdef0123456789abcdef01234567\n\nx\n\n"
		"Link: https://lore.kernel.org/r/m@example.org\n---\n" MAILS_DIFF);
	assert_string_equal(m->merged_commit, "0123456789abcdef0123456789abcdef01234567");
	assert_string_equal(m->merged_branch, "sched/core");
	assert_int_equal(m->n_merged_ids, 1);
	assert_string_equal(m->merged_ids[0], "m@example.org");
}

static void test_time(void **state)
{
	static const struct {
		const char *date, *received;
		int64_t at, time, order;
		const char *note;
	} rows[] = {
		{"Mon, 1 Jan 2024 10:00:00 +0100", "", 0, 1704099600, 1704099600, NULL},
		{"Mon, 1 Jan 2024 10:00:00 +0100", "", 1704099700, 1704099600, 1704099600,
			NULL},
		{"Mon, 1 Jan 2024 10:00:00 +0100", "", 1714099700, 1704099600, 1714099700,
			"date_far"},
		{"Mon, 1 Jan 2024 10:00:00 +0100", "", 1704000000, 1704099600, 1704000000,
			"date_far"},
		{"garbage", "by x; Mon, 1 Jan 2024 10:00:00 +0100", 5, 1704099600, 5,
			"date_bad"},
		{"garbage", "", 1704099700, 1704099700, 1704099700, "date_bad"},
		{"garbage", "", 0, 0, 0, "date_bad"},
		{"1 Jan 2024 10:00:00 +1700", "", 0, 1704042000, 1704042000, "zone_odd"},
		{"1 Jan 2024 10:00:00 +2500", "", 0, 1704103200, 1704103200, "zone_bad"},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct mail_opts opts = {.received_at = rows[i].at};
		const char *received =
			*rows[i].received
				? arena_printf(a, "Received: %s\n", rows[i].received)
				: "";
		struct mail *m = mails_parse_opts(a,
			arena_printf(a, "%sFrom: A <a@x>\nDate: %s\n\nx\n", received,
				rows[i].date),
			&opts);
		if (m->time != rows[i].time || m->order_time != rows[i].order)
			fail_msg("row %zu: %lld %lld", i, (long long)m->time,
				(long long)m->order_time);
		if (rows[i].note && !mail_has_note(m, rows[i].note))
			fail_msg("row %zu: no note %s", i, rows[i].note);
	}
}

static void test_commit_message(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(
		a, "", "\n\none  \n\n\n\n# kept\ntwo \xff\n\n---\n" MAILS_DIFF);
	assert_string_equal(mail_commit_message(a, m).p,
		"sched: t\n\none\n\n# kept\ntwo \xef\xbf\xbd\n");
	m = mails_parse(
		a, "From: A <a@x>\nSubject: [PATCH]\n\none\n\ntwo\n---\n" MAILS_DIFF);
	assert_string_equal(mail_commit_message(a, m).p, "one\n\ntwo\n");
}

/* Keys of mail parse: all of them, in this order, whatever the mail holds. */
static void test_json_keys(void **state)
{
	static const char *const keys[] = {"v", "message_id", "alt_ids", "in_reply_to",
		"references", "author", "sender", "to", "cc", "list_ids", "date", "time",
		"offset", "subject", "title", "prefix", "kind", "maybe_cover",
		"inline_diff", "robot", "robot_why", "rejected", "message_sha256",
		"patch_sha256", "patch_id", "files", "trailers", "base_commit",
		"change_id", "prerequisite_patch_ids", "prerequisites", "depends_on",
		"notes"};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_t *j = mail_json(mails_parse(a, "X: y\n\n\xff\n"));
	size_t i = 0;
	const char *key;
	json_t *value;
	json_object_foreach(j, key, value)
	{
		assert_true(i < ARRAY_LEN(keys));
		assert_string_equal(key, keys[i++]);
	}
	assert_int_equal(i, ARRAY_LEN(keys));
	json_decref(j);
}

static void test_limits(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct err e;
	struct mail *m;
	sbuf_grow(&s, MAIL_MAX_BYTES + 16);
	while (s.len <= MAIL_MAX_BYTES)
		sbuf_adds(&s, "From: A <a@x>\n\n");
	assert_ok(mail_parse(a, s.buf, s.len, NULL, &m, &e), &e);
	assert_true(mail_has_note(m, "too_big"));
	assert_int_equal(m->kind, MAIL_OTHER);
	assert_non_null(strstr(m->message_id, "@wakelist.invalid"));
	/* It is known by what its header says. */
	memcpy(s.buf, "Message-ID: <big@x>\n\n", 21);
	assert_ok(mail_parse(a, s.buf, s.len, NULL, &m, &e), &e);
	assert_string_equal(m->message_id, "big@x");
	assert_string_equal(m->rejected, "the mail is over 16 MiB");
	memset(s.buf, '\n', s.len);
	assert_ok(mail_parse(a, s.buf, s.len, NULL, &m, &e), &e);
	assert_non_null(strstr(m->message_id, "@wakelist.invalid"));
	/* Fields beyond the thousandth are not read, long ones are cut. */
	sbuf_reset(&s);
	for (int i = 0; i < 1200; i++)
		sbuf_adds(&s, "X: y\n");
	sbuf_adds(&s, "From: A <a@x>\n\nx\n");
	m = mails_parse(a, s.buf);
	assert_true(mail_has_note(m, "header_limit"));
	assert_string_equal(m->sender.email, "");
	sbuf_reset(&s);
	sbuf_adds(&s, "From: A <a@x>\nSubject: ");
	for (int i = 0; i < 70000; i++)
		sbuf_addc(&s, 'x');
	sbuf_adds(&s, "\n\nx\n");
	m = mails_parse(a, s.buf);
	assert_true(mail_has_note(m, "header_limit"));
	assert_true(strlen(m->subject) <= MAIL_MAX_FIELD);
	/* References: the first and the last 199. */
	sbuf_reset(&s);
	sbuf_adds(&s, "From: A <a@x>\nReferences:");
	for (int i = 0; i < 500; i++)
		sbuf_addf(&s, " <%d@x>", i);
	sbuf_adds(&s, "\n\nx\n");
	m = mails_parse(a, s.buf);
	assert_int_equal(m->n_references, MAIL_MAX_REFERENCES);
	assert_string_equal(m->references[0], "0@x");
	assert_string_equal(m->references[1], "301@x");
	assert_string_equal(m->references[199], "499@x");
	/* Parts. */
	sbuf_reset(&s);
	sbuf_adds(&s, "From: A <a@x>\nContent-Type: multipart/mixed; boundary=b\n\n");
	for (int i = 0; i < 150; i++)
		sbuf_addf(&s, "--b\n\npart %d\n", i);
	m = mails_parse(a, s.buf);
	assert_true(mail_has_note(m, "part_limit"));
	assert_non_null(strstr(m->msg.p, "part 99\n"));
	assert_null(strstr(m->msg.p, "part 100\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kind),
		cmocka_unit_test(test_patch_in_answer),
		cmocka_unit_test(test_robot),
		cmocka_unit_test(test_trailers),
		cmocka_unit_test(test_base),
		cmocka_unit_test(test_followups),
		cmocka_unit_test(test_tip),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_commit_message),
		cmocka_unit_test(test_json_keys),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
