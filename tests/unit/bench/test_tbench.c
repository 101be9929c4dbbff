// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

#define BANNER                                                                           \
	"dbench version 4.00 - Copyright Andrew Tridgell 1999-2004\n\nRunning for 60 "   \
	"seconds with load 'client.txt' and minimum warmup 12 secs\n"
#define PROGRESS "   4     91254   622.13 MB/sec  execute   1 sec  latency 3.511 ms\n"
#define TABLE                                                                            \
	" Operation      Count    AvgLat    MaxLat\n"                                    \
	" ----------------------------------------\n"                                    \
	" Flush            118     0.059     8.669\n"
#define FLUSH   "; Flush_avg_latency=0.059 ms#118; Flush_max_latency=8.669 ms#118"
#define LAST    "Throughput 622.134 MB/sec  4 clients  4 procs  max_latency=9.001 ms\n"
#define LAST_IS "^throughput=622.134 MB/s*; max_latency=9.001 ms"

static void texts(void **state)
{
	static const struct render_row rows[] = {
		{"plain", BANNER PROGRESS TABLE "\n" LAST, LAST_IS FLUSH},
		{"only the last line", LAST, LAST_IS},
		{"quoted, remark", "> >> " LAST, LAST_IS},
		{"remark",
			"Throughput 622.134 MB/sec  4 clients  4 procs  "
			"max_latency=9.001 ms "
			"(+3%) <---\n",
			LAST_IS},
		{"coloured, CRLF",
			"\033[1mThroughput 622.134 MB/sec\033[0m  4 clients  4 procs  "
			"max_latency=9.001 ms\r\n",
			LAST_IS},
		{"wrapped before the latency",
			"> Throughput 622.134 MB/sec  4 clients  4 procs\n> "
			"max_latency=9.001 ms\n",
			LAST_IS},
		{"wrapped behind the number",
			"Throughput 622.134\nMB/sec  4 clients  4 procs "
			"max_latency=9.001\n"
			"ms\n",
			LAST_IS},
		{"wrapped row",
			" Operation      Count    AvgLat    MaxLat\n Flush            "
			"118\n"
			"0.059     8.669\n\n" LAST,
			LAST_IS FLUSH},
		{"number with an exponent",
			"Throughput 1.5e-05 MB/sec  1 clients  1 procs  "
			"max_latency=0.000 "
			"ms\n",
			"^throughput=1.5e-05 MB/s*; max_latency=0 ms"},
		{"older, without a latency",
			"dbench version 3.04\nThroughput 622.134 MB/sec (sync open) 4 "
			"procs\n",
			"^throughput=622.134 MB/s*"},
		{"decimal comma",
			" Operation      Count    AvgLat    MaxLat\n Flush  118  0,059  "
			"8,669"
			"\n\nThroughput 622,134 MB/sec  4 clients  4 procs  "
			"max_latency=9,001 ms\n",
			LAST_IS FLUSH},
		{"decimal comma, another program's points",
			"Performance: 1.5 2.5 3.5 4.5\nThroughput 622,134 MB/sec  4 "
			"clients  "
			"4 procs  max_latency=9,001 ms\n",
			LAST_IS},
		{"quoted-printable",
			"Throughput 622.134 MB/sec  4 clients  4 procs  "
			"max_latency=3D9.001 ms\n",
			LAST_IS},
		{"kernel line between",
			TABLE "[   12.345678] Throughput 1 MB/sec\n\n" LAST,
			LAST_IS FLUSH},
		{"two runs", BANNER TABLE "\n" LAST BANNER LAST,
			LAST_IS FLUSH " | " LAST_IS},
		{"cut run, then a whole one", BANNER TABLE BANNER LAST, LAST_IS},
		{"tables of clients",
			TABLE "\nPer client results:\nClient 0 did 5 lines and 9 bytes\n"
			      " Operation      Count    AvgLat    MaxLat\n"
			      " Flush             18     1.000     2.000\n\n" LAST,
			LAST_IS FLUSH},
		{"an operation that did nothing",
			" Operation      Count    AvgLat    MaxLat\n Flush 0 nan "
			"0.000\n\n" LAST,
			LAST_IS},
		{"machine readable", ":Flush:118:0.059:8.669:\n\n;622.134;4;4;9.001;\n",
			LAST_IS FLUSH},
		{"cut latency",
			"Throughput 622.134 MB/sec  4 clients  4 procs  max_latency=9.00",
			"^throughput=622.134 MB/s*"},
		{"cut in the unit", "Throughput 622.134 MB/s",
			"^throughput=622.134 MB/s*"},
		{"cut number", BANNER TABLE "\nThroughput 622.1", ""},
		{"cut word", BANNER "\nThrough", ""},
		{"progress only", BANNER PROGRESS, ""},
		{"zero",
			"Throughput 0 MB/sec  1 clients  1 procs  max_latency=0.000 ms\n",
			""},
		{"nan",
			"Throughput -nan MB/sec  1 clients  1 procs  max_latency=0.0 "
			"ms\n",
			""},
		{"inf", "Throughput inf MB/sec  1 clients  1 procs  max_latency=0.0 ms\n",
			""},
		{"negative", "Throughput -3.5 MB/sec  1 clients  1 procs\n", ""},
		{"failed to start", BANNER "FAILED TO START 1 CLIENTS (started 3)\n" LAST,
			""},
		{"empty", "", ""},
	};

	render_rows(*state, "tbench", rows, ARRAY_LEN(rows));
}

static void params(void **state)
{
	struct bench_output *o =
		render_parse(*state, "tbench", BANNER LAST, strlen(BANNER LAST));

	assert_string_equal(o->version, "4.00");
	assert_string_equal(render_params(*state, &o->runs[0]),
		"runtime=60 warmup=12 procs=4 clients=4");
}

static void cut(void **state)
{
	render_prefixes(
		*state, "tbench", BANNER PROGRESS TABLE "\n" LAST BANNER TABLE "\n" LAST);
}

static void recorded(void **state)
{
	render_recorded(*state, "tbench");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(params, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(cut, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(recorded, render_setup, render_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
