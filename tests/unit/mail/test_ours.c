/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Path specs, and which series are ours by them. */
#include "base/base.h"

#include "mail/ours.h"
#include "tests/unit/mail/threads.h"

static void test_paths(void **state)
{
	static const struct {
		const char *spec, *path;
		bool match;
	} rows[] = {
		{"kernel/sched/", "kernel/sched/fair.c", true},
		{"kernel/sched", "kernel/sched/ext/a.c", true},
		{"kernel/sched", "kernel/sched.c", false},
		{"kernel/sched/fair.c", "kernel/sched/fair.c", true},
		{"kernel/sched/fair.c", "kernel/sched/fair.h", false},
		{"kernel/sched/*.c", "kernel/sched/fair.c", true},
		{"kernel/sched/*.c", "kernel/sched/ext/a.c", false},
		{"kernel/*/fair.c", "kernel/sched/fair.c", true},
		{"kernel/**/a.c", "kernel/sched/ext/a.c", true},
		{"kernel/**/a.c", "kernel/a.c", true},
		{"**/topology.h", "arch/x86/include/asm/topology.h", true},
		{"include/linux/sched*", "include/linux/sched/topology.h", true},
		{"kernel/sched/f?ir.c", "kernel/sched/fair.c", true},
		{"kernel/sched/f?", "kernel/sched/f/", false},
		{"**", "anything/at/all", true},
		{"*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *specs[] = {rows[i].spec, NULL};
		struct ours_spec *o;
		struct err e;
		assert_ok(ours_compile(a, specs, &o, &e), &e);
		if (ours_path_matches(o, rows[i].path) != rows[i].match)
			fail_msg("%s %s", rows[i].spec, rows[i].path);
	}
	const char *specs[] = {"kernel/sched/", "!kernel/sched/ext*", NULL};
	struct ours_spec *o;
	struct err e;
	assert_ok(ours_compile(a, specs, &o, &e), &e);
	assert_true(ours_path_matches(o, "kernel/sched/fair.c"));
	assert_false(ours_path_matches(o, "kernel/sched/ext.c"));
	assert_false(ours_path_matches(o, "kernel/sched/ext/a.c"));
}

static void test_refused_specs(void **state)
{
	static const char *const rows[][2] = {{"", "empty"}, {"!", "empty"},
		{"/etc", "slash"}, {"a/../b", "leaves the tree"}, {"subject:", "empty"}};
	(void)state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *specs[] = {rows[i][0], NULL};
		struct ours_spec *o;
		struct err e;
		assert_err(ours_compile(a, specs, &o, &e), ERR_INVALID, &e, rows[i][1]);
	}
}

static void expect(const char *const *specs, const struct letter *letters, size_t n,
	bool submitted, enum ours_answer want, const char *says)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct ours_spec *o;
	struct series_set set;
	struct err e;
	const char *why;
	assert_ok(ours_compile(a, specs, &o, &e), &e);
	assert_ok(series_assemble(a, threads_mails(a, letters, n), n, &set, &e), &e);
	assert_int_equal(set.n_series, 1);
	assert_int_equal(ours_decide(a, o, set.series[0], submitted, &why), want);
	if (!strstr(why, says))
		fail_msg("\"%s\" does not say \"%s\"", why, says);
}

static void test_decide(void **state)
{
	static const char *const sched[] = {
		"kernel/sched/", "include/linux/sched/", NULL};
	static const char *const hints[] = {"mm/", "subject:sched", NULL};
	static const char *const mm[] = {"mm/", NULL};
	static const char *const stable[] = {"kernel/sched/", "stable", NULL};
	static const struct letter patch[] = {{"1", "[PATCH] sched: t", NULL, 0, "x"}};
	static const struct letter cover[] = {
		{"c", "[PATCH 0/2] sched: t", NULL, 0, NULL}};
	static const struct letter old[] = {
		{"1", "[PATCH 6.1 1/1] sched: t", NULL, 0, "x"}};
	static const struct letter robot[] = {
		{"1", "[PATCH] t", NULL, 0, "x", "syzbot <s@x>"}};
	(void)state;
	expect(sched, patch, 1, false, OURS_YES,
		"touches kernel/sched/demo.c (kernel/sched)");
	expect(mm, patch, 1, false, OURS_NO, "not for us: touches no watched path (mm/)");
	expect(mm, patch, 1, true, OURS_YES, "submitted by hand");
	expect(hints, cover, 1, false, OURS_LATER, "its subject fits");
	expect(hints, patch, 1, false, OURS_NO, "no watched path");
	expect(mm, cover, 1, false, OURS_LATER, "no diff yet");
	expect(sched, old, 1, false, OURS_NO, "a stable series (6.1)");
	expect(stable, old, 1, false, OURS_YES, "touches");
	expect(sched, robot, 1, false, OURS_NO, "sent by a program");
	expect(sched, robot, 1, true, OURS_YES, "submitted by hand");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_refused_specs),
		cmocka_unit_test(test_decide),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
