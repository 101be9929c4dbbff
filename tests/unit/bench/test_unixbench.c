// SPDX-License-Identifier: GPL-2.0-or-later
#include "render.h"

#define PASS(n, copies)                                                                  \
	"------------------------------------------------------------------------\n"     \
	"Benchmark Run: Tue Dec 01 2026 21:37:19 - 21:38:08\n4 CPUs in system; "         \
	"running " n " parallel " copies " of tests\n\n"
#define PIPE                                                                             \
	"Pipe Throughput                             1234567.8 lps   (10.0 s, 7 "        \
	"samples)\n"
#define SHELL                                                                            \
	"Shell Scripts (8 concurrent)                   1234.5 lpm   (60.1 s, 2 "        \
	"samples)\n"
#define TESTS_ARE                                                                        \
	"^Pipe Throughput=1234567.8 lps#7; ^Shell Scripts (8 concurrent)=1234.5 lpm#2; "
#define TABLE                                                                            \
	"\nSystem Benchmarks Index Values               BASELINE       RESULT    "       \
	"INDEX\n"                                                                        \
	"Pipe Throughput                              12440.0    1234567.8    992.4\n"   \
	"Shell Scripts (8 concurrent)                     6.0       1234.5   2057.5\n"   \
	"                                                                   ========\n"
#define SCORE                                                                            \
	"System Benchmarks Index Score                                        "          \
	"1428.9\n\n"
#define TABLE_IS                                                                         \
	"^Pipe Throughput index=992.4 index; ^Shell Scripts (8 concurrent) "             \
	"index=2057.5 "                                                                  \
	"index; ^index_score=1428.9 index*"

static void texts(void **state)
{
	static const struct render_row rows[] = {
		{"a pass", PASS("1", "copy") PIPE SHELL TABLE SCORE, TESTS_ARE TABLE_IS},
		{"two passes",
			PASS("1", "copy") PIPE SHELL TABLE SCORE PASS("4", "copies")
				PIPE SHELL TABLE SCORE,
			TESTS_ARE TABLE_IS " | " TESTS_ARE TABLE_IS},
		{"a table alone", TABLE SCORE, TABLE_IS},
		{"two tables", TABLE SCORE TABLE SCORE, TABLE_IS " | " TABLE_IS},
		{"rows alone", PIPE SHELL,
			"^Pipe Throughput=1234567.8 lps#7; ^Shell Scripts "
			"(8 concurrent)=1234.5 lpm#2"},
		{"rows and tables without a head, twice",
			PIPE SHELL TABLE SCORE PIPE SHELL TABLE SCORE,
			TESTS_ARE TABLE_IS " | " TESTS_ARE TABLE_IS},
		{"quoted and wrapped",
			"> 4 CPUs in system; running 1\n> parallel copy of tests\n>\n"
			"> Pipe Throughput                             1234567.8 lps   "
			"(10.0 s, "
			"7\n> samples)\n> Shell Scripts (8 concurrent)                   "
			"1234.5 "
			"lpm\n> (60.1 s, 2 samples)\n>\n> System Benchmarks Index Values "
			"        "
			"      BASELINE       RESULT\n> INDEX\n> Pipe Throughput         "
			"        "
			"             12440.0    1234567.8\n> 992.4\n> Shell Scripts (8 "
			"concurrent)                     6.0\n> 1234.5   2057.5\n>       "
			"   "
			"========\n> System Benchmarks Index Score\n> 1428.9\n",
			TESTS_ARE TABLE_IS},
		{"remarks",
			"Pipe Throughput  1234567.8 lps   (10.0 s, 7 samples) (+3%) "
			"<---\nSystem "
			"Benchmarks Partial Index  BASELINE RESULT INDEX\nPipe "
			"Throughput 12440.0 "
			"1234567.8 992.4 (+1%)\nSystem Benchmarks Index Score (Partial "
			"Only) "
			"992.4 <---\n",
			"^Pipe Throughput=1234567.8 lps#7; ^Pipe Throughput index=992.4 "
			"index; "
			"^index_score=992.4 index*"},
		{"decimal comma",
			"Pipe Throughput  1234567,8 lps   (10,0 s, 7 samples)\nSystem "
			"Benchmarks "
			"Partial Index  BASELINE RESULT INDEX\nPipe Throughput 12440,0 "
			"1234567,8 "
			"992,4\nSystem Benchmarks Index Score (Partial Only) 992,4\n",
			"^Pipe Throughput=1234567.8 lps#7; ^Pipe Throughput index=992.4 "
			"index; "
			"^index_score=992.4 index*"},
		{"no baseline", TABLE "Dhry --- 5.0 ---\n" SCORE, TABLE_IS},
		{"version 4",
			"Pipe Throughput        1234567.8 lps   (10.0 secs, 10 "
			"samples)\n\n       "
			"  INDEX VALUES\nTEST       BASELINE     RESULT      "
			"INDEX\n\nPipe "
			"Throughput     12440.0  1234567.8      992.4\n       "
			"=========\n     "
			"FINAL SCORE            992.4\n",
			"^Pipe Throughput=1234567.8 lps#10; ^Pipe Throughput index=992.4 "
			"index; "
			"^index_score=992.4 index*"},
		{"two categories",
			PASS("1", "copy") PIPE SHELL
			"2D Graphics Benchmarks Index Values  BASELINE RESULT INDEX\n2D "
			"graphics: lines 15.0 30.0 20.0\n   ========\n2D Graphics "
			"Benchmarks "
			"Index Score   20.0\n" TABLE SCORE,
			TESTS_ARE "^2D graphics: lines index=20 index; " TABLE_IS},
		{"no index tests",
			PASS("1", "copy") PIPE "\nNo index results available for System "
					       "Benchmarks\n\n",
			"^Pipe Throughput=1234567.8 lps#7"},
		{"a test that did nothing",
			"Pipe Throughput  0.0 lps   (10.0 s, 7 samples)\n" TABLE SCORE,
			TABLE_IS},
		{"cut before the score", PASS("1", "copy") PIPE SHELL TABLE, ""},
		{"cut in the score",
			PASS("1", "copy") PIPE SHELL TABLE
			"System Benchmarks Index Score     14",
			""},
		{"cut before the table", PASS("1", "copy") PIPE SHELL, ""},
		{"cut, then a whole pass",
			PASS("1", "copy") PIPE SHELL PASS("4", "copies")
				PIPE SHELL TABLE SCORE,
			TESTS_ARE TABLE_IS},
		{"score 0", TABLE "System Benchmarks Index Score     0.0\n", ""},
		{"killed", "1 x Pipe Throughput  1 2 3", ""},
		{"aborted",
			"1 x Pipe Throughput  1\n*****\nRun: \"Pipe Throughput\": "
			"command returned status 1; aborting\n",
			""},
		{"empty", "", ""},
	};

	render_rows(*state, "unixbench", rows, ARRAY_LEN(rows));
}

static void counts(void **state)
{
	static const struct render_row rows[] = {
		{"loops", "COUNT|74628|1|lps\nCOUNT|74629|1|lps\n", "^count=74628 lps*"},
		{"whetstone", "> COUNT|4321.123|0|MWIPS\n", "^count=4321.123 MWIPS*"},
		{"no newline", "COUNT|74628|1|lps", "^count=74628 lps*"},
		{"cut unit", "COUNT|74628|1|lp", "^count=74628 ?*"},
		{"cut base", "COUNT|74628|6", "^count=74628 ?*"},
		{"cut number", "COUNT|746", ""},
		{"zero", "COUNT|0|1|lps\nCOUNT|5|1|lps\n", ""},
		{"beside a report", "COUNT|74628|1|lps\n" TABLE SCORE, TABLE_IS},
		{"beside a cut report", "COUNT|74628|1|lps\n" TABLE, ""},
	};

	render_rows(*state, "unixbench", rows, ARRAY_LEN(rows));
}

static void details(void **state)
{
	static const char text[] =
		"   Version 5.1.3                      Based on the Byte Magazine Unix "
		"Benchmark\n" PASS("4", "copies") PIPE
		"System Benchmarks Partial Index  BASELINE RESULT INDEX\nPipe Throughput "
		"12440.0 1234567.8 992.4\nSystem Benchmarks Index Score (Partial Only) "
		"992.4\n";
	struct bench_output *o = render_parse(*state, "unixbench", text, strlen(text));

	assert_string_equal(o->version, "5.1.3");
	assert_string_equal(render_params(*state, &o->runs[0]), "copies=4 cpus=4");
	assert_int_equal(o->runs[0].n_notes, 1);
	assert_string_equal(o->runs[0].notes[0], "partial index");
}

static void cut(void **state)
{
	render_prefixes(*state, "unixbench",
		PASS("1", "copy") PIPE SHELL TABLE SCORE PASS("4", "copies")
			PIPE SHELL TABLE SCORE);
}

static void recorded(void **state)
{
	render_recorded(*state, "unixbench");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(counts, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(details, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(cut, render_setup, render_teardown),
		cmocka_unit_test_setup_teardown(recorded, render_setup, render_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
