/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyse.h - marks for what was measured: method v1 by lib/stats and lib/report.
 *
 * in {"report"} (facts.h); out {"verdict","rows":[{"tier","topology","bench","load",
 * "metric","mark","why","detail"}],"report"}.
 */
#ifndef WL_WORKERS_ANALYSE_ANALYSE_H
#define WL_WORKERS_ANALYSE_ANALYSE_H

#include "workers/kind.h"

int analyse_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int analyse_check(json_t *out, struct err *e) MUST_CHECK;

#endif
