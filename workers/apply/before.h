/* SPDX-License-Identifier: GPL-2.0-or-later */
/* before.h - patches of other series that a series builds on, to be applied first. */
#ifndef WL_WORKERS_APPLY_BEFORE_H
#define WL_WORKERS_APPLY_BEFORE_H

#include "patch/apply.h"
#include "workers/kind.h"

struct before {
	const struct apply_patch *patches; /* in order */
	size_t n;
	const char *const *missing; /* as in patch/apply.h, or NULL */
};

/*
 * in: series of the database, [{"root","version","change_id","complete","prerequisites":
 * [{"kind","value","version"}],"parts":[..]}]: the one in question, then all that its
 * prerequisites may lead to, older versions first (parts.h has PART); [] for none. Which
 * of them count is series_depends(): as `wakelist apply` finds them in files. What cannot
 * be used is missing, with its reason. n_own: patches of the series itself; more than
 * APPLY_PATCHES_MAX together are none. Arena of j.
 */
int before_find(struct job_ctx *j, json_t *in, size_t n_own, struct before *ret,
	struct err *e) MUST_CHECK;

#endif
