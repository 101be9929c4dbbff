/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shape.h - small checks of values that children give, and of paths they may see. */
#ifndef WL_WORKERS_SHAPE_H
#define WL_WORKERS_SHAPE_H

#include "workers/kind.h"

bool shape_is_oid(const char *s); /* 40 lower-case hex digits */
/* A string of at most max bytes, or null (*ret NULL). INVALID names the key. */
int shape_text_or_null(json_t *object, const char *key, size_t max, const char **ret,
	struct err *e) MUST_CHECK;
/* A path of this machine that the child reads: NOT_FOUND in words when it is not there.
 */
int job_bind_seen(struct job_binds *b, const char *path, struct err *e) MUST_CHECK;

#endif
