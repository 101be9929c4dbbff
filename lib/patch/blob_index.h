/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blob_index.h - the inverted index of one line of history: from (path, blob) to the
 * commits that hold it, so that the newest commit with all old blobs of a patch is found
 * without reading history again.
 *
 * A line is a commit and its first parents, numbered from 0 at the oldest: a merge counts
 * by the tree that it made. For every path the file holds its changes (commit number,
 * blob after it) in order; a blob holds from its change to the next of that path.
 *
 * File, in the machine's byte order (the head tells), nothing in it is trusted:
 *   4096 bytes  head: magic, byte order, version, counts, size, checksums
 *   20 each     commit ids by number, padded to 16
 *   16 each     paths by hash: SipHash-2-4 of the name, first change, number of changes
 *   16 each     changes by (path, commit): commit number, first 96 bits of the blob's id
 *   4 each      CRC-32 of every 16 KiB between head and here
 * A block is checked when it is first read; every number read is checked before it is
 * used; a file that fails is ERR_INVALID, to be built anew. Hashes may collide and a file
 * may be of another repository, so that an answer must be checked in the repository.
 *
 * Cost. Size: 20 bytes a commit, 16 a path, 16 a change. Look-up: a binary search and the
 * changes of the paths asked for. Update: reads new commits only, then copies the file
 * once per 2,000,000 changes; memory 40 bytes a new commit and 8 an old one, and 24 bytes
 * a change for at most BLOB_BATCH + BLOB_COMMIT_CHANGES_MAX of them, beside libgit2's own
 * cache (256 MiB). The file is replaced by rename after fsync, so that readers never see
 * half of one.
 */
#ifndef WL_PATCH_BLOB_INDEX_H
#define WL_PATCH_BLOB_INDEX_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/repo.h"

#define BLOB_BATCH              2000000u /* changes kept in memory before they are written */
#define BLOB_COMMIT_CHANGES_MAX 4000000u /* of one commit */
#define BLOB_COMMITS_MAX        16000000u
#define BLOB_INDEX_PATH_MAX     4096u /* bytes; longer paths are not in the index */
#define BLOB_WANTS_MAX          256u

struct blob_index;

#define BLOB_INDEX_NAME 24
/* Name of the file of a branch ("refs/heads/main"): "0123456789abcdef.blobs". */
void blob_index_name(const char *ref, char ret_name[BLOB_INDEX_NAME]);

/* A file whose contents are known: the start of its blob's id in hexadecimal digits, or
 * only zeros when there must be no such file. */
struct blob_want {
	const char *path;
	const char *id;
};

struct blob_match {
	size_t n_same;           /* wants that hold; the most that hold at once */
	uint32_t newest, oldest; /* the last run of commits where so many hold */
};

/* NOT_FOUND: no file. INVALID: damaged, or of another version. Owner: caller. */
int blob_index_open(const char *path, struct blob_index **ret, struct err *e) MUST_CHECK;
void blob_index_close(struct blob_index *x); /* accepts NULL */
void blob_index_closep(struct blob_index **x);

uint32_t blob_index_n_commits(const struct blob_index *x);
uint64_t blob_index_n_changes(const struct blob_index *x);
/* no is below the number of commits. INVALID: damaged. */
int blob_index_commit(struct blob_index *x, uint32_t no, char ret_hex[REPO_HEX],
	struct err *e) MUST_CHECK;

/* The newest commit where the most wants hold; all of them when n_same is n. n is 1 to
 * BLOB_WANTS_MAX. INVALID: damaged, or an id that is not hexadecimal. */
int blob_index_find(struct blob_index *x, const struct blob_want *wants, size_t n,
	struct blob_match *ret, struct err *e) MUST_CHECK;

/* What an update did. */
struct blob_update {
	uint32_t n_kept;   /* commits that were there and are still of the line */
	uint32_t n_added;  /* commits read */
	uint32_t n_behind; /* commits of the line that are not in yet: time ran out */
};

/*
 * Makes the file hold the line that ends in commit tip_hex: adds new commits, drops those
 * that are no longer of the line (a forced push), starts anew when the file is damaged or
 * the history got deeper. Stops after budget_ms (0: never) between two commits, keeping
 * what is done; the next call goes on. Finding out which commits are new is not cut short
 * (some seconds a million). BUSY: another process is at it.
 */
int blob_index_update(struct git_repository *r, const char *path, const char *tip_hex,
	int64_t budget_ms, struct blob_update *ret, struct err *e) MUST_CHECK;

#endif
