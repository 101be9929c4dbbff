// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test_claims_marks.c - figures as people mark them up and mail programs break them:
 * bold, other minus signs, exponents, names in two lines, rows without a label.
 */
#include "claims_check.h"

#define MINUS "\xe2\x88\x92" /* U+2212 */
#define DASH  "\xe2\x80\x93" /* U+2013 */

static const struct text marks[] = {
	{"bold in a pipe table",
		"hackbench results\n\n| groups | base | patched | change |\n"
		"|---|---|---|---|\n| 1 | 10.0 | 9.0 | **-10%** |\n"
		"| 4 | 20.0 | **22.0** | **+10%** |\n",
		2,
		{{"hackbench", "1", 10, 9, -10, N, N, NULL, NULL},
			{"hackbench", "4", 20, 22, 10, N, N, NULL, NULL}}},
	{"bold in brackets",
		"hackbench:\n          base     patched\n1-groups  10.0     9.0 "
		"(**-10%**)\n2-groups  20.0     **22.0** (10%)\n",
		2,
		{{"hackbench", "1-groups", 10, 9, -10, N, N, NULL, NULL},
			{"hackbench", "2-groups", 20, 22, 10, N, N, NULL, NULL}}},
	{"stars of significance are no bold",
		"netperf\n          vanilla    patched\n"
		"Hmean  64   162.43 (  0.00%)   157.84 *  -2.82%*\n"
		"Hmean 128   324.71 (  0.00%)   314.78 *  -3.06%*\n",
		2,
		{{"netperf", "Hmean 64", 162.43, 157.84, -2.82, N, N, NULL, NULL},
			{"netperf", "Hmean 128", 324.71, 314.78, -3.06, N, N, NULL,
				NULL}}},
	{"a minus sign",
		"hackbench:\n          base     patched\n1-groups  10.0     9.0 "
		"(" MINUS "10%)\n2-groups  20.0     18.0 (" MINUS "10%)\n",
		2,
		{{"hackbench", "1-groups", 10, 9, -10, N, N, NULL, NULL},
			{"hackbench", "2-groups", 20, 18, -10, N, N, NULL, NULL}}},
	{"a dash for it",
		"hackbench:\n          base     patched    diff\n1-groups  10.0     "
		"9.0      " DASH "10%\n2-groups  20.0     18.0     " DASH "10%\n",
		2,
		{{"hackbench", "1-groups", 10, 9, -10, N, N, NULL, NULL},
			{"hackbench", "2-groups", 20, 18, -10, N, N, NULL, NULL}}},
	{"a dash in a label",
		"stress-ng\n                       base     patched\n"
		"load " DASH " 12 threads       10.5     9.5 (-9.5%)\n"
		"load " DASH " 24 threads       20.5     18.5 (-9.8%)\n",
		2,
		{{"stress-ng", "12 threads", 10.5, 9.5, -9.5, N, N, NULL, NULL},
			{"stress-ng", "24 threads", 20.5, 18.5, -9.8, N, N, NULL, NULL}}},
	{"exponents without a sign",
		"netperf:\n          base     patched\nTCP_RR    1.0e6    1.1e6 "
		"(+10%)\nUDP_RR    2.0E6    2.2e06 (+10%)\n",
		2,
		{{"netperf", "TCP_RR", 1e6, 1.1e6, 10, N, N, NULL, NULL},
			{"netperf", "UDP_RR", 2e6, 2.2e6, 10, N, N, NULL, NULL}}},
	{"what was set beside what was measured",
		"sysbench:\n          vanilla     patched\nMemory    256         512\n"
		"Throughput  100.5     120.5\n",
		1, {{"sysbench", "Throughput", 100.5, 120.5, N, N, N, NULL, NULL}}},
	{"values without a label",
		"UnixBench spawn on\n\n    w/o patch\tw/ patch\n    21005\t27120\n", 1,
		{{"unixbench", "w/ patch", 21005, 27120, N, N, N, NULL, NULL}}},
	{"kernels that add to the first",
		"This improves schbench:\n\n 6.18-rc4:\t\t\t2.22\n"
		" 6.18-rc4+revert:\t\t2.04\n 6.18-rc4+revert+random:\t2.18\n",
		2,
		{{"schbench", "6.18-rc4+revert", 2.22, 2.04, N, N, N, NULL, NULL},
			{"schbench", "6.18-rc4+revert+random", 2.22, 2.18, N, N, N, NULL,
				NULL}}},
	{"a name broken behind its sign",
		"hackbench Threads:\n\n"
		"Test:              Base (v6.4-rc1)   Base + reverted  Base +\n"
		"padding\n"
		"  1-groups:         5.23 (0.00 pct)         4.61 (11.85 pct)\n"
		"5.11 (2.29 pct)\n"
		"  2-groups:         4.99 (0.00 pct)         4.72 (5.41 pct)\n"
		"5.00 (-0.20 pct)\n",
		4,
		{{"hackbench", "1-groups | Base + reverted", 5.23, 4.61, 11.85, N, N,
			 NULL, NULL},
			{"hackbench", "1-groups | Base + padding", 5.23, 5.11, 2.29, N, N,
				NULL, NULL},
			{"hackbench", "2-groups | Base + reverted", 4.99, 4.72, 5.41, N,
				N, NULL, NULL},
			{"hackbench", "2-groups | Base + padding", 4.99, 5, -0.2, N, N,
				NULL, NULL}}},
	{"\"Test:\" is no column",
		"hackbench\n\n"
		"Test:                   Base            Base + reverted\n"
		"Base+disabled\n"
		"  1-groups:         2.81 (0.00 pct)         2.79 (0.71 pct)\n"
		"2.80 (0.36 pct)\n"
		"  2-groups:         3.25 (0.00 pct)         3.25 (0.00 pct)\n"
		"3.20 (1.53 pct)\n",
		4,
		{{"hackbench", "1-groups | Base + reverted", 2.81, 2.79, 0.71, N, N, NULL,
			 NULL},
			{"hackbench", "1-groups | Base+disabled", 2.81, 2.8, 0.36, N, N,
				NULL, NULL},
			{"hackbench", "2-groups | Base + reverted", 3.25, 3.25, 0, N, N,
				NULL, NULL},
			{"hackbench", "2-groups | Base+disabled", 3.25, 3.2, 1.53, N, N,
				NULL, NULL}}},
	{"bold in a sentence", "With this hackbench shows a **12%** improvement.\n", 1,
		{{"hackbench", "improvement", N, N, 12, N, N, NULL, NULL}}},
	{"changes of kernels from one that is not shown",
		"SpecJBB:\n\n 6.17:\t\t\t-6%\n 6.17+revert:\t\t 0%\n"
		" 6.17+revert+random:\t-1%\n",
		0, {{0}}},
	{"settings that are the same in both",
		"old pstate: 16 (the lowest)\nnew pstate: 16\n\n"
		"Without the patch:\ncpus: 8\n\nWith the patch:\ncpus: 8\n",
		0, {{0}}},
	{"runs of two kernels, none of them labelled",
		"hackbench\n  base     patched\n  10.5     9.5\n  10.6     9.6\n", 0,
		{{0}}},
};

static void read_marks(void **state)
{
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		check(*state, &marks[i]);
}

/* "1e6" may be part of a hash, "1.0e400" is no number; a bold mark without its end and a
 * lone minus sign are text. */
static void read_odd(void **state)
{
	static const char *const texts[] = {
		"hackbench\n   base   patched\na  1e6    2e6 (100%)\nb  1e6    2e6\n",
		"hackbench\n   base   patched\na  1.0e400    2.0e400 (100%)\n",
		"hackbench\n   base   patched\na  **10   20**x\n",
		"hackbench\n   base   patched\na  " MINUS "   " MINUS "\n", "**", "**1",
		"***1**", MINUS, DASH, "\xe2", "\xe2\x88", "1.0e"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct claims c;

		read_text(*state, texts[i], &c);
		assert_int_equal(c.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(read_marks, setup, teardown),
		cmocka_unit_test_setup_teardown(read_odd, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
