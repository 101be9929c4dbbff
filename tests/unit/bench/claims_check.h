/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * claims_check.h - a text and the claims it must give, for the tests of claims. Nothing
 * is owned: the claims live in the arena of setup().
 */
#ifndef WL_TESTS_BENCH_CLAIMS_CHECK_H
#define WL_TESTS_BENCH_CLAIMS_CHECK_H

#include "base/base.h"

#include "bench/claims.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <strings.h>

#include <cmocka.h>

#define N NAN

struct want {
	const char *bench, *what; /* words of what, in order; NULL ends a list */
	double base, patched, change, std_base, std_patched;
	const char *better, *unit;
};

struct text {
	const char *name, *text;
	size_t n; /* claims, none more */
	struct want want[6];
};

static inline int setup(void **state)
{
	*state = arena_new();
	return 0;
}

static inline int teardown(void **state)
{
	arena_free(*state);
	return 0;
}

static inline bool same(double a, double b)
{
	return isnan(a) ? isnan(b) : fabs(a - b) <= 1e-9 * fmax(1, fabs(a));
}

static inline bool same_text(const char *a, const char *b)
{
	return a ? b && strcmp(a, b) == 0 : !b;
}

/* Every word of want stands in got, in this order. */
static inline bool words_in(const char *want, const char *got)
{
	while (*want) {
		size_t n = strcspn(want, " ");
		bool found = false;

		while (*got && !found) {
			size_t k = strcspn(got, " ");

			found = k == n && strncasecmp(got, want, n) == 0;
			got += k;
			got += strspn(got, " ");
		}
		if (!found)
			return false;
		want += n;
		want += strspn(want, " ");
	}
	return true;
}

static inline bool is_claim(const struct want *w, const struct claim *c)
{
	static const char *const better[] = {NULL, "lower", "higher"};

	return same_text(w->bench, c->bench) && words_in(w->what, c->what) &&
	       same(w->base, c->base) && same(w->patched, c->patched) &&
	       same(w->change, c->change_pct) && same(w->std_base, c->std_base_pct) &&
	       same(w->std_patched, c->std_patched_pct) &&
	       same_text(w->better, better[c->better]) && same_text(w->unit, c->unit);
}

static inline void read_text(struct arena *a, const char *text, struct claims *ret)
{
	struct err e;

	if (claims_read(a, text, strlen(text), ret, &e) != 0)
		fail_msg("%s", e.msg);
}

static inline void show(const struct claims *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct claim *k = &c->list[i];

		print_message("%s / %s / %g %g %g / %g %g / %d / %s\n",
			k->bench ? k->bench : "-", k->what, k->base, k->patched,
			k->change_pct, k->std_base_pct, k->std_patched_pct, k->better,
			k->unit ? k->unit : "-");
	}
}

static inline void check(struct arena *a, const struct text *t)
{
	struct claims c;

	read_text(a, t->text, &c);
	for (size_t i = 0; i < ARRAY_LEN(t->want) && t->want[i].what; i++) {
		bool found = false;

		for (size_t j = 0; j < c.n && !found; j++)
			found = is_claim(&t->want[i], &c.list[j]);
		if (!found) {
			show(&c);
			fail_msg("%s: no claim \"%s\"; %zu others", t->name,
				t->want[i].what, c.n);
		}
	}
	if (c.n != t->n)
		show(&c);
	if (c.n != t->n)
		fail_msg("%s: %zu claims, not %zu; last \"%s\"", t->name, c.n, t->n,
			c.n ? c.list[c.n - 1].what : "");
}

#endif
