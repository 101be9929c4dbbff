// SPDX-License-Identifier: GPL-2.0-or-later
/* Diffs whose line ends became blanks: what they name, what a base has of them, and by
 * which commit; none is ever applied. */
#include "base/base.h"

#include "patch/folded.h"
#include "patch/kernel_names.h"
#include "tests/unit/patch/git.h"

#define CORE                                                                             \
	"/* a\n * b\n * c\n */\n"                                                        \
	"int pick(struct rq *rq, int cpu)\n"                                             \
	"{\n"                                                                            \
	"\tint left = budget(rq) + extra(rq);\n"                                         \
	"%s"                                                                             \
	"\treturn scan(rq, left);\n"                                                     \
	"}\n"                                                                            \
	"\n"                                                                             \
	"int look(struct rq *rq, int cpu)\n"                                             \
	"{\n"                                                                            \
	"\tint n = rq->n;\n"                                                             \
	"%s"                                                                             \
	"\treturn n + cpu;\n"                                                            \
	"}\n"                                                                            \
	"\n"                                                                             \
	"int tell(struct rq *rq, int cpu)\n"                                             \
	"{\n"                                                                            \
	"\tlock(rq);\n"                                                                  \
	"%s"                                                                             \
	"\tpush(rq, cpu);\n"                                                             \
	"\treturn 1;\n"                                                                  \
	"}\n"
#define OWN  "\tif (cpu == this_cpu())\n\t\treturn 0;\n\n"
#define WARN "\tif (WARN_ON(cpu == this_cpu()))\n\t\treturn 0;\n\n"
#define IDLE "\tif (is_idle(cpu) && !is_busy(rq))\n\t\treturn 1;\n\n"

struct world {
	struct arena *a;
	const char *dir, *tip;
	char *diff; /* sound; base: between the two */
};

static void put(struct world *w, const char *title)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	git(w->dir, NULL, NULL, "add", "-A", "-f", ".");
	git(w->dir, NULL, NULL, "commit", "-q", "--allow-empty", "-m", title);
	git(w->dir, NULL, &out, "rev-parse", "HEAD");
	w->tip = arena_strdup(w->a, out.buf);
}

static void make_folder(struct world *w, const char *name)
{
	struct err e;

	assert_ok(file_mkdir_p(arena_printf(w->a, "%s/%s", w->dir, name), 0755, &e), &e);
}

static char *core(struct world *w, const char *pick, const char *look, const char *tell)
{
	return arena_printf(w->a, CORE, pick, look, tell);
}

/* The author's change: OWN in pick(), IDLE in look(), WARN away from tell(). */
static void world_init(struct world *w, const char *dir)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	w->a = arena_new();
	w->dir = dir;
	git(dir, NULL, NULL, "init", "-q", "-b", "main", ".");
	git_file(dir, "core.c", core(w, "", "", WARN));
	put(w, "before");
	git_file(dir, "core.c", core(w, OWN, IDLE, ""));
	git(dir, NULL, &out, "diff", "-U1");
	w->diff = arena_printf(w->a, "%s\n", out.buf);
	git_file(dir, "core.c", core(w, "", "", WARN));
}

static char *fold(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	for (char *p = copy; *p; p++)
		*p = *p == '\n' || *p == '\t' ? ' ' : *p;
	return copy;
}

/* The answer to the folded diff at tip. */
static const char *answer(struct world *w, const char *diff)
{
	const char *text = fold(w->a, diff);
	struct git_request r;
	struct apply_outcome *o;
	struct err e;

	git_request_init(&r, w->dir, w->tip, "");
	r.req.mend = r.req.unquote = true;
	r.patch.original = "one@example.org";
	r.patch.patch_len = 0;
	r.patch.buried = text;
	r.patch.buried_len = strlen(text);
	assert_ok(apply_run(&r.req, w->a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_int_equal(o->n_commits, 0);
	assert_null(o->tree);
	return o->error;
}

static void expect(struct world *w, const char *diff, const char *words)
{
	const char *error = answer(w, diff);

	if (!strstr(error, words))
		fail_msg("no \"%s\" in \"%s\"", words, error);
	assert_non_null(strstr(error, "not appliable as received"));
	assert_non_null(strstr(error, ". Original: look up <one@example.org>"));
}

static char *swap(struct arena *a, const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);

	assert_non_null(at);
	return arena_printf(a, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void test_not_there(void **state)
{
	struct world w;
	const char *error;

	world_init(&w, *state);
	error = answer(&w, w.diff);
	assert_null(strstr(error, "contained"));
	assert_null(strstr(error, "By its words"));
	arena_free(w.a);
}

/* Another version of it was merged: told with the commit, where history has it. */
static void test_superseded(void **state)
{
	struct world w;
	const char *by;

	world_init(&w, *state);
	git_file(w.dir, "other.c", "int x;\n");
	put(&w, "other");
	git_file(w.dir, "core.c", core(&w, OWN, "", ""));
	put(&w, "core: Own CPU first");
	by = arena_strndup(w.a, w.tip, 12);
	git_file(w.dir, "other.c", "int y;\n");
	put(&w, "other again");
	expect(&w, w.diff,
		arena_printf(w.a,
			"its change is contained in the base in part: hunks 1, 3 of 3 of "
			"core.c, but not hunk 2 of 3 of core.c; superseded by %s "
			"(\"core: "
			"Own CPU first\")",
			by));
	git_file(w.dir, "core.c", core(&w, OWN, IDLE, ""));
	put(&w, "core: All of it");
	expect(&w, w.diff,
		arena_printf(
			w.a, "its change is contained in the base, as %s (\"core: ", by));
	arena_free(w.a);
}

/* A base of one commit: what is there is said, but not since when. */
static void test_no_history(void **state)
{
	struct world w;
	const char *error;

	world_init(&w, *state);
	git_file(w.dir, "core.c", core(&w, OWN, IDLE, ""));
	git(w.dir, NULL, NULL, "checkout", "-q", "--orphan", "import");
	put(&w, "import");
	expect(&w, w.diff, "its change is contained in the base. Original");
	error = answer(&w, w.diff);
	assert_null(strstr(error, "(\""));
	arena_free(w.a);
}

static void test_names(void **state)
{
	struct world w;

	world_init(&w, *state);
	expect(&w,
		swap(w.a, swap(w.a, w.diff, "a/core.c\n+++", "a/gone.c\n+++"),
			"b/core.c\n@@", "b/gone.c\n@@"),
		"gone.c does not exist at this base");
	expect(&w, swap(w.a, w.diff, "int tell(", "int tell_all("),
		"core.c has no tell_all() at this base");
	make_folder(&w, "kernel/sched");
	git_file(w.dir, "kernel/sched/fair.c",
		"static int newidle_balance(struct rq *rq)\n{\n\treturn pull(rq);\n}\n");
	put(&w, "kernel");
	expect(&w,
		"--- linux.orig/kernel/sched_fair.c\t2011-11-18 10:00:00.000000000 "
		"+0100\n"
		"+++ linux/kernel/sched_fair.c\t2011-11-18 10:00:01.000000000 +0100\n"
		"@@ -10,4 +10,5 @@ static int idle_balance(struct rq *rq)\n {\n"
		"+\tif (rq->wake_list)\n+\t\treturn 0;\n-\tcount(rq);\n \treturn "
		"pull(rq);\n }\n",
		"kernel/sched_fair.c is an obsolete path, the base has it as "
		"kernel/sched/fair.c (since v3.3); idle_balance() is newidle_balance() "
		"there");
	expect(&w,
		"--- a/core.c\n+++ b/core.c\n@@ -3,4 +3,5 @@ struct shard {\n"
		" \tint lock;\n+\tint overload;\n };\n"
		"@@ -10,6 +10,7 @@ int pick(struct rq *rq, int cpu)\n \tint x;\n"
		"+\tcount_picks(rq, cpu);\n \treturn scan(rq, left);\n",
		"core.c has no type shard at this base; only hunk 2 of 2 of core.c would "
		"have a place, and a patch goes as a whole");
	arena_free(w.a);
}

/* Words, marks and undecoded quoted-printable. */
static void test_read(void **state)
{
	static const char text[] =
		"diff --git a/d/f.c b/d/f.c index 1234567..89abcde 100644 --- a/d/f.c "
		"+++ "
		"b/d/f.c @@ -3,3 +3,4 @@ static int pick(struct rq *rq, int c= pu) { int "
		"a =3D b; =20 + if (a =3D=3D rq->left) + return 1; - go(); -- 2.39.2";
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct folded_word line;
	struct folded d;
	const char *file = "int pick(void)\n{\n\tif (a == rq->left)\n\t\treturn 1;\n}\n";

	(void)state;
	folded_read(text, strlen(text), a, &d);
	assert_int_equal(d.n_files, 1);
	assert_string_equal(d.files[0].path, "d/f.c");
	assert_int_equal(d.files[0].n_hunks, 1);
	assert_string_equal(d.files[0].hunks[0].name, "pick");
	assert_int_equal(d.files[0].hunks[0].old_n, 3);
	assert_int_equal(d.files[0].hunks[0].new_n, 4);
	assert_int_equal(folded_compare(&d.files[0].hunks[0], "pick", file, strlen(file),
				 a, &line),
		FOLDED_PRESENT);
	assert_int_equal(line.len, strlen("\tif (a == rq->left)\n"));
	/* no such function; counts at odds with the marks */
	assert_int_equal(folded_compare(&d.files[0].hunks[0], "pack", file, strlen(file),
				 a, &line),
		FOLDED_UNKNOWN);
	d.files[0].hunks[0].new_n = 9;
	assert_int_equal(
		folded_compare(&d.files[0].hunks[0], "pick", file, strlen(file), a, NULL),
		FOLDED_UNKNOWN);
	folded_read("@@ -1 +1 @@ x", 13, a, &d);
	assert_int_equal(d.n_files, 0);
	assert_true(folded_has_word("a pick(", 7, "pick"));
	assert_false(folded_has_word("a pick_1(", 9, "pick"));
}

/* No circle, no longer chain than is said. */
static void test_kernel_names(void **state)
{
	const struct kernel_name *k;
	int n = 0;

	(void)state;
	for (k = kernel_function_next("idle_balance"); k; n++)
		k = kernel_function_next(k->is);
	assert_in_range(n, 1, KERNEL_NAMES_CHAIN);
	n = 0;
	for (k = kernel_path_next("kernel/sched_idletask.c"); k; n++)
		k = kernel_path_next(k->is);
	assert_in_range(n, 2, KERNEL_NAMES_CHAIN);
	assert_null(kernel_path_next("kernel/sched/fair.c"));
}

/* Sound patches that the base has: by which commit. */
static void test_since(void **state)
{
	struct world w;
	const struct apply_note *last;
	struct apply_outcome *o;
	const char *want;

	world_init(&w, *state);
	git_file(w.dir, "core.c", core(&w, OWN, IDLE, ""));
	put(&w, "core: Merged");
	want = arena_printf(w.a,
		"core.c: hunk 1 of 3 is there since %.12s (\"core: Merged\")", w.tip);
	git(w.dir, NULL, NULL, "checkout", "-q", "-b", "side");
	git_file(w.dir, "other.c", "int x;\n");
	put(&w, "other");
	git(w.dir, NULL, NULL, "checkout", "-q", "main");
	git_file(w.dir, "core.c",
		arena_printf(w.a, "/* top */\n%s", core(&w, OWN, IDLE, "")));
	put(&w, "core: A line above");
	git(w.dir, NULL, NULL, "merge", "-q", "-m", "a merge", "side");
	put(&w, "on top");
	o = git_apply_ours(w.a, w.dir, w.tip, w.diff);
	assert_int_equal(o->result, APPLY_ALREADY);
	last = &o->patches[0].notes[o->patches[0].n_notes - 1];
	assert_string_equal(last->code, "in_base_since");
	assert_string_equal(last->detail, want);
	arena_free(w.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(test_not_there),
		unit_folder_test(test_superseded),
		unit_folder_test(test_no_history),
		unit_folder_test(test_names),
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_kernel_names),
		unit_folder_test(test_since),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
