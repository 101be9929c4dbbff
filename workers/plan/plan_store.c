/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supervisor's side of plan: the tree is seen; a plan is what lib/plan reads back. */
#include "workers/plan/plan.h"

#include "plan/plan.h"
#include "workers/shape.h"

int plan_binds(const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	const char *name;
	int status = jx_unpack(in, e, "plan", "{s:s}", "tree", &name);

	return status == 0
		       ? job_bind_seen(b,
				 arena_printf(b->arena, "%s/%s.git", p->trees, name), e)
		       : status;
}

int plan_job_check(json_t *out, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_t *plan, *benches, *b;
	struct plan *p;
	const char *why;
	size_t i;
	int status = jx_unpack(out, e, "plan", "{s:o, s:o, s:s !}", "plan", &plan,
		"boot_benches", &benches, "why", &why);

	if (status == 0)
		status = plan_from_json(a, plan, &p, e);
	if (status == 0 && !json_is_array(benches))
		status = err_set(e, ERR_INVALID, "plan: no list of loads");
	json_array_foreach(benches, i, b)
	{
		const char *bench, *load;
		json_t *argv;

		if (status == 0)
			status = jx_unpack(b, e, "load", "{s:s, s:s, s:o !}", "bench",
				&bench, "load", &load, "argv", &argv);
	}
	return status;
}
