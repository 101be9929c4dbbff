/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One mail: headers, people, body, kind, what the text says, limits. */
#include "base/base.h"

#include "mail/mail_json.h"
#include "tests/unit/mail/mails.h"

#define SHA_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static void expect_note(const struct mail *m, const char *code)
{
	if (!mail_has_note(m, code))
		fail_msg("no note %s", code);
}

/* From, decoded -> name and address. */
static void test_from(void **state)
{
	static const struct {
		const char *from, *name, *email, *note;
	} rows[] = {
		{"A B <a@x.org>", "A B", "a@x.org", NULL},
		{"a@x.org (A B)", "A B", "a@x.org", NULL},
		{"A B (c) <a@x.org>", "A B (c)", "a@x.org", NULL},
		{"\"B, A\" <a@x.org>", "B, A", "a@x.org", NULL},
		{"\"A \\\"Q\\\" B\" <a@x.org>", "A \"Q\" B", "a@x.org", NULL},
		{"A B <root>", "A B", "root", NULL},
		{"a@x.org", "a@x.org", "a@x.org", NULL},
		{"<a@x.org>", "a@x.org", "a@x.org", NULL},
		{"A <a@x.org>", "A", "a@x.org", NULL},
		{"=?utf-8?q?Ren=C3=A9?= Ito <a@x.org>", "Ren\xc3\xa9 Ito", "a@x.org",
			NULL},
		{"=?iso-8859-1?q?Ren=E9_Ito?= <a@x.org>", "Ren\xc3\xa9 Ito", "a@x.org",
			NULL},
		{"Ren\xe9 Ito <a@x.org>", "Ren\xc3\xa9 Ito", "a@x.org", "header_8bit"},
		{"A@B <a@x.org>", "a@x.org", "a@x.org", "from_confusing"},
		{"A B <a@x.org>, C D <c@x.org>", "A B", "a@x.org", "from_several"},
		{"a234567890b234567890c234567890d234567890e234567890f234567890g "
		 "<a@x.org>",
			"a@x.org", "a@x.org", NULL},
		{"nobody at all", "", "", NULL},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct mail *m = mails_parse(
			a, arena_printf(a, "From: %s\nSubject: t\n\nx\n", rows[i].from));
		if (strcmp(m->sender.name, rows[i].name) ||
			strcmp(m->sender.email, rows[i].email))
			fail_msg("%s: \"%s\" <%s>", rows[i].from, m->sender.name,
				m->sender.email);
		if (rows[i].note)
			expect_note(m, rows[i].note);
		if (!*rows[i].email)
			assert_string_equal(m->rejected, "the mail has no usable From");
		else
			assert_null(m->rejected);
	}
}

static void test_subject(void **state)
{
	static const struct {
		const char *subject, *decoded, *title;
	} rows[] = {
		{"[PATCH] t", "[PATCH] t", "t"},
		{"Re: [a] Re: [b]  t  u", "Re: [a] Re: [b] t u", "t u"},
		{"[[PATCH] a] b", "[[PATCH] a] b", "a] b"},
		{"[PATCH  t", "[PATCH t", "[PATCH t"},
		{"[PATCH]", "[PATCH]", ""},
		{"AW: [PATCH] t", "AW: [PATCH] t", "AW: [PATCH] t"},
		{"t [PATCH] u", "t [PATCH] u", "t [PATCH] u"},
		{"[PATCH v2\n 1/2] long\n\ttail", "[PATCH v2 1/2] long tail",
			"long tail"},
		{"=?utf-8?q?a?= =?utf-8?q?b?=", "ab", "ab"},
		{"=?utf-8?q?a?= b =?utf-8?b?Yw==?=", "a b c", "a b c"},
		{"=?utf-8?q?=C3?= =?utf-8?q?=BC?=", "\xc3\xbc", "\xc3\xbc"},
		{"a=?utf-8?q?b?=c", "abc", "abc"},
		{"=?utf-8?q?m x", "=?utf-8?q?m x", "=?utf-8?q?m x"},
		{"=?no-such?q?m?= x", "=?no-such?q?m?= x", "=?no-such?q?m?= x"},
		{"=?utf-8*en?q?m?=", "m", "m"},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct mail *m =
			mails_parse(a, arena_printf(a, "From: A <a@x>\nSubject:%s\n\nx\n",
					       rows[i].subject));
		if (strcmp(m->subject, rows[i].decoded) ||
			strcmp(m->title, rows[i].title))
			fail_msg("%s: \"%s\" \"%s\"", rows[i].subject, m->subject,
				m->title);
	}
	struct mail_opts keep = {.keep_brackets = true};
	struct mail *m = mails_parse_opts(
		a, "From: A <a@x>\nSubject: [PATCH][net] foo\n\nx\n", &keep);
	assert_string_equal(m->title, "[net] foo");
}

static void test_headers(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	/* The last of repeated fields wins; names in any case; no blank behind the colon.
	 */
	struct mail *m =
		mails_parse(a, "\n\nFrom x\nfrom:A <a@x>\nFROM: B <b@x>\n"
			       "Subject: one\nsubject:two\nMessage-ID: <1@x> (c)\n"
			       "Message-ID: <2@x>\nReferences: <p@x> <q@x> <p@x>\n"
			       "In-Reply-To: <p@x> (message of J. Doe)\n\nbody\n");
	assert_string_equal(m->sender.email, "b@x");
	assert_string_equal(m->subject, "two");
	assert_string_equal(m->message_id, "1@x");
	assert_int_equal(m->n_alt_ids, 1);
	assert_string_equal(m->alt_ids[0], "2@x");
	assert_int_equal(m->n_references, 2);
	assert_string_equal(m->references[0], "q@x");
	assert_string_equal(m->references[1], "p@x");
	assert_string_equal(m->parent, "p@x");
	/* A line that is no field ends the headers. */
	m = mails_parse(a, "From: A <a@x>\nnot a field\nSubject: t\n\nx\n");
	expect_note(m, "header_broken");
	assert_string_equal(m->msg.p, "not a field\nSubject: t\n\nx\n");
	assert_string_equal(m->subject, "");
	expect_note(m, "no_message_id");
	assert_memory_equal(m->message_id, "sha256-", 7);
	struct err e;
	struct mail *none;
	assert_err(
		mail_parse(a, " \n\t\n", 4, NULL, &none, &e), ERR_INVALID, &e, "empty");
	static const char nul[] = "From: A <a@x>\nSubject: a\0b\n\nx\n";
	assert_ok(mail_parse(a, nul, sizeof(nul) - 1, NULL, &m, &e), &e);
	assert_string_equal(m->subject, "a");
	expect_note(m, "nul_in_header");
}

static void test_people(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a,
		"To: demo@x.org, \"Q, R\" <q@x.org>\nCc: grp: a@x.org, B <b@x.org>;, "
		"c@x.org\n"
		"Cc: D <d@x.org>\nList-Id: The list <Demo.X.org>\nX-Patchwork-Hint: "
		"ignore\n",
		"x\n");
	assert_int_equal(m->n_to, 2);
	assert_string_equal(m->to[1].name, "Q, R");
	assert_int_equal(m->n_cc, 4);
	assert_string_equal(m->cc[1].name, "B");
	assert_string_equal(m->cc[3].email, "d@x.org");
	assert_string_equal(m->list_ids[0], "demo.x.org");
	assert_true(m->opted_out);
}

static void test_unmangle(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
#define MANGLED "From: \"Wren Ito via demo\" <demo@example.org>\nSubject: [PATCH] t\n"
	struct mail *m = mails_parse(a, MANGLED "List-Id: <demo.example.org>\n"
						"Reply-To: Wren Ito <wren@x.org>\n\nx\n");
	assert_string_equal(m->author.email, "wren@x.org");
	assert_string_equal(m->poster.name, "Wren Ito");
	assert_string_equal(m->sender.email, "demo@example.org");
	expect_note(m, "from_unmangled");
	m = mails_parse(a, MANGLED "List-Id: <demo.example.org>\n"
				   "X-Original-From: W I <w@y.org>\n\nx\n");
	assert_string_equal(m->author.email, "w@y.org");
	m = mails_parse(a, MANGLED "List-Id: <demo.example.org>\n\nx\n");
	assert_string_equal(m->author.name, "Wren Ito");
	assert_string_equal(m->author.email, "demo@example.org");
	/* Not the list's address: From stands as it is. */
	m = mails_parse(a, MANGLED "Reply-To: Wren Ito <wren@x.org>\n\nx\n");
	assert_string_equal(m->author.email, "demo@example.org");
	/* In-body From beats all. */
	m = mails_parse(a,
		MANGLED "List-Id: <demo.example.org>\nReply-To: Wren Ito <wren@x.org>\n"
			"\nFrom: C D <c@z.org>\n\nx\n---\n" MAILS_DIFF);
	assert_string_equal(m->author.email, "c@z.org");
	assert_string_equal(m->poster.email, "wren@x.org");
}

static void test_in_body(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a, "",
		"\nFrom: C D\n <c@z.org>\nSubject: other\nDate: Mon, 4 Mar 2024 01:02:03 "
		"+0000\n\n"
		"From: text\n\nx\n---\n" MAILS_DIFF);
	assert_string_equal(m->author.email, "c@z.org");
	assert_string_equal(m->title, "other");
	assert_string_equal(m->date, "Mon, 4 Mar 2024 01:02:03 +0000");
	assert_string_equal(m->msg.p, "From: text\n\nx\n");
	/* Without a patch the lines go, but nothing is taken from them. */
	m = mails_body(a, "", "From: C D <c@z.org>\n\nx\n");
	assert_string_equal(m->author.email, "wren@example.org");
	assert_string_equal(m->msg.p, "x\n");
	/* Quoted or indented: text. */
	m = mails_body(a, "", "> From: C D <c@z.org>\n\nx\n---\n" MAILS_DIFF);
	assert_string_equal(m->author.email, "wren@example.org");
	/* The place in the series is the posted subject's. */
	m = mails_parse(a, "From: A <a@x>\nSubject: [PATCH 2/3] fwd\n\nSubject: "
			   "real\n\nx\n---\n" MAILS_DIFF);
	assert_string_equal(m->title, "real");
	assert_int_equal(m->posted.n, 2 * PREFIX_UNIT);
	assert_int_equal(m->prefix.n, PREFIX_NONE);
}

static void test_break(void **state)
{
	static const struct {
		const char *line;
		bool cuts;
	} rows[] = {{"---\n", true}, {"---  \t\n", true}, {"--- x\n", true},
		{"diff -u x\n", true}, {"Index: x\n", true}, {"----\n", false},
		{"---x\n", false}, {"---\tx\n", false}, {" diff --git\n", false},
		{"+++ x\n", false}, {"---  x\n", false}};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *body = arena_printf(a, "one\n%stwo\n", rows[i].line);
		struct mail *m = mails_body(a, "", body);
		if ((m->patch.len > 0) != rows[i].cuts)
			fail_msg("%s", rows[i].line);
		if (rows[i].cuts)
			assert_string_equal(m->msg.p, "one\n");
	}
}

static void test_charset(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a, "Content-Type: text/plain; charset=iso-8859-1\n",
		"gr\xf6\xdf"
		"er\n---\n caf\xe9\n");
	assert_string_equal(m->msg.p, "gr\xc3\xb6\xc3\x9f"
				      "er\n");
	assert_string_equal(m->patch.p, "---\n caf\xe9\n"); /* never converted */
	m = mails_body(
		a, "Content-Type: text/plain; charset=iso-8859-1\n", "gr\xc3\xb6\n");
	expect_note(m, "charset_doubtful");
	m = mails_body(a, "Content-Type: text/plain; charset=Y\n", "gr\xf6\n");
	assert_string_equal(m->msg.p, "gr\xc3\xb6\n");
	expect_note(m, "charset_repaired");
	m = mails_body(a, "Content-Type: text/plain; charset=us-ascii\n", "gr\xc3\xb6\n");
	assert_string_equal(m->msg.p, "gr\xc3\xb6\n");
	expect_note(m, "charset_repaired");
	m = mails_body(a, "Content-Type: text/plain; charset=utf-8\n", "gr\xf6\n");
	assert_string_equal(m->msg.p, "gr\xf6\n");
}

static void test_encodings(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a, "Content-Transfer-Encoding: quoted-printable\n",
		"a=3Db=zz=\nc =C3=bc\n");
	assert_string_equal(m->msg.p, "a=b=zzc \xc3\xbc\n");
	m = mails_body(a, "Content-Transfer-Encoding: base64\n", "b25l\nCnR3\n bw!==\n");
	assert_string_equal(m->msg.p, "one\ntwo");
	m = mails_body(a, "Content-Transfer-Encoding: base64\n", "b25lDQo=\n");
	assert_string_equal(m->msg.p, "one\r\n");
	expect_note(m, "quoted_cr");
	m = mails_body(a, "Content-Transfer-Encoding: 8-bit\n", "a=3D\n");
	assert_string_equal(m->msg.p, "a=3D\n");
	struct mail_opts keep = {.keep_cr = true};
	static const char crlf[] = "From: A <a@x>\r\nSubject: t\r\n\r\none\r\n";
	assert_string_equal(mails_parse(a, crlf)->msg.p, "one\n");
	assert_string_equal(mails_parse_opts(a, crlf, &keep)->msg.p, "one\r\n");
	assert_string_equal(mails_parse_opts(a, crlf, &keep)->subject, "t");
	m = mails_body(a, "Content-Type: text/plain; format=flowed; delsp=yes\n",
		"a \nb\n c\n> q \n-- \n sig\n");
	assert_string_equal(m->msg.p, "ab\nc\n> q-- \nsig\n");
}

static void test_multipart(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m = mails_body(a, "Content-Type: multipart/mixed; boundary=\"bb\"\n",
		"preamble\n--bb\nContent-Type: text/plain\n\ntext\n\n--bbx\n"
		"Content-Transfer-Encoding: base64\n\nLS0tCnRhaWwK\n--bb--\nepilogue\n");
	assert_string_equal(m->msg.p, "text\n\n");
	assert_string_equal(m->patch.p, "---\ntail\n\n");
	m = mails_body(a, "Content-Type: multipart/mixed; boundary=o\n",
		"--o\nContent-Type: multipart/alternative; "
		"boundary=i\n\n--i\n\ninner\n--i--\n"
		"--o\n\nouter\n--o--\n");
	assert_string_equal(m->msg.p, "inner\n\nouter\n\n");
	expect_note(m, "nested_multipart");
	m = mails_body(
		a, "Content-Type: multipart/mixed; boundary=o\n", "never a boundary\n");
	assert_int_equal(m->msg.len, 0);
	assert_string_equal(m->message_sha256, SHA_EMPTY);
}

/* A header whose line ends became blanks: nothing is read but what a sentence needs. */
static void test_lost_header(void **state)
{
	static const char route[] =
		"Received: from a.example.org (a.example.org "
		"[192.0.2.1]) by b.example.org (Postfix) with ESMTP id "
		"0123456789 for ; Fri, 13 May 2022 06:24:49 +0000 (UTC)";
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail *m;
	const char *text;

	(void)state;
	text = arena_printf(a,
		"From nobody Sun May 10 09:54:16 2026 %s From: Ann To: Bob Subject: [RFC "
		"PATCH 3/3] sched: A title: of two Date: Fri, 13 May 2022 14:24:27 +0800 "
		"Message-Id: <a.1@example.org> X-Mailer: git diff --git a/f b/f",
		route);
	m = mails_parse(a, text);
	assert_string_equal(m->rejected, MAIL_NO_FROM);
	expect_note(m, "header_folded");
	assert_string_equal(m->lost_id, "a.1@example.org");
	assert_string_equal(m->lost_subject, "[RFC PATCH 3/3] sched: A title: of two");
	assert_int_equal(m->lost.len, strlen(text));
	assert_non_null(strstr(m->message_id, "@wakelist.invalid"));
	m = mail_compact(a, m);
	assert_string_equal(m->lost_id, "a.1@example.org");
	assert_null(m->lost.p);
	/* a From that can be read, with all other fields in it */
	text = arena_printf(a,
		"From: Ann <ann@example.org> To: Bob <bob@example.org> Subject: [PATCH] "
		"sched: A title Date: Fri, 13 May 2022 14:24:27 +0800 Message-ID: "
		"<a.1@example.org> %s\n\nWords.\n",
		route);
	m = mails_parse(a, text);
	assert_string_equal(m->rejected, MAIL_NO_FROM);
	assert_string_equal(m->lost_id, "a.1@example.org");
	m = mails_parse(a, arena_printf(a, "Message-ID: <b@example.org>\n%s", text));
	assert_null(m->rejected);
	assert_null(m->lost_id);
	/* too short, without an id, an id with a blank, a header that can be read */
	assert_null(mails_parse(a, "From x Subject: s Message-Id: <a@b> t\n")->lost_id);
	assert_null(mails_parse(a, arena_printf(a, "%s Subject: s Date: x\n", route))
			    ->lost_id);
	assert_null(mails_parse(a,
		arena_printf(a, "X %s %s Subject: s Message-Id: <a b> t\n", route, route))
			    ->lost_id);
	assert_null(mails_parse(a,
		arena_printf(a,
			"From: A <a@b.org>\nX: %s Subject: s Message-Id: <a@b> t\n\nx\n",
			route))
			    ->lost_id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lost_header),
		cmocka_unit_test(test_from),
		cmocka_unit_test(test_subject),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_people),
		cmocka_unit_test(test_unmangle),
		cmocka_unit_test(test_in_body),
		cmocka_unit_test(test_break),
		cmocka_unit_test(test_charset),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_multipart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
