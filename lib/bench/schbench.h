/* SPDX-License-Identifier: GPL-2.0-or-later */
/* schbench.h - what schbench's text and its JSON have in common. Internal to lib/bench.
 */
#ifndef WL_BENCH_SCHBENCH_H
#define WL_BENCH_SCHBENCH_H

#include "bench/reading.h"

/* Adds "<label>_p<percentile>"; label is wakeup_latency, request_latency or rps, of which
 * wakeup_latency_p99 is primary. samples -1: not printed. */
void schbench_percentile(struct reading *r, const char *label, double percentile,
	double v, int64_t samples);
/* Adds "<label>_min" or "<label>_max". */
void schbench_limit(struct reading *r, const char *label, const char *which, double v);
/* The runs of every JSON object in the text. True: one was left out, since it was cut. */
bool schbench_json(struct reading *r);

#endif
