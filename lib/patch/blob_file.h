/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blob_file.h - the file of blob_index.h: mapped and checked, and written from an older
 * one and the changes of new commits. Private to lib/patch/blob_*.c and its tests. */
#ifndef WL_PATCH_BLOB_FILE_H
#define WL_PATCH_BLOB_FILE_H

#include "patch/blob_index.h"

#define BLOB_ID       20
#define BLOB_ID_SHORT 12

struct blob_path {
	uint64_t hash;
	uint32_t first, n; /* changes */
};

struct blob_change {
	uint32_t commit;
	uint8_t id[BLOB_ID_SHORT]; /* all zeros: no such file from here on */
};

/* A change on its way into the file. */
struct blob_event {
	uint64_t hash;
	struct blob_change change;
};

uint64_t blob_path_hash(const char *path, size_t len);
/* Order of (hash, commit), for qsort(). */
int blob_event_cmp(const void *a, const void *b);
/* Sorts; of two names with one hash in one commit one change stays (such a path's answers
 * are checked in the repository, as all are). Returns how many are left. */
size_t blob_events_sort(struct blob_event *v, size_t n);

/* Pointers into the map. NULL after filling e (INVALID) for what is damaged or not there.
 */
const uint8_t *blob_file_commits(
	struct blob_index *x, uint32_t first, uint32_t n, struct err *e);
const struct blob_path *blob_file_path(struct blob_index *x, uint32_t i, struct err *e);
const struct blob_change *blob_file_changes(
	struct blob_index *x, const struct blob_path *p, struct err *e);
uint32_t blob_file_n_paths(const struct blob_index *x);
/* *ret NULL: nothing is known of the path. */
int blob_file_path_find(struct blob_index *x, uint64_t hash, const struct blob_path **ret,
	struct err *e) MUST_CHECK;

/* What the next file holds: the first n_keep commits of old (may be NULL), then n_new
 * others with their events, sorted by (hash, commit). */
struct blob_next {
	struct blob_index *old;
	uint32_t n_keep;
	const uint8_t *ids; /* BLOB_ID bytes each */
	uint32_t n_new;
	const struct blob_event *events;
	size_t n_events;
};
int blob_file_write(
	const char *path, const struct blob_next *next, struct err *e) MUST_CHECK;

#endif
