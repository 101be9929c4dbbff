/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base_pick.h - which commits to try a series on, in order, with the reason.
 *
 * One source of candidates is one row of a table (base_pick.c); the same commit from two
 * sources is tried once, under the first name.
 */
#ifndef WL_PATCH_BASE_PICK_H
#define WL_PATCH_BASE_PICK_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/repo.h"

#define BASE_ATTEMPTS_MAX 12

struct diff;

/* A branch that a configured tree follows. */
struct base_tip {
	const char *tree;       /* name people know: "linux-6.1" */
	const char *rev;        /* what repo_resolve() takes */
	const char *aliases[8]; /* words of subject prefixes that mean it; NULL ends */
};

struct base_want {
	const char *explicit_rev; /* --base; the only candidate, failure is final */
	const char *base_commit;  /* trailer, 40 hex, or NULL */
	const char *prefix_tree;  /* word of the subject prefix, or NULL */
	const char *previous;     /* base that worked for the version before, or NULL */
	const struct base_tip *tips; /* the list's default tree first */
	size_t n_tips;
	const struct diff *const *diffs; /* of the series in order; for their old blobs */
	size_t n_diffs;
};

enum base_how {
	BASE_EXPLICIT,
	BASE_TRAILER,
	BASE_PREVIOUS,
	BASE_BLOBS,
	BASE_PREFIX,
	BASE_LIST,
};

struct base_candidate {
	enum base_how how;
	char commit[REPO_HEX]; /* "" when it could not be found */
	const char *tree;      /* name of the tree it came from, or NULL */
	const char *why;       /* "base-commit: of the mail", "3 of 4 files match" */
	bool dead;             /* commit unknown: an attempt to show, not to try */
};

const char *base_how_name(enum base_how how); /* "explicit", "base-commit", ... */

/* Ordered, at most BASE_ATTEMPTS_MAX. No candidate at all is 0 with *ret_n 0. Arena. */
int base_pick(struct git_repository *r, const struct base_want *want, struct arena *a,
	struct base_candidate **ret, size_t *ret_n, struct err *e) MUST_CHECK;

#endif
