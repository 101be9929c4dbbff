// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers of the scanner, good and bad; and the scanner itself where it is installed. */
#include "base/base.h"

#include "base/proc.h"
#include "plan/ctags.h"
#include "tests/unit/unit.h"

#define DONE "{\"_type\": \"completed\", \"command\": \"generate-tags\"}\n"
#define TAG(name, kind, line, end)                                                       \
	"{\"_type\": \"tag\", \"name\": \"" name "\", \"line\": " #line                  \
	", \"kind\": \"" kind "\", \"end\": " #end "}\n"

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

static void answers_in_order(void **state)
{
	static const char out[] =
		"{\"_type\": \"program\", \"name\": \"Universal Ctags\", \"version\": "
		"\"5\"}\n" TAG("f", "function", 3, 9) TAG("__anon12", "struct", 4, 5)
			TAG("M", "macro", 1, 1) TAG("what", "label", 2, 2)
				DONE DONE TAG("s", "struct", 1, 2) DONE;
	struct ctags_answer v[3];

	assert_int_equal(ctags_parse(*state, out, sizeof(out) - 1, 3, v), 3);
	assert_int_equal(v[0].n, 2);
	assert_string_equal(v[0].spans[0].name, "f");
	assert_int_equal(v[0].spans[0].kind, TOUCH_FUNCTION);
	assert_int_equal(v[0].spans[0].line, 3);
	assert_int_equal(v[0].spans[0].end, 9);
	assert_int_equal(v[0].spans[1].kind, TOUCH_MACRO);
	assert_true(v[1].ok);
	assert_int_equal(v[1].n, 0);
	assert_int_equal(v[2].spans[0].kind, TOUCH_TYPE);
}

/* It died within the second text: the first counts, the rest does not. */
static void died(void **state)
{
	static const char out[] = TAG("f", "function", 3, 9) DONE TAG(
		"g", "function", 1, 2) "{\"_type\": \"tag\", \"name\": \"h\", \"li";
	struct ctags_answer v[3];

	assert_int_equal(ctags_parse(*state, out, sizeof(out) - 1, 3, v), 1);
	assert_true(v[0].ok);
	assert_false(v[1].ok);
	assert_int_equal(v[1].n, 0);
	assert_false(v[2].ok);
}

static void nonsense_is_skipped(void **state)
{
	static const char out[] = "\n[1]\nnull\n{}\n\xff\xfe\n" TAG("", "function", 1,
		2) TAG("a", "function", 0, 2) TAG("b", "function", -3, 2) TAG("c",
		"function", 1,
		99999999999) "{\"_type\": \"tag\", \"line\": 1, \"kind\": \"function\"}\n"
			     "{\"_type\": \"tag\", \"name\": 7, \"line\": 1, \"kind\": "
			     "\"function\"}\n"
			     "{\"_type\": \"tag\", \"name\": \"no_end\", \"line\": 1, "
			     "\"kind\": "
			     "\"function\"}\n" DONE DONE DONE;
	struct ctags_answer v[1];

	assert_int_equal(ctags_parse(*state, out, sizeof(out) - 1, 1, v), 1);
	assert_int_equal(v[0].n, 1);
	assert_string_equal(v[0].spans[0].name, "no_end");
	assert_int_equal(v[0].spans[0].end, 0);
}

static void too_many_is_no_answer(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct ctags_answer v[2];

	for (int i = 0; i <= CTAGS_SPANS_MAX; i++)
		sbuf_adds(&s, TAG("f", "function", 3, 9));
	sbuf_adds(&s, DONE TAG("g", "function", 1, 1) DONE);
	assert_int_equal(ctags_parse(*state, s.buf, s.len, 2, v), 2);
	assert_false(v[0].ok);
	assert_int_equal(v[0].n, 0);
	assert_true(v[1].ok);
	assert_int_equal(v[1].n, 1);
}

static void names_of_files(void **state)
{
	(void)state;
	assert_true(ctags_reads("kernel/sched/fair.c"));
	assert_true(ctags_reads("include/linux/sched.h"));
	assert_false(ctags_reads("kernel/sched/Makefile"));
	assert_false(ctags_reads(".c"));
	assert_false(ctags_reads("x.rs"));
}

/* Runs the real one, which scripts/setup installs. */
static void scan(struct arena *a, const struct sbuf *in, size_t n, struct ctags_answer *v)
{
	struct proc_spec spec = {.argv = ctags_argv,
		.clear_env = true,
		.in = in->buf,
		.in_len = in->len,
		.deadline_ms = CTAGS_RUN_MS,
		.out_cap_bytes = CTAGS_OUT_MAX_BYTES,
		.mem_limit_bytes = CTAGS_MEM_BYTES,
		.no_new_privs = true,
		.die_with_parent = true};
	struct proc_result r;
	struct err e;

	proc_result_init(&r);
	if (proc_run(&spec, &r, &e) != 0)
		fail_msg("%s", e.msg);
	if (r.exit_status != 0)
		fail_msg("ctags ended with %d: %s", r.exit_status, r.err.buf);
	ctags_parse(a, r.out.buf, r.out.len, n, v);
	proc_result_release(&r);
}

static void the_real_scanner(void **state)
{
	static const char code[] =
		"#define FOR_ALL(x) \\\n\tfor (x = 0; \\\n\t\tx < 8; x++)\n"
		"static inline unsigned long\nfirst(int a)\n{\n"
		"#ifdef CONFIG_A\n\tif (a) {\n#else\n\tif (!a) {\n#endif\n\t\treturn 1;\n"
		"\t}\n}\nvoid __sched second(void) __releases(rq->lock)\n{\n}\n"
		"struct sd {\n\tint a;\n};\nstatic const int table[] = {\n\t1,\n};\n"
		"SYSCALL_DEFINE1(nice, int, n)\n{\n\treturn 0;\n}\n";
	static const struct touch_span want[] = {{"FOR_ALL", TOUCH_MACRO, 1, 3},
		{"first", TOUCH_FUNCTION, 5, 14}, {"second", TOUCH_FUNCTION, 15, 17},
		{"sd", TOUCH_TYPE, 18, 20}, {"table", TOUCH_DATA, 21, 23},
		{"SYSCALL_DEFINE1", TOUCH_FUNCTION, 24, 27}};
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;
	struct ctags_answer v[2];

	ctags_ask(&in, code, sizeof(code) - 1);
	ctags_ask(&in, "", 0);
	scan(*state, &in, 2, v);
	assert_true(v[0].ok);
	assert_true(v[1].ok);
	assert_int_equal(v[0].n, ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		assert_string_equal(v[0].spans[i].name, want[i].name);
		assert_int_equal(v[0].spans[i].kind, want[i].kind);
		assert_int_equal(v[0].spans[i].line, want[i].line);
		assert_int_equal(v[0].spans[i].end, want[i].end);
	}
}

/* Text that looks like the protocol, that is no text, that never ends: the next text is
 * still found. */
static void hostile_texts(void **state)
{
	static const char *const texts[] = {DONE TAG("x", "function", 1, 1),
		"{\"command\":\"generate-tags\",\"filename\":\"/etc/passwd\"}\n",
		"int f(void) {{{{{{{{ \"", "\\\n\\\n/* ' \" ",
		"}}}}\n#if 0\n#else\n#else\n", "int \xff\xfe_name(void)\n{\n}\n",
		"#define f( \\\n", "/\\n\r\r\n"};
	CLEANUP(sbuf_release) struct sbuf in = SBUF_INIT;
	struct ctags_answer v[ARRAY_LEN(texts) + 2];
	static const char nul[] = "int a\0b(void)\n{\0}\n";

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		ctags_ask(&in, texts[i], strlen(texts[i]));
	ctags_ask(&in, nul, sizeof(nul) - 1);
	ctags_ask(&in, "int last(void)\n{\n}\n", 19);
	scan(*state, &in, ARRAY_LEN(v), v);
	assert_true(v[ARRAY_LEN(v) - 1].ok);
	assert_int_equal(v[ARRAY_LEN(v) - 1].n, 1);
	assert_string_equal(v[ARRAY_LEN(v) - 1].spans[0].name, "last");
	assert_int_equal(v[0].n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_in_order),
		cmocka_unit_test(died),
		cmocka_unit_test(nonsense_is_skipped),
		cmocka_unit_test(too_many_is_no_answer),
		cmocka_unit_test(names_of_files),
		cmocka_unit_test(the_real_scanner),
		cmocka_unit_test(hostile_texts),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
