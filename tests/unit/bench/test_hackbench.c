// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

#define BANNER                                                                           \
	"Running in process mode with 1 groups using 40 file descriptors each (== 40 "   \
	"tasks)\nEach sender will pass 100 messages of 100 bytes\n"

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

static struct bench_output *parse(struct arena *a, const char *text, size_t len)
{
	struct bench_output *o;
	struct err e;

	if (bench_parse(a, "hackbench", text, len, &o, &e) != 0)
		fail_msg("%s", e.msg);
	return o;
}

/* Values as printed, for texts with one odd thing each; -1 ends a row. */
static void texts(void **state)
{
	static const struct {
		const char *what, *text;
		double times[4];
	} rows[] = {
		{"plain", BANNER "Time: 3.169\n", {3.169, -1}},
		{"no newline", BANNER "Time: 3.169", {3.169, -1}},
		{"zero is a time", BANNER "Time: 0.000\n", {0, -1}},
		{"only the time", "Time: 1.000\n", {1, -1}},
		{"remark", BANNER "Time: 13.104 (+3%) <---\n", {13.104, -1}},
		{"quoted thrice", "> >> > Time: 0.220\n", {0.220, -1}},
		{"indented, tabs", "\t >\tTime:\t0.220\n", {0.220, -1}},
		{"wrapped value", BANNER "Time:\n3.169\n", {3.169, -1}},
		{"wrapped banner",
			"> Running in threaded mode with 2 groups using 40 file\n"
			"> descriptors each (== 80 tasks)\n> Time: 1.5\n> Time: 1.315\n",
			{1.315, -1}},
		{"CRLF and colours", BANNER "\033[1;32mTime: 0.105\033[0m\r\n",
			{0.105, -1}},
		{"tput sgr0", BANNER "Time: \033(B\033[m0.105\n", {0.105, -1}},
		{"lone CR", "progress\rTime: 0.105\r", {0.105, -1}},
		{"decimal comma", BANNER "Time: 3,169\nTime: 2,000\n", {3.169, 2, -1}},
		{"not UTF-8", "\xff\xfeTime: 3.169 \xfc\n", {3.169, -1}},
		{"cut number", BANNER "Time: 3.1", {-1}},
		{"cut at the point", BANNER "Time: 3.", {-1}},
		{"four decimals", BANNER "Time: 3.1690\n", {-1}},
		{"nan", BANNER "Time: nan\n", {-1}},
		{"negative", BANNER "Time: -1.000\n", {-1}},
		{"inside a word", BANNER "Total Time: 3.169\nmyTime: 1.000\n", {-1}},
		{"interrupted", BANNER "Signal 2 caught, longjmp'ing out!\nTime: 0.585\n",
			{-1}},
		{"interrupted, then a good run",
			BANNER "Signal 2 caught, longjmp'ing out!\nTime: 0.585\n" BANNER
			       "Time: 1.000\n",
			{1, -1}},
		{"interrupted without a Time line, then a good run",
			BANNER "Signal 15 caught, longjmp'ing out!\n" BANNER
			       "Time: 1.000\n",
			{1, -1}},
		{"sender error",
			BANNER "SENDER: write (error: Broken pipe)\nTime: 0.010\n", {-1}},
		{"receiver error", BANNER "RECEIVER: read (error: EOF)\nTime: 0.010\n",
			{-1}},
		{"fork failed",
			BANNER "fork() (error: Resource temporarily unavailable)\n"
			       "Time: 0.010\n",
			{-1}},
		{"kernel line between",
			BANNER "[    1.234567] Time: 9.999\nTime: 1.000\n", {1, -1}},
		{"older hackbench", "Running with 10*40 (== 400) tasks.\nTime: 0.383\n",
			{0.383, -1}},
		{"quoted-printable",
			"Running in process mode (=3D=3D 40 tasks)\nTime: 1.000\n",
			{1, -1}},
		{"empty", "", {-1}},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench_output *o =
			parse(*state, rows[i].text, strlen(rows[i].text));
		size_t n = 0;

		while (rows[i].times[n] >= 0)
			n++;
		if (o->n_runs != n)
			fail_msg("%s: %zu runs, want %zu", rows[i].what, o->n_runs, n);
		for (size_t k = 0; k < n; k++)
			if (o->runs[k].metrics[0].value != rows[i].times[k])
				fail_msg("%s: %g", rows[i].what,
					o->runs[k].metrics[0].value);
		if (n == 0)
			assert_non_null(o->why);
	}
}

static void nul_bytes(void **state)
{
	static const char text[] = "Ti\0me: 3.169\n";
	struct bench_output *o = parse(*state, text, sizeof(text) - 1);

	assert_int_equal(o->n_runs, 1);
}

static int64_t param(const struct bench_run *r, const char *name)
{
	for (size_t i = 0; i < r->n_params; i++)
		if (strcmp(r->params[i].name, name) == 0)
			return r->params[i].number;
	return -1;
}

static void params_and_metric(void **state)
{
	static const char text[] =
		"> Running in threaded mode with 2 groups using 40 file\n"
		"> descriptors each (== 80 tasks)\n"
		"> Each sender will pass 200 messages of\n> 100 bytes\nTime: "
		"1.315\nTime: 2.000\n";
	struct bench_output *o = parse(*state, text, strlen(text));
	const struct bench_metric *m;

	assert_int_equal(o->n_runs, 2);
	assert_string_equal(o->runs[0].params[0].text, "thread");
	assert_int_equal(param(&o->runs[0], "groups"), 2);
	assert_int_equal(param(&o->runs[0], "fds"), 40);
	assert_int_equal(param(&o->runs[0], "tasks"), 80);
	assert_int_equal(param(&o->runs[0], "loops"), 200);
	assert_int_equal(param(&o->runs[0], "bytes"), 100);
	assert_int_equal(o->runs[1].n_params, 0); /* nothing was said about it */
	m = bench_run_primary(&o->runs[0]);
	assert_string_equal(m->name, "time");
	assert_string_equal(m->unit, "s");
	assert_int_equal(m->better, BENCH_LOWER);
	assert_true(isnan(m->percentile));
}

static void limits(void **state)
{
	static char big[BENCH_TEXT_MAX + 1];
	struct bench_output *o;
	struct err e;

	assert_int_equal(
		bench_parse(*state, "hackbench", big, sizeof(big), &o, &e), ERR_TOO_BIG);
	assert_int_equal(bench_parse(*state, "nosuch", "", 0, &o, &e), ERR_NOT_FOUND);
}

static void null_values(void **state)
{
	static const char text[] = "# param block=3\n1.5\n\n# remark\n2e\n7\n";
	struct bench_output *o;
	struct err e;

	assert_int_equal(bench_parse(*state, "null", text, strlen(text), &o, &e), 0);
	assert_int_equal(o->n_runs, 1); /* "2e" was cut: what follows is not trusted */
	assert_true(o->runs[0].metrics[0].value == 1.5);
	assert_int_equal(param(&o->runs[0], "block"), 3);
	assert_int_equal(bench_parse(*state, "null", "x", 1, &o, &e), 0);
	assert_non_null(o->why);
}

static void recorded(void **state)
{
	render_recorded(*state, "hackbench");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts, setup, teardown),
		cmocka_unit_test_setup_teardown(nul_bytes, setup, teardown),
		cmocka_unit_test_setup_teardown(params_and_metric, setup, teardown),
		cmocka_unit_test_setup_teardown(limits, setup, teardown),
		cmocka_unit_test_setup_teardown(null_values, setup, teardown),
		cmocka_unit_test_setup_teardown(recorded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
