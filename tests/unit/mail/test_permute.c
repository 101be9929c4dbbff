/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of assembly on random sets: the order of the mails and mails given twice do
 * not count; a mail from elsewhere changes nothing; the neighbourhood found by keys gives
 * the series that the whole set gives, batch by batch as a service forms them.
 * WL_PERMUTE_EPOCHS names epochs, separated by colons, for the same on real mails, with
 * WL_PERMUTE_ROUNDS orders and batches (tests/slow/permute).
 */
#include "base/base.h"

#include "base/rng.h"
#include "mail/mail_json.h"
#include "tests/unit/mail/epochs.h"
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

/* --- batches, as the service's query forms them --- */

/* A key of a mail of the set. */
struct row {
	const char *key;
	size_t mail;
	int64_t window_s;
	bool link;
};

struct world {
	const struct mail **v; /* by no order that counts */
	size_t n;
	struct row *rows; /* by key */
	size_t n_rows;
	size_t **keys; /* of mail i: its rows, n_keys[i] of them */
	size_t *n_keys;
};

static int by_row(const void *a, const void *b)
{
	const struct row *p = a, *q = b;
	int c = strcmp(p->key, q->key);
	return c ? c : (p->mail > q->mail) - (p->mail < q->mail);
}

static void world_make(struct arena *a, const struct mail **v, size_t n, struct world *w)
{
	size_t cap = 0;
	*w = (struct world){.v = v, .n = n};
	for (size_t i = 0; i < n; i++) {
		struct mail_key *keys;
		size_t n_keys;
		mail_keys(a, v[i], &keys, &n_keys);
		for (size_t k = 0; k < n_keys; k++)
			*(struct row *)ARENA_PUSH(a, w->rows, w->n_rows, cap) =
				(struct row){
					keys[k].text, i, keys[k].window_s, keys[k].link};
	}
	qsort(w->rows, w->n_rows, sizeof(*w->rows), by_row);
	w->n_keys = ARENA_ARRAY(a, size_t, n + 1);
	w->keys = ARENA_ARRAY(a, size_t *, n + 1);
	for (size_t i = 0; i < w->n_rows; i++)
		w->n_keys[w->rows[i].mail]++;
	for (size_t i = 0; i < n; i++) {
		w->keys[i] = ARENA_ARRAY(a, size_t, w->n_keys[i] + 1);
		w->n_keys[i] = 0;
	}
	for (size_t i = 0; i < w->n_rows; i++) {
		size_t m = w->rows[i].mail;
		w->keys[m][w->n_keys[m]++] = i;
	}
}

/* Marks who is here and shares a key of the kind with a marked mail: one step. */
static bool spread(
	const struct world *w, const bool *here, const bool *from, bool *to, bool link)
{
	bool grew = false;
	for (size_t i = 0; i < w->n; i++) {
		for (size_t k = 0; from[i] && k < w->n_keys[i]; k++) {
			size_t at = w->keys[i][k], first = at;
			const struct row *r = &w->rows[at];
			if (r->link != link)
				continue;
			while (first && !strcmp(w->rows[first - 1].key, r->key))
				first--;
			for (; first < w->n_rows; first++) {
				const struct row *o = &w->rows[first];
				if (strcmp(o->key, r->key))
					break;
				int64_t apart =
					w->v[i]->order_time - w->v[o->mail]->order_time;
				bool near =
					!r->window_s ||
					(apart <= r->window_s && -apart <= r->window_s);
				if (!here[o->mail] || o->link != link || !near ||
					to[o->mail])
					continue;
				to[o->mail] = grew = true;
			}
		}
	}
	return grew;
}

/* work_neighbours() of the database: near, the closure of the batch; all, with one step
 * over links and the closure of that. near holds the batch on entry. */
static void neighbours(const struct world *w, const bool *here, bool *near, bool *all)
{
	while (spread(w, here, near, near, false))
		;
	memcpy(all, near, w->n * sizeof(*all));
	spread(w, here, near, all, true);
	while (spread(w, here, all, all, false))
		;
}

/* Series with a part of their own that is marked, one JSON a line. */
static char *series_near(
	struct arena *a, const struct world *w, const bool *in, const bool *near)
{
	const struct mail **v = ARENA_ARRAY(a, const struct mail *, w->n + 1);
	const struct mail **marked = ARENA_ARRAY(a, const struct mail *, w->n + 1);
	struct series_clock clock = {.now = 0};
	struct sbuf out = SBUF_INIT;
	struct series_set set;
	struct err e;
	size_t n = 0, n_marked = 0;
	for (size_t i = 0; i < w->n; i++) {
		if (in[i])
			v[n++] = w->v[i];
		if (near[i])
			marked[n_marked++] = w->v[i];
	}
	assert_ok(series_assemble(a, v, n, &set, &e), &e);
	for (size_t i = 0; i < set.n_series; i++) {
		const struct series *s = set.series[i];
		bool mine = false;
		for (size_t k = 0; k < n_marked && !mine; k++) {
			mine = s->cover == marked[k];
			for (size_t p = 0; p < s->n_patches && !mine; p++)
				mine = s->patches[p].mail == marked[k] &&
				       !s->patches[p].inherited;
		}
		if (!mine)
			continue;
		json_t *j = series_json(a, s, &clock);
		CLEANUP(base_freep) char *text = jx_dump(j);
		json_decref(j);
		sbuf_adds(&out, text);
		sbuf_addc(&out, '\n');
	}
	return sbuf_detach(&out, NULL);
}

/* A part of the world is here; a batch of it is new: its neighbourhood gives the series
 * that all that is here gives. */
static void check_batch(const struct world *w, struct rng *r, uint64_t seed)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	bool *here = ARENA_ARRAY(a, bool, w->n + 1),
	     *near = ARENA_ARRAY(a, bool, w->n + 1);
	bool *all = ARENA_ARRAY(a, bool, w->n + 1);
	size_t share = 1 + rng_below(r, 8), size = 1 + rng_below(r, 12);
	for (size_t i = 0; i < w->n; i++)
		here[i] = rng_below(r, 8) < share;
	for (; size; size--) {
		size_t i = rng_below(r, w->n);
		here[i] = near[i] = true;
	}
	neighbours(w, here, near, all);
	CLEANUP(base_freep) char *got = series_near(a, w, all, near);
	CLEANUP(base_freep) char *want = series_near(a, w, here, near);
	if (strcmp(got, want))
		fail_msg("seed %llu:\nthe neighbourhood: %s\nall: %s",
			(unsigned long long)seed, got, want);
}

static void test_batches(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		const struct mail *v[2 * MAX_MAILS];
		struct world w;
		struct rng r;
		rng_seed_named(&r, seed, "batches");
		size_t n = make(a, &r, "m", v);
		n += make(a, &r, "o", v + n);
		world_make(a, v, n, &w);
		check_batch(&w, &r, seed);
	}
}

static void epoch(const char *git, size_t n_rounds)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(proc_result_release) struct proc_result blobs;
	const struct mail **v = NULL;
	size_t n = 0, cap = 0;
	struct mail_bytes text;
	struct world w;
	struct rng r;
	char oid[64];
	epochs_read(git, &blobs);
	const char *p = blobs.out.buf, *end = p + blobs.out.len;
	while (epochs_next(&p, end, oid, &text)) {
		CLEANUP(arena_freep) struct arena *one = arena_new();
		struct mail *m;
		struct err e;
		if (mail_parse(one, text.p, text.len, NULL, &m, &e) == 0)
			*(const struct mail **)ARENA_PUSH(a, v, n, cap) =
				mail_digest(a, m);
	}
	assert_true(n > 0);
	CLEANUP(arena_freep) struct arena *first = arena_new();
	CLEANUP(base_freep) char *want = text_of(first, v, n);
	for (size_t i = 1; i <= n_rounds; i++) {
		CLEANUP(arena_freep) struct arena *one = arena_new();
		rng_seed_named(&r, i, "epoch");
		shuffle(&r, v, n);
		CLEANUP(base_freep) char *got = text_of(one, v, n);
		if (strcmp(got, want))
			fail_msg("%s: order %zu gives other series", git, i);
	}
	world_make(a, v, n, &w);
	for (size_t i = 1; i <= n_rounds; i++) {
		rng_seed_named(&r, i, "epoch batches");
		check_batch(&w, &r, i);
	}
	print_message("%s: %zu mails, %zu orders and %zu batches\n", git, n, n_rounds,
		n_rounds);
}

static void test_epochs(void **state)
{
	const char *names = getenv("WL_PERMUTE_EPOCHS"),
		   *rounds = getenv("WL_PERMUTE_ROUNDS");
	(void)state;
	while (*names) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		size_t len = strcspn(names, ":");
		epoch(arena_strndup(a, names, len),
			rounds ? strtoul(rounds, NULL, 10) : 1000);
		names += len + (names[len] == ':');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_locality),
		cmocka_unit_test(test_prefix),
		cmocka_unit_test(test_neighbourhood),
		cmocka_unit_test(test_batches),
	};
	const struct CMUnitTest named[] = {cmocka_unit_test(test_epochs)};
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (getenv("WL_PERMUTE_EPOCHS"))
		n_failed += cmocka_run_group_tests(named, NULL, NULL);
	return n_failed;
}
