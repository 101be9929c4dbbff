// SPDX-License-Identifier: GPL-2.0-or-later
/* The hackbench parser on any bytes: no crash, finite values, JSON that can be packed. */
#include "base/base.h"

#include "bench/bench.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_auto_t *j = NULL;
	struct bench_output *o;
	struct err e;

	if (bench_parse(a, "hackbench", (const char *)data, size, &o, &e) != 0)
		return 0;
	for (size_t i = 0; i < o->n_runs; i++) {
		double v = o->runs[i].metrics[0].value;

		if (o->runs[i].n_metrics != 1 || !isfinite(v) || v < 0)
			abort();
	}
	j = bench_output_json(o);
	if (!j || json_array_size(json_object_get(j, "runs")) != o->n_runs)
		abort();
	return 0;
}
