// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/plan.h"
#include "tests/golden/golden.h"
#include "tests/unit/plan/touch_of.h"

#define BASE    "1111111111111111111111111111111111111111"
#define PATCHED "2222222222222222222222222222222222222222"
#define OTHER   "3333333333333333333333333333333333333333"

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

#define FAIR "kernel/sched/fair.c"

/* Where functions are in every file of these tests; above line 10 there is none. */
static const struct touch_span known[] = {
	{"select_idle_cpu", TOUCH_FUNCTION, 10, 19},
	{"select_idle_sibling", TOUCH_FUNCTION, 20, 29},
	{"ttwu_queue_cond", TOUCH_FUNCTION, 30, 39},
	{"wake_affine_1", TOUCH_FUNCTION, 40, 49},
	{"wake_affine_2", TOUCH_FUNCTION, 50, 59},
	{"wake_affine_3", TOUCH_FUNCTION, 60, 69},
	{"wake_affine_4", TOUCH_FUNCTION, 70, 79},
};
#define N_LINES 80

/* One line changed in a file, to what another one is. */
static const char *change(struct arena *a, const char *path, int line, const char *to)
{
	return arena_printf(a, "--- a/%s\n+++ b/%s\n@@ -%d +%d @@\n-\tint a;\n+%s\n",
		path, path, line, line, to);
}

static struct touch_side side(struct arena *a, bool scanned)
{
	const char *text = "";

	for (int i = 0; scanned && i < N_LINES; i++)
		text = arena_printf(a, "%s\tint a;\n", text);
	return (struct touch_side){
		text, strlen(text), known, ARRAY_LEN(known), .has_spans = scanned};
}

static void fill(struct arena *a, struct touch_file *f, size_t i, const void *scanned)
{
	(void)i;
	f->base = side(a, *(const bool *)scanned);
	f->patched = side(a, *(const bool *)scanned);
}

static const struct touch *touched(struct arena *a, const char *patch, bool scanned)
{
	return touch_of(a, patch, fill, &scanned);
}

static const char *const topologies[] = {"guest-1l8", "guest-2l4"};
static const struct plan_bench benches[] = {
	{"hackbench", "process-pipe", "1-groups", "hackbench -p -g 1 -l 200", 1, 3},
	{"hackbench", "process-sockets", "1-groups", "hackbench -g 1 -l 200", 1, 3},
};

static struct plan_input input(struct arena *a)
{
	return (struct plan_input){
		.root_msgid = "20260101120000.1-1-dev@example.org",
		.series_version = 1,
		.base_tree = BASE,
		.patched_tree = PATCHED,
		.touch = touched(a, change(a, FAIR, 1, "\tint b;"), true),
		.arch = "x86_64",
		.config_id = "x86-gcc12",
		.topologies = topologies,
		.n_topologies = 2,
		.tier = PLAN_EMULATED,
		.k_blocks = 2,
		.benches = benches,
		.n_benches = 2,
	};
}

static struct plan *make(struct arena *a, const struct plan_input *in, uint64_t seed)
{
	struct plan *p;
	struct err e;

	if (plan_make(a, in, seed, &p, &e) != 0)
		fail_msg("%s", e.msg);
	return p;
}

static void seed_is_of_the_mail_and_version(void **state)
{
	char hex[PLAN_SEED_HEX], hex2[PLAN_SEED_HEX];
	uint64_t seed = plan_seed("a@b", 1, hex);

	(void)state;
	/* printf 'a@b v1' | sha256sum | cut -c1-16 */
	assert_string_equal(hex, "33829953e6dbca2f");
	assert_true(seed == strtoull(hex, NULL, 16));
	assert_true(plan_seed("a@b", 2, hex2) != seed);
	assert_true(plan_seed("c@b", 1, hex2) != seed);
}

/* Each block: one boot of each side, adjacent; topologies take turns. */
static void schedule_is_interleaved(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state);

	for (int k = 1; k <= PLAN_BLOCKS_MAX; k++) {
		struct plan *p;

		in.k_blocks = k;
		p = make(a, &in, 7);
		assert_int_equal(p->n_runs, 2 * 2 * k);
		for (size_t i = 0; i < p->n_runs; i += 2) {
			const struct plan_run *x = &p->runs[i], *y = &p->runs[i + 1];

			assert_string_equal(x->topology, y->topology);
			assert_int_equal(x->block, y->block);
			assert_true(x->side != y->side);
			assert_int_equal(x->order, 0);
			assert_int_equal(y->order, 1);
			assert_int_equal(x->seq, i);
			assert_int_equal(x->block, i / 4);
			/* both topologies within one round of blocks */
			if (i % 4 == 0)
				assert_string_not_equal(
					x->topology, p->runs[i + 2].topology);
		}
	}
}

static void coins_are_fair_and_independent(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state), one = input(*state);
	int first_base = 0, n = 0;

	in.k_blocks = one.k_blocks = 12;
	one.n_topologies = 1;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct plan *p = make(a, &in, seed), *q = make(a, &one, seed);

		for (size_t i = 0; i < p->n_runs; i += 2) {
			n++;
			first_base += p->runs[i].side == PLAN_BASE;
		}
		/* another topology beside it tosses no other coin for this one */
		for (size_t i = 0; i < q->n_runs; i += 2)
			for (size_t k = 0; k < p->n_runs; k += 2)
				if (strcmp(p->runs[k].topology, q->runs[i].topology) ==
						0 &&
					p->runs[k].block == q->runs[i].block)
					assert_int_equal(
						p->runs[k].side, q->runs[i].side);
	}
	/* 2400 tosses: 5 sd are 122 */
	assert_in_range(first_base, n / 2 - 122, n / 2 + 122);
}

static void same_seed_same_bytes(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state);
	json_auto_t *x = plan_to_json(make(a, &in, 42)),
		    *y = plan_to_json(make(a, &in, 42));
	json_auto_t *z = plan_to_json(make(a, &in, 43));

	assert_true(json_equal(x, y));
	assert_false(json_equal(x, z));
}

/* Two series on one base share base boots; nothing else is shared. */
static void base_keys_are_shared(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state), in2 = input(*state);
	struct plan *p = make(a, &in, 1), *q;
	size_t n_shared = 0;

	in2.root_msgid = "other@example.org";
	in2.patched_tree = OTHER;
	q = make(a, &in2, 2);
	for (size_t i = 0; i < p->n_runs; i++)
		for (size_t k = 0; k < q->n_runs; k++) {
			bool same = strcmp(p->runs[i].key, q->runs[k].key) == 0;

			n_shared += same;
			assert_int_equal(
				same, p->runs[i].side == PLAN_BASE &&
					      q->runs[k].side == PLAN_BASE &&
					      p->runs[i].block == q->runs[k].block &&
					      strcmp(p->runs[i].topology,
						      q->runs[k].topology) == 0);
		}
	assert_int_equal(n_shared, 4);
	/* other loads are another boot */
	in2.n_benches = 1;
	q = make(a, &in2, 2);
	for (size_t i = 0; i < p->n_runs; i++)
		for (size_t k = 0; k < q->n_runs; k++)
			assert_string_not_equal(p->runs[i].key, q->runs[k].key);
}

static void cells_say_why(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state);
	struct plan *p = make(a, &in, 1);
	bool crossing = false;

	assert_int_equal(p->n_cells, 1 + 2 * 3);
	assert_int_equal(p->cells[0].action, PLAN_BUILD);
	for (size_t i = 0; i < p->n_cells; i++) {
		assert_int_equal(p->cells[i].id, i);
		assert_int_equal(p->cells[i].tier, PLAN_EMULATED);
		assert_true(strlen(p->cells[i].why) > 20);
		crossing |=
			p->cells[i].action == PLAN_BOOT &&
			strcmp(p->cells[i].topology, "guest-2l4") == 0 &&
			strcmp(p->cells[i].why,
				"fair class: kernel/sched/fair.c changed, and fair tasks "
				"are queued and picked that way; two LLCs let wakeups "
				"cross a cache boundary") == 0;
	}
	assert_true(crossing);
	assert_int_equal(p->n_aspects, 1);
	assert_string_equal(p->aspects[0], "fair_class");
}

/* Every aspect in the build's sentence; in a boot's the one that it shows best. */
static void functions_and_aspects_are_named(void **state)
{
	static const char *const clusters[] = {"kunpeng920-1n16"};
	struct arena *a = *state;
	struct plan_input in = input(a);
	struct plan *p;

	in.touch = touched(a,
		arena_printf(a, "%s%s%s", change(a, FAIR, 11, "\tint b;"),
			"@@ -25 +25 @@\n-\tint a;\n+\tint b = sched_cluster_active;\n",
			change(a, "kernel/sched/core.c", 33, "\tint b;")),
		true);
	p = make(a, &in, 1);
	assert_string_equal(p->cells[0].why,
		"wake path: select_idle_sibling() changed; wakelist: ttwu_queue_cond() "
		"changed; idle scan: select_idle_cpu() and select_idle_sibling() "
		"changed; clusters: select_idle_sibling() changed; base and patched are "
		"built alike");
	assert_string_equal(p->cells[1].why,
		"idle scan: select_idle_cpu() and select_idle_sibling() changed, and "
		"wakeups look for an idle CPU that way; under one LLC every wakeup may "
		"choose among all 8 CPUs");
	assert_non_null(
		strstr(p->cells[4].why, "wake path: select_idle_sibling() changed"));
	assert_int_equal(p->n_aspects, 4);
	assert_string_equal(p->aspects[2], "idle_scan");
	in.topologies = clusters;
	in.n_topologies = 1;
	in.arch = "aarch64";
	p = make(a, &in, 1);
	assert_non_null(
		strstr(p->cells[1].why, "clusters: select_idle_sibling() changed"));
}

static void many_functions_are_counted(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(a);
	const char *patch = change(a, FAIR, 40, "\tint b;");

	for (int line = 50; line < N_LINES; line += 10)
		patch = arena_printf(
			a, "%s@@ -%d +%d @@\n-\tint a;\n+\tint b;\n", patch, line, line);
	in.touch = touched(a, patch, true);
	assert_string_equal(make(a, &in, 1)->cells[0].why,
		"wake path: wake_affine_1(), wake_affine_2() and wake_affine_3() "
		"changed, 1 more; base and patched are built alike");
}

/* Without a scanner the plan is made all the same, and says so. */
static void unscanned_texts_are_noted(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(a);
	struct plan *p;

	in.touch = touched(a,
		"--- a/" FAIR "\n+++ b/" FAIR
		"\n@@ -9 +9 @@ static int wake_wide(int p)\n"
		"-\ta();\n+\tb();\n",
		false);
	in.spans_why = "ctags: No such file or directory";
	p = make(a, &in, 1);
	assert_non_null(strstr(p->cells[0].why, "wake path: wake_wide() changed"));
	assert_int_equal(p->n_runs, 8);
	assert_int_equal(p->n_notes, 1);
	assert_string_equal(p->notes[0], "functions of 1 file are read from the hunks: "
					 "ctags: No such file or directory");
}

static void what_needs_no_boot_gets_none(void **state)
{
	static const struct {
		const char *path, *says;
		size_t n_runs;
	} rows[] = {
		{"Documentation/scheduler/sched-design-CFS.rst", "no touched file", 0},
		{"MAINTAINERS", "no touched file", 0},
		{"tools/perf/builtin-sched.c", "no touched file", 0},
		{"arch/arm64/kernel/topology.c", "only other architectures", 0},
		{"arch/riscv/kernel/smp.c", "only other architectures", 0},
		{"mm/slab.c", "one topology is enough", 4},
		{"arch/x86/kernel/apic/apic.c", "one topology is enough", 4},
		{"arch/Kconfig", "one topology is enough", 4},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_input in = input(a);
		struct plan *p;

		in.touch = touched(a, change(a, rows[i].path, 1, "\tint b;"), true);
		p = make(a, &in, 1);
		assert_int_equal(p->n_runs, rows[i].n_runs);
		assert_int_equal(p->n_builds, rows[i].n_runs ? 2 : 0);
		assert_int_equal(p->n_notes, 1);
		assert_non_null(strstr(p->notes[0], rows[i].says));
	}
}

static void comments_need_no_boot(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(a);
	struct plan *p;

	in.touch = touched(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n@@ -9 +9 @@\n-/* a */\n+/* b */\n",
		false);
	p = make(a, &in, 1);
	assert_int_equal(p->n_builds, 0);
	assert_non_null(strstr(p->notes[0], "only comments and documentation differ"));
}

/* An aspect for every machine is no matter here when the file is for another. */
static void other_architectures_give_no_reason(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(a);
	struct plan *p;

	in.touch = touched(a,
		arena_printf(a, "%s%s",
			change(a, "arch/arm64/kernel/topology.c", 1, "\tint b;"),
			change(a, "kernel/sched/rt.c", 1, "\tint b;")),
		true);
	p = make(a, &in, 1);
	assert_string_equal(p->cells[0].why,
		"kernel/sched/rt.c is touched, a part of the scheduler; base and "
		"patched are built alike");
	assert_int_equal(p->n_runs, 8);
	assert_string_equal(p->aspects[0], "topology");
}

static void foreign_topologies_are_left_out(void **state)
{
	static const char *const mixed[] = {"kunpeng920-1n16", "guest-2l4"};
	struct plan_input in = input(*state);
	struct plan *p;

	in.topologies = mixed;
	p = make(*state, &in, 1);
	assert_int_equal(p->n_runs, 4);
	assert_non_null(strstr(p->notes[0], "kunpeng920-1n16 is left out"));
	in.n_topologies = 0;
	p = make(*state, &in, 1);
	assert_int_equal(p->n_runs, 0);
	assert_int_equal(p->n_builds, 2); /* building is still an answer */
	assert_non_null(strstr(p->notes[0], "no runner offers a topology"));
}

static void equal_trees(void **state)
{
	struct plan_input in = input(*state);

	in.patched_tree = BASE;
	assert_int_equal(make(*state, &in, 1)->n_runs, 0);
}

static void bad_input_is_named(void **state)
{
	static const char *const twice[] = {"guest-1l8", "guest-1l8"};
	static const char *const unknown[] = {"nosuch"};
	static const struct plan_bench blank[] = {{"hackbench", "a b", "c", "d", 0, 1}};
	struct plan_input in[8];
	struct plan *p;
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		in[i] = input(*state);
	in[0].k_blocks = 0;
	in[1].k_blocks = PLAN_BLOCKS_MAX + 1;
	in[2].base_tree = "HEAD";
	in[3].topologies = twice;
	in[4].topologies = unknown;
	in[4].n_topologies = 1;
	in[5].benches = blank;
	in[5].n_benches = 1;
	in[6].touch = touched(*state, "", true);
	in[7].config_id = "a b";
	for (size_t i = 0; i < ARRAY_LEN(in); i++) {
		assert_int_equal(plan_make(*state, &in[i], 1, &p, &e), ERR_INVALID);
		assert_true(strncmp(e.msg, "plan: ", 6) == 0);
	}
}

static void hostile_paths_are_printable(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(a);
	struct plan *p;

	in.touch = touched(a,
		"diff --git \"a/kernel/sched/\\n\\033[31m\\377.c\" "
		"\"b/kernel/sched/\\n\\033[31m\\377.c\"\nold mode 100644\n"
		"new mode 100755\n",
		true);
	p = make(a, &in, 1);
	assert_non_null(strstr(p->cells[0].why, "kernel/sched/??[31m?.c is touched"));
	for (size_t i = 0; i < p->n_cells; i++)
		for (const char *c = p->cells[i].why; *c; c++)
			assert_in_range(*c, 0x20, 0x7e);
}

static void json_round_trip(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state);
	json_auto_t *j = plan_to_json(make(a, &in, 9)), *again = NULL;
	struct plan *p;
	struct err e;

	if (plan_from_json(a, j, &p, &e) != 0)
		fail_msg("%s", e.msg);
	again = plan_to_json(p);
	assert_true(json_equal(j, again));
}

static void json_is_strict(void **state)
{
	static const struct {
		const char *path, *key, *value;
	} rows[] = {
		{NULL, "v", "2"},
		{NULL, "seed", "\"xyz\""},
		{NULL, "k_blocks", "0"},
		{NULL, "k_blocks", "13"},
		{NULL, "runs", "{}"},
		{NULL, "extra", "1"},
		{"runs", "side", "\"left\""},
		{"runs", "order", "2"},
		{"runs", "block", "-1"},
		{"runs", "extra", "1"},
		{"cells", "bench", "7"},
		{"cells", "topology", "7"},
		{"cells", "tier", "\"magic\""},
		{"builds", "tree", "null"},
		{"benches", "n_runs", "\"3\""},
	};
	struct arena *a = *state;
	struct plan_input in = input(*state);

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_auto_t *j = plan_to_json(make(a, &in, 9));
		json_t *at = rows[i].path
				     ? json_array_get(json_object_get(j, rows[i].path), 0)
				     : j;
		struct plan *p;
		struct err e;

		json_object_set_new(at, rows[i].key,
			json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		if (plan_from_json(a, j, &p, &e) == 0)
			fail_msg("%s.%s = %s was accepted",
				rows[i].path ? rows[i].path : "", rows[i].key,
				rows[i].value);
	}
}

static void golden_plan(void **state)
{
	struct arena *a = *state;
	struct plan_input in = input(*state);
	char hex[PLAN_SEED_HEX];
	json_auto_t *j = plan_to_json(make(a, &in, plan_seed(in.root_msgid, 1, hex)));
	char *text = json_dumps(j, JSON_INDENT(1));

	golden_check("plan/fair-k2.json", text, strlen(text));
	free(text);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(seed_is_of_the_mail_and_version),
		T(schedule_is_interleaved),
		T(coins_are_fair_and_independent),
		T(same_seed_same_bytes),
		T(base_keys_are_shared),
		T(cells_say_why),
		T(functions_and_aspects_are_named),
		T(many_functions_are_counted),
		T(unscanned_texts_are_noted),
		T(what_needs_no_boot_gets_none),
		T(comments_need_no_boot),
		T(other_architectures_give_no_reason),
		T(foreign_topologies_are_left_out),
		T(equal_trees),
		T(bad_input_is_named),
		T(hostile_paths_are_printable),
		T(json_round_trip),
		T(json_is_strict),
		T(golden_plan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
