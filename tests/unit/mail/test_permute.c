/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of assembly on random sets: the order of the mails and mails given twice do
 * not count; a mail from elsewhere changes nothing; the neighbourhood found by keys gives
 * the series that the whole set gives.
 */
#include "base/base.h"

#include "base/rng.h"
#include "mail/mail_json.h"
#include "tests/unit/mail/threads.h"

#ifndef CASES
#define CASES 150
#endif
#define MAX_MAILS 24

static char *text_of(struct arena *a, const struct mail *const *v, size_t n)
{
	struct series_clock clock = {.now = THREADS_START + 86400};
	struct series_set set;
	struct err e;
	assert_ok(series_assemble(a, v, n, &set, &e), &e);
	json_t *j = series_set_json(a, &set, &clock);
	char *out = jx_dump(j);
	json_decref(j);
	return out;
}

static const char *pick(struct rng *r, const char *const *v, size_t n)
{
	return v[rng_below(r, n)];
}

/* A small world: few authors, few titles, few places, so that everything clashes. */
static size_t make(
	struct arena *a, struct rng *r, const char *mark, const struct mail **v)
{
	static const char *const subjects[] = {"[PATCH 0/2] t", "[PATCH 1/2] a",
		"[PATCH 2/2] b", "[PATCH v2 0/2] t", "[PATCH v2 1/2] a",
		"[PATCH v2 2/2] b", "[PATCH 1/3] c", "[PATCH 3/3] d",
		"[PATCH 0/2] t (v3)", "[PATCH RESEND 1/2] a", "[RFC] t",
		"Re: [PATCH 1/2] a", "[PATCH] a", "[PATCH net-next 1/2] a",
		"[PATCH v3] a", "[tip: sched/core] a"};
	static const char *const diffs[] = {"x", "y", "z", NULL};
	static const char *const headers[] = {"", "", "", "X-Change-ID: 2024-demo\n"};
	static const char *const texts[] = {"word", "word\n\nTested-by: Ada <ada@x>",
		"Commit-ID: 0123456789abcdef0123456789abcdef01234567\n\nx"};
	size_t n = 4 + rng_below(r, MAX_MAILS - 4);
	for (size_t i = 0; i < n; i++) {
		struct letter l = {.subject = pick(r, subjects, ARRAY_LEN(subjects))};
		l.id = arena_printf(a, "%s%zu", mark, i);
		if (rng_below(r, 3))
			l.parent =
				arena_printf(a, "%s%d", mark, (int)rng_below(r, n + 2));
		int batch = (int)rng_below(r, 4);
		l.minute = batch * (int)rng_below(r, 30);
		l.diff = pick(r, diffs, ARRAY_LEN(diffs));
		if (l.diff)
			l.diff = arena_printf(a, "%s%s", mark, l.diff);
		l.from = rng_below(r, 8) ? arena_printf(a, "W <%sw@x>", mark)
					 : arena_printf(a, "A <%sa@x>", mark);
		l.text = pick(r, texts, ARRAY_LEN(texts));
		l.headers = pick(r, headers, ARRAY_LEN(headers));
		if (strstr(l.headers, "Change"))
			l.headers = arena_printf(a, "X-Change-ID: %s\n", mark);
		v[i] = threads_mail(a, &l);
	}
	return n;
}

static void shuffle(struct rng *r, const struct mail **v, size_t n)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = rng_below(r, i);
		const struct mail *t = v[k];
		v[k] = v[i - 1];
		v[i - 1] = t;
	}
}

static void test_order(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct rng r;
		rng_seed_named(&r, seed, "order");
		const struct mail *v[2 * MAX_MAILS];
		size_t n = make(a, &r, "m", v);
		CLEANUP(base_freep) char *want = text_of(a, v, n);
		for (int round = 0; round < 4; round++) {
			/* Some mails twice. */
			size_t more = n;
			for (size_t k = rng_below(&r, n); k > 0; k--)
				v[more++] = v[rng_below(&r, n)];
			shuffle(&r, v, more);
			CLEANUP(base_freep) char *got = text_of(a, v, more);
			if (strcmp(got, want))
				fail_msg("seed %llu:\n%s\n%s", (unsigned long long)seed,
					want, got);
			/* Back to the set: drop what is there twice. */
			size_t kept = 0;
			for (size_t i = 0; i < more; i++) {
				bool seen = false;
				for (size_t k = 0; k < kept; k++)
					seen = seen || v[k] == v[i];
				if (!seen)
					v[kept++] = v[i];
			}
			assert_int_equal(kept, n);
		}
	}
}

/* Two worlds that share nothing: each series is the same beside the other. */
static void test_locality(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct rng r;
		rng_seed_named(&r, seed, "locality");
		const struct mail *v[2 * MAX_MAILS];
		size_t n = make(a, &r, "m", v);
		size_t all = n + make(a, &r, "o", v + n);
		struct series_clock clock = {.now = THREADS_START + 86400};
		struct series_set alone, beside;
		struct err e;
		assert_ok(series_assemble(a, v, n, &alone, &e), &e);
		assert_ok(series_assemble(a, v, all, &beside, &e), &e);
		size_t at = 0;
		for (size_t i = 0; i < beside.n_series; i++) {
			if (*beside.series[i]->id != 'm')
				continue;
			assert_true(at < alone.n_series);
			json_t *x = series_json(a, alone.series[at++], &clock);
			json_t *y = series_json(a, beside.series[i], &clock);
			CLEANUP(base_freep) char *want = jx_dump(x), *got = jx_dump(y);
			json_decref(x);
			json_decref(y);
			assert_string_equal(got, want);
		}
		assert_int_equal(at, alone.n_series);
	}
}

/* Is the mail a patch of s, or listed beside one? */
static bool holds(const struct series *s, const char *id)
{
	for (size_t p = 0; p < s->n_patches; p++) {
		const struct series_patch *q = &s->patches[p];
		if (!strcmp(q->mail->message_id, id) ||
			(q->replaces && !strcmp(q->replaces->message_id, id)))
			return true;
		for (size_t z = 0; z < q->n_resent; z++) {
			if (!strcmp(q->resent[z]->message_id, id))
				return true;
		}
	}
	return false;
}

/* After one more mail a complete series still stands together, or is ambiguous. */
static bool stands(const struct series *s, const struct series_set *after)
{
	for (size_t j = 0; j < after->n_series; j++) {
		const struct series *t = after->series[j];
		size_t n = 0;
		for (size_t k = 0; k < s->n_patches; k++)
			n += holds(t, s->patches[k].mail->message_id);
		if (n == s->n_patches || (n && t->ambiguous))
			return true;
	}
	return false;
}

static void test_prefix(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct rng r;
		rng_seed_named(&r, seed, "prefix");
		const struct mail *v[2 * MAX_MAILS];
		size_t n = make(a, &r, "m", v);
		struct series_set before, after;
		struct err e;
		assert_ok(series_assemble(a, v, n - 1, &before, &e), &e);
		assert_ok(series_assemble(a, v, n, &after, &e), &e);
		for (size_t i = 0; i < before.n_series; i++) {
			const struct series *s = before.series[i];
			if (s->complete && !s->partial && !stands(s, &after))
				fail_msg("seed %llu: %s fell apart",
					(unsigned long long)seed, s->id);
		}
	}
}

static bool shares_key(struct arena *a, const struct mail *p, const struct mail *q)
{
	struct mail_key *x, *y;
	size_t n, m;
	mail_keys(a, p, &x, &n);
	mail_keys(a, q, &y, &m);
	int64_t apart = p->order_time - q->order_time;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < m; k++) {
			int64_t window = x[i].window_s;
			if (!strcmp(x[i].text, y[k].text) &&
				(!window || (apart <= window && -apart <= window)))
				return true;
		}
	}
	return false;
}

/* The closure over keys from any member holds all mails of every series it touches. */
static void test_neighbourhood(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct rng r;
		rng_seed_named(&r, seed, "keys");
		const struct mail *v[2 * MAX_MAILS];
		size_t n = make(a, &r, "m", v);
		n += make(a, &r, "o", v + n);
		bool in[2 * MAX_MAILS] = {false};
		in[rng_below(&r, n)] = true;
		for (bool grew = true; grew;) {
			grew = false;
			for (size_t i = 0; i < n; i++) {
				for (size_t k = 0; k < n && !in[i]; k++) {
					if (in[k] && shares_key(a, v[i], v[k]))
						in[i] = grew = true;
				}
			}
		}
		const struct mail *near[2 * MAX_MAILS];
		size_t n_near = 0;
		for (size_t i = 0; i < n; i++) {
			if (in[i])
				near[n_near++] = v[i];
		}
		struct series_clock clock = {.now = THREADS_START + 86400};
		struct series_set some, all;
		struct err e;
		assert_ok(series_assemble(a, near, n_near, &some, &e), &e);
		assert_ok(series_assemble(a, v, n, &all, &e), &e);
		for (size_t i = 0; i < some.n_series; i++) {
			json_t *x = series_json(a, some.series[i], &clock);
			CLEANUP(base_freep) char *got = jx_dump(x);
			json_decref(x);
			bool found = false;
			for (size_t k = 0; k < all.n_series && !found; k++) {
				json_t *y = series_json(a, all.series[k], &clock);
				CLEANUP(base_freep) char *want = jx_dump(y);
				json_decref(y);
				found = !strcmp(got, want);
			}
			if (!found)
				fail_msg("seed %llu: %s", (unsigned long long)seed, got);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_locality),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_neighbourhood),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
