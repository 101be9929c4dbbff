/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base_blobs.h - the newest commit of a branch whose files are as a series knows them.
 *
 * First the BASE_NEAR newest commits are compared one by one; then the branch's index
 * (blob_index.h) is asked, after it was brought up to date where that is allowed; what it
 * does not hold is compared back to BASE_FAR commits or for BASE_FAR_MS. Every answer was
 * checked in the repository.
 */
#ifndef WL_PATCH_BASE_BLOBS_H
#define WL_PATCH_BASE_BLOBS_H

#include "patch/blob_index.h"

#define BASE_NEAR   64
#define BASE_FAR    5000
#define BASE_FAR_MS 2000

struct diff;

/* Where the indexes of a repository's branches are, one file each. */
struct base_index {
	const char *dir;   /* NULL: there are none */
	const char *ref;   /* full name of the branch; NULL: what rev is here */
	int64_t budget_ms; /* for bringing one up to date; 0: nothing is written */
};

struct base_found {
	char commit[REPO_HEX]; /* "": no commit has any of the files */
	size_t n_same;         /* of the wants */
	int64_t time_s;        /* of the commit */
};

/* First old id of each path of the series, at most BLOB_WANTS_MAX; paths that the series
 * makes itself, and ids under 7 digits, are out. Arena. */
size_t base_old_blobs(const struct diff *const *diffs, size_t n_diffs, struct arena *a,
	struct blob_want **ret);

/* How many of the wants hold at the commit; 0 also when it cannot be read. */
size_t base_blobs_count(struct git_repository *r, const char *commit_hex,
	const struct blob_want *wants, size_t n);

/* The newest commit along rev's first parents with the most of the wants. NOT_FOUND: no
 * such rev. An index that cannot be used is no error. */
int base_blobs_find(struct git_repository *r, const char *rev,
	const struct base_index *index, const struct blob_want *wants, size_t n,
	struct base_found *ret, struct err *e) MUST_CHECK;

/* The newest commit along rev's first parents that is not after time_s, at most BASE_FAR
 * back. NOT_FOUND: none. */
int base_at_time(struct git_repository *r, const char *rev, int64_t time_s,
	char ret_hex[REPO_HEX], struct err *e) MUST_CHECK;

#endif
