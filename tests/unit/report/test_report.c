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
	struct report_input *in;
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

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(golden_mails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
