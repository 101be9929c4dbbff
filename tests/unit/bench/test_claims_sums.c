// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables whose numbers say what their columns are, and lines that others broke. */
#include "claims_check.h"

static const struct text tables[] = {
	{"a difference beside its percentage is no kernel",
		"will-it-scale page_fault1:\n\n"
		"tasks    | baseline     | with-patch   | diff       | %\n"
		"--------------------------------------------------------\n"
		"1        | 200100       | 201200       | +1100      | +0.55%\n"
		"2        | 400000       | 398000       | -2000      | -0.50%\n",
		2,
		{{"will-it-scale", "1", 200100, 201200, .55, N, N, NULL, NULL},
			{"will-it-scale", "2", 400000, 398000, -.5, N, N, NULL, NULL}}},
	{"values of two units are no pair; what stands in brackets heads nothing",
		"    Lock Name                Before      After     % change\n"
		"    shrink+0x77             700.50 ms    0         -100% (gone)\n"
		"         (= note_cost_irq)\n"
		"    add_drain+0x34            2.50 s    900.25 ms  -64%\n",
		2,
		{{NULL, "shrink+0x77", 700.5, 0, -100, N, N, NULL, "ms"},
			{NULL, "add_drain+0x34", N, N, -64, N, N, NULL, NULL}}},
	{"a row of brackets is a label",
		"              small                 large\n"
		"(1 baseline)  6.500s                16.000s\n"
		"(2 disabled)  6.565s  (+1.00%)      16.320s (+2.00%)\n"
		"(3 enabled)   7.150s  (+10.00%)     24.000s (+50.00%)\n",
		4,
		{{NULL, "small | (2 disabled)", 6.5, 6.565, 1, N, N, NULL, "s"},
			{NULL, "large | (3 enabled)", 16, 24, 50, N, N, NULL, "s"}}},
	{"rates as units, and a percentage whose sign stands apart",
		"hackbench -g 4\n"
		"Metric              Base            Patched         Delta\n"
		"Cache Misses        4.000 B/sec     4.200 B/sec     + 5.0%\n"
		"Faults              20.500 /sec     10.250 /sec     - 50.0%\n",
		2,
		{{"hackbench", "Cache Misses", 4, 4.2, 5, N, N, NULL, "B/sec"},
			{"hackbench", "Faults", 20.5, 10.25, -50, N, N, NULL, "/sec"}}},
	{"cases with a base, a patch and a percentage; wrapped at a bar; spread",
		"       LABEL        |    MIN     |   MEAN\n"
		"|   STDDEV  |\n"
		"--------------------+------------+-----------+-----------\n"
		"  fault1_per_thread |            |\n|           |\n"
		"  (A) base          | 400.5      | 500.5\n|  10.5     |\n"
		"  (B) patched       | 380.475    | 550.55\n|  9.5      |\n"
		"                    | -5.00%     | +10.00%\n|           |\n"
		"  fault1_scale      |            |\n|           |\n"
		"  (A) base          | 0.40       | 0.50\n|  0.01     |\n"
		"  (B) patched       | 0.44       | 0.45\n|  0.02     |\n"
		"                    | +10.0%     | -10.0%\n|           |\n",
		4,
		{{NULL, "fault1_per_thread | (B) patched | MIN", 400.5, 380.475, -5, N, N,
			 NULL, NULL},
			{NULL, "fault1_per_thread | (B) patched | MEAN", 500.5, 550.55,
				10, N, N, NULL, NULL},
			{NULL, "fault1_scale | (B) patched | MEAN", .5, .45, -10, N, N,
				NULL, NULL}}},
	{"the number before the changes is their base when they start there",
		"pgbench\ntest\t(1)\t(2)\t\t(3)\n"
		"read\t200000\t220000 (10.00%)\t210000 (5.00%)\n"
		"mix\t300000\t330000 (10.00%)\t303000 (1.00%)\n",
		4,
		{{"pgbench", "read | (2)", 200000, 220000, 10, N, N, NULL, NULL},
			{"pgbench", "mix | (3)", 300000, 303000, 1, N, N, NULL, NULL}}},
	{"a report of one kernel with its change: no base is beside it",
		"test       gov     i     score  %change    idles  misses\n"
		"schbench   teo     0    200.00    +0.00%   25308     600\n"
		"schbench   teo     1    210.00    +5.00%   25490     701\n"
		"schbench   teo     2    190.00    -5.00%   25191     652\n",
		3,
		{{"schbench", "schbench teo", N, 210, 5, N, N, NULL, NULL},
			{"schbench", "schbench teo", N, 190, -5, N, N, NULL, NULL}}},
	{"the columns are kernels though rows say base",
		"thpscale\n                       thp             thp\n"
		"                     base1            lru1\n"
		"Min   fault-base-1     0.00 (   0.00%)   0.00 (   0.00%)\n"
		"Amean fault-base-3   100.00 (   0.00%) 120.00 ( -20.00%)\n",
		2, {{"thpscale", "Amean fault-base-3", 100, 120, -20, N, N, NULL, NULL}}},
	{"names that the report gives itself; a stream is no STREAM",
		"hackbench\n\n"
		"Test          : widget-10\nUnits         : MB/s\n"
		"Interpretation: Higher is better\n"
		"Case:        tip[pct imp](CV)      new[pct imp](CV)\n"
		" Copy         1.00 [  0.00]( 2.50)     0.98 [ -2.00]( 1.25)\n\n"
		"Test          : stream-100\nUnits         : MB/s\n"
		"Case:        tip[pct imp](CV)      new[pct imp](CV)\n"
		" Copy         1.00 [  0.00]( 2.50)     1.07 [  7.00]( 1.25)\n\n"
		"Result of redis-benchmark:\n"
		"          tcp_rr       tcp_stream\n"
		"Base      1000.5       2000.5\n"
		"Patched   1100.5       2100.5\n",
		4,
		{{NULL, "widget-10 | Copy", 1, .98, -2, 2.5, 1.25, "higher", "MB/s"},
			{"stream", "100 | Copy", 1, 1.07, 7, 2.5, 1.25, NULL, "MB/s"},
			{"redis-benchmark", "tcp_stream | Patched", 2000.5, 2100.5, N, N,
				N, NULL, NULL}}},
	{"groups between rows, names over two lines, a heading below them",
		"schbench\n"
		"               6.2        6.2 + V12\n"
		"1 Thread\n"
		"  50.0th:      9.50         9.00\n"
		"Groups: 4\n"
		"  50.0th:     11.50        10.50\n\n"
		"hackbench\n"
		"type\t  groups |  v6.2    |v6.2 + V12 | v6.2 + V12\n"
		"\t\t |          |nice=0     | nice=-20\n"
		"Process     10   |  0.35    |   0.40    |   0.45\n",
		4,
		{{"schbench", "1 Thread | 50.0th", 9.5, 9, N, N, N, NULL, NULL},
			{"schbench", "Groups: 4 | 50.0th", 11.5, 10.5, N, N, N, NULL,
				NULL},
			{"hackbench", "Process 10 | v6.2 + V12 nice=-20", .35, .45, N, N,
				N, NULL, NULL}}},
	{"columns of ratios, spread at the end in the order of the values",
		"kernbench\n"
		"           old      new     speedup   old stddev   new stddev\n"
		"make -j8   200.0    160.0   1.25      1.5%         2.5%\n"
		"make -j4   300.0    250.0   1.20      0.5%         3.5%\n",
		2,
		{{"kernbench", "make -j8", 200, 160, N, 1.5, 2.5, NULL, NULL},
			{"kernbench", "make -j4", 300, 250, N, .5, 3.5, NULL, NULL}}},
	{"arrows for signs and units in brackets",
		"hackbench\n"
		"    | Metric     | Baseline    | Inlined     | Change  |\n"
		"    | ---------- | ----------- | ----------- | ------  |\n"
		"    | Total time | 2.500 [sec] | 2.250 [sec] |  \xe2\x86\x93"
		"10.0% |\n"
		"    | ops/sec    | 4,000,500   | 4,400,550   |  \xe2\x86\x91"
		"10.0% |\n",
		2,
		{{"hackbench", "Total time", 2.5, 2.25, -10, N, N, NULL, "sec"},
			{"hackbench", "ops/sec", 4000500, 4400550, 10, N, N, NULL,
				NULL}}},
	{"from and to",
		"generic --> native:\n\n"
		"  - suite, average of 3 runs:\n"
		"      nginx:\n"
		"      10'500 --> 10'815                        (+3.000 %)\n"
		"      hackbench (lower is better):\n"
		"      100.50 --> 99.50                         (-0.995 %)\n"
		"  - compression of a tarball:\n"
		"      320.50 seconds \xe2\x86\x92"
		" 310.50 seconds\n"
		"The version went 6.1 -> 6.2 and idle: 10% -> 20%\n",
		3,
		{{NULL, "suite, average of 3 runs | nginx", 10500, 10815, 3, N, N, NULL,
			 NULL},
			{"hackbench", "lower is better", 100.5, 99.5, -.995, N, N,
				"lower", NULL},
			{NULL, "compression of a tarball", 320.5, 310.5, N, N, N, NULL,
				"seconds"}}},
	{"rows of bases have no numbers, empty ones say nothing",
		"Kernel   | default  | nice\n"
		"         | config   | five\n"
		"=========+==========+=========\n"
		"6.5      | baseline | N/A\n"
		"---------+----------+---------\n"
		"6.6      | -13.5%   | -6.5%\n"
		"         |          |\n"
		"6.7      | -12.5%   | -5.5%\n",
		4,
		{{NULL, "6.6 | default config", N, N, -13.5, N, N, NULL, NULL},
			{NULL, "6.7 | nice five", N, N, -5.5, N, N, NULL, NULL}}},
	{"names two lines above, a heading below",
		"--------------------------------------------------\n"
		"schbench(old)             tip         +patch(%gain)\n"
		"10 iterations             sched/core\n"
		"--------------------------------------------------\n"
		"1 Threads\n"
		"50.0th:                   8.00        9.00(-12.50)\n"
		"75.0th:                   9.60        9.00(6.25)\n",
		2,
		{{"schbench", "1 Threads | 50.0th", 8, 9, -12.5, N, N, NULL, NULL},
			{"schbench", "1 Threads | 75.0th", 9.6, 9, 6.25, N, N, NULL,
				NULL}}},
	{"more names than columns: those above them count",
		"DESC                      COUNT1    COUNT2   PCT_CHANGE   PCT_OF1  "
		"PCT_OF2\n"
		"yield count          :     27000      5400 |  -80.00%  |\n"
		"left the cpu idle    :     50000     51000 |    2.00%  |\n",
		2,
		{{NULL, "yield count", 27000, 5400, -80, N, N, NULL, NULL},
			{NULL, "left the cpu idle", 50000, 51000, 2, N, N, NULL, NULL}}},
	{"the columns are kernels though a row says base",
		"                          6.6.0-rc2   6.6.0-rc2\n"
		"                             trace-v1   select-v1\n"
		"Ops base-page updates      64272.50  26374386.50\n"
		"Ops PTE updates            36624.50     55538.50\n",
		2,
		{{NULL, "Ops base-page updates", 64272.5, 26374386.5, N, N, N, NULL,
			 NULL},
			{NULL, "Ops PTE updates", 36624.5, 55538.5, N, N, N, NULL,
				NULL}}},
	{"everything divided by the first column",
		"            ondemand   perf   util   better if\n"
		"tbench        1.00     1.44   0.90   higher\n"
		"dbench        1.00     0.91   0.95   lower\n",
		4,
		{{"tbench", "tbench | perf", 1, 1.44, N, N, N, NULL, NULL},
			{"dbench", "dbench | util", 1, .95, N, N, N, NULL, NULL}}},
	{"two lists of several columns",
		"fio, before:\n"
		"CGROUP   IOPS    Avg(ms)\n"
		"small    5       190.50\n"
		"large    167     748.50\n\n"
		"after:\n"
		"CGROUP   IOPS    Avg(ms)\n"
		"small    200     2.50\n"
		"large    159     769.50\n",
		4,
		{{"fio", "small | IOPS", 5, 200, N, N, N, NULL, NULL},
			{"fio", "large | Avg(ms)", 748.5, 769.5, N, N, N, NULL, "ms"}}},
	{"the base behind the patch, numbers grouped by two",
		"perf bench\n"
		"| Test            | With Patch | Without Patch | % Change |\n"
		"| --------------- | ---------- | ------------- | -------- |\n"
		"| getppid ops/sec | 48,12,500  | 47,50,500     | +1.31%   |\n"
		"| fork ops/sec    | 1,199      | 1,227         | -2.28%   |\n",
		2,
		{{"perf bench", "getppid ops/sec", 4750500, 4812500, 1.31, N, N, NULL,
			 NULL},
			{"perf bench", "fork ops/sec", 1227, 1199, -2.28, N, N, NULL,
				NULL}}},
	{"parameters before one change",
		"Benchmark      #VMs    #CPUs/VM  Speed (%)\n"
		"-----------  ------  ----------  ----------\n"
		"hackbench        16           4  60.50%\n"
		"pgbench          16           4  50.25%\n"
		"hackbench         8           8  46.75%\n"
		"schbench          4           8  -0.25%\n",
		4,
		{{"hackbench", "hackbench 16 4", N, N, 60.5, N, N, NULL, NULL},
			{"schbench", "schbench 4 8", N, N, -.25, N, N, NULL, NULL}}},
	{"two kernels, each with its spread, and a change",
		"|           | Without patches | With patches           |\n"
		"+-----------+--------+--------+----------------+-------+\n"
		"| benchmark |  Mean  | RSD*   | Mean           | RSD*  |\n"
		"+-----------+--------+--------+----------------+-------+\n"
		"| hackbench |  8.00  | 2.50%  |  7.60 (-5.0%)  | 0.50% |\n",
		1, {{"hackbench", "hackbench", 8, 7.6, -5, 2.5, .5, NULL, NULL}}},
	{"a second line of names that ends early",
		"| Test            | base  | series+     | % Diff    |\n"
		"|                 |       | +above diff |\n"
		"+-----------------+-------+-------------+-----------+\n"
		"| hackbench 10    |  2.23 |  2.25       |    -0.90% |\n"
		"| hackbench 20    |  4.17 |  4.21       |    -0.96% |\n",
		2,
		{{"hackbench", "10", 2.23, 2.25, -.9, N, N, NULL, NULL},
			{"hackbench", "20", 4.17, 4.21, -.96, N, N, NULL, NULL}}},
	{"colours, CRLF, a line of the kernel",
		"hackbench\r\n         base     patched\r\n"
		"Time     \033[1;32m2.50\033[0m     2.25 (\033[31m-10.0%\033[0m)\r\n"
		"[  123.456789] sched: noise 5.5\r\n"
		"Size     4.50     4.05 (-10.0%)\r\n",
		2,
		{{"hackbench", "Time", 2.5, 2.25, -10, N, N, NULL, NULL},
			{"hackbench", "Size", 4.5, 4.05, -10, N, N, NULL, NULL}}},
};

static void read_tables(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(tables); i++)
		check(*state, &tables[i]);
}

/* What is no number, or no kernel. */
static const struct text asides[] = {
	{"a word instead of a value",
		"hackbench\n"
		"groups  base    patched\n"
		"1       12.5    11.5\n"
		"2       25.0    OOM\n"
		"4       50.0    48.0\n"
		"8       FAILED  90.0\n"
		"16      200     timed out\n",
		2,
		{{"hackbench", "1", 12.5, 11.5, N, N, N, NULL, NULL},
			{"hackbench", "4", 50, 48, N, N, N, NULL, NULL}}},
	{"a word below names that others begin with",
		"schbench\n"
		"threads  tip   tip+v7\n"
		"1        20    18\n"
		"2        40    killed\n"
		"4        80    79\n",
		2,
		{{"schbench", "1", 20, 18, N, N, N, NULL, NULL},
			{"schbench", "4", 80, 79, N, N, N, NULL, NULL}}},
	{"a word that we do not know, at the end and between",
		"netperf\n"
		"clients  before   after\n"
		"1        30.0     29.0\n"
		"2        60.0     wedged\n"
		"4        broke    58.0\n"
		"8        120      115\n"
		"16       240      230\n",
		3,
		{{"netperf", "1", 30, 29, N, N, N, NULL, NULL},
			{"netperf", "8", 120, 115, N, N, N, NULL, NULL}}},
	{"a count is no base where a value is missing",
		"netperf\n"
		"test  threads  base   patched\n"
		"rr    1        11.0   10.0\n"
		"rr    2        22.0   wedged\n"
		"rr    4        44.0   41.0\n",
		2,
		{{"netperf", "rr 1", 11, 10, N, N, N, NULL, NULL},
			{"netperf", "rr 4", 44, 41, N, N, N, NULL, NULL}}},
	{"a label that ends in a number, and one that does not",
		"Results:\n"
		"workload                   tip/sched/core   with_patch(%gain)\n"
		"idle box                   711.5            695.5(2.30)\n"
		"spinner 12 threads -l 100  1011.5           891.5(13.46)\n"
		"spinner 24 threads -l 100  1071.5           981.5(9.17)\n",
		3,
		{{NULL, "idle box", 711.5, 695.5, 2.3, N, N, NULL, NULL},
			{NULL, "-l 100", 1071.5, 981.5, 9.17, N, N, NULL, NULL}}},
	{"a row that stands apart from its header",
		"netperf\n"
		"clients  base   patched\n"
		"1       15.0   14.0\n"
		"2       FAIL   28.0\n"
		"4  60.0 56.0\n",
		2,
		{{"netperf", "1", 15, 14, N, N, N, NULL, NULL},
			{"netperf", "4", 60, 56, N, N, N, NULL, NULL}}},
	{"how sure a change is",
		"hackbench\n"
		"        base    patched  diff    p-value  runs\n"
		"1       11      22       +100%   0.01     5\n"
		"2       12      6        -50%    0.02     7\n",
		2,
		{{"hackbench", "1", 11, 22, 100, N, N, NULL, NULL},
			{"hackbench", "2", 12, 6, -50, N, N, NULL, NULL}}},
	{"a speedup beside a percentage, and a column of a name we do not know",
		"hackbench\n"
		"        base    patched  diff    speedup\n"
		"1       11      22       +100%   0.5\n"
		"2       12      6        -50%    2.1\n\n"
		"tbench\n"
		"        base    patched  diff    mood\n"
		"1       11      22       +100%   0.5\n"
		"2       12      6        -50%    2.1\n",
		4,
		{{"hackbench", "1", 11, 22, 100, N, N, NULL, NULL},
			{"tbench", "2", 12, 6, -50, N, N, NULL, NULL}}},
	{"what it should be, between bars",
		"| hackbench | base | patched | target |\n"
		"| --------- | ---- | ------- | ------ |\n"
		"| 1 group   | 11.5 | 10.5    | 10.0   |\n"
		"| 4 groups  | 21.5 | 20.5    | 20.0   |\n",
		2,
		{{"hackbench", "1 group", 11.5, 10.5, N, N, N, NULL, NULL},
			{"hackbench", "4 groups", 21.5, 20.5, N, N, N, NULL, NULL}}},
	{"what was set, before the base",
		"hackbench\n"
		"     cores    base    patched\n"
		"1    5        11      22\n"
		"2    7        12      6\n",
		2,
		{{"hackbench", "1 5", 11, 22, N, N, N, NULL, NULL},
			{"hackbench", "2 7", 12, 6, N, N, N, NULL, NULL}}},
	{"what was set, in a row",
		"unixbench\n"
		"        old     new\n"
		"HZ      300     1000\n"
		"Result  510     490\n",
		1, {{"unixbench", "Result", 510, 490, N, N, N, NULL, NULL}}},
	{"power can be a result",
		"hackbench\n"
		"        base    patched\n"
		"power   51.5    49.5\n"
		"time    12.5    12.0\n",
		2,
		{{"hackbench", "power", 51.5, 49.5, N, N, N, NULL, NULL},
			{"hackbench", "time", 12.5, 12, N, N, N, NULL, NULL}}},
	{"what was not, or was hoped for",
		"No regression of 7% or more was seen in tbench.\n"
		"We hoped for a 55% improvement. The improvement is not 13.5% here.\n"
		"It doesn't improve by 3%. With no other change, hackbench improved by "
		"11%.\n",
		1, {{"hackbench", "improved by 11%", N, N, 11, N, N, NULL, NULL}}},
	{"two benchmarks in a sentence, before their figures",
		"hackbench got 12% faster and schbench p99 regressed by 6%.\n", 2,
		{{"hackbench", "got 12% faster", N, N, 12, N, N, NULL, NULL},
			{"schbench", "regressed by 6%", N, N, 6, N, N, NULL, NULL}}},
	{"two benchmarks in a sentence, behind their figures",
		"We saw a 12% improvement in hackbench and a 6% regression in tbench.\n",
		2,
		{{"hackbench", "12% improvement", N, N, 12, N, N, NULL, NULL},
			{"tbench", "6% regression", N, N, 6, N, N, NULL, NULL}}},
};

static const struct text no_claims[] = {
	{"names twice, and no change: which is which?",
		"hackbench\ntip     tip        +series     +series\n"
		"slice 2.8ms     16ms       2.8ms       16ms\n",
		0, {{0}}},
	{"shares and spread are no changes",
		"   syscall     calls  errors  total       min       avg       stddev\n"
		"                              (msec)    (msec)    (msec)        (%)\n"
		"   sendto     699574      0  2595.220     0.001     0.004      0.03%\n"
		"   recvfrom  1391089  69442  2163.458     0.001     0.002      0.04%\n",
		0, {{0}}},
	{"shares of the whole",
		"          Experimental     | Other\n"
		"LPOP    | 980.5 (98.05%)   | 1000.0 (100%)\n"
		"SADD    | 1990.5 (99.53%)  | 2000.0 (100%)\n",
		0, {{0}}},
	{"idle states",
		"   Interval  Total Usage Diff  Total Above Diff  Above Diff (%)\n"
		"0     5.980           1656304                 2        0.000121\n"
		"1    10.959            901972              1954        0.216636\n",
		0, {{0}}},
	{"sizes of sections",
		"     text       data      bss        dec     diff\n"
		"(1)  26515311   18890222  17018880   62424413\n"
		"(2)  26524728   19423818  16740352   62688898    264485\n",
		0, {{0}}},
	{"ranges, levels and shares in prose",
		"Reduces the cycles spent (44.88% -> 0.12%). It improves by 2% to 4%, or "
		"regresses 1%-3%.\n",
		0, {{0}}},
	{"a length that has base in its name",
		"| base_slice | avg-run (msec) | switches |\n"
		"| ---------- | -------------- | -------- |\n"
		"| 3ms        | 2.914          | 10342    |\n"
		"| 6ms        | 4.857          | 6196     |\n",
		0, {{0}}},
	{"two changes in one",
		"proc   other   nopause\n24     2005501 5370335 (-15% / +125%)\n", 0,
		{{0}}},
	{"counters of perf stat",
		"* stock build:\n      27,817,487.14 msec task-clock      #   15.015 "
		"CPUs\n"
		"          1,318,586      migrations      #    0.047 K/sec\n"
		"* patched build:\n      27,713,883.25 msec task-clock      #   15.137 "
		"CPUs\n"
		"          1,310,196      migrations      #    0.047 K/sec\n",
		0, {{0}}},
	{"rows without their line ends",
		"| Metric | Base | Patched | Improvement |\n"
		"|--------|-----:|--------:|------------:|\n"
		"| usecs/op | 0.125 | 0.124 | ~0.25% | | ops/sec | 8,028,471 |\n",
		0, {{0}}},
	{"the index of UnixBench is its own",
		"System Benchmarks Index Values           BASELINE       RESULT    "
		"INDEX\n"
		"Dhrystone 2 using register variables     116700.0   45665777.5   "
		"3913.1\n"
		"Double-Precision Whetstone                   55.0       6808.3   "
		"1237.9\n",
		0, {{0}}},
	{"a device that is called base",
		"devicetype configuration    MB/s    clat mean    clat 99%\n"
		"---------------------------------------------------------\n"
		"nvme base         4k       2259.5    59280.5      67634.5\n"
		"crypt default     4k       2267.5    59050.5     182000.5\n",
		0, {{0}}},
	{"a row of values is no header",
		"With patch\n"
		"  12        111.023            135597     8.749456\n"
		"------------------------------------------------\n\n"
		"  13        121.035             82948     0.419540\n"
		"  14        131.035             82941     0.419531\n",
		0, {{0}}},
};

static void read_asides(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(asides); i++)
		check(*state, &asides[i]);
}

static void read_none(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(no_claims); i++)
		check(*state, &no_claims[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(read_tables, setup, teardown),
		cmocka_unit_test_setup_teardown(read_asides, setup, teardown),
		cmocka_unit_test_setup_teardown(read_none, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
