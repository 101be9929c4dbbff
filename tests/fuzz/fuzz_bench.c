// SPDX-License-Identifier: GPL-2.0-or-later
/* Every parser of lib/bench on any bytes: no crash, finite values under names of their
 * own, one primary metric at most, a reason where there is no run, JSON that can be
 * packed.
 */
#include "base/base.h"

#include "bench/bench.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_run(const struct bench_run *r)
{
	size_t n_primary = 0;

	if (r->n_metrics == 0)
		abort();
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct bench_metric *m = &r->metrics[i];

		if (!m->name || !*m->name || !isfinite(m->value))
			abort();
		n_primary += m->primary;
		for (size_t k = 0; k < i && k < 64; k++)
			if (strcmp(m->name, r->metrics[k].name) == 0)
				abort();
	}
	if (n_primary > 1)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t b = 0; bench_parsers[b]; b++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		json_auto_t *j = NULL;
		struct bench_output *o;
		struct err e;

		if (bench_parse(a, bench_parsers[b]->name, (const char *)data, size, &o,
			    &e) != 0)
			continue;
		for (size_t i = 0; i < o->n_runs; i++)
			check_run(&o->runs[i]);
		j = bench_output_json(o);
		if (!j || json_array_size(json_object_get(j, "runs")) != o->n_runs)
			abort();
	}
	return 0;
}
