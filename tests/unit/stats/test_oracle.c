// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The recorded sets of ../shared/stats/oracle (made with R and scipy) against what
 * `wakelist stats eval` prints: every key that we print must agree within the tolerances
 * of INDEX.json; for kinds that are whole, every key of theirs must be there.
 */
#include "base/base.h"

#include "base/file.h"
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "cli/stats_eval.c"

#define DIR_NAME WL_SOURCE_DIR "/../shared/stats/oracle"

struct tally {
	const char *file;
	int n_compared, n_absent, n_bad;
};

static bool near(double want, double got, double rel, double abs_)
{
	return fabs(want - got) <= fmax(rel * fmax(fabs(want), fabs(got)), abs_);
}

/* Tolerance by the meaning of the key, as INDEX.json states it. */
static bool close_enough(const char *key, double want, double got, double width)
{
	if (strncmp(key, "ci", 2) == 0 || strncmp(key, "upper95", 7) == 0)
		return fabs(want - got) <= 1e-8 * width + 1e-12 * fabs(want);
	if (key[0] == 'p' || strcmp(key, "f_p_upper") == 0)
		return near(want, got, 1e-8, 1e-12);
	if (strncmp(key, "type", 4) == 0)
		return near(want, got, 1e-12, 0);
	/* means and differences of values near 1: what is left is rounding */
	return near(want, got, 1e-9, 1e-13);
}

static void compare(
	struct tally *t, const char *key, json_t *want, json_t *got, double width)
{
	json_t *w;
	const char *k;
	size_t i;

	if (json_is_object(want)) {
		json_object_foreach(want, k, w)
		{
			json_t *g = json_object_get(got, k);

			if (!g && strcmp(k, "r_says") != 0)
				t->n_absent++;
			else if (g)
				compare(t, k, w, g, width);
		}
		return;
	}
	t->n_compared++;
	if (json_is_array(want)) {
		if (json_array_size(want) == 2 && json_is_number(json_array_get(want, 0)))
			width = fabs(json_number_value(json_array_get(want, 1)) -
				     json_number_value(json_array_get(want, 0)));
		t->n_bad += json_array_size(want) != json_array_size(got);
		json_array_foreach(want, i, w)
			compare(t, key, w, json_array_get(got, i), width);
		return;
	}
	if (json_is_number(want) && json_is_number(got)) {
		if (close_enough(
			    key, json_number_value(want), json_number_value(got), width))
			return;
		print_error("%s: %s is %.17g, want %.17g\n", t->file, key,
			json_number_value(got), json_number_value(want));
		t->n_bad++;
	} else if (!json_equal(want, got)) {
		print_error("%s: %s differs\n", t->file, key);
		t->n_bad++;
	}
}

static bool is_whole(const char *kind)
{
	static const char *const whole[] = {
		"adjust", "moderated", "summary", "quantile", "binom"};

	for (size_t i = 0; i < ARRAY_LEN(whole); i++)
		if (strcmp(whole[i], kind) == 0)
			return true;
	return false;
}

static int is_set(const struct dirent *d)
{
	return d->d_name[0] >= '0' && d->d_name[0] <= '9';
}

static void recorded_sets(void **state)
{
	struct dirent **list = NULL;
	int n = scandir(DIR_NAME, &list, is_set, alphasort), n_sets = 0, n_bad = 0;
	int n_compared = 0;

	(void)state;
	if (n <= 0) {
		print_message("skipped: ../shared is absent\n");
		skip();
	}
	for (int i = 0; i < n; i++) {
		CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
		json_auto_t *set = NULL, *got = NULL;
		struct tally t = {list[i]->d_name, 0, 0, 0};
		const char *kind;
		char path[4096];
		struct err e;

		snprintf(path, sizeof(path), "%s/%s", DIR_NAME, list[i]->d_name);
		if (file_read(path, 16 << 20, &text, &e) != 0 ||
			stats_eval_load(text.buf, text.len, &set, &e) != 0)
			fail_msg("%s", e.msg);
		kind = json_string_value(json_object_get(set, "kind"));
		if (stats_eval(set, &got, &e) != 0) {
			assert_int_equal(e.code, ERR_UNSUPPORTED);
			free(list[i]);
			continue;
		}
		compare(&t, "", json_object_get(set, "expect"), got, 0);
		if (is_whole(kind) && t.n_absent) {
			print_error("%s: %d keys absent\n", t.file, t.n_absent);
			n_bad++;
		}
		n_sets++;
		n_bad += t.n_bad;
		n_compared += t.n_compared;
		free(list[i]);
	}
	free(list);
	print_message("%d sets, %d values compared\n", n_sets, n_compared);
	assert_true(n_sets > 40);
	assert_int_equal(n_bad, 0);
}

static void refusals(void **state)
{
	static const char *const bad[] = {"{}", "{\"kind\":\"block\"}",
		"{\"kind\":\"nosuch\",\"input\":{}}",
		"{\"kind\":\"block\",\"input\":{\"a\":1}}",
		"{\"kind\":\"adjust\",\"input\":{\"p\":[2]}}",
		"{\"kind\":\"adjust\",\"input\":{\"p\":[\"x\"]}}",
		"{\"kind\":\"block\",\"input\":{\"a\":[1],\"b\":[],\"margin\":0.1}}",
		"{\"kind\":\"quantile\",\"input\":{\"x\":[],\"probs\":[0.5]}}"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		json_auto_t *set = json_loads(bad[i], 0, NULL);
		json_t *got = NULL;
		struct err e;

		assert_true(stats_eval(set, &got, &e) < 0);
		assert_null(got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_sets),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
