// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every parser of lib/bench on any bytes: no crash, finite values, names that are unique
 * in a run, at most one primary metric, JSON that can be packed.
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

		n_primary += m->primary;
		if (!m->name || !m->name[0] || !isfinite(m->value) || n_primary > 1)
			abort();
		for (size_t k = 0; k < i; k++)
			if (strcmp(r->metrics[k].name, m->name) == 0)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (size_t i = 0; bench_parsers[i]; i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		json_auto_t *j = NULL;
		struct bench_output *o;
		struct err e;

		if (bench_parse(a, bench_parsers[i]->name, (const char *)data, size, &o,
			    &e) != 0)
			continue;
		if ((o->why != NULL) != (o->n_runs == 0))
			abort();
		for (size_t k = 0; k < o->n_runs; k++)
			check_run(&o->runs[k]);
		j = bench_output_json(o);
		if (!j || json_array_size(json_object_get(j, "runs")) != o->n_runs)
			abort();
	}
	return 0;
}
