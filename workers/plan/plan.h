/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - the experiment for a series that applies.
 *
 * in {"root","version","base_tree","patched_tree","detail","arch","config","profile",
 * "topologies","k_blocks","n_runs"}, detail as `wakelist apply` prints it; out {"plan",
 * "boot_benches":[{"bench","load","argv"}],"why"}.
 */
#ifndef WL_WORKERS_PLAN_PLAN_H
#define WL_WORKERS_PLAN_PLAN_H

#include "workers/kind.h"

int plan_job_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int plan_job_check(json_t *out, struct err *e) MUST_CHECK;

#endif
