// SPDX-License-Identifier: GPL-2.0-or-later
/* What a hostile patch may not do, line by line. */
#include "base/base.h"

#include "base/sbuf.h"
#include "patch/refuse.h"
#include "tests/unit/unit.h"

struct path_case {
	const char *path;
	const char *says; /* NULL: allowed */
};

static const struct path_case path_cases[] = {
	{"kernel/sched/fair.c", NULL},
	{".gitignore", NULL},
	{".gitattributes", NULL},
	{".gitmodules", NULL},
	{"a.git/x", NULL},
	{"git~10", NULL},
	{"d\303\266c.txt", NULL},
	{"with space/x", NULL},
	{"../x", "../x leaves the tree"},
	{"a/../../x", "leaves the tree"},
	{"a/./x", "leaves the tree"},
	{"/etc/passwd", "/etc/passwd leaves the tree"},
	{"a//x", "leaves the tree"},
	{"a/", "leaves the tree"},
	{"", "leaves the tree"},
	{"C:x", "leaves the tree"},
	{"\\\\host\\x", "leaves the tree"},
	{"a\\b", "leaves the tree"},
	{".git/config", ".git/config is a git directory in disguise"},
	{"a/.GIT/config", "git directory in disguise"},
	{"GIT~1/x", "git directory in disguise"},
	{".git./x", "git directory in disguise"},
	{".git ./x", "git directory in disguise"},
	{".git::$INDEX_ALLOCATION/x", "git directory in disguise"},
	{".g\342\200\214it/x", ".g\\342\\200\\214it/x is a git directory in disguise"},
	{"\357\273\277.git", "git directory in disguise"},
	{"a\nb", "a\\012b contains a control character"},
	{"a\177b", "contains a control character"},
	{"a\302\205b", "contains a control character"},
	{"a\342\200\256b", "a\\342\\200\\256b contains a control character"},
	{"a\377b", "a\\377b is not UTF-8"},
	{"a\300\200b", "is not UTF-8"},
};

static void paths(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	char longer[5000];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(path_cases); i++) {
		const struct path_case *c = &path_cases[i];
		struct err e = {.msg = ""};
		int rc = refuse_path(c->path, a, &e);

		if (rc != (c->says ? ERR_DENIED : 0) ||
			(c->says && !strstr(e.msg, c->says)))
			fail_msg("case %zu: %d \"%s\"", i, rc, e.msg);
	}
	struct err e;

	memset(longer, 'x', sizeof(longer));
	longer[256] = 0;
	assert_err(refuse_path(longer, a, &e), ERR_DENIED, &e,
		"component of over 255 bytes");
	memset(longer, 'x', sizeof(longer));
	longer[4999] = 0;
	assert_err(refuse_path(longer, a, &e), ERR_DENIED, &e, "over 4,096 bytes");
	assert_true(strlen(e.msg) < 200);
}

static void modes(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err e;

	(void)state;
	assert_int_equal(refuse_mode("x", 0, a, &e), 0);
	assert_int_equal(refuse_mode("x", 0100644, a, &e), 0);
	assert_int_equal(refuse_mode("x", 0100755, a, &e), 0);
	assert_err(refuse_mode("x", 0120000, a, &e), ERR_DENIED, &e, "symbolic link");
	assert_err(refuse_mode("x", 0160000, a, &e), ERR_DENIED, &e, "a submodule");
	assert_err(
		refuse_mode("x", 0100600, a, &e), ERR_DENIED, &e, "x has mode 0100600");
	assert_err(refuse_mode("x", 040000, a, &e), ERR_DENIED, &e, "has mode 040000");
}

struct diff_case {
	const char *text;
	const char *says; /* NULL: allowed */
};

static const struct diff_case diff_cases[] = {
	{"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", NULL},
	{"--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-a\n+b\n", "leaves the tree"},
	{"diff --git a/x b/.git/x\nrename from x\nrename to .git/x\n", "disguise"},
	{"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 "
	 "@@\n"
	 "+..\n\\ No newline at end of file\n",
		"l is or would become a symbolic link"},
	{"diff --git a/x b/x\nold mode 100644\nnew mode 120000\n", "symbolic link"},
	{"diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-a\n+b\n",
		"symbolic link"},
	{"diff --git a/.gitmodules b/.gitmodules\nnew file mode 120000\n--- /dev/null\n"
	 "+++ b/.gitmodules\n@@ -0,0 +1 @@\n+x\n",
		"symbolic link"},
	{"diff --git a/s b/s\nnew file mode 160000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 "
	 "@@\n"
	 "+Subproject commit 0123\n",
		"submodule"},
	{"diff --git a/b b/b\nindex 1..2\nBinary files a/b and b/b differ\n",
		"binary file b differs, and no binary data is in the mail"},
	{"diff --git a/b b/b\nnew file mode 100644\nindex 0..1\nGIT binary patch\n"
	 "literal 1200000\nA00000\n\n",
		"binary file b, 1.2 MB"},
	{"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n@@ -3,3 +3,3 @@\n "
	 "d\n-e\n+f\n g\n",
		"x: hunk 2 overlaps hunk 1"},
	{"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n+c\n d\n@@ -4,3 +4,3 @@\n "
	 "d\n-e\n+f\n g\n",
		NULL},
	/* out of order is no reason */
	{"--- a/x\n+++ b/x\n@@ -9,3 +9,3 @@\n a\n-b\n+c\n d\n@@ -2,3 +2,3 @@\n "
	 "d\n-e\n+f\n g\n",
		NULL},
};

static void diffs(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(diff_cases); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		const struct diff_case *c = &diff_cases[i];
		struct err e = {.msg = ""};
		struct diff *d;
		int rc;

		assert_ok(diff_parse(c->text, strlen(c->text), a, &d, &e), &e);
		rc = refuse_diff(d, a, &e);
		if (!rc != !c->says || (c->says && !strstr(e.msg, c->says)))
			fail_msg("case %zu: %d \"%s\"", i, rc, e.msg);
	}
}

/* Twins are neighbours, wherever they are in the diff, and each path is there once. */
static void case_pairs(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] =
		"--- /dev/null\n+++ b/net/xt_DSCP.c\n@@ -0,0 +1 @@\n+a\n"
		"--- /dev/null\n+++ b/net/xt_mark.c\n@@ -0,0 +1 @@\n+a\n"
		"--- /dev/null\n+++ b/net/xt_dscp.c\n@@ -0,0 +1 @@\n+a\n"
		"--- /dev/null\n+++ b/net/xt_DSCP.c\n@@ -0,0 +1 @@\n+a\n";
	const char **paths;
	struct diff *d;
	struct err e;
	size_t n;

	(void)state;
	assert_ok(diff_parse(text, sizeof(text) - 1, a, &d, &e), &e);
	paths = refuse_paths(d, a, &n);
	assert_int_equal(n, 3);
	assert_string_equal(paths[0], "net/xt_DSCP.c");
	assert_string_equal(paths[1], "net/xt_dscp.c");
	assert_string_equal(paths[2], "net/xt_mark.c");
	assert_true(refuse_is_twin(paths[0], paths[1]));
	assert_false(refuse_is_twin(paths[0], paths[0]));
	assert_false(refuse_is_twin(paths[1], paths[2]));
}

static void many_deletions(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct diff *d;
	struct err e;

	(void)state;
	for (int i = 0; i <= REFUSE_DELETES_MAX; i++)
		sbuf_addf(&s, "--- a/%d\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", i);
	assert_ok(diff_parse(s.buf, s.len, a, &d, &e), &e);
	assert_err(refuse_diff(d, a, &e), ERR_DENIED, &e, "deletes 501 files");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths),
		cmocka_unit_test(modes),
		cmocka_unit_test(diffs),
		cmocka_unit_test(case_pairs),
		cmocka_unit_test(many_deletions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
