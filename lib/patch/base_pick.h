/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base_pick.h - which commits to try a series on, in order, one by one, with the reason.
 *
 * One source of candidates is one row of a table (base_pick.c); the same commit from two
 * sources is tried once, under the first name.
 */
#ifndef WL_PATCH_BASE_PICK_H
#define WL_PATCH_BASE_PICK_H

#include "base/arena.h"
#include "patch/base_blobs.h"

#define BASE_ATTEMPTS_MAX 12

struct diff;

/* A branch that a configured tree follows. */
struct base_tip {
	const char *tree;       /* name people know: "linux-6.1" */
	const char *rev;        /* what repo_resolve() takes */
	const char *words;      /* "HEAD": what the first of the tips is called in a
				 * reason; NULL: "default tree of the list" */
	const char *aliases[8]; /* words of subject prefixes that mean it; NULL ends */
	/* Repository that keeps its index of old file contents and its tags, and its full
	 * name there. NULL: the one that is applied in, by rev. */
	const char *home, *ref;
	bool fixed; /* one commit, whatever the time */
};

/* A word of a subject prefix means it. */
bool base_tip_is(const struct base_tip *tip, const char *word);

struct base_want {
	const char *explicit_rev; /* --base; the only candidate, failure is final */
	const char *base_commit;  /* trailer, 40 hex, or NULL */
	const char *prefix_tree;  /* word of the subject prefix, or NULL */
	const char *previous;     /* base that worked for the version before, or NULL */
	const struct base_tip *tips; /* the list's default tree first */
	size_t n_tips;
	struct base_index index;         /* for commits far from a tip without a home */
	int64_t time_s;                  /* of the mail; 0: unknown, tips only */
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
	BASE_TAG,     /* newest release of the list's tree before the mail */
	BASE_PARTIAL, /* most of the blobs, at least half */
};

struct base_candidate {
	enum base_how how;
	char commit[REPO_HEX]; /* "" when it could not be found */
	const char *tree;      /* name of the tree it came from, or NULL */
	const char *why;       /* "base-commit: of the mail", "3 of 4 files match" */
	bool dead;             /* commit unknown: an attempt to show, not to try */
};

/* Why rev is no base, after repo_resolve() failed with e: "WHY: unknown commit REV",
 * "HEAD has no commit yet". Arena. */
const char *base_unknown(
	const char *rev, const char *why, const struct err *e, struct arena *a);

const char *base_how_name(enum base_how how); /* "explicit", "base-commit", ... */

struct base_picker;

/* Borrows want, which must outlive it. Arena. */
struct base_picker *base_picker_new(
	struct git_repository *r, const struct base_want *want, struct arena *a);
/* The next to try, at most BASE_ATTEMPTS_MAX; NULL: there are no more. What takes long to
 * find is looked for when all before it was given. Arena. */
const struct base_candidate *base_picker_next(struct base_picker *p);
/* The first commit that is named by a branch or a tag and cannot be read; NULL: none. */
const struct err *base_picker_failure(const struct base_picker *p);

#endif
