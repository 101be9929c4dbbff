// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

/* Blocks of today's schbench, with few rows. */
#define WAKEUP(runtime, n)                                                               \
	"Wakeup Latencies percentiles (usec) runtime " runtime " (s) (" n                \
	" total samples)\n\t  50.0th: 5          (29 samples)\n\t* 99.0th: 28"           \
	"         (4 samples)\n\t  99.9th: 91         (1 samples)\n\t  min=1, max=95\n"
#define WAKEUP_IS                                                                        \
	"wakeup_latency_p50=5 us#29; wakeup_latency_p99=28 us*#4; "                      \
	"wakeup_latency_p99.9=91 us#1; wakeup_latency_min=1 us; wakeup_latency_max=95 "  \
	"us"
#define REQUEST(runtime)                                                                 \
	"Request Latencies percentiles (usec) runtime " runtime                          \
	" (s) (58 total samples)\n\t  99.9th: 240        (1 samples)\n"                  \
	"\t  min=7, max=239\n"
#define REQUEST_IS                                                                       \
	"; request_latency_p99.9=240 us#1; request_latency_min=7 us; "                   \
	"request_latency_max=239 us"
#define RATE(runtime)                                                                    \
	"RPS percentiles (requests) runtime " runtime                                    \
	" (s) (3 total samples)\n\t  20.0th: 0          (1 samples)\n"                   \
	"\t* 50.0th: 57         (1 samples)\n\t  min=57, max=58\n"
#define RATE_IS                                                                          \
	"; ^rps_p20=0 requests/s#1; ^rps_p50=57 requests/s#1; ^rps_min=57 requests/s; "  \
	"^rps_max=58 requests/s"
#define CURRENT "sched delay: message 5 (usec) worker 6 (usec)\ncurrent rps: 57.92\n"
#define END     "average rps: 47.67\nsched delay: message 0 (usec) worker 1 (usec)\n"
#define END_IS                                                                           \
	"; ^average_rps=47.67 requests/s; sched_delay_message=0 us; "                    \
	"sched_delay_worker=1 us"
#define OLD                                                                              \
	"Latency percentiles (usec)\n\t50.0000th: 5\n\t*99.0000th: 28\n"                 \
	"\t99.9000th: 91\n\tOver=0, min=1, max=95\n"
#define OLD_IS                                                                           \
	"wakeup_latency_p50=5 us; wakeup_latency_p99=28 us*; "                           \
	"wakeup_latency_p99.9=91 us; wakeup_latency_min=1 us; wakeup_latency_max=95 us"

static void blocks(void **state)
{
	static const struct render_row rows[] = {
		{"three kinds", WAKEUP("9", "58") REQUEST("9") RATE("9") END,
			WAKEUP_IS REQUEST_IS RATE_IS END_IS},
		{"of 2016", OLD, OLD_IS},
		{"quoted, CRLF",
			"> > Latency percentiles (usec)\r\n> >\t50.0th: 5\r\n"
			"> >\t*99.0th: 28\r\n> >\t99.9th: 91\r\n"
			"> >\tmin=1, max=95\r\n",
			OLD_IS},
		{"remarks",
			"Latency percentiles (usec)\n 50.0th: 5 (+3%) <---\n"
			"*99.0th: 28 (-1%)\n 99.9th: 91 # good\n min=1, max=95\n",
			OLD_IS},
		{"labels of April 2023",
			"Wakeup latency percentiles (usec) runtime 9 (s) (58 total "
			"samples)\n  99.9th: 91         (1 samples)\n  min=1, max=95\n"
			"Request latency percentiles (usec) runtime 9 (s) (58 total "
			"samples)\n  99.9th: 240        (1 samples)\n  min=7, max=239\n",
			"wakeup_latency_p99.9=91 us#1; wakeup_latency_min=1 us; "
			"wakeup_latency_max=95 us" REQUEST_IS},
		{"wrapped header",
			"> Wakeup Latencies percentiles (usec) runtime 9 (s) (58\n> "
			"total "
			"samples)\n> 99.9th: 91         (1\n> samples)\n> min=1,\n> "
			"max=95\n",
			"wakeup_latency_p99.9=91 us#1; wakeup_latency_min=1 us; "
			"wakeup_latency_max=95 us"},
		{"wrapped before the unit, behind other words",
			"}}Latency percentiles\n(usec)\n 99.9th: 91\n",
			"wakeup_latency_p99.9=91 us"},
		{"wrapped label and value",
			"Wakeup Latencies\npercentiles (usec) runtime 9 (s) (58 total "
			"samples)\n99.9th:\n91\n(1 samples)\nmin=1, max=95\n",
			"wakeup_latency_p99.9=91 us; wakeup_latency_min=1 us; "
			"wakeup_latency_max=95 us"},
		{"decimal comma",
			"Latency percentiles (usec)\n\t50,0th: 5\n\t*99,0th: 28\n"
			"\t99,9th: 91\n\tmin=1, max=95\naverage rps: 47,67\n",
			OLD_IS "; ^average_rps=47.67 requests/s"},
		{"no samples", WAKEUP("9", "0"), ""},
		{"no samples of one kind", WAKEUP("9", "0") REQUEST("9") END,
			"request_latency_p99.9=240 us#1; request_latency_min=7 us; "
			"request_latency_max=239 us" END_IS},
		{"no samples, and nothing says so",
			"Latency percentiles (usec)\n 50.0th: 0\n *99.0th: 0\n 99.9th: "
			"0\n "
			"min=0, max=0\n",
			""},
		{"rate 0", OLD "average rps: 0.00\n", OLD_IS},
		{"rate nan", OLD "average rps: -nan\n", OLD_IS},
		{"last of the rates",
			OLD "rps: 3.00\nrps: 2.00 p95 (usec) 5 p99 (usec) 28\n",
			OLD_IS "; ^average_rps=2 requests/s"},
		{"pipe mode", OLD "avg worker transfer: 9845.00 ops/sec 9.61MB/s\n",
			OLD_IS "; ^worker_transfer_ops=9845 ops/s; ^worker_transfer=9.61 "
			       "MB/s"},
		{"pipe mode, wrapped, slow",
			OLD "avg worker transfer: 9845.00 ops/sec\n> 961.00KB/s\n",
			OLD_IS "; ^worker_transfer_ops=9845 ops/s; ^worker_transfer=961 "
			       "KB/s"},
		{"pipe mode, cut", OLD "avg worker transfer: 9845.00 ops/sec 9.6",
			OLD_IS "; ^worker_transfer_ops=9845 ops/s"},
		{"loops", OLD "avg loops per second: 1234.5000\n",
			OLD_IS "; ^loops_per_sec=1234.5 loops/s"},
		{"wrapped delay", OLD "sched delay: message 7 (usec) worker\n8 (usec)\n",
			OLD_IS "; sched_delay_message=7 us; sched_delay_worker=8 us"},
		{"no newline",
			"Latency percentiles (usec)\n\t50.0th: 5\n\t*99.0th: 28\n"
			"\t99.9th: 91\n\tmin=1, max=95",
			OLD_IS},
		{"cut maximum",
			"Latency percentiles (usec)\n\t99.9th: 91\n\tmin=1, max=9",
			"wakeup_latency_p99.9=91 us; wakeup_latency_min=1 us"},
		{"cut behind the 99.9th",
			"Latency percentiles (usec)\n\t99.9th: 91         (1 sam",
			"wakeup_latency_p99.9=91 us#1"},
		{"cut in the 99.9th",
			"Latency percentiles (usec)\n\t99.0th: 28\n\t99.9th: 9", ""},
		{"cut before the 99.9th", "Latency percentiles (usec)\n\t99.0th: 28\n",
			""},
		{"request block cut",
			WAKEUP("9", "58") "Request Latencies percentiles "
					  "(usec) runtime 9 (s) (58 total",
			""},
		{"usage", "schbench usage:\n\t-i: interval for printing latencies\n", ""},
		{"rows without a header", "99.0th: 28\n99.9th: 91\nmin=1, max=95\n", ""},
		{"empty", "", ""},
	};

	render_rows(*state, "schbench", rows, ARRAY_LEN(rows));
}

static void runs(void **state)
{
	static const struct render_row rows[] = {
		{"intervals", WAKEUP("3", "9") CURRENT WAKEUP("6", "58") END,
			WAKEUP_IS END_IS},
		{"the last interval has the runtime of the end",
			WAKEUP("6", "9") CURRENT WAKEUP("6", "58") END, WAKEUP_IS END_IS},
		{"no runtime: each header", OLD OLD, OLD_IS " | " OLD_IS},
		{"smaller runtime", WAKEUP("6", "58") WAKEUP("3", "58"),
			WAKEUP_IS " | " WAKEUP_IS},
		{"same runtime", WAKEUP("6", "58") WAKEUP("6", "58"),
			WAKEUP_IS " | " WAKEUP_IS},
		{"closing line", WAKEUP("6", "58") END WAKEUP("9", "58") END,
			WAKEUP_IS END_IS " | " WAKEUP_IS END_IS},
		{"closing line of -A",
			WAKEUP("6", "58") "final rps goal was 7\n" WAKEUP("9", "58"),
			WAKEUP_IS " | " WAKEUP_IS},
		{"interval rate without p95 closes nothing",
			WAKEUP("3", "9") "rps: 57.92\n" WAKEUP("6", "58"),
			WAKEUP_IS "; ^average_rps=57.92 requests/s"},
		{"stopped early", WAKEUP("3", "58") RATE("3") CURRENT, ""},
		{"stopped within the words", WAKEUP("3", "58") "current r", ""},
		{"stopped early, then a whole run",
			WAKEUP("3", "58") CURRENT WAKEUP("2", "58") END,
			WAKEUP_IS END_IS},
		{"cut, then a whole run",
			"Wakeup Latencies percentiles (usec) runtime 9 (s) (58 total "
			"samples)\n 50.0th: 5\n" WAKEUP("9", "58") END,
			WAKEUP_IS END_IS},
		{"an interval without samples, then some",
			WAKEUP("3", "0") CURRENT WAKEUP("6", "58"),
			WAKEUP_IS "; "
				  "sched_delay_message=5 us; sched_delay_worker=6 us"},
	};

	render_rows(*state, "schbench", rows, ARRAY_LEN(rows));
}

#define JSON_IS                                                                          \
	"wakeup_latency_p50=5 us; wakeup_latency_p99=28 us*; wakeup_latency_min=1 us; "  \
	"wakeup_latency_max=95 us; ^rps_p50=57 requests/s; ^rps_min=0 requests/s; "      \
	"^rps_max=58 requests/s"
#define VALUES                                                                           \
	"\"wakeup_latency_pct50.0\": 5, \"wakeup_latency_pct99.0\": 28, "                \
	"\"wakeup_latency_min\": 1,\"wakeup_latency_max\": 95, \"rps_pct50.0\": 57, "    \
	"\"rps_min\": 0,\"rps_max\": 58, \"runtime\": 3"
#define JSON                                                                             \
	"{\"normal\": {\"version\": \"6.1\",\"cmdline\": \"schbench -J \\\"x\\\"\"},"    \
	"\"int\": {\"time\": 1796160388, " VALUES "}}"

static void json(void **state)
{
	static const struct render_row rows[] = {
		{"of today", JSON, JSON_IS},
		{"twice", JSON JSON "\n", JSON_IS " | " JSON_IS},
		{"text before, quoted, wrapped",
			"> it's \"that\n> {\"normal\": {\"version\":\n> "
			"\"6.1\"},\"int\": "
			"{\"time\":\n> 1," VALUES "}}\n",
			JSON_IS},
		{"of 16 May 2025, morning",
			"{\"int\": {\"time\": 7},\"normal\": {\"hostname\": \"h\"," VALUES
			"}}",
			JSON_IS},
		{"of 1 May 2025",
			"{\"schbench\": {\"version\": \"6.1\",\"cmdline\": \"x\", "
			"\"wakeup_latency\": {\"percentiles\": {\"50.0\": 5, \"99.0\": "
			"28},"
			"\"min\": 1,\"max\": 95}, \"rps\": {\"percentiles\": {\"50.0\": "
			"57},\"min\": 0,\"max\": 58}, \"runtime\": 3}}",
			JSON_IS},
		{"the text decides", JSON OLD, OLD_IS},
		{"the text decides, even cut", JSON "Latency percentiles (usec)\n", ""},
		{"cut", "{\"normal\": {},\"int\": {\"wakeup_latency_pct99.0\": 28, \"wak",
			""},
		{"cut in the runtime",
			"{\"normal\": {},\"int\": {\"wakeup_latency_pct99.0\": 28, "
			"\"runtime\": 3",
			""},
		{"cut, then whole",
			"{\"normal\": {},\"int\": {\"wakeup_latency_pct20.0\": "
			"28,\n" JSON,
			JSON_IS},
		{"no samples",
			"{\"normal\": {},\"int\": {\"wakeup_latency_pct99.0\": 0, "
			"\"wakeup_latency_min\": 0,\"wakeup_latency_max\": 0, "
			"\"runtime\": "
			"3}}",
			""},
		{"another object", "{\"a\": {\"b\": 1}, \"runtime\": 3}", ""},
	};

	render_rows(*state, "schbench", rows, ARRAY_LEN(rows));
}

static void details(void **state)
{
	static const char text[] = WAKEUP("9", "58");
	struct bench_output *o = render_parse(*state, "schbench", text, strlen(text));
	const struct bench_metric *m = bench_run_primary(&o->runs[0]);

	assert_string_equal(render_params(*state, &o->runs[0]), "runtime=9");
	assert_string_equal(m->name, "wakeup_latency_p99");
	assert_true(m->percentile == 99);
	assert_true(isnan(o->runs[0].metrics[o->runs[0].n_metrics - 1].percentile));
}

static void cut(void **state)
{
	render_prefixes(*state, "schbench",
		WAKEUP("9", "58") REQUEST("9") RATE("9") END OLD
		"avg worker transfer: 9845.00 ops/sec 9.61MB/s\n");
}

static void recorded(void **state)
{
	render_recorded(*state, "schbench");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(blocks, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(runs, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(json, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(details, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(cut, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(recorded, render_setup, render_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
