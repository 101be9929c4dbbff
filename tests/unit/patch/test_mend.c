// SPDX-License-Identifier: GPL-2.0-or-later
/* Damaged diffs: what is proved is repaired to the very patch, all else is named. */
#include "base/base.h"

#include "patch/diff.h"
#include "patch/mend.h"
#include "tests/unit/patch/git.h"

#define OLD                                                                              \
	"#include <a.h>\n"                                                               \
	"\n"                                                                             \
	"static int pick(struct rq *rq, int cpu)\n"                                      \
	"{\n"                                                                            \
	"\tint left = budget(rq);\t/* what is left */\n"                                 \
	"\n"                                                                             \
	"\tif (left > limit)\n"                                                          \
	"\t\treturn scan(rq, left);\n"                                                   \
	"\treturn cpu;\n"                                                                \
	"}\n"
#define NEW                                                                              \
	"#include <a.h>\n"                                                               \
	"\n"                                                                             \
	"static int pick(struct rq *rq, int cpu)\n"                                      \
	"{\n"                                                                            \
	"\tint left = budget(rq);\t/* what is left */\n"                                 \
	"\n"                                                                             \
	"\tif (left > limit && feature(rq, SCAN) && !is_idle(cpu))\n"                    \
	"\t\treturn scan(rq, left);\t/* all */\n"                                        \
	"\tif (a == b)\n"                                                                \
	"\t\treturn a - b;\n"                                                            \
	"\treturn cpu;\n"                                                                \
	"}\n"

struct world {
	struct arena *a;
	const char *dir, *base;
	char *diff; /* of git, sound */
};

static void world_init(struct world *w, const char *dir)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	w->a = arena_new();
	w->dir = dir;
	git(w->dir, NULL, NULL, "init", "-q", ".");
	git_file(w->dir, "f.c", OLD);
	w->base = git_commit_all(w->a, w->dir);
	git_file(w->dir, "f.c", NEW);
	git(w->dir, NULL, &out, "diff");
	w->diff = arena_printf(w->a, "%s\n", out.buf);
	git_file(w->dir, "f.c", OLD);
}

static char *swap(struct arena *a, const char *text, const char *from, const char *to)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	const char *at;

	assert_non_null(strstr(text, from));
	for (; (at = strstr(text, from)) != NULL; text = at + strlen(from)) {
		sbuf_add(&out, text, (size_t)(at - text));
		sbuf_adds(&out, to);
	}
	sbuf_adds(&out, text);
	return arena_strdup(a, out.buf);
}

static struct apply_outcome *apply(struct world *w, const char *diff, bool buried)
{
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	git_request_init(&r, w->dir, w->base, diff);
	r.req.mend = r.req.unquote = true;
	r.patch.original = "one@example.org";
	if (buried) {
		r.patch.patch = "";
		r.patch.patch_len = 0;
		r.patch.buried = diff;
		r.patch.buried_len = strlen(diff);
	}
	assert_ok(apply_run(&r.req, w->a, &o, &e), &e);
	return o;
}

static bool has_note(const struct apply_outcome *o, const char *code)
{
	for (size_t i = 0; i < o->patches[0].n_notes; i++) {
		if (!strcmp(o->patches[0].notes[i].code, code))
			return true;
	}
	return false;
}

/* Applied as the sound diff is, with the note. */
static void expect_mended(
	struct world *w, const char *damaged, bool buried, const char *code)
{
	struct apply_outcome *want = apply(w, w->diff, false);
	struct apply_outcome *got = apply(w, damaged, buried);

	assert_int_equal(want->result, APPLY_APPLIED);
	if (got->result != APPLY_APPLIED || !has_note(got, code))
		fail_msg("%s: %s: %s\n%s", code, apply_result_name(got->result),
			got->error ? got->error : "", damaged);
	assert_string_equal(got->tree, want->tree);
}

static void expect_refused(
	struct world *w, const char *damaged, bool buried, const char *words)
{
	struct apply_outcome *got = apply(w, damaged, buried);

	assert_true(got->result == APPLY_CONFLICT || got->result == APPLY_REJECTED);
	if (!strstr(got->error, words))
		fail_msg("no \"%s\" in \"%s\"", words, got->error);
	assert_int_equal(got->n_commits, 0);
}

/* The diff with every line quoted. */
static char *quote(struct arena *a, const char *text)
{
	return arena_printf(a, "I say:\n> %s\nand more\n", swap(a, text, "\n", "\n> "));
}

static char *quoted_printable(struct arena *a, const char *text)
{
	return swap(a,
		swap(a, swap(a, text, "=", "=3D"), "left > limit", "left =\n> limit"),
		" \n", "=20\n");
}

static void test_mended(void **state)
{
	struct world w;

	world_init(&w, *state);
	expect_mended(
		&w, swap(w.a, w.diff, " \treturn cpu;\n }\n", ""), false, "tail_filled");
	expect_mended(
		&w, swap(w.a, w.diff, "return cpu;\n }\n", ""), false, "tail_filled");
	expect_mended(&w,
		arena_printf(w.a,
			"%s\nbase-commit: 0123456789012345678901234567890123456789\n-- "
			"\n2.39.5\n",
			swap(w.a, w.diff, " \treturn cpu;\n }\n", "")),
		false, "tail_filled");
	expect_mended(&w, swap(w.a, w.diff, " && !is", "\n&& !is"), false, "wrapped");
	expect_mended(
		&w, swap(w.a, w.diff, "return a - b", "return a\n- b"), false, "wrapped");
	expect_mended(
		&w, swap(w.a, w.diff, "/* what is", "/*\nwhat is"), false, "wrapped");
	arena_free(w.a);
}

/* Without being asked for, only told. */
static void test_not_asked(void **state)
{
	struct world w;
	struct apply_outcome *o;

	world_init(&w, *state);
	o = git_apply_ours(
		w.a, w.dir, w.base, swap(w.a, w.diff, " \treturn cpu;\n }\n", ""));
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_non_null(
		strstr(o->error, "ends inside a hunk (hunk 1 of f.c has 5 of its 7 old "
				 "lines); a repair is proved"));
	arena_free(w.a);
}

static void test_tabs(void **state)
{
	static const char *const became[] = {"        ", "    "};
	struct world w;

	world_init(&w, *state);
	for (size_t i = 0; i < ARRAY_LEN(became); i++)
		expect_mended(&w, swap(w.a, w.diff, "\t", became[i]), false, "tabs");
	arena_free(w.a);
}

static void test_text(void **state)
{
	struct world w;
	char *cut;

	world_init(&w, *state);
	cut = swap(w.a, w.diff, " \treturn cpu;\n }\n", "");
	expect_mended(&w, quoted_printable(w.a, w.diff), false, "qp_left");
	expect_mended(&w, quote(w.a, w.diff), true, "unquoted");
	expect_mended(&w, quote(w.a, cut), true, "tail_filled");
	expect_refused(&w, swap(w.a, quote(w.a, w.diff), "> @@", "no\n> @@"), true,
		"the quote leaves out parts of it");
	expect_refused(
		&w, swap(w.a, w.diff, "\n", " "), true, "not appliable as received");
	arena_free(w.a);
}

static void test_not_proved(void **state)
{
	struct world w;
	char *cut, *index;

	world_init(&w, *state);
	cut = swap(w.a, w.diff, " \treturn cpu;\n }\n", "");
	index = strstr(cut, "index ");
	/* another result, another base, no ids at all */
	index[6 + strcspn(index + 6, ".") + 2] ^= 1;
	expect_refused(&w, cut, false, "no repair makes the file");
	index[6] = index[6] == '0' ? '1' : '0';
	expect_refused(&w, cut, false, "is not in the repository");
	expect_refused(&w, cut, false, "Original: look up <one@example.org>");
	index[0] = 'x';
	expect_refused(&w, cut, false, "does not say by an index line");
	/* a lost file, by the diffstat */
	cut = swap(w.a, w.diff, " \treturn cpu;\n }\n", "");
	expect_refused(&w,
		arena_printf(w.a,
			"---\n f.c | 2 +-\n 2 files changed, 1 insertion(+)\n\n%s", cut),
		false, "the rest is lost");
	/* what was removed is not what the file has; a changed line is gone */
	expect_refused(&w, swap(w.a, cut, "-\tif (left", "-\tif (lost"), false,
		"not those of the version");
	expect_refused(&w, swap(w.a, w.diff, "+\tif (a == b)\n", ""), false, "f.c: ");
	arena_free(w.a);
}

static bool no_blob(void *arg, const char *hex, const char **ret, size_t *ret_len)
{
	(void)hex;
	*ret = arg;
	*ret_len = strlen(arg);
	return true;
}

/* Many added lines that could be joined in many ways: it ends, unproved. */
static void test_bounded(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct mend_input in = {.unquote = true, .blob = no_blob, .arg = (char *)OLD};
	struct mend m;

	(void)state;
	sbuf_adds(&text, "diff --git a/f.c b/f.c\nindex 1234567..89abcde 100644\n"
			 "--- a/f.c\n+++ b/f.c\n@@ -1,3 +1,2000 @@\n #include <a.h>\n");
	for (int i = 0; i < 4000; i++)
		sbuf_addf(&text, "+\tx%d\n", i);
	sbuf_adds(&text, "wrapped\n");
	in.text = text.buf;
	in.len = text.len;
	mend_patch(&in, a, &m);
	assert_int_equal(m.end, MEND_UNPROVED);
	assert_non_null(m.why);
	in.text = "diff --git a/f.c b/f.c\nindex 1234567..89abcde 100644\n--- a/f.c\n"
		  "+++ b/f.c\n@@ -999999999,999999999 +1,999999999 @@\n x\nwrapped\n";
	in.len = strlen(in.text);
	mend_patch(&in, a, &m);
	assert_int_equal(m.end, MEND_UNPROVED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(test_mended),
		unit_folder_test(test_not_asked),
		unit_folder_test(test_tabs),
		unit_folder_test(test_text),
		unit_folder_test(test_not_proved),
		cmocka_unit_test(test_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
