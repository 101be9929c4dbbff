// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

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

static struct bench_output *parse(
	struct arena *a, const char *name, const char *text, size_t len)
{
	struct bench_output *o;
	struct err e;

	if (bench_parse(a, name, text, len, &o, &e) != 0)
		fail_msg("%s", e.msg);
	return o;
}

#define PIPE                                                                             \
	"# Running 'sched/pipe' benchmark:\n# Executed 20000 pipe operations between "   \
	"two "
#define ROWS "     Total time: 0.832 [sec]\n\n      41.638350 usecs/op\n"

static void pipe_texts(void **state)
{
	static const struct {
		const char *what, *text;
		size_t n_runs, n_metrics;
	} rows[] = {
		{"whole", PIPE "processes\n" ROWS "          24016 ops/sec\n", 1, 3},
		{"unit cut", PIPE "processes\n" ROWS "          24016 op", 1, 3},
		{"number perhaps cut", PIPE "processes\n" ROWS "          24016", 0, 0},
		{"rate wrapped", PIPE "processes\n" ROWS "24016\nops/sec\n", 1, 3},
		{"no rate", PIPE "processes\n" ROWS, 0, 0},
		{"rate 0", PIPE "processes\n" ROWS " 0 ops/sec\n", 0, 0},
		{"nan",
			PIPE
			"processes\nTotal time: nan [sec]\n nan usecs/op\n 1 ops/sec\n",
			0, 0},
		{"wrapped time",
			PIPE "processes\nTotal time:\n0.832 [sec]\n41.638350 "
			     "usecs/op\n24016 ops/sec",
			1, 3},
		{"decimal comma",
			PIPE
			"processes\nTotal time: 0,832 [sec]\n41,638350 usecs/op\n24016 "
			"ops/sec",
			1, 3},
		{"quoted", "> " PIPE "threads\n> " ROWS "> 24016 ops/sec (+2%) <---\n", 1,
			3},
		{"twice",
			PIPE "processes\n" ROWS "24016 ops/sec\n" PIPE "processes\n" ROWS
			     "24016 ops/sec\n",
			2, 3},
		{"another benchmark's",
			"# Running 'sched/messaging' benchmark:\n" ROWS
			" 24016 ops/sec\n",
			0, 0},
		{"simple", "0.473\n", 1, 1},
		{"simple, cut", "0.4", 0, 0},
		{"empty", "", 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct bench_output *o = parse(
			*state, "perf-sched-pipe", rows[i].text, strlen(rows[i].text));

		if (o->n_runs != rows[i].n_runs ||
			(o->n_runs && o->runs[0].n_metrics != rows[i].n_metrics))
			fail_msg("%s: %zu runs", rows[i].what, o->n_runs);
		assert_true((o->why != NULL) == (o->n_runs == 0));
	}
}

static void recorded(void **state)
{
	render_recorded(*state, "perf-sched-pipe");
	render_recorded(*state, "perf-sched-messaging");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pipe_texts, setup, teardown),
		cmocka_unit_test_setup_teardown(recorded, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
