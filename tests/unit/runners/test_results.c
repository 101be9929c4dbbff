/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_results.c - the channel of a guest, also a hostile one. */
#include "base/base.h"

#include "runners/results.h"
#include <setjmp.h>
#include <stdarg.h>
/* after the above */
#include <cmocka.h>

static struct guest_results *parse(struct arena *a, const char *p, size_t len)
{
	struct guest_results *g = NULL;
	struct err e = {0};

	assert_int_equal(0, results_parse(a, p, len, &g, &e));
	return g;
}

#define GOOD                                                                             \
	"wl begin 0 1\n\n"                                                               \
	"wl fact 8 release\n6.1.192\n\n"                                                 \
	"wl fact 11 version\n#wl-1 SMP x\n"                                              \
	"wl fact 3 future\nabc\n"                                                        \
	"wl run 12 0 warmup 0 0\nTime: 0.844\n\n"                                        \
	"wl run 21 1 run 3 137\nwl end 0 \nwl run 0 0\n"                                 \
	"\n"                                                                             \
	"wl end 0 \n\n"

static void good(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct guest_results *g = parse(a, GOOD, strlen(GOOD));

	(void)state;
	assert_null(g->why);
	assert_true(g->begun && g->ended);
	assert_string_equal("6.1.192", g->release);
	assert_string_equal("#wl-1 SMP x", g->version);
	assert_int_equal(2, g->n_runs);
	assert_true(g->runs[0].warmup);
	assert_string_equal("Time: 0.844\n", g->runs[0].out);
	/* what looks like a record inside a run's output is output */
	assert_int_equal(1, g->runs[1].bench);
	assert_int_equal(3, g->runs[1].n);
	assert_int_equal(137, g->runs[1].status);
	assert_int_equal(21, g->runs[1].out_len);
}

/* Cut at any byte: what is whole counts, and it never looks complete. */
static void cut(void **state)
{
	(void)state;
	for (size_t n = 0; n + 1 < strlen(GOOD); n++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		char *copy = base_alloc(n + 1);
		struct guest_results *g;

		memcpy(copy, GOOD, n); /* own block: a read past the end is seen */
		g = parse(a, copy, n);
		assert_non_null(g->why);
		assert_false(g->ended);
		free(copy);
	}
}

static void bad(void **state)
{
	static const char *const texts[] = {"wl run 0 0 run 0 0\n\n", "hello\n",
		"wl begin 0 2\n\n", "wl begin 0 1\n\nwl run 0 0 maybe 0 0\n\n",
		"wl begin 0 1\n\nwl run -1 0 run 0 0\n\n",
		"wl begin 0 1\n\nwl run 99999999999 0 run 0 0\n\n",
		"wl begin 0 1\n\nwl run 0 0 run 0\n\n",
		"wl begin 0 1\n\nwl run 0 0 run 0 256\n\n",
		"wl begin 0 1\n\nwl run 1 0 run 0 0\nxy",
		"wl begin 0 1\n\nwl odd 0 x\n\n", "wl begin 0 1\n\nwl fact\n\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct guest_results *g = parse(a, texts[i], strlen(texts[i]));

		assert_non_null(g->why);
		assert_int_equal(0, g->n_runs);
	}
}

static void nul_bytes(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char text[] =
		"wl begin 0 1\n\nwl run 3 0 run 0 0\na\0b\nwl end 0 \n\n";
	struct guest_results *g = parse(a, text, sizeof(text) - 1);

	(void)state;
	assert_null(g->why);
	assert_int_equal(3, g->runs[0].out_len);
	g = parse(a, "wl be\0in 0 1\n\n", 14);
	assert_non_null(g->why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(cut),
		cmocka_unit_test(bad),
		cmocka_unit_test(nul_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
