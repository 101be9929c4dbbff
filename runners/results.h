/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * results.h - the channel on which a guest reports (guest/init writes it). Pure; the
 * bytes are the guest's and so hostile.
 *
 * Records "wl TYPE BYTES WORDS...\n", BYTES bytes, "\n":
 *   begin 1 | fact NAME | run BENCH warmup|run N STATUS | end
 * What stands before the first broken record counts; why says what ended it.
 */
#ifndef WL_RUNNERS_RESULTS_H
#define WL_RUNNERS_RESULTS_H

#include "base/arena.h"
#include "base/err.h"

#define RESULTS_TEXT_MAX   (32u << 20)
#define RESULTS_RUNS_MAX   64000
#define RESULTS_RECORD_MAX (4u << 20) /* bytes of one record */

struct guest_run {
	int bench; /* index of the load in the boot */
	bool warmup;
	int n;
	int status; /* of the program: 0 ok, 137 killed at its time limit */
	const char *out;
	size_t out_len;
};

struct guest_results {
	bool begun, ended;      /* the first and the last record are there */
	const char *release;    /* "6.1.192", NULL: not reported */
	const char *version;    /* "#wl-... SMP ..." */
	const char *topology;   /* lines "cpu=0 core_cpus_list=0 ...", NULL */
	struct guest_run *runs; /* in the order they ran */
	size_t n_runs;
	const char *why; /* NULL when complete */
};

/* ERR_TOO_BIG above RESULTS_TEXT_MAX. Results in the arena. */
int results_parse(struct arena *a, const char *buf, size_t len,
	struct guest_results **ret, struct err *e) MUST_CHECK;

#endif
