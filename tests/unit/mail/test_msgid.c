/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Message-ids as people give them and as headers hold them. */
#include "base/base.h"

#include "mail/msgid.h"
#include "tests/unit/unit.h"

static void test_accepts(void **state)
{
	static const struct {
		const char *text, *id, *base;
	} rows[] = {
		{"a.b@x.org", "a.b@x.org", NULL},
		{" <a.b@x.org>\n", "a.b@x.org", NULL},
		{"id:a@x", "a@x", NULL},
		{"rfc822msgid:a@x", "a@x", NULL},
		{"mid:a@x", "a@x", NULL},
		{"a%2Fb@x", "a%2Fb@x", NULL},
		{"https://lore.kernel.org/lkml/a.b@x.org/", "a.b@x.org",
			"https://lore.kernel.org/lkml/"},
		{"https://lore.kernel.org/lkml/a.b@x.org", "a.b@x.org",
			"https://lore.kernel.org/lkml/"},
		{"https://lore.kernel.org/lkml/a.b@x.org/T/#u", "a.b@x.org",
			"https://lore.kernel.org/lkml/"},
		{"https://lore.kernel.org/all/a%2Fb%25@x.org/raw", "a/b%@x.org",
			"https://lore.kernel.org/all/"},
		{"https://lore.kernel.org/r/a@x.org", "a@x.org", NULL},
		{"https://lore.kernel.org/a@x.org/", "a@x.org", NULL},
		{"http://127.0.0.1:8081/demo/%3Ca@x%3E/t.mbox.gz", "a@x",
			"http://127.0.0.1:8081/demo/"},
		{"https://patch.msgid.link/a-1-b@x.org", "a-1-b@x.org", NULL},
		{"https://patchwork.kernel.org/project/linux-pm/patch/a@x.org/",
			"a@x.org", NULL},
		{"https://patchwork.example/project/p/cover/a@x.org/", "a@x.org", NULL},
		{"https://patchwork.kernel.org/project/linux-pm/patch/a%2Bb@x/mbox/",
			"a+b@x", NULL},
		{"https://patchew.org/linux/a@x.org/", "a@x.org", NULL},
		{"https://lkml.kernel.org/r/a@x.org", "a@x.org", NULL},
		{"https://lore.kernel.org/all/a@x.org/t.mbox.gz", "a@x.org",
			"https://lore.kernel.org/all/"},
		{"https://lore.kernel.org/lkml/a%40x.org/", "a@x.org",
			"https://lore.kernel.org/lkml/"},
		{"<https://lore.kernel.org/lkml/a@x.org/>", "a@x.org",
			"https://lore.kernel.org/lkml/"},
		{"lore.kernel.org/lkml/a@x.org/", "a@x.org",
			"https://lore.kernel.org/lkml/"},
		{"patch.msgid.link/a@x.org", "a@x.org", NULL},
		{"https://lore.kernel.org/lkml/\xc3\xa4@x/", "\xc3\xa4@x",
			"https://lore.kernel.org/lkml/"},
		{"a%40x.org", "a@x.org", NULL},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		const char *id, *base;
		assert_ok(msgid_parse(a, rows[i].text, &id, &base, &e), &e);
		assert_string_equal(id, rows[i].id);
		if (rows[i].base)
			assert_string_equal(base, rows[i].base);
		else
			assert_null(base);
	}
}

static void test_refuses(void **state)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "empty"},
		{"  ", "empty"},
		{"abc", "no message-id"},
		{"@x", "no message-id"},
		{"a@", "no message-id"},
		{"a b@x", "no message-id"},
		{"<a@x", "no message-id"},
		{"<>", "no message-id"},
		{"<a@x> <b@y>", "no message-id"},
		{"<a@x><b@y>", "no message-id"},
		{"a@x b@y", "no message-id"},
		{"a@x\nb", "control character"},
		{"a@x\x7f", "control character"},
		{"a\xff@x", "no UTF-8"},
		{"a%40x%00b", "NUL"},
		{"a%40x%0ab", "no message-id"},
		{"%ff%40x", "no message-id"},
		{"https://lore.kernel.org/", "names no mail"},
		{"https://lore.kernel.org", "names no mail"},
		{"https://", "names no mail"},
		{"https:///lkml/a@x/", "names no mail"},
		{"https://a@lore.kernel.org/lkml/", "no message-id"},
		{"https://lore.kernel.org/lkml/", "no message-id"},
		{"https://lore.kernel.org/lkml/?q=a@x", "no message-id"},
		{"https://lore.kernel.org/lkml/#a@x", "no message-id"},
		{"https://lore.kernel.org/lkml/a@x%00.org/", "NUL"},
		{"https://lore.kernel.org/l%00/a@x/", "NUL"},
		{"https://lore.kernel.org/lkml/a@x%0a.org/", "no message-id"},
		{"https://lore.kernel.org/lkml/a@x%20b/", "no message-id"},
		{"https://lore.kernel.org/lkml/%ff@x/", "no message-id"},
		{"https://lore.kernel.org/lk\nml/a@x/", "control character"},
		{"https://lore.kernel.org/lk ml/a@x/", "no URL"},
		{"https://lore.kernel.org/r/a@x https://lore.kernel.org/r/b@y", "no URL"},
		{"https://lore.kernel.org/lkml/a@x/b@y/", "two message-ids"},
		{"https://lore.kernel.org/lkml/a@x%2fb@y>", "no URL"},
		{"https://lists.example/archives/list/dev@x.org/message/ABC/",
			"no message-id"},
		{"https://patchwork.kernel.org/project/p/list/?series=1",
			"no message-id"},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err e;
	const char *id;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (msgid_parse(a, rows[i].text, &id, NULL, &e) != ERR_INVALID)
			fail_msg("\"%s\" was accepted", rows[i].text);
		if (!strstr(e.msg, rows[i].why))
			fail_msg("\"%s\" is refused with \"%s\"", rows[i].text, e.msg);
	}
	char longer[MSGID_MAX + 3];
	memset(longer, 'a', sizeof(longer));
	longer[5] = '@';
	longer[sizeof(longer) - 1] = 0;
	assert_err(msgid_parse(a, longer, &id, NULL, &e), ERR_INVALID, &e,
		"longer than 998");
	assert_err(msgid_parse(a, arena_printf(a, "https://x.org/l/%s/", longer), &id,
			   NULL, &e),
		ERR_INVALID, &e, "longer than 998");
	char endless[9000];
	memset(endless, '@', sizeof(endless));
	endless[sizeof(endless) - 1] = 0;
	assert_err(msgid_parse(a, endless, &id, NULL, &e), ERR_INVALID, &e,
		"longer than 998");
}

static void test_escape(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	assert_string_equal(
		msgid_url_escape(a, "aZ0-._~!$&';()*+,=:@"), "aZ0-._~!$&';()*+,=:@");
	assert_string_equal(msgid_url_escape(a, "a/b%c#?[]^| <>\xc3\xa4"),
		"a%2Fb%25c%23%3F%5B%5D%5E%7C%20%3C%3E%C3%A4");
}

static void expect_list(const char *value, const char *want, bool bare)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char **ids, *got = "";
	size_t n;
	bool was_bare;
	msgid_list(a, value, &ids, &n, &was_bare);
	for (size_t i = 0; i < n; i++)
		got = arena_printf(a, "%s%s%s", got, i ? " " : "", ids[i]);
	assert_string_equal(got, want);
	assert_int_equal(was_bare, bare);
}

static void test_lists(void **state)
{
	(void)state;
	expect_list("<a@x> <b@y>", "a@x b@y", false);
	expect_list("<a@x><b@y>", "a@x b@y", false);
	expect_list("<a@x> (message from J. Doe <j@z>)", "a@x", false);
	expect_list("Your mail of Monday <a@x>", "a@x", false);
	expect_list("<a\t @x>", "a@x", false);
	expect_list("a@x", "a@x", true);
	expect_list("a@x@y", "", false);
	expect_list("no id at all", "", false);
	expect_list("<unclosed@x", "", false);
	expect_list("<>", "", false);
	expect_list("", "", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepts),
		cmocka_unit_test(test_refuses),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
