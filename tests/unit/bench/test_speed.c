// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texts that somebody built to be slow: one of four times the size takes about four times
 * the time, not sixteen. Times are those of this thread and only their ratio counts, the
 * smallest of a few; where a text is read too fast to be measured it is fast enough.
 */
#include "base/base.h"

#include "base/sbuf.h"
#include "bench/bench.h"
#include "bench/claims.h"
#include <malloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#include <cmocka.h>

#define SMALL     (16 << 10)
#define RATIO_MAX 10   /* of 4 n to n; 16 where the time grows with the square */
#define TOO_SHORT 1e-2 /* s of the larger one: not worth a ratio */
#define ATTEMPTS  4

/* head, then unit over and over; "%zu" in the unit is the count. */
static const struct text {
	const char *head, *unit;
} texts[] = {
	{"", "a"},
	{"", "1 "},
	{"", "1,"},
	{"", "hackbench "},
	{"", "(1.0 "},
	{"", "> "},
	{"", "\033["},
	{"", "a\n"},
	{"", "1 2\n"},
	{"", "1 1 1 1 2.00\n"},
	{"", "| a | 1 | 2 |\n"},
	{"", "a %zu:\n\nr%zu 1.5 2.5\n\n"},
	{"", "Throughput,Elapsed Time (sec)\n"},
	{"", "THROUGHPUT=%zu.00\n"},
	{"", "Performance counter stats for\n"},
	{"Performance counter stats for 'x':\n\n", "1 e%zu\n"},
	{"", "1,,e%zu,1,100\n"},
	{"", "{\"counter-value\":\"1\",\"event\":\"e%zu\"}\n"},
	{"", "{\n\"counter-value\" :\n"},
	{"stress-ng: metrc: [1] stressor bogo ops\n",
		"stress-ng: metrc: [1] s%zu-s 1 1.00 1.00 1.00 1.00 1.00\n"},
	{"stressor bogo ops\nmiscellaneous metrics:\n", "a%zu 1.00 b\n"},
	{"", "T:%zu (1) P:80 I:1 C: 1 Min: 1 Act: 1 Avg: 1 Max: 1\n"},
	{"tasks,processes,processes_idle,threads,threads_idle,linear\n",
		"%zu,1,1,1,1,1\n"},
	{"Operation Count AvgLat MaxLat\n", "Op%zu 1 1.000 1.000\n"},
	{"", "Test %zu 1.0 lps (10.0 s, 1 samples)\n"},
	{"INDEX VALUES BASELINE RESULT INDEX\n", "T%zu 1.0 1.0 1.0\n"},
	{"", "Wakeup Latencies percentiles (usec)\n%zu\n"},
	{"{\"int\":{", "\"wakeup_latency_pct%zu\": 1,\n"},
	{"", "hackbench improves by %zu%%, from 1.0 to 2.0 s.\n"},
};

static void fill(struct sbuf *to, const struct text *t, size_t len)
{
	size_t n = strlen(t->unit);

	sbuf_reset(to);
	sbuf_adds(to, t->head);
	for (size_t count = 1; to->len < len; count++)
		for (size_t i = 0; i < n; i++) {
			if (strncmp(t->unit + i, "%zu", 3) == 0) {
				sbuf_addf(to, "%zu", count);
				i += 2;
			} else {
				sbuf_addc(to, t->unit[i]);
			}
		}
}

/* What is measured: parser i, or the claims behind the last. */
static double read_once(size_t i, const struct sbuf *text)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct timespec from, to;
	struct bench_output *o;
	struct claims c;
	struct err e;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	/* a refusal (too many lines or runs) is an answer too */
	if (bench_parsers[i])
		(void)!bench_parse(
			a, bench_parsers[i]->name, text->buf, text->len, &o, &e);
	else
		(void)!claims_read(a, text->buf, text->len, &c, &e);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	return (double)(to.tv_sec - from.tv_sec) +
	       (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static bool grows_slowly(size_t i, const struct sbuf *small, const struct sbuf *large)
{
	double n = 1e9, n4 = 1e9;

	for (int k = 0; k < ATTEMPTS; k++) {
		n4 = fmin(n4, read_once(i, large));
		if (n4 < TOO_SHORT)
			return true;
		n = fmin(n, read_once(i, small));
		if (n4 < RATIO_MAX * n)
			return true;
	}
	print_message("%g s, then %g s\n", n, n4);
	return false;
}

static void four_times_the_text(void **state)
{
	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(texts); t++) {
		CLEANUP(sbuf_release) struct sbuf small = SBUF_INIT;
		CLEANUP(sbuf_release) struct sbuf large = SBUF_INIT;
		bool last = false;

		fill(&small, &texts[t], SMALL);
		fill(&large, &texts[t], 4 * SMALL);
		for (size_t i = 0; !last; i++) {
			last = !bench_parsers[i];
			if (!grows_slowly(i, &small, &large))
				fail_msg("%s: '%s%s' over and over",
					last ? "claims" : bench_parsers[i]->name,
					texts[t].head, texts[t].unit);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_times_the_text),
	};

	/* memory stays with the process: what is timed is reading, not page faults */
	mallopt(M_MMAP_THRESHOLD, 1 << 30);
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
