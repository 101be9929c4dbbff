// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "report/report.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tests/golden/golden.h"
#include "tests/unit/report/validator.h"

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

static struct report_input *read_input(struct arena *a, const char *name)
{
	const char *path =
		arena_printf(a, "%s/tests/golden/report/%s.in.json", WL_SOURCE_DIR, name);
	json_auto_t *j = NULL;
	struct report_input *in = NULL;
	struct err e;

	if (jx_load_file(path, 4 << 20, &j, &e) != 0 ||
		report_input_from_json(a, j, &in, &e) != 0)
		fail_msg("%s", e.msg);
	return in;
}

static struct report *build(struct arena *a, const struct report_input *in)
{
	struct report *r;
	struct err e;

	if (report_build(a, in, &r, &e) != 0)
		fail_msg("%s", e.msg);
	return r;
}

static void golden_mails(void **state)
{
	static const struct {
		const char *name, *verdict;
		int n_rows, n_broken;
	} rows[] = {
		{"ok", "ok", 4, 0},
		{"panic", "broken", 0, 1},
		{"warn", "broken", 3, 1},
		{"no-build", "does-not-build", 0, 0},
		{"no-apply", "does-not-apply", 0, 0},
		{"no-apply-once", "does-not-apply", 0, 0},
		{"in-base", "in-base", 0, 0},
		{"docs-only", "no-result", 0, 0},
		{"lost", "ok", 0, 0},
		{"base-no-build", "no-result", 0, 0},
		{"metal", "worse", 8, 0},
		{"hostile", "does-not-build", 0, 0},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct report *r = build(a, read_input(a, rows[i].name));
		const char *text = report_text(a, r);
		json_auto_t *j = report_to_json(r);

		golden_check(arena_printf(a, "report/%s.txt", rows[i].name), text,
			strlen(text));
		assert_int_equal(validate_mail(text), rows[i].n_rows);
		assert_string_equal(r->verdict, rows[i].verdict);
		assert_int_equal(r->counts[STATS_BROKEN], rows[i].n_broken);
		assert_string_equal(json_string_value(json_object_get(j, "verdict")),
			rows[i].verdict);
	}
}

/* ---- what counts as broken ---- */

static const struct report_topology one_topology[] = {
	{"guest-1l8", "8 CPUs, one LLC", NULL}};
static const struct report_kernel both_built[] = {
	{.side = REPORT_BASE, .done = true, .ok = true},
	{.side = REPORT_PATCHED, .done = true, .ok = true},
};
static const struct report_machine guest[] = {{"lab-1", REPORT_EMULATED, "QEMU"}};

/* K boots a side; those below n_base and n_patched show the event. */
static struct report_input boots_with(struct arena *a, int k,
	const struct report_event *ev, int n_base, int n_patched,
	enum report_outcome outcome)
{
	struct report_boot *b = ARENA_ARRAY(a, struct report_boot, 2 * k);

	for (int i = 0; i < 2 * k; i++) {
		bool shows = i / 2 < (i % 2 ? n_patched : n_base);

		b[i] = (struct report_boot){
			.topology = "guest-1l8",
			.block = i / 2,
			.side = i % 2 ? REPORT_PATCHED : REPORT_BASE,
			.outcome = shows ? outcome : REPORT_BOOT_OK,
			.why = "no end after 180 s",
			.events = ev,
			.n_events = shows && ev,
		};
	}
	return (struct report_input){
		.message_id = "a@example.org",
		.n_patches = 1,
		.base_tree = "t",
		.base_commit = "0123456789abcdef",
		.machines = guest,
		.n_machines = 1,
		.topologies = one_topology,
		.n_topologies = 1,
		.builds = both_built,
		.n_builds = 2,
		.boots = b,
		.n_boots = (size_t)(2 * k),
	};
}

static void what_is_held_against_a_series(void **state)
{
	static const struct report_event panic = {
		"panic", "Kernel panic", "f", 1, NULL, 0};
	static const struct report_event warn = {"warn", "WARNING: x", "f", 1, NULL, 0};
	static const struct report_event stall = {
		"rcu_stall", "rcu: stall", NULL, 1, NULL, 0};
	static const struct report_event other = {"flux", "new kind", NULL, 1, NULL, 0};
	static const struct {
		const struct report_event *ev;
		enum report_outcome outcome;
		int n_base, n_patched, n_new, n_told;
	} rows[] = {
		{&panic, REPORT_BOOT_PANIC, 0, 1, 1, 1},
		{&panic, REPORT_BOOT_PANIC, 1, 2, 0, 1}, /* base shows it too */
		{&panic, REPORT_BOOT_PANIC, 1, 0, 0, 0}, /* base alone: a note */
		{&warn, REPORT_BOOT_OK, 0, 1, 1, 1},
		{&warn, REPORT_BOOT_OK, 2, 2, 0, 1},
		{&stall, REPORT_BOOT_OK, 0, 1, 0, 1}, /* an emulator stalls by itself */
		{&stall, REPORT_BOOT_OK, 0, 2, 1, 1}, /* repeated, absent from base */
		{&stall, REPORT_BOOT_OK, 1, 2, 0, 1},
		{&other, REPORT_BOOT_OK, 0, 1, 0, 1},
		{NULL, REPORT_BOOT_HANG, 0, 1, 0, 1},
		{NULL, REPORT_BOOT_HANG, 0, 2, 1, 1},
		{NULL, REPORT_BOOT_LOAD_FAILED, 0, 2, 1, 1},
		{NULL, REPORT_BOOT_PANIC, 0, 1, 1, 1}, /* the outcome alone says it */
		{NULL, REPORT_BOOT_OK, 2, 2, 0, 0},
	};
	struct arena *a = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct report_input in = boots_with(a, 2, rows[i].ev, rows[i].n_base,
			rows[i].n_patched, rows[i].outcome);
		struct report *r = build(a, &in);

		if (r->counts[STATS_BROKEN] != rows[i].n_new ||
			(int)r->n_failures != rows[i].n_told)
			fail_msg("row %zu: %d new, %zu told", i, r->counts[STATS_BROKEN],
				r->n_failures);
		assert_int_equal(strcmp(r->verdict, "broken") == 0, rows[i].n_new > 0);
		validate_mail(report_text(a, r));
	}
}

static void without_base_nothing_is_held_against(void **state)
{
	static const struct report_event panic = {
		"panic", "Kernel panic", "f", 1, NULL, 0};
	struct arena *a = *state;
	struct report_input in = boots_with(a, 2, &panic, 0, 2, REPORT_BOOT_PANIC);
	struct report_boot *b = (struct report_boot *)in.boots;
	struct report *r;

	for (size_t i = 0; i < in.n_boots; i += 2)
		b[i].outcome = REPORT_BOOT_NONE;
	r = build(a, &in);
	assert_int_equal(r->counts[STATS_BROKEN], 0);
	assert_int_equal(r->n_failures, 1);
	assert_string_equal(r->verdict, "inconclusive");
	validate_mail(report_text(a, r));
}

static void one_failure_for_many_addresses(void **state)
{
	static const struct report_event ev[] = {
		{"oops", "BUG: unable to handle page fault for address: ffff888100000008",
			NULL, 1, NULL, 0},
		{"oops", "BUG: unable to handle page fault for address: ffffc9000001fd10",
			NULL, 1, NULL, 0},
	};
	struct arena *a = *state;
	struct report_input in = boots_with(a, 2, ev, 0, 2, REPORT_BOOT_PANIC);
	struct report_boot *b = (struct report_boot *)in.boots;

	b[3].events = &ev[1];
	assert_int_equal(build(a, &in)->n_failures, 1);
}

static void emulated_times_are_never_judged(void **state)
{
	struct arena *a = *state;
	struct report_input in = boots_with(a, 8, NULL, 0, 0, REPORT_BOOT_OK);
	struct report_samples *s = ARENA_ARRAY(a, struct report_samples, 16);
	double *x = ARENA_ARRAY(a, double, 16);
	struct report_measure m = {.tier = REPORT_EMULATED,
		.topology = "guest-1l8",
		.bench = "hackbench",
		.case_ = "pipe",
		.metric = "time",
		.unit = "s",
		.better = BENCH_LOWER,
		.samples = s,
		.n_samples = 16};
	struct report *r;

	for (int i = 0; i < 16; i++) {
		x[i] = i % 2 ? 10 + i * .01 : 1 + i * .001; /* ten times slower */
		s[i] = (struct report_samples){
			i % 2 ? REPORT_PATCHED : REPORT_BASE, i / 2, &x[i], 1};
	}
	in.measures = &m;
	in.n_measures = 1;
	r = build(a, &in);
	assert_int_equal(r->counts[STATS_SHOWN], 1);
	assert_string_equal(r->verdict, "ok");
	assert_int_equal(validate_mail(report_text(a, r)), 1);
	m.tier = REPORT_METAL;
	r = build(a, &in);
	assert_int_equal(r->counts[STATS_WORSE], 1);
}

static void long_names_and_odd_values_fit(void **state)
{
	static const double tiny[] = {0.000001, 0.000002}, huge[] = {1e12, 9e15};
	struct arena *a = *state;
	struct report_input in = boots_with(a, 2, NULL, 0, 0, REPORT_BOOT_OK);
	struct report_samples s[4] = {{REPORT_BASE, 0, &tiny[0], 1},
		{REPORT_PATCHED, 0, &huge[0], 1}, {REPORT_BASE, 1, &tiny[1], 1},
		{REPORT_PATCHED, 1, &huge[1], 1}};
	struct report_measure m[2] = {{.tier = REPORT_EMULATED,
		.topology = "guest-1l8",
		.bench = "b",
		.metric = "time",
		.better = BENCH_HIGHER,
		.samples = s,
		.n_samples = 4}};

	m[0].case_ = "a-case-with-a-name-that-is-much-longer-than-any-table-has-room-for";
	m[0].load = "and-a-load-that-is-just-as-long-as-the-case";
	m[1] = m[0];
	m[1].better = BENCH_LOWER;
	in.measures = m;
	in.n_measures = 2;
	assert_int_equal(validate_mail(report_text(a, build(a, &in))), 2);
}

static void bad_input(void **state)
{
	static const struct report_kernel twice[] = {
		{.side = REPORT_BASE}, {.side = REPORT_BASE}};
	struct arena *a = *state;
	struct report_input in[4];
	struct report *r;
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		in[i] = boots_with(a, 2, NULL, 0, 0, REPORT_BOOT_OK);
	in[0].message_id = NULL;
	in[1].builds = twice;
	in[2].kind = REPORT_DOES_NOT_APPLY;
	((struct report_boot *)in[3].boots)[0].topology = "a b";
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		assert_int_equal(report_build(a, &in[i], &r, &e), ERR_INVALID);
	in[0] = boots_with(a, 2, NULL, 0, 0, REPORT_BOOT_OK);
	in[0].n_boots = REPORT_BOOTS_MAX + 1;
	assert_int_equal(report_build(a, &in[0], &r, &e), ERR_TOO_BIG);
}

static void json_is_strict(void **state)
{
	static const char *const rows[] = {"{}", "[]", "{\"v\":1}",
		"{\"v\":2,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1}",
		"{\"v\":1,\"kind\":\"other\",\"message_id\":\"a@b\",\"n_patches\":1}",
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":-1}",
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1,"
		"\"x\":1}",
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1,"
		"\"boots\":[{\"topology\":\"t\",\"block\":0,\"side\":\"left\","
		"\"outcome\":\"ok\"}]}",
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1,"
		"\"boots\":[{\"topology\":\"t\",\"block\":0,\"side\":\"base\","
		"\"outcome\":\"so\"}]}",
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1,"
		"\"repeat\":[1]}",
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1,"
		"\"builds\":{}}"};
	static const char ok[] =
		"{\"v\":1,\"kind\":\"result\",\"message_id\":\"a@b\",\"n_patches\":1,"
		"\"title\":null,\"boots\":null,\"url\":null}";
	struct arena *a = *state;
	struct report_input *in;
	json_auto_t *good = json_loads(ok, 0, NULL);
	struct err e;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		json_auto_t *j = json_loads(rows[i], 0, NULL);

		if (report_input_from_json(a, j, &in, &e) == 0)
			fail_msg("accepted: %s", rows[i]);
	}
	assert_int_equal(report_input_from_json(a, good, &in, &e), 0);
	assert_null(in->title);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(golden_mails),
		T(what_is_held_against_a_series),
		T(without_base_nothing_is_held_against),
		T(one_failure_for_many_addresses),
		T(emulated_times_are_never_judged),
		T(long_names_and_odd_values_fit),
		T(bad_input),
		T(json_is_strict),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
