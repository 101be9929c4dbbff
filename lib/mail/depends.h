/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * depends.h - what a series builds on, by its prerequisite-patch-id, -change-id and
 * -message-id lines, found among the series at hand. Pure.
 */
#ifndef WL_MAIL_DEPENDS_H
#define WL_MAIL_DEPENDS_H

#include "base/base.h"

#include "mail/assemble.h"

#define SERIES_DEPENDS_DEPTH 5    /* series that build on series that ... */
#define SERIES_DEPENDS_MAX   1000 /* patches before a series */

struct series_depends {
	/* To be applied before it, in this order, each once. Borrowed from the set. */
	const struct mail **patches;
	size_t n_patches;
	const struct series **series; /* those that lend patches */
	size_t n_series;
	/* NULL ended: "message-id x@y is not here", and what leads in a circle or too
	 * far.
	 */
	const char **missing;
	size_t n_missing;
};

/*
 * In the order given, those of a prerequisite before it. A message-id means the version
 * that it is of, whatever came later, and all of that series; a patch-id that patch
 * alone; a change-id the version named, else the newest. Arena.
 */
void series_depends(struct arena *a, const struct series_set *set, const struct series *s,
	struct series_depends *ret);

#endif
