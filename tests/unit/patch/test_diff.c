// SPDX-License-Identifier: GPL-2.0-or-later
/* The diff parser: what git apply reads, position by position. */
#include "base/base.h"

#include "patch/binary.h"
#include "patch/diff.h"
#include "tests/unit/unit.h"

static struct diff *parse(struct arena *a, const char *text)
{
	struct diff *d;
	struct err e;

	assert_ok(diff_parse(text, strlen(text), a, &d, &e), &e);
	return d;
}

static void git_diff(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diff *d = parse(a, "---\n a/x.c | 2 +-\n\ndiff --git a/x.c b/x.c\n"
				  "index 1234567..89abcde 100644\n--- a/x.c\n+++ b/x.c\n"
				  "@@ -10,3 +11,4 @@ int main(void)\n a\n-b\n+B\n+C\n c\n"
				  "-- \n2.39.5\n");

	(void)state;
	assert_int_equal(d->n_files, 1);
	const struct diff_file *f = &d->files[0];

	assert_string_equal(f->old_path, "x.c");
	assert_string_equal(f->new_path, "x.c");
	assert_string_equal(f->old_id, "1234567");
	assert_string_equal(f->new_id, "89abcde");
	assert_int_equal(f->old_mode, 0100644);
	assert_int_equal(f->new_mode, 0);
	assert_int_equal(f->patch_line, 4);
	assert_string_equal(diff_file_status(f), "modified");
	assert_int_equal(f->n_hunks, 1);
	const struct diff_hunk *h = &f->hunks[0];

	assert_int_equal(h->patch_line, 8);
	assert_int_equal(h->old_start, 10);
	assert_int_equal(h->old_n, 3);
	assert_int_equal(h->new_start, 11);
	assert_int_equal(h->new_n, 4);
	assert_int_equal(h->leading, 1);
	assert_int_equal(h->trailing, 1);
	assert_int_equal(h->n_added, 2);
	assert_int_equal(h->n_removed, 1);
	assert_int_equal(h->n_lines, 5);
	assert_int_equal(h->func_len, 14);
	assert_memory_equal(h->func, "int main(void)", 14);
	assert_memory_equal(h->lines[3].p, "C\n", 2);
	assert_int_equal(h->lines[3].len, 2);
}

struct name_case {
	const char *text;
	const char *old_path, *new_path; /* NULL: none */
	const char *status;
};

static const struct name_case name_cases[] = {
	/* quilt */
	{"Index: linux/kernel/a.c\n=====\n--- linux.orig/kernel/a.c\n+++ "
	 "linux/kernel/a.c\n"
	 "@@ -1 +1 @@\n-a\n+b\n",
		"kernel/a.c", "kernel/a.c", "modified"},
	/* time stamps: TAB, or blanks where a mailer damaged it */
	{"--- a/x y.c\t2010-07-05 19:41:17.620000023 -0500\n+++ b/x y.c\t2010-07-05 "
	 "19:41:18 +0200\n@@ -1 +1 @@\n-a\n+b\n",
		"x y.c", "x y.c", "modified"},
	{"--- a/x.c   2010-07-05 19:41:17 +02:00\n+++ b/x.c   2010-07-05 19:41:18\n"
	 "@@ -1 +1 @@\n-a\n+b\n",
		"x.c", "x.c", "modified"},
	/* the epoch says: no file */
	{"--- a/n.c\t1970-01-01 01:00:00.000000000 +0100\n+++ b/n.c\t2010-07-05 19:41:18 "
	 "+0200\n@@ -0,0 +1 @@\n+b\n",
		NULL, "n.c", "added"},
	{"--- a/n.c\t2010-07-05 19:41:18 +0200\n+++ b/n.c\t1969-12-31 19:00:00 -0500\n"
	 "@@ -1 +0,0 @@\n-b\n",
		"n.c", NULL, "deleted"},
	{"--- /dev/null\n+++ b/n.c\n@@ -0,0 +1 @@\n+b\n", NULL, "n.c", "added"},
	{"--- a/n.c\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n", "n.c", NULL, "deleted"},
	/* the shorter of two names; none with a slash */
	{"--- a/f.c.orig\n+++ b/f.c\n@@ -1 +1 @@\n-a\n+b\n", "f.c", "f.c", "modified"},
	{"--- a/f.c\n+++ b/f.c.new\n@@ -1 +1 @@\n-a\n+b\n", "f.c", "f.c", "modified"},
	{"--- Makefile\n+++ Makefile\n@@ -1 +1 @@\n-a\n+b\n", "Makefile", "Makefile",
		"modified"},
	{"--- linux//kernel//a.c\n+++ new//kernel//a.c\n@@ -1 +1 @@\n-a\n+b\n",
		"/kernel/a.c", "/kernel/a.c", "modified"},
	/* git's own forms */
	{"diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to "
	 "new\n",
		"old", "new", "renamed"},
	{"diff --git a/old b/new\nsimilarity index 90%\ncopy from old\ncopy to new\n"
	 "--- a/old\n+++ b/new\n@@ -1 +1 @@\n-a\n+b\n",
		"old", "new", "copied"},
	{"diff --git a/s b/s\nold mode 100644\nnew mode 100755\n", "s", "s", "mode"},
	{"diff --git a/a b c b/a b c\nnew file mode 100644\nindex 0000000..e69de29\n",
		NULL, "a b c", "added"},
	{"diff --git \"a/\\303\\244 \\\"q\\\"\" \"b/\\303\\244 \\\"q\\\"\"\nold mode "
	 "100644\n"
	 "new mode 100755\n",
		"\303\244 \"q\"", "\303\244 \"q\"", "mode"},
	{"diff --git a/e b/e\ndeleted file mode 100644\nindex e69de29..0000000\n", "e",
		NULL, "deleted"},
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(name_cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		const struct name_case *c = &name_cases[i];
		struct diff *d = parse(a, c->text);

		assert_int_equal(d->n_files, 1);
		for (int side = 0; side < 2; side++) {
			const char *want = side ? c->new_path : c->old_path;
			const char *have =
				side ? d->files[0].new_path : d->files[0].old_path;

			if (!want != !have || (want && strcmp(want, have) != 0))
				fail_msg("case %zu side %d: %s, not %s", i, side,
					have ? have : "none", want ? want : "none");
		}
		assert_string_equal(diff_file_status(&d->files[0]), c->status);
	}
}

static void blank_context_and_no_newline(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diff *d = parse(a, "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n\n-b\n"
				  "\\ No newline at end of file\n+c\n"
				  "\\ No newline at end of file\n");
	const struct diff_hunk *h = &d->files[0].hunks[0];

	(void)state;
	assert_int_equal(d->n_blank_context, 1);
	assert_int_equal(h->n_lines, 4);
	assert_int_equal(h->lines[1].origin, ' ');
	assert_int_equal(h->lines[1].len, 1);
	assert_int_equal(h->lines[2].len, 1); /* "b" */
	assert_int_equal(h->lines[3].len, 1); /* "c" */
	assert_int_equal(h->trailing, 0);
}

static void several_diffs_with_junk(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diff *d =
		parse(a, "prose about diff -u\ndiff --git a/nothing b/nothing\n\n"
			 "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\nmore prose\n"
			 "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2 +2 @@\n-a\n+b\n"
			 "-- \nlist footer\n--- a line\n+++ of no diff\n");

	(void)state;
	assert_int_equal(d->n_files, 2);
	assert_false(d->files[0].is_git);
	assert_true(d->files[1].is_git);
	assert_int_equal(d->n_hunks, 2);
	d = parse(a, "only prose\n\n a | 2 +-\n 1 file changed\n");
	assert_int_equal(d->n_files, 0);
}

struct bad_case {
	const char *text;
	enum err_code code;
	const char *says;
};

static const struct bad_case bad_cases[] = {
	{"--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n", ERR_INVALID,
		"line 7 of the patch: the patch ends inside a hunk"},
	{"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\nwrapped\n+c\n", ERR_INVALID,
		"line 6"},
	{"--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n a\n+b\n-c\n", ERR_INVALID,
		"more lines than"},
	{"--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", ERR_INVALID, "changes nothing"},
	{"--- a/x\n+++ b/x\n@@ -1,a +1 @@\n a\n", ERR_INVALID, "header is damaged"},
	{"@@ -1 +1 @@\n-a\n+b\n", ERR_INVALID, "a hunk without a file header"},
	{"diff --git a/x b/x\nindex 1..2\ntext\n", ERR_INVALID, "without any change"},
	{"diff --git a/x b/x\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\nx\n", ERR_OK, ""},
	{"diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 "
	 "@@\n"
	 "+b\n",
		ERR_INVALID, "names two files"},
	{"diff --git a/x b/y\nold mode 100644\nnew mode 100755\n", ERR_INVALID,
		"names no file"},
	{"diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n",
		ERR_INVALID, "two things at once"},
	{"diff --git a/x b/x\nnew file mode 1006z4\n", ERR_INVALID, "octal"},
	{"--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", ERR_INVALID,
		"a new file has old"},
	{"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n\\ No newline at end of file\n+b\n c\n",
		ERR_INVALID, "not the last one"},
	{"*** a/x\n--- b/x\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n",
		ERR_UNSUPPORTED, "a context diff"},
	{"diff x y\n1,2c\nnew\n.\n", ERR_UNSUPPORTED, "an ed script"},
	{"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git a/x b", ERR_OK, ""},
	/* two names and nothing more are no rename */
	{"diff --git a/x b/x\n--- a/x\n+++ b/y\ntext\n", ERR_INVALID,
		"without any change"},
	{"diff --git a/x b/x\nindex 1..2  100644\n--- a/x\n+++ b/x\n@@ -1 +1 "
	 "@@\n-a\n+b\n",
		ERR_OK, ""},
	{"diff --git a/b b/b\nindex 1..2\nGIT binary patch\nliteral 4\nzzz\n\n",
		ERR_INVALID, "binary data is damaged"},
	{"diff --git a/b b/b\nindex 1..2\nGIT binary patch\nother 4\n\n", ERR_INVALID,
		"no known kind"},
	/* cut off behind the first line of a header that names no file */
	{"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\ndiff --git \"a/y\" b/z\nindex 42b",
		ERR_INVALID, "line 6 of the patch: the header names no file"},
};

static void damaged(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad_cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		const struct bad_case *c = &bad_cases[i];
		struct err e = {.msg = ""};
		struct diff *d;
		int rc = diff_parse(c->text, strlen(c->text), a, &d, &e);

		if (rc != (int)c->code || !strstr(e.msg, c->says))
			fail_msg("case %zu: %d \"%s\"", i, rc, e.msg);
	}
}

static void limits(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct diff *d;
	struct err e;

	(void)state;
	for (int i = 0; i <= DIFF_FILES_MAX; i++)
		sbuf_addf(&s, "--- a/%d\n+++ b/%d\n@@ -1 +1 @@\n-a\n+b\n", i, i);
	assert_err(
		diff_parse(s.buf, s.len, a, &d, &e), ERR_TOO_BIG, &e, "over 2000 files");
	sbuf_reset(&s);
	sbuf_adds(&s, "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+");
	for (size_t i = 0; i < DIFF_LINE_MAX; i++)
		sbuf_addc(&s, 'x');
	sbuf_addc(&s, '\n');
	assert_err(diff_parse(s.buf, s.len, a, &d, &e), ERR_TOO_BIG, &e, "is not text");
	assert_err(diff_parse("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+\0\n", 35, a, &d, &e),
		ERR_UNSUPPORTED, &e, "line 5 of the patch is not text");
}

static void reverse(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diff *d =
		parse(a, "diff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n"
			 "+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n");
	struct diff *r = diff_reverse(d, a);

	(void)state;
	assert_string_equal(diff_file_status(&r->files[0]), "deleted");
	assert_string_equal(r->files[0].old_path, "n");
	assert_null(r->files[0].new_path);
	assert_int_equal(r->files[0].old_mode, 0100755);
	assert_int_equal(r->files[0].hunks[0].old_n, 2);
	assert_int_equal(r->files[0].hunks[0].n_removed, 2);
	assert_int_equal(r->files[0].hunks[0].lines[1].origin, '-');
	r = diff_reverse(r, a);
	assert_string_equal(diff_file_status(&r->files[0]), "added");
	assert_int_equal(r->files[0].hunks[0].lines[1].origin, '+');
}

static void delta(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	/* 10 bytes -> 7: copy 5 from 2, insert "XY" */
	static const unsigned char good[] = {10, 7, 0x91, 2, 5, 2, 'X', 'Y'};
	static const unsigned char beyond[] = {10, 7, 0x91, 8, 5, 2, 'X', 'Y'};
	static const unsigned char reserved[] = {10, 1, 0};
	struct err e;
	char *out;
	size_t len;

	(void)state;
	assert_ok(binary_delta(
			  good, sizeof(good), "0123456789", 10, 100, a, &out, &len, &e),
		&e);
	assert_int_equal(len, 7);
	assert_memory_equal(out, "23456XY", 7);
	assert_err(binary_delta(good, sizeof(good), "012", 3, 100, a, &out, &len, &e),
		ERR_CONFLICT, &e, "file of 10 bytes");
	assert_err(
		binary_delta(good, sizeof(good), "0123456789", 10, 6, a, &out, &len, &e),
		ERR_TOO_BIG, &e, "binary data");
	assert_err(binary_delta(beyond, sizeof(beyond), "0123456789", 10, 100, a, &out,
			   &len, &e),
		ERR_INVALID, &e, "damaged");
	assert_err(binary_delta(reserved, sizeof(reserved), "0123456789", 10, 100, a,
			   &out, &len, &e),
		ERR_INVALID, &e, "damaged");
	assert_err(binary_delta(good, 5, "0123456789", 10, 100, a, &out, &len, &e),
		ERR_INVALID, &e, "damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(git_diff),
		cmocka_unit_test(names),
		cmocka_unit_test(blank_context_and_no_newline),
		cmocka_unit_test(several_diffs_with_junk),
		cmocka_unit_test(damaged),
		cmocka_unit_test(limits),
		cmocka_unit_test(reverse),
		cmocka_unit_test(delta),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
