/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stream gives the bytes that one assembly of all mails gives: on random sets full of
 * ties between authors, in any order, with next to no memory (so that every list goes
 * through files), and with hashes of a few bits (so that most ids share one).
 * WL_PERMUTE_EPOCHS names epochs, separated by colons, for the same on real mails.
 */
#include "base/base.h"

#include "base/rng.h"
#include "mail/image.h"
#include "mail/mail_json.h"
#include "mail/stream.h"
#include "tests/unit/mail/epochs.h"
#include "tests/unit/mail/threads.h"

#ifndef CASES
#define CASES 600
#endif
#define MAX_MAILS 40

static const struct series_clock late = {.now = THREADS_START + 86400};

static char *at_once(const struct mail *const *v, size_t n)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct series_set set;
	struct err e;
	assert_ok(series_assemble(a, v, n, &set, &e), &e);
	json_t *j = series_set_json(a, &set, &late);
	char *out = jx_dump(j);
	json_decref(j);
	return out;
}

static int collect(void *arg, const char *text, size_t len, struct err *e)
{
	(void)e;
	sbuf_add(arg, text, len);
	return 0;
}

static char *streamed(const struct mail *const *v, size_t n,
	const struct series_stream_opts *opts, struct series_stream_stats *ret)
{
	CLEANUP(series_stream_freep) struct series_stream *s = series_stream_new(opts);
	struct sbuf out = SBUF_INIT;
	struct err e;
	for (size_t i = 0; i < n; i++)
		assert_ok(series_stream_add(s, v[i], &e), &e);
	assert_ok(series_stream_write(s, &late, collect, &out, &e), &e);
	series_stream_stats(s, ret);
	return sbuf_detach(&out, NULL);
}

static const char *pick(struct rng *r, const char *const *v, size_t n)
{
	return v[rng_below(r, n)];
}

static const char *some_id(struct arena *a, struct rng *r, size_t n)
{
	return arena_printf(a, "<m%d@x>", (int)rng_below(r, n + 3));
}

/* Headers that tie: other ids of its own, a list of ancestors, a change-id. */
static const char *headers(struct arena *a, struct rng *r, size_t n)
{
	CLEANUP(sbuf_release) struct sbuf h = SBUF_INIT;
	if (rng_below(r, 6) == 0)
		sbuf_addf(&h, "Message-ID: %s\n", some_id(a, r, n));
	if (rng_below(r, 3) == 0) {
		sbuf_adds(&h, "References:");
		for (size_t k = 1 + rng_below(r, 3); k; k--)
			sbuf_addf(&h, " %s", some_id(a, r, n));
		sbuf_addc(&h, '\n');
	}
	if (rng_below(r, 6) == 0)
		sbuf_addf(&h, "X-Change-ID: 2024-%d\n", (int)rng_below(r, 2));
	if (rng_below(r, 12) == 0)
		sbuf_adds(&h, "X-Patchwork-Hint: ignore\n");
	return arena_strndup(a, h.buf, h.len);
}

static const char *text(struct arena *a, struct rng *r, size_t n)
{
	switch (rng_below(r, 6)) {
	case 0:
		return "word\n\nTested-by: Ada <ada@x>\nAcked-by: Bo <bo@x>\n";
	case 1:
		return arena_printf(a,
			"Commit-ID: 0123456789abcdef0123456789abcdef01234567\n"
			"Link: https://lore.kernel.org/r/m%d@x\n",
			(int)rng_below(r, n));
	case 2:
		return arena_printf(a,
			"word\n\nChanges since v1:\n"
			"https://lore.kernel.org/r/m%d@x\n",
			(int)rng_below(r, n));
	default:
		return "word";
	}
}

/* A small world: few authors, titles and places; ids that come twice. */
static size_t make(struct arena *a, struct rng *r, const struct mail **v)
{
	static const char *const subjects[] = {"[PATCH 0/2] t", "[PATCH 1/2] a",
		"[PATCH 2/2] b", "[PATCH v2 0/2] t", "[PATCH v2 1/2] a",
		"[PATCH v2 2/2] b", "[PATCH 1/3] c", "[PATCH 0/2] t (v3)",
		"[PATCH RESEND 1/2] a", "[RFC] t", "[RFC] t", "Re: [PATCH 1/2] a",
		"Re: [PATCH 0/2] t", "Re: [RFC] t", "Re: t", "[PATCH] a", "[PATCH v3] a",
		"[tip: sched/core] a"};
	static const char *const people[] = {
		"W <w@x>", "W <W@x>", "A <a@x>", "B <b@x>", "C <c@x>", "a word"};
	static const char *const diffs[] = {"x", "y", "z", NULL, NULL};
	size_t n = 4 + rng_below(r, MAX_MAILS - 4);
	for (size_t i = 0; i < n; i++) {
		struct letter l = {.subject = pick(r, subjects, ARRAY_LEN(subjects))};
		size_t self = rng_below(r, 10) ? i : rng_below(r, n);
		l.id = arena_printf(a, "m%zu", self);
		if (rng_below(r, 3))
			l.parent = arena_printf(a, "m%d", (int)rng_below(r, n + 2));
		l.minute = (int)rng_below(r, 4) * (int)rng_below(r, 30);
		l.diff = pick(r, diffs, ARRAY_LEN(diffs));
		l.from = people[rng_below(r, 4) ? rng_below(r, 3) : rng_below(r, 6)];
		l.headers = headers(a, r, n);
		l.text = text(a, r, n);
		v[i] = threads_mail(a, &l);
	}
	return n;
}

/* Fails with what stands around the first difference. */
static void assert_same(const char *want, const char *got, const char *what)
{
	size_t at = 0;
	while (want[at] && want[at] == got[at])
		at++;
	if (want[at] == got[at])
		return;
	at = at > 200 ? at - 200 : 0;
	fail_msg("%s, byte %zu:\n%.400s\n%.400s", what, at, want + at, got + at);
}

static void check(const struct mail *const *v, size_t n, uint64_t seed)
{
	static const struct series_stream_opts usual = {0}, tiny = {.sort_bytes = 96},
					       few = {.hash_bits = 2},
					       both = {.sort_bytes = 96, .hash_bits = 1};
	static const struct series_stream_opts *const opts[] = {
		&usual, &tiny, &few, &both};
	struct series_stream_stats stats;
	CLEANUP(base_freep) char *want = at_once(v, n);
	for (size_t i = 0; i < ARRAY_LEN(opts); i++) {
		CLEANUP(base_freep) char *got = streamed(v, n, opts[i], &stats);
		char what[64];
		snprintf(what, sizeof(what), "seed %llu, options %zu",
			(unsigned long long)seed, i);
		assert_same(want, got, what);
		assert_int_equal(stats.mails, n);
	}
}

static void test_equal(void **state)
{
	size_t n_groups = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= CASES; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		const struct mail *v[MAX_MAILS];
		struct series_stream_stats stats;
		struct rng r;
		rng_seed_named(&r, seed, "stream");
		size_t n = make(a, &r, v);
		check(v, n, seed);
		CLEANUP(base_freep) char *one = streamed(v, n, NULL, &stats);
		n_groups += stats.groups;
		for (size_t i = n; i > 1; i--) {
			size_t k = rng_below(&r, i);
			const struct mail *t = v[k];
			v[k] = v[i - 1];
			v[i - 1] = t;
		}
		CLEANUP(base_freep) char *two = streamed(v, n, NULL, &stats);
		assert_same(one, two, "another order");
	}
	assert_true(n_groups > 2 * CASES); /* there was something to put together */
}

static void test_empty(void **state)
{
	struct series_stream_stats stats;
	(void)state;
	CLEANUP(base_freep) char *got = streamed(NULL, 0, NULL, &stats);
	assert_string_equal(got, "{\"v\":1,\"series\":[],\"other\":[]}");
	assert_int_equal(stats.groups, 0);
}

static int refuse(void *arg, const char *one, size_t len, struct err *e)
{
	(void)arg;
	(void)one;
	(void)len;
	return err_set(e, ERR_UNAVAILABLE, "enough");
}

static void test_writer_fails(void **state)
{
	CLEANUP(series_stream_freep) struct series_stream *s = series_stream_new(NULL);
	struct err e;
	(void)state;
	assert_int_equal(series_stream_write(s, NULL, refuse, NULL, &e), ERR_UNAVAILABLE);
	assert_string_equal(e.msg, "enough");
}

/* No room for the temporary file: an error that names it. */
static void test_full_disk(void **state)
{
	static const struct series_stream_opts tiny = {.sort_bytes = 96};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(series_stream_freep) struct series_stream *s = series_stream_new(&tiny);
	const struct mail *m = threads_mail(a, &(struct letter){"a", "[PATCH] a"});
	struct err e;
	(void)state;
	setenv("TMPDIR", "/nonexistent/folder", 1);
	int rc = series_stream_add(s, m, &e);
	unsetenv("TMPDIR");
	assert_int_equal(rc, ERR_UNAVAILABLE);
	assert_non_null(strstr(e.msg, "temporary file in /nonexistent/folder"));
}

/* The image of a digest is the digest. */
static void test_image(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		CLEANUP(sbuf_release) struct sbuf bytes = SBUF_INIT, again = SBUF_INIT;
		const struct mail *v[MAX_MAILS];
		struct rng r;
		rng_seed_named(&r, seed, "image");
		size_t n = make(a, &r, v);
		for (size_t i = 0; i < n; i++) {
			const struct mail *d = mail_digest(a, v[i]);
			mail_image_write(d, &bytes);
			const struct mail *m =
				mail_image_open(arena_memdup(a, bytes.buf, bytes.len));
			json_t *x = mail_json(d), *y = mail_json(m);
			assert_true(json_equal(x, y));
			json_decref(x);
			json_decref(y);
			assert_int_equal(d->parent != NULL, m->parent != NULL);
			/* and all that JSON does not show */
			mail_image_write(m, &again);
			assert_int_equal(again.len, bytes.len);
			assert_memory_equal(again.buf, bytes.buf, bytes.len);
		}
	}
}

static void epoch(const char *git)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(proc_result_release) struct proc_result blobs;
	const struct mail **v = NULL;
	size_t n = 0, cap = 0;
	struct mail_bytes one;
	char oid[64];
	epochs_read(git, &blobs);
	const char *p = blobs.out.buf, *end = p + blobs.out.len;
	while (epochs_next(&p, end, oid, &one)) {
		CLEANUP(arena_freep) struct arena *scratch = arena_new();
		struct mail *m;
		struct err e;
		if (mail_parse(scratch, one.p, one.len, NULL, &m, &e) == 0)
			*(const struct mail **)ARENA_PUSH(a, v, n, cap) =
				mail_digest(a, m);
	}
	assert_true(n > 0);
	struct series_stream_opts small = {.sort_bytes = 16384};
	struct series_stream_stats stats;
	CLEANUP(base_freep) char *want = at_once(v, n);
	CLEANUP(base_freep) char *got = streamed(v, n, &small, &stats);
	assert_same(want, got, git);
	print_message("%s: %zu mails, %zu groups, the largest of %zu mails and %zu "
		      "bytes, %llu bytes in files\n",
		git, n, stats.groups, stats.largest_mails, stats.largest_bytes,
		(unsigned long long)stats.spooled_bytes);
}

static void test_epochs(void **state)
{
	const char *names = getenv("WL_PERMUTE_EPOCHS");
	(void)state;
	while (*names) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		size_t len = strcspn(names, ":");
		epoch(arena_strndup(a, names, len));
		names += len + (names[len] == ':');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_writer_fails),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_image),
	};
	const struct CMUnitTest named[] = {cmocka_unit_test(test_epochs)};
	int n_failed = cmocka_run_group_tests(tests, NULL, NULL);

	if (getenv("WL_PERMUTE_EPOCHS"))
		n_failed += cmocka_run_group_tests(named, NULL, NULL);
	return n_failed;
}
