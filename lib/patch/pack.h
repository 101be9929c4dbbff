/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pack.h - packfiles: written in one pass, indexed into repositories, cut for runners.
 *
 * The writer streams objects (deflate level 1), whole or as deltas of ones before; each
 * is written once however often it is added. Memory: 48 bytes an object and what one
 * object needs. A pack is a temporary name until its writer finishes; abort removes it.
 */
#ifndef WL_PATCH_PACK_H
#define WL_PATCH_PACK_H

#include "base/err.h"
#include "patch/repo.h"

#define PACK_OBJECT_MAX (256u << 20) /* bytes of one object; more is TOO_BIG */

enum pack_type { PACK_COMMIT = 1, PACK_TREE = 2, PACK_BLOB = 3 };

struct pack_writer;

int pack_writer_open(
	const char *path, struct pack_writer **ret, struct err *e) MUST_CHECK;
/* Adds one object unless it is in already. ret_oid: 20 bytes, may be NULL. */
int pack_writer_add(struct pack_writer *w, enum pack_type type, const void *p, size_t len,
	unsigned char ret_oid[20], struct err *e) MUST_CHECK;
/* An object that is like another one. */
struct pack_near {
	const unsigned char *id; /* 20 bytes */
	const char *p;
	size_t len;
};

/* One whose id is known. Where near is not NULL, is in and no more than 50 deltas away
 * from a whole object, and is like it, only the difference is written (delta.h). */
int pack_writer_put(struct pack_writer *w, enum pack_type type, const void *p, size_t len,
	const unsigned char id[20], const struct pack_near *near,
	struct err *e) MUST_CHECK;
/* It is in, and may be near another one. */
bool pack_writer_is_near(const struct pack_writer *w, const unsigned char id[20]);
/* Writes count and trailer, renames to the final path, frees w in any case.
 * ret_n_objects may be NULL. */
int pack_writer_close(
	struct pack_writer *w, int64_t *ret_n_objects, struct err *e) MUST_CHECK;
/* In place of that: as a pack with an index into dir, the pack folder of a repository,
 * under names of its contents. Up to 2 GiB. Frees w in any case. */
int pack_writer_store(struct pack_writer *w, const char *dir, struct err *e) MUST_CHECK;
void pack_writer_abort(struct pack_writer *w); /* accepts NULL; removes the file */
void pack_writer_abortp(struct pack_writer **w);

/*
 * A whole source tree as one pack with one commit. Same paths, modes, contents and meta:
 * same bytes, same ids. Feed entries in any order; a path given twice is CONFLICT at
 * finish, as is a file where a folder is. Paths are relative, "/" between components;
 * "", ".", "..", ".git" and names over 255 bytes are INVALID. Entries <= 1,000,000.
 */
struct tree_import;

struct tree_import_meta {
	const char *author_name, *author_email; /* also the committer */
	int64_t time_s;                         /* since 1970, UTC */
	const char *message;                    /* whole, ends with a newline */
};

struct tree_import_result {
	char commit[REPO_HEX];
	char tree[REPO_HEX];
	int64_t n_files; /* links included */
	int64_t n_objects;
	int64_t n_bytes; /* of file contents */
};

int tree_import_begin(
	const char *pack_path, struct tree_import **ret, struct err *e) MUST_CHECK;
/* mode: any; 0111 bits decide between 100644 and 100755. */
int tree_import_file(struct tree_import *t, const char *path, unsigned mode,
	const void *p, size_t len, struct err *e) MUST_CHECK;
int tree_import_link(struct tree_import *t, const char *path, const char *target,
	struct err *e) MUST_CHECK;
/* Frees t in any case. */
int tree_import_finish(struct tree_import *t, const struct tree_import_meta *meta,
	struct tree_import_result *ret, struct err *e) MUST_CHECK;
void tree_import_abort(struct tree_import *t); /* accepts NULL; removes the file */

/* Checks a pack and puts it with its index into repo's object store; it may be thin when
 * its delta bases are there already. Twice is harmless. INVALID: damaged. */
int pack_ingest(
	struct git_repository *r, const char *pack_path, struct err *e) MUST_CHECK;

/* Commit, trees and blobs of one commit, parents left out: what a runner starts from. */
int pack_base(struct git_repository *r, const char *commit_hex, const char *pack_path,
	int64_t *ret_n_objects, struct err *e) MUST_CHECK;
/* The commits base..tip along first parents and every tree and blob in them that base's
 * tree does not have, with deltas only of what is in it: it can be indexed anywhere, but
 * is of use only beside base's pack. INVALID: base is no first-parent ancestor within
 * 1,000 commits. */
int pack_thin(struct git_repository *r, const char *base_hex, const char *tip_hex,
	const char *pack_path, int64_t *ret_n_objects, struct err *e) MUST_CHECK;

#endif
