/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * adopt.h - moves files that a child left in its scratch folder into the blob store.
 * Runs as a child of its own, so that the supervisor never waits for a disk: first it
 * takes the files over from the children's user, then it becomes the store's owner.
 */
#ifndef WL_WORKERS_BLOB_ADOPT_H
#define WL_WORKERS_BLOB_ADOPT_H

#include "workers/kind.h"

/* in {"files":[name..]}; out {"files":[{"name","sha256","bytes"}..]}. */
int adopt_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int adopt_check(json_t *out, struct err *e) MUST_CHECK;

#endif
