/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * similar.h - how alike two files are, as git measures it to find renames: the share of
 * the bytes of the larger one that lines (or runs of 64 bytes) of the other make up.
 * Pure.
 */
#ifndef WL_PATCH_SIMILAR_H
#define WL_PATCH_SIMILAR_H

#include "base/arena.h"

#define SIMILAR_MAX    60000 /* equal, up to the order of lines */
#define SIMILAR_RENAME 30000 /* git calls it a rename from here on: 50 % */

/* A file cut into spans, made once and compared often. */
struct similar {
	struct similar_span {
		uint32_t hash, n_bytes;
	} * spans; /* ascending, each hash once */
	size_t n;
	size_t n_bytes; /* of the file */
};

/* buf is not kept; arena. len < 4 GiB. */
void similar_init(struct similar *s, struct arena *a, const char *buf, size_t len);
/* 0..SIMILAR_MAX; 0 also when the sizes alone say that it is below SIMILAR_RENAME. */
int similar_score(const struct similar *from, const struct similar *to);

#endif
