// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_left_out.c - what a benchmark that failed, was cut or measured nothing leaves
 * behind is no value, and never goes in silence: it is a note of the run beside it or the
 * reason why there is none.
 */
#include "render.h"

struct row {
	const char *what, *text;
	const char *want; /* as show(); "-" and the reason: no run */
};

/* "199.99 events/s {note} {note} | 3 s": the primary metric of each run and its notes. */
static const char *show(struct arena *a, const struct bench_output *o)
{
	const char *s = o->n_runs ? "" : arena_printf(a, "-%s", o->why);

	for (size_t i = 0; i < o->n_runs; i++) {
		const struct bench_metric *m = bench_run_primary(&o->runs[i]);

		s = arena_printf(a, "%s%s", s, i ? " | " : "");
		s = m ? arena_printf(
				a, "%s%.10g %s", s, m->value, m->unit ? m->unit : "?")
		      : arena_printf(a, "%snone", s);
		for (size_t k = 0; k < o->runs[i].n_notes; k++)
			s = arena_printf(a, "%s {%s}", s, o->runs[i].notes[k]);
	}
	return s;
}

static void check(struct arena *a, const char *name, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = rows[i].text;
		const char *got = show(a, render_parse(a, name, text, strlen(text)));

		if (strcmp(got, rows[i].want) != 0)
			fail_msg("%s: %s:\n got '%s'\nwant '%s'", name, rows[i].what, got,
				rows[i].want);
	}
}

#define BEFORE(why) "{a run before this one is left out: " why "}"
#define BEHIND(why) "{a run behind this one is left out: " why "}"

/* ---- hackbench, perf bench, tbench ---- */

#define HB                                                                               \
	"Running in process mode with 1 groups using 40 file descriptors each (== 40 "   \
	"tasks)\nEach sender will pass 100 messages of 100 bytes\n"
#define HB_ERROR "interrupted by a signal or an error"

static void hackbench(void **state)
{
	static const struct row rows[] = {
		{"no pair", HB "Creating fdpair failed: Too many open files\nTime: 0.1\n",
			"-" HB_ERROR},
		{"no pair, other words", HB "fdpair() failed\nTime: 0.100\n",
			"-" HB_ERROR},
		{"no fork", HB "fork(): Resource temporarily unavailable\nTime: 0.100\n",
			"-" HB_ERROR},
		{"no fork, the name before",
			HB "hackbench: fork(): Resource temporarily unavailable\n"
			   "Time: 0.100\n",
			"-" HB_ERROR},
		{"no thread", HB "pthread_create failed: no memory (12)\nTime: 0.100\n",
			"-" HB_ERROR},
		{"SIGTERM", HB "No measurements available\n", "-" HB_ERROR},
		{"failed behind a good one", HB "Time: 1.000\n" HB "SENDER: write\n",
			"1 s " BEHIND(HB_ERROR)},
		{"failed, Time and all, before a good one",
			HB "RECEIVER: read\nTime: 0.100\n" HB "Time: 1.000\n",
			"1 s " BEFORE(HB_ERROR)},
		{"cut behind a good one", HB "Time: 1.000\n" HB,
			"1 s " BEHIND("no Time "
				      "line")},
		{"two of one kind in the middle",
			HB "Time: 1.000\n" HB "Time: nan\n" HB "Time: 1.0\n" HB
			   "Time: 2.000\n",
			"1 s {2 runs behind this one are left out: the Time line holds "
			"no "
			"complete value} | 2 s"},
		{"another unit", HB "Time: 3169.123 [msec]\n",
			"-the Time line holds no complete value"},
		{"its own unit", HB "Time: 3.169 sec\n", "3.169 s"},
	};

	check(*state, "hackbench", rows, ARRAY_LEN(rows));
}

#define MSG                                                                              \
	"# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes "    \
	"per group\n# 10 groups == 400 processes run\n\n"
#define PIPE                                                                             \
	"# Running 'sched/pipe' benchmark:\n# Executed 20000 pipe operations between "   \
	"two processes\n\n     Total time: 0.832 [sec]\n\n"
#define SECTION "its section is not complete"

static void perf_bench(void **state)
{
	static const struct row messaging[] = {
		{"whole", MSG "     Total time: 0.456 [sec]\n", "0.456 s"},
		{"unit cut", MSG "     Total time: 0.456 [se",
			"0.456 s {the unit of the time was cut}"},
		{"another unit", MSG "     Total time: 456.123 [msec]\n", "456.123 ms"},
		{"another unit cut", MSG "     Total time: 456.123 [ms", "-" SECTION},
		{"second cut", MSG "Total time: 0.456 [sec]\n" MSG,
			"0.456 s " BEHIND(SECTION)},
	};
	static const struct row pipe[] = {
		{"whole", PIPE "41.638350 usecs/op\n 24016 ops/sec\n", "41.63835 us"},
		{"another unit", PIPE "41.638350 nsecs/op\n 24016 ops/sec\n",
			"-" SECTION},
		{"rate 0", PIPE "41.638350 usecs/op\n 0 ops/sec\n", "-" SECTION},
	};

	check(*state, "perf-sched-messaging", messaging, ARRAY_LEN(messaging));
	check(*state, "perf-sched-pipe", pipe, ARRAY_LEN(pipe));
}

#define DB                                                                               \
	"dbench version 4.00 - Copyright\n\nRunning for 4 seconds with load 'c.txt' "    \
	"and minimum warmup 0 secs\n"
#define DB_LAST(clients, procs)                                                          \
	"Throughput 191.796 MB/sec  " clients " clients  " procs                         \
	" procs  max_latency=13.476 ms\n"

static void tbench(void **state)
{
	static const struct row rows[] = {
		{"a client died", DB "Child failed with status 1\n" DB_LAST("2", "2"),
			"-a client failed"},
		{"a client lost its file",
			DB "(5) ERROR: handle 10003 was not found\n" DB_LAST("2", "2"),
			"191.796 MB/s {a client reported an error}"},
		{"released, so all were ready",
			DB "0 of 2 processes prepared for launch   0 sec\n"
			   "releasing clients\n" DB_LAST("2", "2"),
			"191.796 MB/s"},
		{"fewer ready",
			DB "1 of 2 processes prepared for launch   0 sec\n" DB_LAST(
				"2", "2"),
			"-fewer clients ran than asked"},
		{"all ready in the end",
			DB "0 of 2 processes prepared for launch   0 sec\n"
			   "2 of 2 processes prepared for launch   0 sec\n" DB_LAST(
				   "2", "2"),
			"191.796 MB/s"},
		{"fewer in the last line", DB DB_LAST("1", "2"),
			"-fewer clients ran than asked"},
		{"fewer than were ready",
			DB "4 of 4 processes prepared for launch   0 sec\n" DB_LAST(
				"2", "2"),
			"-fewer clients ran than asked"},
		{"more clients than processes",
			DB "2 of 2 processes prepared for launch   0 sec\n" DB_LAST(
				"4", "2"),
			"191.796 MB/s"},
		{"KB", DB "Throughput 191.796 KB/sec  2 clients  2 procs\n",
			"191.796 KB/s"},
		{"unit cut", DB "Throughput 191.796 MB/s", "191.796 MB/s"},
		{"another unit cut", DB "Throughput 191.796 K", "191.796 ?"},
		{"progress alone behind a good one", DB DB_LAST("2", "2") DB,
			"191.796 MB/s " BEHIND("no Throughput line")},
		{"failed before a good one",
			DB "FAILED TO START 1 CLIENTS (started 3)\n" DB DB_LAST("2", "2"),
			"191.796 MB/s " BEFORE("a client failed")},
	};

	check(*state, "tbench", rows, ARRAY_LEN(rows));
}

/* ---- sysbench, stress-ng ---- */

#define SB                                                                               \
	"sysbench 1.0.20 (using x)\n\nRunning the test with following options:\nNumber " \
	"of threads: 2\n"
#define SB_REST                                                                          \
	"General statistics:\n    total time:              2.0001s\n"                    \
	"    total number of events:  400\n\nLatency (ms):\n         min:       0.20\n"  \
	"         avg:       5.10\n         max:      21.30\n"                           \
	"         sum:    2040.11\n"
#define EPS "    events per second:   199.99\n\n"

static void sysbench(void **state)
{
	static const struct row rows[] = {
		{"error, statistics and all",
			SB
			"FATAL: `thread_run' function failed\nFATAL: again\n" EPS SB_REST,
			"-the test failed"},
		{"error behind the statistics", SB EPS SB_REST "FATAL: cleanup failed\n",
			"199.99 events/s " BEHIND("the test failed")},
		{"error, then a good run", SB "FATAL: no\n" SB EPS SB_REST,
			"199.99 events/s " BEFORE("the test failed")},
		{"errors that were ignored",
			SB
			"    ignored errors:       3      (0.1 per sec.)\n" EPS SB_REST,
			"199.99 events/s {3 errors were ignored}"},
		{"none was",
			SB "    ignored errors:       0  (0.00 per sec.)\n" EPS SB_REST,
			"199.99 events/s"},
		{"killed behind a good one", SB EPS SB_REST SB,
			"199.99 events/s " BEHIND("no statistics")},
		{"rate 0", SB "events per second: 0.00\n" SB_REST,
			"-no events were measured"},
		{"rate negative", SB "events per second: -1.00\n" SB_REST,
			"-no events were measured"},
	};

	check(*state, "sysbench", rows, ARRAY_LEN(rows));
}

#define NG_HEAD                                                                          \
	"stress-ng: metrc: [77] stressor       bogo ops real time  usr time  sys time  " \
	" "                                                                              \
	"bogo ops/s     bogo ops/s\n"
#define NG_VM                                                                            \
	"stress-ng: metrc: [77] vm   544      2.00      0.36      0.01       272.04    " \
	"  "                                                                             \
	"1454.20\n"
#define NG_GOOD "stress-ng: info:  [77] successful run completed in 2.04s\n"
#define NG_BAD  "stress-ng: info:  [77] unsuccessful run completed in 2.04s\n"
#define NG_WHY  "the tool calls the run unsuccessful"

static void stress_ng(void **state)
{
	static const struct row rows[] = {
		{"unsuccessful", NG_HEAD NG_VM NG_BAD, "-" NG_WHY},
		{"older, which says it first", NG_BAD NG_HEAD NG_VM, "-" NG_WHY},
		{"older, two runs", NG_BAD NG_HEAD NG_VM NG_GOOD NG_HEAD NG_VM,
			"272.04 ops/s " BEFORE(NG_WHY)},
		{"two runs, the second bad", NG_HEAD NG_VM NG_GOOD NG_HEAD NG_VM NG_BAD,
			"272.04 ops/s " BEHIND(NG_WHY)},
		{"failed, the end is missing",
			"stress-ng: fail:  [77] vm: wrong data\n" NG_HEAD NG_VM,
			"-" NG_WHY},
		{"nothing of the second",
			NG_HEAD NG_VM
			"stress-ng: metrc: [77] pipe 0 2.00 0.36 0.01 0.00 0.00\n",
			"272.04 ops/s {pipe measured nothing}"},
	};

	check(*state, "stress-ng", rows, ARRAY_LEN(rows));
}

/* ---- cyclictest, schbench ---- */

#define T(i, min, max)                                                                   \
	"T: " #i " ( 700" #i ") P:80 I:1000 C:    900 Min:      " #min                   \
	" Act:    9 Avg:    7 Max:      " #max "\n"

static void cyclictest(void **state)
{
	static const struct row rows[] = {
		{"threads missing", T(0, 3, 41) T(3, 3, 52),
			"52 us {2 of 4 threads are missing}"},
		{"one missing", T(0, 3, 41) T(2, 3, 52), "52 us {thread 1 is missing}"},
		{"any order", T(1, 3, 52) T(0, 3, 41), "52 us"},
		{"one idle",
			T(0, 3, 41) "T: 1 ( 7001) P:80 I:1000 C:      0 Min:1000000 "
				    "Act:    0 Avg:    0 Max:       0\n",
			"41 us {thread 1 measured nothing}"},
		{"a time below 0", T(0, -3, -1), "-no thread measured anything"},
		{"more than 64 bits", T(0, 3, 99999999999999999999),
			"-the output was cut"},
		{"second cut", T(0, 3, 41) "# /dev/cpu_dma_latency set to 0us\nT: 0 (700",
			"41 us " BEHIND("the output was cut")},
	};

	check(*state, "cyclictest", rows, ARRAY_LEN(rows));
}

#define LATENCY(label, n, v)                                                             \
	label " percentiles (usec) runtime 2 (s) (" n " total samples)\n"                \
	      "\t  50.0th: " v "          (8 samples)\n\t* 99.0th: " v                   \
	      "         (3 samples)\n\t  99.9th: " v                                     \
	      "         (0 samples)\n\t  min=0, max=" v "\n"
#define RPS(v)                                                                           \
	"RPS percentiles (requests) runtime 2 (s) (3 total samples)\n\t* 50.0th: " v     \
	"         (3 samples)\n\t  min=" v ", max=" v "\naverage rps: " v ".00\n"

static void schbench(void **state)
{
	static const struct row rows[] = {
		{"no wakeups",
			LATENCY("Wakeup Latencies", "0", "0")
				LATENCY("Request Latencies", "9", "77") RPS("31"),
			"none {wakeup_latency: no samples}"},
		{"nothing requested",
			LATENCY("Wakeup Latencies", "8", "4")
				LATENCY("Request Latencies", "0", "0") RPS("0"),
			"4 us {request_latency: no samples} {rps: no samples}"},
		{"latencies in another unit",
			"Wakeup Latencies percentiles (msec) runtime 2 (s) (8 total "
			"samples)\n\t  50.0th: 4    (8 samples)\n"
			"\t  99.9th: 9    (0 samples)\n",
			"-no percentile block"},
		{"stopped behind a good one",
			LATENCY("Wakeup Latencies", "8", "4") LATENCY("Request Latencies",
				"9", "77") RPS("31") LATENCY("Wakeup Latencies", "8",
				"5") "current rps: 3.00\n",
			"4 us " BEHIND("stopped before its end")},
	};

	check(*state, "schbench", rows, ARRAY_LEN(rows));
}

/* ---- netperf, unixbench, will-it-scale, perf stat ---- */

#define NP                                                                               \
	"MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 () port 0 AF_INET to "          \
	"127.0.0.1 () port 0 AF_INET : demo : first burst 0\n"
#define NP_ROW "16384  131072 1        1       2.00     14409.03   \n"

static void netperf(void **state)
{
	static const struct row rows[] = {
		{"second refused",
			NP NP_ROW NP
			"establish control: are you sure there is a netserver?\n",
			"14409.03 trans/s " BEHIND("no result row")},
		{"first killed", NP NP NP_ROW,
			"14409.03 trans/s " BEFORE("no result row")},
		{"0 transactions before a good one",
			NP "16384  131072 1        1       2.00     0.00   \n" NP NP_ROW,
			"14409.03 trans/s " BEFORE("the throughput is 0 or no number")},
		{"not as sure as it should be",
			NP "!!! WARNING\n!!! Desired confidence was not achieved within "
			   "the specified iterations.\n" NP_ROW NP NP_ROW,
			"14409.03 trans/s {the desired confidence was not achieved} | "
			"14409.03 trans/s"},
		{"a sender alone behind a good one",
			NP NP_ROW "MIGRATED UDP STREAM TEST from 0.0.0.0 ()\n212992    "
				  "1024   2.00       123456      0     590.36\n",
			"14409.03 trans/s " BEHIND("the receiver's row is missing")},
	};

	check(*state, "netperf", rows, ARRAY_LEN(rows));
}

#define UB "Benchmark Run: Thu\n2 CPUs in system; running 1 parallel copy of tests\n"
#define UB_TABLE                                                                         \
	"System Benchmarks Index Values   BASELINE RESULT INDEX\nPipe Throughput   "     \
	"12440.0 1234567.8 992.4\n"
#define UB_SCORE "System Benchmarks Index Score   992.4\n"

static void unixbench(void **state)
{
	static const struct row rows[] = {
		{"whole", UB UB_TABLE UB_SCORE, "992.4 index"},
		{"killed behind a good one", UB UB_TABLE UB_SCORE UB UB_TABLE,
			"992.4 index " BEHIND("the index score is missing")},
		{"a test that did nothing",
			UB "Pipe Throughput   0.0 lps   (10.0 s, 1 samples)\n" UB_TABLE
				UB_SCORE,
			"992.4 index {Pipe Throughput is 0}"},
	};

	check(*state, "unixbench", rows, ARRAY_LEN(rows));
}

#define WIS                                                                              \
	"tasks,processes,processes_idle,threads,threads_idle,linear\n0,0,100,0,100,0\n"

static void will_it_scale(void **state)
{
	static const struct row rows[] = {
		{"second cut", WIS "1,100,0,90,0,100\n" WIS "1,10",
			"100 ops/s " BEHIND("the output was cut")},
		{"first idle", WIS "1,0,0,0,0,100\n" WIS "1,100,0,90,0,100\n",
			"100 ops/s " BEFORE("nothing was measured")},
	};

	check(*state, "will-it-scale", rows, ARRAY_LEN(rows));
}

#define PS                                                                               \
	" Performance counter stats for 'prog':\n\n  3,508      context-switches   #  "  \
	"6.747 K/sec\n"

static void perf_stat(void **state)
{
	static const struct row rows[] = {
		{"second cut", PS "\n  0.5 seconds time elapsed\n" PS,
			"0.5 s " BEHIND("the report was cut")},
		{"first killed",
			"prog: Terminated\n" PS "\n  0.4 seconds time elapsed\n" PS
			"\n  0.5 seconds time elapsed\n",
			"0.5 s " BEFORE("the program was interrupted by a signal")},
	};

	check(*state, "perf-stat", rows, ARRAY_LEN(rows));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, render_setup, render_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hackbench),
		TEST(perf_bench),
		TEST(tbench),
		TEST(sysbench),
		TEST(stress_ng),
		TEST(cyclictest),
		TEST(schbench),
		TEST(netperf),
		TEST(unixbench),
		TEST(will_it_scale),
		TEST(perf_stat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
