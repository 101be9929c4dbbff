// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "report/compose.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tests/golden/golden.h"

static int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static const struct compose_addr to[] = {{"Peter Zijlstra", "peterz@example.org"}};
static const struct compose_addr cc[] = {
	{NULL, "linux-kernel@vger.example.org"},
	{"Dev, A. \"Q\"", "dev@example.org"},
	{"Gr\xc3\xbc\xc3\x9f Gott", "gruss@example.org"},
	{NULL, "stable@vger.example.org"},
	{NULL, "PETERZ@example.org"},
	{"wakelist", "bot@ci.example.org"},
};

static struct compose_in input(void)
{
	return (struct compose_in){
		.kind = COMPOSE_REPLY,
		.policy = COMPOSE_LIST,
		.root_msgid = "20260801120000.1-1-dev@example.org",
		.series_version = 2,
		.message_id = "20260801120000.1-1-dev@example.org",
		.references = "<a@b>\n <c@d>",
		.subject = "[PATCH v2 0/2] sched/fair: Prefer the previous CPU",
		.author = {"A. Developer", "dev2@example.org"},
		.to = to,
		.n_to = ARRAY_LEN(to),
		.cc = cc,
		.n_cc = ARRAY_LEN(cc),
		.from = {"wakelist", "bot@ci.example.org"},
		.domain = "ci.example.org",
		.reply_to = "lab@example.org",
		.archive = "wakelist@lists.example.org",
		.list_addr = "linux-sched@vger.example.org",
		.date_epoch_s = 1785585600,
		.verdict = "ok",
		.run_url = "https://ci.example.org/series/17",
		.body = "Hi,\n\nall is well.\n-- \nwakelist (method v1)\n",
	};
}

static struct compose_mail compose(struct arena *a, const struct compose_in *in)
{
	struct compose_mail m;
	struct err e;

	if (compose_reply(a, in, &m, &e) != 0)
		fail_msg("%s", e.msg);
	return m;
}

/* Value of a field with its folds, "" when it is not there. */
static const char *field(struct arena *a, const struct compose_mail *m, const char *name)
{
	const char *p = strstr(m->bytes, arena_printf(a, "\n%s: ", name)), *end;

	if (!p)
		return "";
	p += strlen(name) + 3;
	end = p;
	while ((end = strchr(end, '\n')) && end[1] == ' ')
		end++;
	return arena_strndup(a, p, (size_t)(end - p));
}

static void golden_mail(void **state)
{
	struct compose_in in = input();
	struct compose_mail m = compose(*state, &in);

	golden_check("report/mail.eml", m.bytes, m.len);
	assert_int_equal(strlen(m.bytes), m.len);
}

static void message_id_is_derived(void **state)
{
	struct arena *a = *state;
	const char *id = compose_message_id(a, COMPOSE_REPLY, "a@b", 1, 0, "d.org");

	/* printf 'wl1\nr\na@b\n1\n0\n' | sha256sum | cut -c1-32 */
	assert_string_equal(id, "wl1.r.ca7e19981f5863d61470362ca1cce9fa@d.org");
	assert_string_not_equal(
		id, compose_message_id(a, COMPOSE_CORRECTION, "a@b", 1, 0, "d.org"));
	assert_string_not_equal(
		id, compose_message_id(a, COMPOSE_REPLY, "a@c", 1, 0, "d.org"));
	assert_string_not_equal(
		id, compose_message_id(a, COMPOSE_REPLY, "a@b", 2, 0, "d.org"));
	assert_string_not_equal(
		id, compose_message_id(a, COMPOSE_REPLY, "a@b", 1, 1, "d.org"));
}

static void recipients(void **state)
{
	struct arena *a = *state;
	struct compose_in in = input();
	struct compose_mail m = compose(a, &in);

	/* author, archive, list, To, Cc without stable@, doubles and ourselves */
	assert_int_equal(m.n_rcpt, 7);
	assert_string_equal(m.rcpt[0], "dev2@example.org");
	assert_int_equal(m.n_notes, 1);
	assert_non_null(strstr(m.notes[0], "stable@"));
	assert_string_equal(m.mail_from, "bot@ci.example.org");
	in.policy = COMPOSE_AUTHOR;
	m = compose(a, &in);
	assert_int_equal(m.n_rcpt, 2);
	assert_string_equal(m.rcpt[1], "wakelist@lists.example.org");
	in.archive = NULL;
	m = compose(a, &in);
	assert_int_equal(m.n_rcpt, 1);
	assert_string_equal(field(a, &m, "Cc"), "");
}

static void at_most_25_in_cc(void **state)
{
	struct arena *a = *state;
	struct compose_in in = input();
	struct compose_addr many[100];
	struct compose_mail m;

	for (int i = 0; i < 100; i++)
		many[i] = (struct compose_addr){
			NULL, arena_printf(a, "p%d@example.org", i)};
	in.cc = many;
	in.n_cc = 100;
	m = compose(a, &in);
	assert_int_equal(m.n_rcpt, 1 + COMPOSE_CC_MAX);
	assert_int_equal(m.n_notes, 100 + 3 - COMPOSE_CC_MAX);
}

static void subjects(void **state)
{
	static const char *const rows[][2] = {
		{"[PATCH] x", "Re: [PATCH] x"},
		{"Re: [PATCH] x", "Re: [PATCH] x"},
		{"RE:  [PATCH] x", "Re: [PATCH] x"},
		{"", "Re: (no subject)"},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct compose_in in = input();
		struct compose_mail m;

		in.subject = rows[i][0];
		m = compose(a, &in);
		assert_string_equal(field(a, &m, "Subject"), rows[i][1]);
	}
}

/* Decodes what we encode, the way any reader does: blanks between two encoded words are
 * not shown. */
static const char *decode(struct arena *a, const char *s)
{
	static const char head[] = "=?utf-8?q?";
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;

	while (*s) {
		bool is_word = strncmp(s, head, strlen(head)) == 0;
		const char *end = is_word ? strstr(s + strlen(head), "?=") : NULL, *next;

		if (!end) {
			if (*s != '\n')
				sbuf_addc(&b, *s);
			s++;
			continue;
		}
		assert_true(end + 2 - s <= 75);
		for (s += strlen(head); s < end; s++) {
			char hex[3] = {s[1], s[1] ? s[2] : 0, 0};

			if (*s == '=') {
				sbuf_addc(&b, (char)strtoul(hex, NULL, 16));
				s += 2;
			} else {
				sbuf_addc(&b, *s == '_' ? ' ' : *s);
			}
		}
		s = end + 2;
		next = s + strspn(s, " \n");
		if (strncmp(next, head, strlen(head)) == 0)
			s = next;
	}
	return arena_strndup(a, b.buf, b.len);
}

static void encoded_subjects_come_back(void **state)
{
	static const char *const rows[] = {
		"sched: caf\xc3\xa9",
		"\xc3\xa4 \xc3\xb6 plain \xc3\xbc",
		"\xe8\xb0\x83\xe5\xba\xa6\xe5\x99\xa8\xef\xbc\x9a\xe5\x94\xa4\xe9\x86\x92"
		" "
		"\xe8\xb0\x83\xe5\xba\xa6\xe5\x99\xa8\xef\xbc\x9a\xe5\x94\xa4\xe9\x86\x92"
		" "
		"\xe8\xb0\x83\xe5\xba\xa6\xe5\x99\xa8\xef\xbc\x9a\xe5\x94\xa4\xe9\x86"
		"\x92",
		"\xf0\x9f\x90\xa7 =?utf-8?q?not_ours?= and = _ ? x",
		"a very long subject that has to be folded somewhere before it reaches "
		"the "
		"limit of seventy-eight columns, twice even, as kernel subjects "
		"sometimes do",
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct compose_in in = input();
		struct compose_mail m;

		in.subject = rows[i];
		m = compose(a, &in);
		assert_string_equal(decode(a, field(a, &m, "Subject")),
			arena_printf(a, "Re: %s", rows[i]));
	}
}

static void lines_are_short_and_ascii(void **state)
{
	struct arena *a = *state;
	struct compose_in in = input();
	struct compose_mail m;

	in.subject = "\xc3\xa4\xc3\xb6\xc3\xbc "
		     "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc"
		     "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6"
		     "\xc3\xbc";
	m = compose(a, &in);
	for (const char *p = m.bytes; p && *p;) {
		size_t len = strcspn(p, "\n");

		for (size_t i = 0; i < len; i++)
			assert_in_range(p[i], 0x20, 0x7e);
		if (len > 78)
			fail_msg("%.*s", (int)len, p);
		p += len + 1;
	}
}

/* Printing ASCII in lines of at most 998 bytes, each a known field or a fold. */
static void header_is_sound(const char *bytes, size_t field, size_t value)
{
	const char *end = strstr(bytes, "\n\n"), *line = bytes;

	assert_non_null(end);
	for (const char *p = bytes; p < end; p++) {
		if (*p == '\n') {
			line = p + 1;
			if (*line != ' ' && strncmp(line, "Bcc", 3) == 0)
				fail_msg("field %zu, value %zu: a line of its own", field,
					value);
		} else if (*p < 0x20 || *p > 0x7e || p - line > 998) {
			fail_msg("field %zu, value %zu: byte %02x at %td", field, value,
				(unsigned char)*p, p - line);
		}
	}
}

static void injection_is_refused(void **state)
{
	static const char *const bad[] = {"a\nBcc: x@y", "a\rb", "a\x01", "a\x7f", "\xff",
		"\xc0\xaf", "a\n\n<script>"};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct compose_addr one[] = {{bad[i], "a@example.org"}};
		struct compose_addr two[] = {{NULL, bad[i]}};
		struct compose_in in[9];
		struct compose_mail m;
		struct err e;

		for (size_t k = 0; k < ARRAY_LEN(in); k++)
			in[k] = input();
		in[0].subject = bad[i];
		in[1].author.name = bad[i];
		in[2].author.addr = bad[i];
		in[3].message_id = bad[i];
		in[4].reply_to = bad[i];
		in[5].cc = one;
		in[5].n_cc = 1;
		in[6].cc = two;
		in[6].n_cc = 1;
		in[7].root_msgid = bad[i];
		in[8].verdict = bad[i];
		for (size_t k = 0; k < ARRAY_LEN(in); k++) {
			bool outside = k == 0 || k == 1 || k == 5 || k == 6;
			int status = compose_reply(a, &in[k], &m, &e);

			/* what a stranger wrote is cleaned, what is ours is refused */
			if (status != (outside ? 0 : ERR_INVALID))
				fail_msg("field %zu, value %zu: %d", k, i, status);
			if (status == 0)
				header_is_sound(m.bytes, k, i);
		}
	}
}

static void what_is_needed(void **state)
{
	struct compose_in in[7];
	struct compose_mail m;
	struct err e;

	for (size_t k = 0; k < ARRAY_LEN(in); k++)
		in[k] = input();
	in[0].body = "";
	in[1].author.addr = NULL;
	in[2].from.addr = "no address";
	in[3].domain = NULL;
	in[4].date_epoch_s = INT64_MAX / 4;
	in[5].message_id = "no id";
	in[6].author.addr = "de...@example.org";
	for (size_t k = 0; k < ARRAY_LEN(in); k++)
		assert_int_equal(compose_reply(*state, &in[k], &m, &e), ERR_INVALID);
}

static void references_end_in_the_parent(void **state)
{
	struct arena *a = *state;
	struct compose_in in = input();
	struct compose_mail m = compose(a, &in);
	CLEANUP(sbuf_release) struct sbuf many = SBUF_INIT;
	const char *refs;

	assert_string_equal(field(a, &m, "References"),
		"<a@b>\n <c@d>\n <20260801120000.1-1-dev@example.org>");
	for (int i = 0; i < 500; i++)
		sbuf_addf(&many, "<%d@x.org> ", i);
	in.references = many.buf;
	m = compose(a, &in);
	refs = field(a, &m, "References");
	assert_true(strncmp(refs, "<0@x.org>\n", 10) == 0); /* the first stays */
	assert_non_null(strstr(refs, "<499@x.org>\n <2026"));
	assert_null(strstr(refs, "<100@x.org>"));
	in.references = "junk <open <x y> <> (comment)\r\nBcc: <x\n@y> \n\n<\xff@z>";
	m = compose(a, &in);
	assert_string_equal(
		field(a, &m, "References"), "<20260801120000.1-1-dev@example.org>");
}

static void bodies(void **state)
{
	struct arena *a = *state;
	struct compose_in in = input();
	struct compose_mail m;

	in.body = "From here\nto there";
	m = compose(a, &in);
	assert_non_null(strstr(m.bytes, "\n\n From here\nto there\n"));
	in.body = "caf\xc3\xa9 = a \n.dot\nFrom x\n";
	m = compose(a, &in);
	assert_string_equal(
		field(a, &m, "Content-Transfer-Encoding"), "quoted-printable");
	assert_string_equal(field(a, &m, "Content-Type"), "text/plain; charset=utf-8");
	assert_non_null(strstr(m.bytes, "\n\ncaf=C3=A9 =3D a=20\n=2Edot\n=46rom x\n"));
}

static void too_big(void **state)
{
	struct compose_in in = input();
	char *big = arena_alloc(*state, COMPOSE_SIZE_MAX + 2);
	struct compose_mail m;
	struct err e;

	memset(big, 'a', COMPOSE_SIZE_MAX + 1);
	big[COMPOSE_SIZE_MAX + 1] = 0;
	in.body = big;
	assert_int_equal(compose_reply(*state, &in, &m, &e), ERR_TOO_BIG);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(golden_mail),
		T(message_id_is_derived),
		T(recipients),
		T(at_most_25_in_cc),
		T(subjects),
		T(encoded_subjects_come_back),
		T(lines_are_short_and_ascii),
		T(injection_is_refused),
		T(what_is_needed),
		T(references_end_in_the_parent),
		T(bodies),
		T(too_big),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
