// SPDX-License-Identifier: GPL-2.0-or-later
/* The claims of any bytes: no crash, finite values or none, JSON that can be packed. */
#include "base/base.h"

#include "bench/claims.h"
#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(double v)
{
	if (isinf(v))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_auto_t *j = NULL;
	struct claims c;
	struct err e;

	if (claims_read(a, (const char *)data, size, &c, &e) != 0)
		return 0;
	if (c.n > CLAIMS_MAX)
		abort();
	for (size_t i = 0; i < c.n; i++) {
		const struct claim *k = &c.list[i];

		check(k->base);
		check(k->patched);
		check(k->change_pct);
		check(k->std_base_pct);
		check(k->std_patched_pct);
		if (!k->what)
			abort();
		if (isnan(k->base) && isnan(k->patched) && isnan(k->change_pct))
			abort();
	}
	j = claims_json(&c);
	if (!j || json_array_size(json_object_get(j, "claims")) != c.n)
		abort();
	return 0;
}
