// SPDX-License-Identifier: GPL-2.0-or-later
/* Small patches with their texts: which functions, configs, features and aspects. */
#include "base/base.h"

#include "tests/unit/plan/touch_of.h"

#define FAIR "kernel/sched/fair.c"

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

/* One file of a patch, as a test writes it. Spans end with a NULL name. */
struct given {
	const char *base, *patched; /* texts, or NULL */
	const struct touch_span *base_spans, *patched_spans;
};

static void give(struct touch_side *s, const char *text, const struct touch_span *spans)
{
	s->text = text;
	s->len = text ? strlen(text) : 0;
	s->spans = spans;
	s->has_spans = spans != NULL;
	while (spans && spans[s->n_spans].name)
		s->n_spans++;
}

struct givens {
	const struct given *v;
	size_t n;
};

static void fill(struct arena *a, struct touch_file *f, size_t i, const void *arg)
{
	const struct givens *g = arg;

	(void)a;
	if (i >= g->n)
		return;
	give(&f->base, g->v[i].base, g->v[i].base_spans);
	give(&f->patched, g->v[i].patched, g->v[i].patched_spans);
}

static struct touch *touch_given(
	struct arena *a, const char *patch, const struct given *v, size_t n)
{
	return touch_of(a, patch, fill, &(struct givens){v, n});
}

/* "wake_path idle_scan" in order of the ids. */
static const char *aspects(struct arena *a, const struct touch *t)
{
	const char *out = "";

	for (size_t i = 0; i < t->n_aspects; i++)
		out = arena_printf(a, "%s%s%s", out, i ? " " : "",
			touch_aspect_name(t->aspects[i].id));
	return out;
}

/* "name +1 -0 changed, ..." */
static const char *symbols(struct arena *a, const struct touch_symbol *v, size_t n)
{
	const char *out = "";

	for (size_t i = 0; i < n; i++)
		out = arena_printf(a, "%s%s%s +%u -%u %s%s%s", out, i ? ", " : "",
			v[i].name, v[i].n_added, v[i].n_removed,
			touch_change_name(v[i].change), v[i].other ? " " : "",
			v[i].other ? v[i].other : "");
	return out;
}

static const char *names(struct arena *a, const char *const *v, size_t n)
{
	const char *out = "";

	for (size_t i = 0; i < n; i++)
		out = arena_printf(a, "%s%s%s", out, i ? " " : "", v[i]);
	return out;
}

/* "path:line+lines function side, ..." */
static const char *why(struct arena *a, const struct touch *t, enum touch_aspect_id id)
{
	const char *out = "";

	for (size_t i = 0; i < t->n_aspects; i++)
		for (size_t k = 0; t->aspects[i].id == id && k < t->aspects[i].n_why;
			k++) {
			const struct touch_line *l = &t->aspects[i].why[k];

			out = arena_printf(a, "%s%s%s:%u+%u %s%s", out, k ? ", " : "",
				l->path, l->line, l->n_lines,
				l->function ? l->function : "-",
				l->in_base ? " base" : "");
		}
	return out;
}

#define functions_are(a, t, text)                                                        \
	assert_string_equal(symbols((a), (t)->functions, (t)->n_functions), (text))

static const struct touch_span none[] = {{0}};

/* The line is in one function, the text after "@@" names another. */
static void the_span_counts_not_the_header(void **state)
{
	static const struct touch_span base[] = {
		{"select_idle_cpu", TOUCH_FUNCTION, 2, 5},
		{"wake_wide", TOUCH_FUNCTION, 7, 10}, {0}};
	static const struct touch_span patched[] = {
		{"select_idle_cpu", TOUCH_FUNCTION, 2, 5},
		{"wake_wide", TOUCH_FUNCTION, 7, 11}, {0}};
	struct given g = {"static int\nselect_idle_cpu(int a)\n{\n\treturn a;\n}\n\n"
			  "int wake_wide(int a)\n{\n\treturn 0;\n}\n",
		"static int\nselect_idle_cpu(int a)\n{\n\treturn a;\n}\n\n"
		"int wake_wide(int a)\n{\n\tif (a)\n\t\treturn 0;\n}\n",
		base, patched};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n"
		"@@ -6,5 +6,6 @@ static int select_idle_cpu(int a)\n"
		" \n int wake_wide(int a)\n {\n-\treturn 0;\n+\tif (a)\n+\t\treturn 0;\n "
		"}\n",
		&g, 1);

	functions_are(a, t, "wake_wide +2 -1 changed");
	assert_string_equal(aspects(a, t), "wake_path");
	assert_string_equal(why(a, t, TOUCH_WAKE_PATH), FAIR ":9+2 wake_wide");
	assert_int_equal(t->n_notes, 0);
}

/* The type stands on a line of its own: still the function's. */
static void type_above_the_name(void **state)
{
	static const struct touch_span spans[] = {
		{"select_idle_cpu", TOUCH_FUNCTION, 2, 5}, {0}};
	struct given g = {"static int\nselect_idle_cpu(int a)\n{\n\treturn a;\n}\n",
		"static long\nselect_idle_cpu(int a)\n{\n\treturn a;\n}\n", spans, spans};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n@@ -1,2 +1,2 @@\n-static int\n"
		"+static long\n select_idle_cpu(int a)\n",
		&g, 1);

	functions_are(a, t, "select_idle_cpu +1 -1 changed");
	assert_string_equal(why(a, t, TOUCH_IDLE_SCAN), FAIR ":1+1 select_idle_cpu");
}

static void renamed_function(void **state)
{
	static const struct touch_span base[] = {
		{"idle_balance", TOUCH_FUNCTION, 1, 6}, {0}};
	static const struct touch_span patched[] = {
		{"newidle_balance", TOUCH_FUNCTION, 1, 6}, {0}};
	struct given g = {"int idle_balance(int a)\n{\n\ta++;\n\ta++;\n\treturn a;\n}\n",
		"int newidle_balance(int a)\n{\n\ta++;\n\ta++;\n\treturn a;\n}\n", base,
		patched};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n@@ -1,3 +1,3 @@\n"
		"-int idle_balance(int a)\n+int newidle_balance(int a)\n {\n \ta++;\n",
		&g, 1);

	functions_are(a, t,
		"newidle_balance +1 -0 renamed idle_balance, "
		"idle_balance +0 -1 renamed newidle_balance");
	assert_string_equal(aspects(a, t), "newidle");
}

/* One function goes, another of other lines comes: no renaming. */
static void replaced_function(void **state)
{
	static const struct touch_span base[] = {{"old_one", TOUCH_FUNCTION, 1, 4}, {0}};
	static const struct touch_span patched[] = {
		{"new_one", TOUCH_FUNCTION, 1, 4}, {0}};
	struct given g = {"int old_one(int a)\n{\n\treturn a;\n}\n",
		"int new_one(void)\n{\n\treturn 7;\n}\n", base, patched};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR
		"\n@@ -1,4 +1,4 @@\n-int old_one(int a)\n-{\n"
		"-\treturn a;\n-}\n+int new_one(void)\n+{\n+\treturn 7;\n+}\n",
		&g, 1);

	functions_are(a, t, "new_one +4 -0 added, old_one +0 -4 removed");
	assert_string_equal(aspects(a, t), "fair_class");
	assert_string_equal(why(a, t, TOUCH_FAIR_CLASS),
		FAIR ":1+4 new_one, " FAIR ":1+4 old_one base");
}

static void macro_bodies_and_types(void **state)
{
	static const struct touch_span spans[] = {
		{"for_each_idle_core", TOUCH_MACRO, 1, 3}, {"lb_env", TOUCH_TYPE, 5, 7},
		{0}};
	struct given g = {
		"#define for_each_idle_core(c) \\\n\tfor (c = 0; \\\n\t\tc < 8; c++)\n"
		"\nstruct lb_env {\n\tint cpu;\n};\n",
		"#define for_each_idle_core(c) \\\n\tfor (c = 0; \\\n\t\tc < 9; c++)\n"
		"\nstruct lb_env {\n\tlong cpu;\n};\n",
		spans, spans};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n@@ -3,4 +3,4 @@\n-\t\tc < 8; c++)\n"
		"+\t\tc < 9; c++)\n \n struct lb_env {\n-\tint cpu;\n+\tlong cpu;\n",
		&g, 1);

	functions_are(a, t, "for_each_idle_core +1 -1 changed");
	assert_int_equal(t->functions[0].kind, TOUCH_MACRO);
	assert_string_equal(symbols(a, t->types, t->n_types), "lb_env +1 -1 changed");
	assert_string_equal(why(a, t, TOUCH_LOAD_BALANCE), FAIR ":6+1 lb_env");
	assert_string_equal(aspects(a, t), "load_balance fair_class");
}

static void features_and_configs(void **state)
{
	struct given g = {
		"/* x */\nSCHED_FEAT(TTWU_QUEUE, true)\nSCHED_FEAT(HRTICK, false)\n",
		"/* x */\nSCHED_FEAT(TTWU_QUEUE, false)\n#ifdef CONFIG_SCHED_HRTICK\n"
		"SCHED_FEAT(HRTICK, false)\n#endif\n",
		none, none};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/kernel/sched/features.h\n+++ b/kernel/sched/features.h\n"
		"@@ -1,3 +1,5 @@\n /* x */\n-SCHED_FEAT(TTWU_QUEUE, true)\n"
		"+SCHED_FEAT(TTWU_QUEUE, false)\n+#ifdef CONFIG_SCHED_HRTICK\n"
		" SCHED_FEAT(HRTICK, false)\n+#endif\n",
		&g, 1);

	assert_string_equal(names(a, t->features, t->n_features), "TTWU_QUEUE");
	assert_string_equal(names(a, t->configs, t->n_configs), "CONFIG_SCHED_HRTICK");
	assert_string_equal(aspects(a, t), "wakelist_ipi features");
	assert_string_equal(why(a, t, TOUCH_FEATURES),
		"kernel/sched/features.h:2+2 -, kernel/sched/features.h:5+1 -");
	assert_int_equal(t->n_functions, 0);
	/* a use, a key, the definition of the macro */
	t = touch_given(a,
		"--- a/kernel/sched/core.c\n+++ b/kernel/sched/core.c\n@@ -1,0 +1,3 @@\n"
		"+\tif (sched_feat(SIS_UTIL))\n+\t\tkey(__SCHED_FEAT_WA_IDLE);\n"
		"+#define sched_feat(x) (x)\n",
		NULL, 0);
	assert_string_equal(names(a, t->features, t->n_features), "SIS_UTIL WA_IDLE");
}

static void kconfig_entries(void **state)
{
	struct given g = {"config SCHED_MC\n\tbool \"x\"\n\nconfig SCHED_SMT\n\tbool\n",
		"config SCHED_MC\n\tbool \"y\"\n\nconfig SCHED_SMT\n\tbool\n\thelp\n\t  "
		"# text\n",
		NULL, NULL};
	struct arena *a = *state;
	const char *patch =
		"--- a/arch/x86/Kconfig\n+++ b/arch/x86/Kconfig\n@@ -2,4 +2,6 @@ "
		"config SCHED_MC\n-\tbool \"x\"\n+\tbool \"y\"\n \n"
		" config SCHED_SMT\n \tbool\n+\thelp\n+\t  # text\n";
	struct touch *t = touch_given(a, patch, &g, 1);

	assert_string_equal(
		names(a, t->configs, t->n_configs), "CONFIG_SCHED_MC CONFIG_SCHED_SMT");
	assert_string_equal(aspects(a, t), "");
	/* without the texts: from the hunk */
	t = touch_given(a, patch, NULL, 0);
	assert_string_equal(
		names(a, t->configs, t->n_configs), "CONFIG_SCHED_MC CONFIG_SCHED_SMT");
	assert_int_equal(t->n_notes, 0);
}

static void new_and_deleted_files(void **state)
{
	static const struct touch_span spans[] = {
		{"shared_runq_pop", TOUCH_FUNCTION, 1, 4}, {0}};
	const char *text = "int shared_runq_pop(void)\n{\n\treturn 1;\n}\n";
	struct given g[] = {{NULL, text, NULL, spans}, {text, NULL, spans, NULL}};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"diff --git a/kernel/sched/n.c b/kernel/sched/n.c\nnew file mode 100644\n"
		"--- /dev/null\n+++ b/kernel/sched/n.c\n@@ -0,0 +1,4 @@\n"
		"+int shared_runq_pop(void)\n+{\n+\treturn 1;\n+}\n"
		"diff --git a/kernel/sched/o.c b/kernel/sched/o.c\ndeleted file mode "
		"100644\n"
		"--- a/kernel/sched/o.c\n+++ /dev/null\n@@ -1,4 +0,0 @@\n"
		"-int shared_runq_pop(void)\n-{\n-\treturn 1;\n-}\n",
		g, 2);

	functions_are(a, t, "shared_runq_pop +4 -0 added, shared_runq_pop +0 -4 removed");
	assert_string_equal(t->functions[1].path, "kernel/sched/o.c");
	assert_string_equal(why(a, t, TOUCH_NEWIDLE),
		"kernel/sched/n.c:1+4 shared_runq_pop, "
		"kernel/sched/o.c:1+4 shared_runq_pop base");
	assert_int_equal(t->n_notes, 0);
}

static void inline_in_a_header(void **state)
{
	static const struct touch_span spans[] = {
		{"update_idle_core", TOUCH_FUNCTION, 2, 5}, {0}};
	struct given g = {
		"#ifdef CONFIG_SCHED_SMT\nstatic inline void update_idle_core(void)\n"
		"{\n\tf();\n}\n#endif\n",
		"#ifdef CONFIG_SCHED_SMT\nstatic inline void update_idle_core(void)\n"
		"{\n\tg();\n}\n#endif\n",
		spans, spans};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/kernel/sched/sched.h\n+++ b/kernel/sched/sched.h\n@@ -3,3 +3,3 "
		"@@\n {\n"
		"-\tf();\n+\tg();\n }\n",
		&g, 1);

	functions_are(a, t, "update_idle_core +1 -1 changed");
	assert_string_equal(aspects(a, t), "idle_scan");
}

/* Between functions: no function, the file's own aspect; a system call by its name. */
static void between_functions_and_made_names(void **state)
{
	static const struct touch_span base[] = {
		{"SYSCALL_DEFINE1", TOUCH_FUNCTION, 1, 4}, {0}};
	struct given g = {"SYSCALL_DEFINE1(nice, int, n)\n{\n\treturn 1;\n}\n\nint x;\n",
		"SYSCALL_DEFINE1(nice, int, n)\n{\n\treturn 2;\n}\n\nlong x;\n", base,
		base};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR
		"\n@@ -3,4 +3,4 @@\n-\treturn 1;\n+\treturn 2;\n"
		" }\n \n-int x;\n+long x;\n",
		&g, 1);

	functions_are(a, t, "sys_nice +1 -1 changed");
	assert_string_equal(
		why(a, t, TOUCH_FAIR_CLASS), FAIR ":3+1 sys_nice, " FAIR ":6+1 -");
}

#define DOCS "Documentation/scheduler/sched-design-CFS.rst"

static void docs_only(void **state)
{
	struct arena *a = *state;
	const char *docs = "--- a/" DOCS "\n+++ b/" DOCS "\n@@ -1 +1 @@\n-SD_CLUSTER\n"
			   "+CONFIG_SMP and sched_feat(SIS_UTIL)\n";
	struct touch *t = touch_given(a, docs, NULL, 0);

	assert_string_equal(aspects(a, t), "docs");
	assert_string_equal(why(a, t, TOUCH_DOCS), DOCS ":1+1 -");
	assert_int_equal(t->n_configs + t->n_features + t->n_functions, 0);
	/* beside code it is no aspect */
	t = touch_given(a,
		arena_printf(a,
			"%s--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1 +1 @@\n-a();\n+b();\n",
			docs),
		NULL, 0);
	assert_string_equal(aspects(a, t), "");
}

/* Comments in code are as good as documentation: nothing is compiled otherwise. */
static void comments_only(void **state)
{
	static const struct touch_span spans[] = {
		{"select_idle_cpu", TOUCH_FUNCTION, 3, 7}, {0}};
	struct given g = {"/* SD_CLUSTER\n * one */\nint select_idle_cpu(void)\n{\n"
			  "\t/* a */\n\treturn \"/*\"[0];\n}\n",
		"/* SD_CLUSTER\n * two */\nint select_idle_cpu(void)\n{\n"
		"\t/* b */\n\treturn \"/*\"[0];\n}\n",
		spans, spans};
	struct given code = {
		"a = \"/*\";\nb = 1;\n", "a = \"/*\";\nb = 2;\n", none, none};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR
		"\n@@ -2,4 +2,4 @@\n- * one */\n+ * two */\n"
		" int select_idle_cpu(void)\n {\n-\t/* a */\n+\t/* b */\n",
		&g, 1);

	assert_string_equal(aspects(a, t), "docs");
	functions_are(a, t, "select_idle_cpu +1 -1 changed");
	/* a comment that begins in a string is none */
	t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n@@ -2 +2 @@\n-b = 1;\n+b = 2;\n", &code,
		1);
	assert_string_equal(aspects(a, t), "fair_class");
}

/* Not applied, or not scanned: functions come from the hunk. */
static void without_spans(void **state)
{
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/kernel/sched/core.c\n+++ b/kernel/sched/core.c\n"
		"@@ -10,6 +10,8 @@ static bool ttwu_queue_cond(int cpu)\n a\n-\told();\n"
		"+\tnew();\n }\n+int between;\n static int try_to_wake_up(struct "
		"task_struct *p,\n"
		" \t\tint flags)\n {\n+\tgo();\n",
		NULL, 0);

	functions_are(
		a, t, "ttwu_queue_cond +1 -1 changed, try_to_wake_up +1 -0 changed");
	assert_string_equal(aspects(a, t), "wake_path wakelist_ipi");
	assert_string_equal(why(a, t, TOUCH_WAKELIST_IPI),
		"kernel/sched/core.c:11+1 ttwu_queue_cond");
	assert_int_equal(t->n_notes, 1);
	assert_string_equal(t->notes[0].code, "no_spans");
}

/* Old and new names of functions and files are one. */
static void names_of_other_kernels(void **state)
{
	static const struct {
		const char *path, *function, *aspects;
	} rows[] = {
		{FAIR, "newidle_balance", "newidle"},
		{FAIR, "sched_balance_newidle", "newidle"},
		{"kernel/sched_fair.c", "idle_balance", "newidle"},
		{FAIR, "load_balance", "load_balance"},
		{FAIR, "sched_balance_rq", "load_balance"},
		{FAIR, "find_busiest_group", "load_balance"},
		{FAIR, "sched_balance_find_src_group", "load_balance"},
		{FAIR, "nohz_newidle_balance", "newidle"},
		{FAIR, "find_idlest_cpu", "wake_path"},
		{FAIR, "sched_balance_find_dst_cpu", "wake_path"},
		{FAIR, "select_idle_sibling", "wake_path idle_scan"},
		{FAIR, "select_task_rq_fair", "wake_path fair_class"},
		{FAIR, "place_entity", "fair_class"},
		{FAIR, "update_load_avg", "pelt"},
		{FAIR, "__update_idle_core", "idle_scan"},
		{"kernel/sched.c", "try_to_wake_up", "wake_path"},
		{"kernel/sched/core.c", "check_preempt_curr", "wake_path"},
		{"kernel/sched/core.c", "wakeup_preempt", "wake_path"},
		{"kernel/sched/core.c", "sched_ttwu_pending", "wakelist_ipi"},
		{"kernel/sched/core.c", "resched_curr", "wakelist_ipi"},
		{"kernel/smp.c", "__flush_smp_call_function_queue", "wakelist_ipi"},
		{"kernel/sched/core.c", "cpus_share_resources", "cluster"},
		{"kernel/sched/topology.c", "anything", "topology"},
		{"drivers/base/arch_topology.c", "cpu_clustergroup_mask", "cluster"},
		{"kernel/sched/pelt.c", "anything", "pelt"},
		{"kernel/sched/idle.c", "do_idle", "idle_states"},
		{"drivers/cpuidle/governors/menu.c", "menu_select", "idle_states"},
		{"kernel/sched/rt.c", "push_rt_task", ""},
		{"mm/vmscan.c", "try_to_wake_up", ""},
		{"fs/ext4/balloc.c", "ext4_free_clusters", ""},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct touch *t = touch_given(a,
			arena_printf(a,
				"--- a/%s\n+++ b/%s\n@@ -5,3 +5,3 @@ int %s(int x)\n a\n"
				"-\tb();\n+\tc();\n d\n",
				rows[i].path, rows[i].path, rows[i].function),
			NULL, 0);

		if (strcmp(aspects(a, t), rows[i].aspects) != 0)
			fail_msg("%s %s: \"%s\", not \"%s\"", rows[i].path,
				rows[i].function, aspects(a, t), rows[i].aspects);
	}
}

/* Lists end somewhere, and say so. */
static void limits(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct arena *a = *state;
	struct touch *t;

	sbuf_addf(&s, "--- a/" FAIR "\n+++ b/" FAIR "\n@@ -1,0 +1,%d @@\n", 12000);
	for (int i = 0; i < 6000; i++)
		sbuf_addf(&s, "+\tif (CONFIG_X%d && sched_feat(SIS_UTIL))\n+\n", i);
	t = touch_given(a, s.buf, NULL, 0);
	assert_int_equal(t->n_configs, TOUCH_NAMES_MAX);
	assert_string_equal(t->notes[t->n_notes - 1].code, "too_many");
	sbuf_reset(&s);
	sbuf_addf(&s, "--- a/" FAIR "\n+++ b/" FAIR "\n@@ -1,300 +1,600 @@\n");
	for (int i = 0; i < 300; i++)
		sbuf_addf(&s, " a\n+\tb();\n");
	t = touch_given(a, s.buf, NULL, 0);
	assert_int_equal(t->aspects[0].n_why, TOUCH_LINES_MAX);
	assert_int_equal(t->aspects[0].n_more, 300 - TOUCH_LINES_MAX);
}

/* Spans that no scanner should give: none of them breaks anything. */
static void mad_spans(void **state)
{
	static const struct touch_span spans[] = {{"a", TOUCH_FUNCTION, 0, 0},
		{"b", TOUCH_FUNCTION, 9, 2}, {"c", TOUCH_FUNCTION, 2, UINT32_MAX},
		{"", TOUCH_FUNCTION, 1, 0}, {"d", TOUCH_MACRO, UINT32_MAX, 1},
		{"e", TOUCH_TYPE, 1, UINT32_MAX}, {0}};
	struct given g = {"x\ny\nz", "x\nY\nz", spans, spans};
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR "\n@@ -1,3 +1,3 @@\n x\n-y\n+Y\n z\n"
		"\\ No newline at end of file\n",
		&g, 1);

	functions_are(a, t, "c +1 -1 changed");
}

static void json_has_the_contract(void **state)
{
	struct arena *a = *state;
	struct touch *t = touch_given(a,
		"--- a/" FAIR "\n+++ b/" FAIR
		"\n@@ -5,3 +5,3 @@ int \xff_idle(int x)\n a\n"
		"-\tb();\n+\tsched_feat(SIS_UTIL);\n d\n",
		NULL, 0);
	json_auto_t *j = touch_to_json(t);
	json_t *files, *aspects_j, *functions_j, *configs, *features, *notes, *types;
	struct err e;
	int v;

	assert_ok(jx_unpack(j, &e, "touch", "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o !}",
			  "v", &v, "files", &files, "aspects", &aspects_j, "functions",
			  &functions_j, "types", &types, "configs", &configs, "features",
			  &features, "notes", &notes),
		&e);
	assert_int_equal(v, 1);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(files, 0), "built")),
		"sched");
	assert_string_equal(json_string_value(json_array_get(features, 0)), "SIS_UTIL");
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(aspects_j, 0), "id")),
		"idle_scan");
	assert_int_equal(
		json_integer_value(json_object_get(
			json_array_get(
				json_object_get(json_array_get(aspects_j, 0), "why"), 0),
			"line")),
		6);
}

static void table_errors(void **state)
{
	static const struct {
		const char *text, *says;
	} rows[] = {
		{"function a b", "line 1: KIND PATH PATTERN ASPECTS, not fewer words"},
		{"\n# x\nfunction a b pelt c\n",
			"line 3: KIND PATH PATTERN ASPECTS, not more"},
		{"thing a b pelt\n", "\"thing\" is no kind"},
		{"word a b pelt,no_such\n", "\"no_such\" is no aspect"},
		{"word a,,b c pelt\n", "an empty path"},
		{"file a b pelt\n", "the pattern of a file or build is \"-\""},
		{"word a - pelt\n", "the pattern of a file or build is \"-\""},
		{"word a b pelt,\n", "\"\" is no aspect"},
		{"build a b all\n", "the pattern of a file or build is \"-\""},
		{"build a - vax\n", "no kernel is called \"vax\""},
	};
	struct arena *a = *state;
	struct touch_table *t;
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_err(
			touch_table_parse(rows[i].text, strlen(rows[i].text), a, &t, &e),
			ERR_INVALID, &e, rows[i].says);
	assert_ok(touch_table_parse("file tools/* - -\n", 17, a, &t, &e), &e);
	assert_int_equal(t->n, 1);
	assert_int_equal(t->rows[0].aspects, 0);
	assert_ok(touch_table_parse("", 0, a, &t, &e), &e);
	/* each aspect can be reached by the table of the tree */
	assert_ok(
		touch_table_parse(touch_table_text, strlen(touch_table_text), a, &t, &e),
		&e);
	unsigned all = 0;
	for (size_t i = 0; i < t->n; i++)
		all |= t->rows[i].aspects;
	assert_int_equal(all, TOUCH_BIT(TOUCH_N_ASPECTS) - 1);
}

static void which_kernels_have_a_file(void **state)
{
	static const struct {
		const char *path, *built;
	} rows[] = {
		{"kernel/sched/rt.c", "sched"},
		{"include/linux/sched/idle.h", "sched"},
		{"mm/slab.c", "all"},
		{"arch/Kconfig", "all"},
		{"arch/x86/kernel/smp.c", "x86_64"},
		{"arch/arm64/kernel/smp.c", "aarch64"},
		{"arch/riscv/kernel/smp.c", "other"},
		{"arch/x86/README.rst", "none"},
		{"tools/perf/perf.c", "none"},
		{"kernel/sched/.gitignore", "none"},
		{".mailmap", "none"},
	};
	struct touch_table *t;
	struct err e;

	assert_ok(touch_table_parse(
			  touch_table_text, strlen(touch_table_text), *state, &t, &e),
		&e);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		assert_string_equal(touch_built_name(touch_table_built(t, rows[i].path)),
			rows[i].built);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_span_counts_not_the_header),
		cmocka_unit_test(type_above_the_name),
		cmocka_unit_test(renamed_function),
		cmocka_unit_test(replaced_function),
		cmocka_unit_test(macro_bodies_and_types),
		cmocka_unit_test(features_and_configs),
		cmocka_unit_test(kconfig_entries),
		cmocka_unit_test(new_and_deleted_files),
		cmocka_unit_test(inline_in_a_header),
		cmocka_unit_test(between_functions_and_made_names),
		cmocka_unit_test(docs_only),
		cmocka_unit_test(comments_only),
		cmocka_unit_test(without_spans),
		cmocka_unit_test(names_of_other_kernels),
		cmocka_unit_test(limits),
		cmocka_unit_test(mad_spans),
		cmocka_unit_test(json_has_the_contract),
		cmocka_unit_test(table_errors),
		cmocka_unit_test(which_kernels_have_a_file),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
