/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - the experiment for a series that applies.
 *
 * in {"root","version","tree","base_commit","base_tree","patched_commit","patched_tree",
 * "pack","arch","config","profile","topologies","k_blocks","n_runs"}, pack the blob with
 * the thin pack base..patched; out {"plan","boot_benches":[{"bench","load","argv"}],
 * "why"}. The tree is read only. What the series touches is read from both sides, with
 * ctags where it is (spans.h); else from the hunks, and a note of the plan says so.
 */
#ifndef WL_WORKERS_PLAN_PLAN_H
#define WL_WORKERS_PLAN_PLAN_H

#include "workers/kind.h"

int plan_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int plan_job_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int plan_job_check(json_t *out, struct err *e) MUST_CHECK;

#endif
