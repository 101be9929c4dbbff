/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_buildlog.c - steps, errors and warnings in what make printed. */
#include "base/base.h"

#include "runners/buildlog.h"
#include <setjmp.h>
#include <stdarg.h>
/* after the above */
#include <cmocka.h>

/* A build of the sample's series 0006, cut to what matters. */
static const char broken[] =
	"make: Entering directory '/c/src/sample/files'\n"
	"make[1]: Entering directory '/c/build/out'\n"
	"  SYNC    include/config/auto.conf.cmd\n"
	"  GEN     Makefile\n"
	"  CC      kernel/sched/core.o\n"
	"In file included from /c/src/sample/files/kernel/sched/core.c:81:\n"
	"/c/src/sample/files/kernel/sched/core.c: In function 'ttwu_stat':\n"
	"/c/src/sample/files/kernel/sched/core.c:3632:43: error: 'struct rq' has no "
	"member "
	"named 'ttwu_cross_llc'\n"
	" 3632 |                         __schedstat_inc(rq->ttwu_cross_llc);\n"
	"/c/src/sample/files/kernel/sched/fair.c:10:5: warning: unused variable 'x' "
	"[-Wunused-variable]\n"
	"make[4]: *** [/c/src/sample/files/scripts/Makefile.build:250: "
	"kernel/sched/core.o] "
	"Error 1\n"
	"make[3]: *** [/c/src/sample/files/scripts/Makefile.build:500: kernel/sched] "
	"Error 2\n";

static void compile_error(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct build_log *b =
		buildlog_parse(a, broken, sizeof(broken) - 1, "/c/src/sample/files");

	(void)state;
	assert_int_equal(3, b->n_steps);
	assert_int_equal(1, b->n_compiles);
	assert_int_equal(1, b->n_errors);
	assert_string_equal("kernel/sched/core.c", b->errors[0].path);
	assert_int_equal(3632, b->errors[0].line);
	assert_string_equal(
		"'struct rq' has no member named 'ttwu_cross_llc'", b->errors[0].text);
	assert_int_equal(1, b->n_warnings);
	assert_string_equal("kernel/sched/fair.c", b->warnings[0].path);
	assert_non_null(strstr(b->stopped, "kernel/sched/core.o"));
	assert_false(b->starved);
}

static void other_errors(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] = "ld: kernel/sched/fair.o: in function `pick': "
				   "fair.c:(.text+0x1): undefined "
				   "reference to `nowhere'\n"
				   "../kernel/sched/Kconfig:12: syntax error\n"
				   "make[2]: *** No rule to make target 'kernel/x.o', "
				   "needed by 'y'.  Stop.\n"
				   "../include/linux/sched.h:5:1: fatal error: nope.h: "
				   "No such file or directory\n";
	struct build_log *b = buildlog_parse(a, text, sizeof(text) - 1, NULL);

	(void)state;
	assert_int_equal(4, b->n_errors);
	assert_non_null(strstr(b->errors[0].text, "undefined reference to `nowhere'"));
	assert_string_equal("kernel/sched/Kconfig", b->errors[1].path);
	assert_int_equal(12, b->errors[1].line);
	assert_string_equal("include/linux/sched.h", b->errors[3].path);
	assert_string_equal("nope.h: No such file or directory", b->errors[3].text);
}

static void starved(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] =
		"gcc: fatal error: Killed signal terminated program cc1\n";

	(void)state;
	assert_true(buildlog_parse(a, text, sizeof(text) - 1, NULL)->starved);
}

static void steps(void **state)
{
	static const char *const yes[] = {"  CC      a.o", "  AR      built-in.a",
		"  VDSO2C  x.c", "  LD      vmlinux"};
	static const char *const no[] = {"", "  ", "CC a.o", "  cc a.o", "   CC a",
		"  C x", " 3632 |   __schedstat", "  CC"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(yes); i++)
		assert_true(buildlog_is_step(yes[i], strlen(yes[i])));
	for (size_t i = 0; i < ARRAY_LEN(no); i++)
		assert_false(buildlog_is_step(no[i], strlen(no[i])));
}

static void new_warnings(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct build_issue base[] = {{"a.c", 10, "unused x"}, {NULL, 0, "objtool says"}};
	struct build_issue now[] = {{"a.c", 17, "unused x"}, {"b.c", 10, "unused x"},
		{NULL, 0, "objtool says"}};
	struct build_log log = {.warnings = now, .n_warnings = ARRAY_LEN(now)};
	struct build_issue *v;
	json_auto_t *j = NULL;
	struct err e = {0};
	size_t n;

	(void)state;
	buildlog_new_warnings(a, &log, base, ARRAY_LEN(base), &v, &n);
	assert_int_equal(1, n);
	assert_string_equal("b.c", v[0].path);
	j = buildlog_issues_json(now, ARRAY_LEN(now));
	assert_int_equal(0, buildlog_issues_from_json(a, j, &v, &n, &e));
	assert_int_equal(3, n);
	assert_null(v[2].path);
	assert_int_equal(17, v[0].line);
}

static void any_bytes(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] =
		"\xff\0: error: \n:::error: warning: \n  \n: error: x\n\nerror: ";

	(void)state;
	assert_non_null(buildlog_parse(a, text, sizeof(text) - 1, "/x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compile_error),
		cmocka_unit_test(other_errors),
		cmocka_unit_test(starved),
		cmocka_unit_test(steps),
		cmocka_unit_test(new_warnings),
		cmocka_unit_test(any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
