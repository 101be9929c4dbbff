// SPDX-License-Identifier: GPL-2.0-or-later
/* Result tables of mails: one text a form, and what is none. The texts are ours. */
#include "base/base.h"

#include "base/file.h"
#include "claims_check.h"
#include <dirent.h>
#include <unistd.h>

static const struct text tables[] = {
	{"mmtests",
		"hackbench-process-pipes\n"
		"                   6.1.0-rc2        6.1.0-rc2\n"
		"                     vanilla           scan-v2\n"
		"Amean     1     0.4000 (   0.00%)   0.3900 *   2.50%*\n"
		"Amean     4     0.9000 (   0.00%)   0.9900 ( -10.00%)\n"
		"Stddev    1     0.0100 (   0.00%)   0.0200 (-100.00%)\n",
		2,
		{{"hackbench", "process-pipes | Amean 1", .4, .39, 2.5, N, N, NULL, NULL},
			{"hackbench", "Amean 4", .9, .99, -10, N, N, NULL, NULL}}},
	{"quoted, tabs, pct",
		"> > tbench, lower is better\n> >\n"
		"> > Clients:\ttip\t\t  sis\n"
		"> >     1\t 450.00 (0.00 pct)\t 459.00 (2.00 pct)\n"
		"> >    64\t 900.00 (0.00 pct)\t 810.00 (-10.00 pct)\t* Overloaded\n",
		2,
		{{"tbench", "1", 450, 459, 2, N, N, "lower", NULL},
			{"tbench", "64", 900, 810, -10, N, N, "lower", NULL}}},
	{"rows broken by a mail program",
		"schbench\n"
		"#workers:   tip                one                two\n"
		"  1:     20.00 (0.00 pct)   21.00 (-5.00 pct)  22.00\n"
		"(-10.00 pct)\n"
		"  2:     30.00 (0.00 pct)   27.00 (10.00 pct)  24.00\n"
		"(20.00 pct)\n",
		4,
		{{"schbench", "1 | one", 20, 21, -5, N, N, NULL, NULL},
			{"schbench", "1 | two", 20, 22, -10, N, N, NULL, NULL},
			{"schbench", "2 | two", 30, 24, 20, N, N, NULL, NULL}}},
	{"base(std%) compare%(std%)",
		"netperf\n=======\n"
		"case            \tload    \tbaseline(std%)\tcompare%( std%)\n"
		"TCP_RR          \t6-threads\t 1.00 (  0.50)\t +2.25 (  0.75)\n"
		"UDP_RR          \t6-threads\t 1.00 (  1.50)\t-12.00 (  2.00)\n",
		2,
		{{"netperf", "TCP_RR 6-threads", 1, N, 2.25, .5, .75, NULL, NULL},
			{"netperf", "UDP_RR 6-threads", 1, N, -12, 1.5, 2, NULL, NULL}}},
	{"[pct imp](CV) and a key block",
		"Test          : hackbench\n"
		"Units         : Normalized time in seconds\n"
		"Interpretation: Lower is better\n"
		"Statistic     : AMean\n"
		"==================================\n"
		"Case:        tip[pct imp](CV)      new-idea[pct imp](CV)\n"
		" 1-groups     1.00 [ -0.00]( 2.50)     0.98 [  2.00]( 1.25)\n"
		"16-groups     1.00 [ -0.00]( 0.50)     1.07 [ -7.00]( 0.75)\n",
		2,
		{{"hackbench", "1-groups", 1, .98, 2, 2.5, 1.25, "lower",
			 "Normalized time in seconds"},
			{"hackbench", "16-groups", 1, 1.07, -7, .5, .75, "lower",
				"Normalized time in seconds"}}},
	{"value +- spread (change)",
		"Benchmark : kernbench\nUnit      : seconds (lower is better)\n\n"
		"            6.0 (BASELINE)             6.0 freq-inv\n"
		"- - - - - - - - - - - - - - - - - - - - - - - - - -\n"
		"Amean 2   300.50 +- 0.40% (      )   240.25 +- 1.50% ( 20.05%)\n"
		"Amean 4   150.50 +- 0.30% (      )   160.00 +- 2.50% ( -6.31%)\n",
		2,
		{{"kernbench", "Amean 2", 300.5, 240.25, 20.05, .4, 1.5, "lower",
			"seconds"}}},
	{"before, after and a change without a name",
		"UnixBench with 8 threads\n"
		"                                     before      after\n"
		"  File Copy 256 bufsize 500 maxblocks  2000.5      2100.5    5.00%\n"
		"  Shell Scripts (8 concurrent)         17000       16830    -1.00%\n",
		2,
		{{"unixbench", "File Copy 256 bufsize 500 maxblocks", 2000.5, 2100.5, 5,
			 N, N, NULL, NULL},
			{"unixbench", "Shell Scripts (8 concurrent)", 17000, 16830, -1, N,
				N, NULL, NULL}}},
	{"unit in the label",
		"* Stream benchmark:\n\n"
		"                w/o patch              w/ patch\n"
		"MB/sec copy     30000.50 (   0.00%)    33000.55 (  10.00%)\n",
		1, {{"stream", "copy", 30000.5, 33000.55, 10, N, N, NULL, "MB/sec"}}},
	{"decimal commas",
		"  hackbench -g #grp\n\n"
		"  grp    tip/sched/core        +patchset             improvement\n"
		"  1      14,250(+/- 4,99 %)    13,750(+/- 3.88 %)    3,51 %\n"
		"  4       4,500(+/- 5.35 %)     4.750(+/- 4.85 %)   -5,56 %\n",
		2,
		{{"hackbench", "1", 14.25, 13.75, 3.51, 4.99, 3.88, NULL, NULL},
			{"hackbench", "4", 4.5, 4.75, -5.56, 5.35, 4.85, NULL, NULL}}},
	{"thousands",
		"pgbench\n         base        patched\nread   1,234,567   1,345,678\n",
		1, {{"pgbench", "read", 1234567, 1345678, N, N, N, NULL, NULL}}},
	{"bars",
		"sysbench threads\nHigher result is better\n"
		"|         |   BASELINE |   +PATCH |   DELTA (%) |\n"
		"|---------+------------+----------+-------------|\n"
		"| mean    |    5000.00 |  5500.00 |      +10.00 |\n"
		"| std (%) |      8.000 |   10.000 |             |\n",
		1, {{"sysbench", "mean", 5000, 5500, 10, N, N, "higher", NULL}}},
	{"a column that only sounds like a change, over two header lines",
		"| Test            | base | series+     | % Diff |\n"
		"|                 |      | +above diff |        |\n"
		"+-----------------+------+-------------+--------+\n"
		"| hackbench pipes | 2.50 | 2.75        | -10.0% |\n",
		1, {{"hackbench", "pipes", 2.5, 2.75, -10, N, N, NULL, NULL}}},
	{"bars, changes alone, wrapped rows",
		"| bench | metric | mean | std | q90 |\nq99 |\n"
		"|-------+--------+------+-----+-----+-----|\n"
		"| hackbench -g 1 | duration | -1.50% | -2.00% | -0.75% |\n-0.25% |\n"
		"| hackbench -g 2 | duration | -0.50% | +9.00% | +0.50% |\n+0.75% |\n",
		6,
		{{"hackbench", "-g 1 | duration | mean", N, N, -1.5, N, N, NULL, NULL},
			{"hackbench", "-g 2 | duration | q99", N, N, .75, N, N, NULL,
				NULL}}},
	{"bars between cells, two header lines, a level of its own",
		"Kernel | Runtime  | Throughput | P50 latency\n"
		"       | params   |            | (larger is worse)\n"
		"-------+----------+------------+------------------\n"
		"6.5    | default  |  baseline  |  baseline\n"
		"-------+----------+------------+------------------\n"
		"6.8    | default  |  -6.5%     |  +7.5%\n"
		"       | NO_PL    |  -1%       |  +1%\n",
		4,
		{{NULL, "6.8 | default | Throughput", N, N, -6.5, N, N, NULL, NULL},
			{NULL, "6.8 | NO_PL | P50 latency", N, N, 1, N, N, "lower",
				NULL}}},
	{"kernels in bars",
		"| metric | kernel       | value  | perc_diff |\n"
		"+--------+--------------+--------+-----------+\n"
		"| score  | baseline     | 2500.0 |   0.0%    |\n"
		"| score  | patched_v4   | 2600.0 |   4.0%    | <-- better\n",
		1, {{NULL, "score | patched_v4", 2500, 2600, 4, N, N, NULL, NULL}}},
	{"a kernel a row",
		"Results for tbench 64-clients:\n\n"
		"tip                       : 1.00 (var: 1.25%)\n"
		"tip + v3                  : 0.45 (var: 1.50%) (diff: -55.00%)\n"
		"tip + v3 + full series    : 1.02 (var: 0.25%) (diff: +02.00%)\n",
		2,
		{{"tbench", "tip + v3", 1, .45, -55, 1.25, 1.5, NULL, NULL},
			{"tbench", "tip + v3 + full series", 1, 1.02, 2, 1.25, .25, NULL,
				NULL}}},
	{"kernels in rows, cases in columns",
		"The result of hackbench w/ and w/o this patch:\n\n"
		"  g=    2      4      6\n"
		"  w/o: 1.8125 3.8125 5.5125\n"
		"  w/ : 1.8250 3.7500 5.4500\n",
		3, {{"hackbench", "4", 3.8125, 3.75, N, N, N, NULL, NULL}}},
	{"base and patch below each case",
		"hackbench\n"
		"  group=1\n  base:    1000+-5.5%\n  patch:   1250+-2.5%  (noise)\n\n"
		"  group=8\n  base:    2000+-1.5%\n  patch:   2500+-0.5% +25.0%\n",
		2,
		{{"hackbench", "group=1 | patch", 1000, 1250, N, 5.5, 2.5, NULL, NULL},
			{"hackbench", "group=8 | patch", 2000, 2500, 25, 1.5, .5, NULL,
				NULL}}},
	{"one list below the other",
		"running schbench -m 2 -t 8:\n\n"
		"without patch:\nLatency percentiles (usec)\n"
		"    50.0000th: 11\n    *99.0000th: 17\n    min=0, max=28\n\n"
		"with patch:\nLatency percentiles (usec)\n"
		"    50.0000th: 7\n    *99.0000th: 9\n    min=0, max=16\n",
		2,
		{{"schbench", "50.0000th", 11, 7, N, N, N, NULL, "usec"},
			{"schbench", "99.0000th", 17, 9, N, N, N, NULL, "usec"}}},
	{"columns named in prose",
		"Three kernels:\nplain menu, teo, menu again\n\npgbench Transactions\n"
		"Hmean     1    700.00 (   0.00%)    735.00 (   5.00%)    693.00 (  "
		"-1.00%)\n",
		2,
		{{"pgbench", "Hmean 1 | teo", 700, 735, 5, N, N, NULL, NULL},
			{"pgbench", "Hmean 1 | menu again", 700, 693, -1, N, N, NULL,
				NULL}}},
	{"robot's summary",
		"> | testcase: change | stress-ng: stress-ng.sigfd.ops_per_sec  -6.5% "
		"regression |\n"
		"> | testcase: change | aim7: aim7.seconds  -5.5% improvement |\n",
		2,
		{{"stress-ng", "stress-ng.sigfd.ops_per_sec", N, N, -6.5, N, N, "higher",
			 NULL},
			{"aim7", "aim7.seconds", N, N, -5.5, N, N, "lower", NULL}}},
	{"robot's comparison",
		"         %stddev     %change         %stddev\n"
		"             \\          |                \\  \n"
		"     20000 \xc2\xb1  2%     -19.5%      16100 \xc2\xb1  3%  "
		"stress-ng.sock.ops\n"
		"      5.50            +1.1        6.60        turbostat.CPU.pct\n",
		2,
		{{"stress-ng", "stress-ng.sock.ops", 20000, 16100, -19.5, 2, 3, NULL,
			 NULL},
			{NULL, "turbostat.CPU.pct", 5.5, 6.6, N, N, N, NULL, NULL}}},
	{"a sentence", "With it we measured an improvement of 27.5% in hackbench.\n", 1,
		{{"hackbench", "an improvement of 27.5%", N, N, 27.5, N, N, NULL, NULL}}},
	{"a sentence that a row holds",
		"The time is reduced by almost 30%:\n\n"
		"           base      patched\nAmean 1  200.00 (0.00%)  140.60 * "
		"29.70%*\n",
		1, {{NULL, "Amean 1", 200, 140.6, 29.7, N, N, NULL, NULL}}},
	{"a robot's sentence",
		"kernel test robot noticed a -19.5% regression of "
		"stress-ng.filename.ops_per_sec on:\n",
		1,
		{{"stress-ng", "stress-ng.filename.ops_per_sec", N, N, -19.5, N, N,
			"higher", NULL}}},
	{"about and percent",
		"schbench shows a gain of about 15 percent and a -3% regression.\n", 2,
		{{"schbench", "about 15 percent", N, N, 15, N, N, NULL, NULL},
			{"schbench", "gain", N, N, -3, N, N, "higher", NULL}}},
	{"a kernel a row, the header says what the brackets are",
		"ipistorm, lower is better\n"
		"kernel:               time [pct imp]\n"
		"tip:sched/core        1.00 [0.00]\n"
		"tip:sched/core + a    0.75 [25.31]\n"
		"tip:sched/core + b    0.50 [50.12]\n",
		2,
		{{"ipistorm", "tip:sched/core + a", 1, .75, 25.31, N, N, "lower", NULL},
			{"ipistorm", "tip:sched/core + b", 1, .5, 50.12, N, N, "lower",
				NULL}}},
	{"[baseline]",
		"kernel:      time [pct imp]\n"
		"tip          1.00 [baseline]\n"
		"tip + a      0.75 [25.31%]\n"
		"tip + b      0.50 [50.12%]\n",
		2,
		{{NULL, "tip + a", 1, .75, 25.31, N, N, NULL, NULL},
			{NULL, "tip + b", 1, .5, 50.12, N, N, NULL, NULL}}},
	{"a version and a patch, ratios behind",
		"Time (sec):\n"
		"\t\tv6.1\t\twith this patch (improvement)\n"
		"alpha\t\t77.50\t\t56.40 (1.37)\n"
		"beta\t\t113.10\t\t112.40 (1.01)\n",
		2,
		{{NULL, "alpha", 77.5, 56.4, N, N, N, NULL, "sec"},
			{NULL, "beta", 113.1, 112.4, N, N, N, NULL, "sec"}}},
	{"the base of a case comes last",
		"| Test   | kernel | score  | OU %  |\n"
		"+--------+--------+--------+-------+\n"
		"| single | patch  | 1182.4 | 26.14 |\n"
		"| single | base   | 1186.9 | 71.23 |\n"
		"+--------+--------+--------+-------+\n"
		"| multi  | patch  | 5227.7 | 44.11 |\n"
		"| multi  | base   | 5395.6 | 53.17 |\n",
		4,
		{{NULL, "single | patch | score", 1186.9, 1182.4, N, N, N, NULL, NULL},
			{NULL, "single | patch | OU", 71.23, 26.14, N, N, N, NULL, NULL},
			{NULL, "multi | patch | score", 5395.6, 5227.7, N, N, N, NULL,
				NULL}}},
	{"each value with its own delta",
		"| version         | one (us) | delta | two (us) |  delta |\n"
		"|-----------------+----------+-------+----------+--------|\n"
		"| baseline (6.1+) |     8104 |       |     4526 |        |\n"
		"| patch 1         |     7875 | -2.8% |     4273 |  -5.6% |\n",
		2,
		{{NULL, "patch 1 | one", 8104, 7875, -2.8, N, N, NULL, "us"},
			{NULL, "patch 1 | two", 4526, 4273, -5.6, N, N, NULL, "us"}}},
	{"a version and what is added to it",
		"schbench\n"
		"             6.2            6.2 + V12 + LN=0\n"
		"Groups: 1\n"
		"50.0th:      14.0             12.5\n"
		"99.0th:      27.5             21.0\n",
		2,
		{{"schbench", "50.0th", 14, 12.5, N, N, N, NULL, NULL},
			{"schbench", "99.0th", 27.5, 21, N, N, N, NULL, NULL}}},
	{"a robot's table of three commits",
		"0123456789abcdef 1123456789abcdef0123456789a "
		"2123456789abcdef0123456789a\n"
		"---------------- --------------------------- "
		"---------------------------\n"
		"         %stddev     %change         %stddev     %change         "
		"%stddev\n"
		"      9171           -11.9%       8078           -13.2%       7961      "
		"  "
		"will-it-scale.per_process_ops\n"
		"      0.10 \xc2\xb1 10%     +50.0%       0.15 \xc2\xb1 20%     +10.0%   "
		"    "
		"0.11\n",
		2,
		{{"will-it-scale",
			 "will-it-scale.per_process_ops | 1123456789abcdef0123456789a",
			 9171, 8078, -11.9, N, N, NULL, NULL},
			{"will-it-scale",
				"will-it-scale.per_process_ops | "
				"2123456789abcdef0123456789a",
				9171, 7961, -13.2, N, N, NULL, NULL}}},
	{"a row of deltas below two kernels",
		"                     short_rq  long_reply\n"
		"Base                 9504.56   3573.84\n"
		"Patched              9656.68   3569.39\n"
		"Delta                +1.6%     -0.1%\n"
		"Standard Deviation   0.95%     1.03%\n",
		2,
		{{NULL, "short_rq | Patched", 9504.56, 9656.68, 1.6, N, N, NULL, NULL},
			{NULL, "long_reply | Patched", 3573.84, 3569.39, -.1, N, N, NULL,
				NULL}}},
};

static void read_tables(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		check(*state, &tables[i]);
}

static const struct text no_claims[] = {
	{"statistics of one kernel",
		"               Average  Median  Std(%) Mode\n"
		"delta inline    668.7     626   67.2    42\n"
		"delta call      677.6     624   67.6    46\n",
		0, {{0}}},
	{"shares beside two counts",
		"cap     threshold  %      tick   %\n"
		"32      1          3.12   0      0\n"
		"48      3          6.25   2      4.16\n"
		"64      4          6.25   2      3.12\n",
		0, {{0}}},
	{"empty", "", 0, {{0}}},
	{"diffstat",
		" kernel/sched/fair.c  | 13 +++++++++++--\n kernel/sched/core.c  | 17 "
		"++-\n"
		" 2 files changed, 28 insertions(+), 2 deletions(-)\n",
		0, {{0}}},
	{"hunks",
		"diff --git a/k.c b/k.c\nindex 0123456..789abcd 100644\n--- a/k.c\n+++ "
		"b/k.c\n"
		"@@ -1,4 +1,4 @@ int f(void)\n"
		" \t * base       patched\n"
		"-\t * Amean 1   10.50 (0.00%)  12.50 (19.05%)\n"
		"+\t * improved by 25%, a -3% regression\n"
		" \t{ 1.0, 2.0, 3.0 },\n",
		0, {{0}}},
	{"quoted hunks",
		"> @@ -10,3 +10,3 @@\n> -\t * an improvement of 10%\n> +\t * gain of "
		"20%\n"
		"Why 10?\n",
		0, {{0}}},
	{"kernel log",
		"[   12.345678] base 10.5 patched 12.5 improved by 3%\n"
		"[   12.345679] cpu0: 1.0 2.0 (3.0%)\n",
		0, {{0}}},
	{"profile",
		"    12.61%     0.00%  swapper  [kernel.vmlinux]  [k] "
		"native_queued_spin_lock\n"
		"    10.94%    +1.25%  swapper  [kernel.vmlinux]  [k] _raw_spin_lock\n",
		0, {{0}}},
	{"shares and levels",
		"The task uses 20% of the CPU and the capacity is reduced to 80%.\n"
		"Scanning stops above 85% utilization. If it would gain 5%, fine.\n",
		0, {{0}}},
	{"one kernel's numbers",
		"Busy%   Bzy_MHz IRQ     PkgWatt\n12.52   3798    81407   22.17\n"
		"12.56   3620    491336  23.50\n",
		0, {{0}}},
	{"statistics of one thing",
		"        day1         day2\nmean    88.03   85.50\nstd     11.04   "
		"10.25\n"
		"25%     34.76   34.02\n",
		0, {{0}}},
	{"cells over several columns",
		"| Without patch | With patch |\n| cpu | hit | us | hit | us |\n"
		"|-----+-----+----+-----+----|\n| 0 | 274 | 38.3 | 401 | 14.1 (-63.1%) "
		"|\n",
		0, {{0}}},
	{"a numbered list", "1. first\n2. second 10%\n3. third 5.5 4.5\n", 0, {{0}}},
	{"kernel-doc",
		"/**\n * f - scans at most 10% of CPUs\n * @a: 1 or 2\n * @b: 3.5, 4.5\n "
		"*/\n",
		0, {{0}}},
};

static void read_none(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(no_claims); i++)
		check(*state, &no_claims[i]);
}

/* A mail whose line ends were lost on its way. */
static void one_long_line(void **state)
{
	char text[4000];
	struct claims c;
	int n;

	n = snprintf(text, sizeof(text), "Subject: x %1500s ", "y");
	snprintf(text + n, sizeof(text) - (size_t)n,
		"results for tbench 64-clients: tip : 1.00 (var: 1.50%%) tip + v3 : 0.40 "
		"(var: 1.25%%) (diff: -60.00%%) Signed-off-by: A --- diff --git a/x b/x "
		"@@ -1 +1 @@ - gain of 5%%");
	read_text(*state, text, &c);
	assert_int_equal(c.n, 1);
	assert_true(is_claim(
		&(struct want){"tbench", "tip + v3", 1, .4, -60, 1.5, 1.25, NULL, NULL},
		&c.list[0]));
}

static void limits(void **state)
{
	struct arena *a = *state;
	size_t rows = CLAIMS_MAX + 5, len = 0, cap = rows * 40 + 100;
	char *text = base_alloc(cap);
	struct claims c;
	struct err e;

	len += (size_t)snprintf(text, cap, "     base   patched\n");
	for (size_t i = 0; i < rows; i++)
		len += (size_t)snprintf(text + len, cap - len, "r%zu   1.5   2.5\n", i);
	assert_int_equal(claims_read(a, text, len, &c, &e), 0);
	assert_int_equal(c.n, CLAIMS_MAX);
	assert_true(c.cut);
	free(text);
	assert_int_equal(claims_read(a, "", CLAIMS_TEXT_MAX + 1u, &c, &e), ERR_TOO_BIG);
}

static void json(void **state)
{
	json_auto_t *j = NULL;
	json_t *first;
	struct claims c;

	read_text(*state,
		"hackbench\n        base     patched\nTime    2.5      \xff 2\n"
		"Size    2.5      2.0\n",
		&c);
	j = claims_json(&c);
	assert_int_equal(json_integer_value(json_object_get(j, "v")), 1);
	first = json_array_get(json_object_get(j, "claims"), c.n - 1);
	assert_int_equal(json_object_size(first), 9);
	assert_string_equal(
		json_string_value(json_object_get(first, "bench")), "hackbench");
	assert_true(json_is_null(json_object_get(first, "change_pct")));
	assert_true(json_is_null(json_object_get(first, "better")));
	assert_int_equal(json_integer_value(json_object_get(first, "patched")), 2);
}

static double member(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static void check_file(struct arena *a, const char *path)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	const char *expect = arena_printf(a, "%.*s.json", (int)strlen(path) - 4, path);
	json_auto_t *j = NULL;
	struct claims c;
	struct err e;
	json_t *all, *o;
	size_t i;

	if (file_read(path, CLAIMS_TEXT_MAX, &text, &e) ||
		jx_load_file(expect, 1 << 20, &j, &e))
		fail_msg("%s", e.msg);
	read_text(a, text.buf, &c);
	all = json_object_get(j, "claims");
	json_array_foreach(all, i, o)
	{
		struct want w = {json_string_value(json_object_get(o, "bench")),
			json_string_value(json_object_get(o, "case")), member(o, "base"),
			member(o, "patched"), member(o, "change_pct"),
			member(o, "std_base_pct"), member(o, "std_patched_pct"),
			json_string_value(json_object_get(o, "better")),
			json_string_value(json_object_get(o, "unit"))};
		bool found = false;

		for (size_t k = 0; k < c.n && !found; k++)
			found = is_claim(&w, &c.list[k]);
		if (!found)
			fail_msg("%s: no claim \"%s\"", path, w.what);
	}
	if (c.n != json_array_size(all))
		fail_msg("%s: %zu claims, not %zu", path, c.n, json_array_size(all));
}

/* Real mails, where the reference data is beside the tree. */
static void shared(void **state)
{
	const char *folder = WL_SOURCE_DIR "/../shared/claims";
	DIR *dir = opendir(folder);
	size_t n = 0;

	if (!dir) {
		print_message("skipped: ../shared is absent\n");
		skip();
	}
	for (const struct dirent *d; (d = readdir(dir));) {
		size_t len = strlen(d->d_name);

		if (len < 5 || strcmp(d->d_name + len - 4, ".txt") != 0)
			continue;
		check_file(*state, arena_printf(*state, "%s/%s", folder, d->d_name));
		n++;
	}
	closedir(dir);
	assert_true(n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(read_tables),
		cmocka_unit_test(read_none),
		cmocka_unit_test(one_long_line),
		cmocka_unit_test(limits),
		cmocka_unit_test(json),
		cmocka_unit_test(shared),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
