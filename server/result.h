/* SPDX-License-Identifier: GPL-2.0-or-later */
/* result.h - what a runner says at the end of a job, checked before it counts. Pure. */
#ifndef WL_SERVER_RESULT_H
#define WL_SERVER_RESULT_H

#include "base/base.h"

#include "base/arena.h"
#include "base/err.h"
#include <jansson.h>

#define RESULT_SAMPLES_MAX 50000
#define RESULT_EVENTS_MAX  2000
#define RESULT_LINES_MAX   2000 /* errors, warnings */

/*
 * kind is build, boot or null; role "build" or "boot" says which of both a null job
 * played. result NULL: there is none, which only retry and park (and a failed boot)
 * may say. ret_blobs: every SHA-256 it names, in the arena. ERR_INVALID names the key.
 */
int result_check(struct arena *a, const char *kind, const char *role, const char *outcome,
	json_t *result, const char *const **ret_blobs, size_t *ret_n,
	struct err *e) MUST_CHECK;

#endif
