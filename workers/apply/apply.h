/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * apply.h - the parts of a series onto the trees it may be for, without database or
 * network.
 *
 * in {"series_id","version","title","trees":[TREE],"branch","base","previous","time",
 * "parts":[PART],"before":[SERIES]}: trees.h, parts.h and before.h have these;
 * out
 * {"tree_name","named","result","why","base_commit","base_tree","base_how","base_label",
 * "before_commit","before_tree","patched_commit","patched_tree","branch","pack","detail",
 * "files"}: result and detail as `wakelist apply` prints them, but that a conflict is
 * no_base where no commit of a git tree is as the mails say; tree_name that of the base,
 * else the default one; named the tree that the subject names, or null; before what the
 * series itself stands on when prerequisites were applied to the base, else null; pack a
 * thin pack base..patched or null. Objects are made in a scratch repository that borrows
 * the trees'; these are read only.
 */
#ifndef WL_WORKERS_APPLY_APPLY_H
#define WL_WORKERS_APPLY_APPLY_H

#include "workers/kind.h"

int apply_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int apply_job_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int apply_check(json_t *out, struct err *e) MUST_CHECK;

#endif
