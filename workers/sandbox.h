/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - how children are shut in: by bubblewrap where it works (own mounts, own
 * processes, no network unless needed), else by what the child can do to itself
 * (confine.h). Probed once, at start, by a bounded run.
 */
#ifndef WL_WORKERS_SANDBOX_H
#define WL_WORKERS_SANDBOX_H

#include "base/base.h"

#include "workers/kind.h"

struct sandbox {
	bool bwrap;
	const char *exe;  /* this program, absolute; arena */
	const char *text; /* for people: "bubblewrap, user wakelist-child"; arena */
};

/* Blocks for at most 10 s. Fails when this program's own path cannot be found, or when
 * the children's user could not come to its scratch folder (ERR_INVALID, says which
 * folder). */
int sandbox_probe(struct arena *a, const struct work_paths *p, struct sandbox *ret,
	struct err *e) MUST_CHECK;
/* argv of a child of this kind; NULL terminated, arena. */
const char *const *sandbox_argv(struct arena *a, const struct sandbox *s,
	const struct worker_op *op, const struct work_paths *p, const char *scratch,
	const struct job_binds *binds);

#endif
