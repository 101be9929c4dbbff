/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The diff scanner and patch ids; ids were made with git patch-id --stable. */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/patch_id.h"
#include "mail/scan.h"
#include "tests/unit/mail/mails.h"

static struct scan scan(struct arena *a, const char *text)
{
	struct scan s;
	scan_patch(a, text, strlen(text), &s);
	return s;
}

static const char *files(struct arena *a, const struct scan *s)
{
	const char *out = "";
	for (size_t i = 0; i < s->n_files; i++) {
		const struct mail_file *f = &s->files[i];
		out = arena_printf(a, "%s%s%s%s %s +%u -%u%s", out, i ? "; " : "",
			f->old_path ? f->old_path : "",
			f->old_path ? arena_printf(a, ">%s", f->path) : f->path,
			mail_status_name(f->status), f->n_added, f->n_removed,
			f->binary ? " binary" : "");
	}
	return out;
}

static void test_shapes(void **state)
{
#define GIT(x) "diff --git a/" x " b/" x "\n"
	static const struct {
		const char *text, *files;
	} rows[] = {
		{MAILS_DIFF, "kernel/sched/demo.c modified +1 -0"},
		{GIT("n") "new file mode 100644\nindex 000..1\n--- /dev/null\n+++ "
			  "b/n\n@@ -0,0 +1,2 @@\n"
			  "+a\n+b\n",
			"n added +2 -0"},
		{GIT("d/e") "deleted file mode 100644\nindex 1..0\n--- a/d/e\n+++ "
			    "/dev/null\n"
			    "@@ -1 +0,0 @@\n-a\n",
			"d/e deleted +0 -1"},
		{"diff --git a/o b/p\nsimilarity index 100%\nrename from o\nrename to "
		 "p\n",
			"o>p renamed +0 -0"},
		{"diff --git a/o b/p\nsimilarity index 90%\ncopy from o\ncopy to "
		 "p\nindex 1..2\n--- a/o\n"
		 "+++ b/p\n@@ -1 +1 @@\n-a\n+b\n",
			"o>p copied +1 -1"},
		{GIT("m") "old mode 100644\nnew mode 100755\n", "m mode +0 -0"},
		{GIT("e") "new file mode 100644\nindex 0000000..e69de29\n",
			"e added +0 -0"},
		{GIT("x y") "index 1..2 100644\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 "
			    "@@\n-a\n+b\n",
			"x y modified +1 -1"},
		{"diff --git \"a/t\\303\\274r\" \"b/t\\303\\274r\"\nindex 1..2 100644\n"
		 "--- \"a/t\\303\\274r\"\n+++ \"b/t\\303\\274r\"\n@@ -1 +1 @@\n-a\n+b\n",
			"t\xc3\xbcr modified +1 -1"},
		{GIT("b") "index 1..2 100644\nGIT binary patch\nliteral "
			  "1\nIc${NkU|;|M00aO5\n\n",
			"b modified +0 -0 binary"},
		{GIT("b") "index 1..2 100644\nBinary files a/b and b/b differ\n",
			"b modified +0 -0 binary"},
		{"Index: l/k.c\n===\n--- l.orig/k.c\n+++ l/k.c\n@@ -1 +1 @@\n-a\n+b\n",
			"k.c modified +1 -1"},
		{"--- k.c.orig\t2024-01-01 00:00:00\n+++ k.c\t2024-01-02 00:00:00\n@@ -1 "
		 "+1 @@\n-a\n+b\n",
			"k.c modified +1 -1"},
		{GIT("a") "index 1..2\n--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n--- x\n "
			  "b\nprose\n" GIT("c") "index 1..2\n--- a/c\n+++ b/c\n@@ -1 +1 "
						"@@\n-a\n\\ No newline at end of file\n"
						"+b\n\\ No newline at end of file\n",
			"a modified +0 -1; c modified +1 -1"},
		{"diff --git was run on it\nand nothing came of it\n", ""},
		{"--- a/x\n+++ b/x\nno hunk\n", ""},
		{"", ""},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scan s = scan(a, rows[i].text);
		const char *got = files(a, &s);
		if (strcmp(got, rows[i].files))
			fail_msg("row %zu: \"%s\", not \"%s\"", i, got, rows[i].files);
		assert_null(s.corrupt);
		assert_null(s.refused);
	}
}

static void test_repairs(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
#define HEAD GIT("a") "index 1..2 100644\n--- a/a\n+++ b/a\n@@ -1,4 +1,5 @@\n"
	struct scan whole = scan(a, HEAD " a\n \n b\n+c\n d\n-- \n2.43.0\n");
	assert_false(whole.blank_repaired);
	assert_true(whole.sig_absorbed);
	assert_null(whole.corrupt);
	struct scan s = scan(a, HEAD " a\n\n b\n+c\n d\n-- \n2.43.0\n");
	assert_true(s.blank_repaired);
	assert_string_equal(s.repaired.p, HEAD " a\n \n b\n+c\n d\n-- \n2.43.0\n");
	assert_string_equal(s.patch_id, whole.patch_id);
	struct scan again = scan(a, s.repaired.p);
	assert_false(again.blank_repaired);
	assert_string_equal(again.patch_id, s.patch_id);
	/* Within the counts "-- " is a removed line. */
	s = scan(a, GIT("a") "--- a/a\n+++ b/a\n@@ -1,2 +1 @@\n a\n-- \n");
	assert_false(s.sig_absorbed);
	assert_int_equal(s.files[0].n_removed, 1);
	s = scan(a, GIT("a") "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\r\n+b\r\n");
	assert_true(s.all_cr);
	s = scan(a, GIT("a") "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\r\n+b\n");
	assert_false(s.all_cr);
}

static void test_corrupt(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{HEAD " a\n b\n", "at line 7: the last hunk ends early"},
		{HEAD " a\n b\n@@ -9 +9 @@\n-a\n+b\n",
			"at line 8: a hunk does not fit its counts"},
		{HEAD " a\n b that was\nwrapped\n c\n+d\n e\n",
			"at line 8: the mailer wrapped a line"},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct scan s = scan(a, rows[i].text);
		if (!s.corrupt || !strstr(s.corrupt, rows[i].says))
			fail_msg("row %zu: %s", i, s.corrupt ? s.corrupt : "sound");
	}
}

static void test_ids(void **state)
{
	static const struct {
		const char *text, *id;
	} rows[] = {
		{MAILS_DIFF, "d79a65fdbd85d43d27415b9188c36680dd3e68b0"},
		{"junk\n" MAILS_DIFF "-- \n2.43.0\n",
			"d79a65fdbd85d43d27415b9188c36680dd3e68b0"},
		{MAILS_DIFF GIT("n") "new file mode 100644\nindex 000..1\n--- "
				     "/dev/null\n+++ b/n\n"
				     "@@ -0,0 +1,2 @@\n+a\n+b\n",
			"b8b954427afd5064505ef95b0890bd34b7dc1a52"},
		{GIT("b") "index 1111111..2222222 100644\nBinary files a/b and b/b "
			  "differ\n" MAILS_DIFF,
			"61455a8887810d0517d6424d458767728a38f59b"},
		/* A pasted "git show". */
		{"---\ncommit d79a65fdbd85d43d27415b9188c36680dd3e68b0\nAuthor: A "
		 "<a@x>\n\n    t\n\n" MAILS_DIFF,
			"d79a65fdbd85d43d27415b9188c36680dd3e68b0"},
		{"--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n", NULL},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *id = patch_id(a, rows[i].text, strlen(rows[i].text));
		if (!rows[i].id)
			assert_null(id);
		else
			assert_string_equal(id, rows[i].id);
	}
}

static void test_limits(void **state)
{
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	for (unsigned int i = 0; i <= MAIL_MAX_FILES; i++)
		sbuf_addf(&s, GIT("%u") "old mode 100644\nnew mode 100755\n", i, i);
	assert_string_equal(scan(a, s.buf).refused, "touches more than 2,000 files");
	sbuf_reset(&s);
	sbuf_adds(&s, GIT("a") "--- a/a\n+++ b/a\n");
	for (unsigned int i = 0; i <= MAIL_MAX_HUNKS; i++)
		sbuf_adds(&s, "@@ -1 +1 @@\n-a\n+b\n");
	assert_string_equal(scan(a, s.buf).refused, "holds more than 20,000 hunks");
	sbuf_reset(&s);
	sbuf_adds(&s, GIT("a") "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+");
	for (size_t i = 0; i <= MAIL_MAX_LINE; i++)
		sbuf_addc(&s, 'x');
	sbuf_adds(&s, "\n");
	assert_string_equal(
		scan(a, s.buf).refused, "line 6 of the patch is longer than 1 MiB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
		cmocka_unit_test(test_repairs),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
