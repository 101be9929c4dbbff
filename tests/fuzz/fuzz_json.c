/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Payloads and results of jobs: first byte picks the object, the rest is JSON. What is
 * taken is packed, taken again, and must pack to the same bytes. */
#include "base/base.h"

#include "base/jx.h"
#include "model/job.h"

/* again_NAME: parse, then pack; NULL when refused. */
#define AGAIN(type)                                                                      \
	static json_t *again_##type(struct arena *a, json_t *j)                          \
	{                                                                                \
		struct type p;                                                           \
		struct err e;                                                            \
                                                                                         \
		return type##_parse(a, j, &p, &e) == 0 ? type##_pack(&p) : NULL;         \
	}
AGAIN(job_build)
AGAIN(job_build_result)
AGAIN(job_boot)
AGAIN(job_boot_result)
AGAIN(job_null)
AGAIN(job_progress)

static json_t *(*const agains[])(struct arena *a, json_t *j) = {
	again_job_build,
	again_job_build_result,
	again_job_boot,
	again_job_boot_result,
	again_job_null,
	again_job_progress,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_t *j, *once, *twice;
	size_t which;
	struct err e;

	if (size < 2 || jx_load((const char *)data + 1, size - 1, &j, &e) != 0)
		return 0;
	which = (size_t)(data[0] - 'a') % ARRAY_LEN(agains);
	once = agains[which](a, j);
	json_decref(j);
	if (!once)
		return 0;
	twice = agains[which](a, once);
	if (!twice) {
		BUG("packed, but not taken again");
	} else {
		char *t1 = jx_dump(once), *t2 = jx_dump(twice);

		if (strcmp(t1, t2) != 0)
			BUG("packed twice, not the same");
		free(t1);
		free(t2);
	}
	json_decref(once);
	json_decref(twice);
	return 0;
}
