/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stage.h - one patch being applied to a tree in memory: what the tree has, what the
 * patch has made of it so far, and the tree that results.
 *
 * Only folders on the way to a changed path are read and written. A stage borrows the
 * tree and lives in its arena. A stage may stand on the files of another stage instead of
 * a tree: it is for looking, and cannot be written.
 */
#ifndef WL_PATCH_STAGE_H
#define WL_PATCH_STAGE_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/objects.h"

enum stage_kind {
	STAGE_ABSENT,
	STAGE_FILE,
	STAGE_LINK,
	STAGE_SUBMODULE,
	STAGE_FOLDER,
	STAGE_BEYOND, /* an ancestor is a file, link or submodule: see via */
};

/* What the tree has at a path. */
struct stage_found {
	enum stage_kind kind;
	unsigned mode;
	git_oid id;
	const char *via;          /* STAGE_BEYOND: that ancestor; arena */
	enum stage_kind via_kind; /* FILE, LINK or SUBMODULE */
};

/* What this patch made of a path. */
struct stage_entry {
	const char *path;
	bool present; /* has contents now */
	bool gone;    /* deleted or renamed away by this patch, already processed */
	bool leaving; /* will be deleted or renamed away by a later diff of this patch */
	unsigned mode;
	const char *buf; /* contents when has_buf, else they are blob id's */
	size_t len;
	bool has_buf;
	git_oid id;
};

struct stage {
	struct arena *a;
	struct objects *made; /* where what it writes goes */
	git_repository *repo;
	const git_tree *tree;       /* NULL: under is instead */
	const struct stage *under;  /* its present entries are the files */
	struct stage_entry **slots; /* hash table by path, n_slots a power of 2 */
	size_t n_slots, n_entries;
};

void stage_init(
	struct stage *s, struct objects *made, const git_tree *tree, struct arena *a);
int stage_look(struct stage *s, const char *path, struct stage_found *ret,
	struct err *e) MUST_CHECK;
/* A file or link of the tree whose path differs from path only in case (of ASCII), and
 * that is not leaving; NULL: none. Arena. */
int stage_twin(
	struct stage *s, const char *path, const char **ret, struct err *e) MUST_CHECK;
/* NULL: this patch has not touched path. */
struct stage_entry *stage_find(const struct stage *s, const char *path);
/* Finds or makes an empty entry. path is borrowed. */
struct stage_entry *stage_touch(struct stage *s, const char *path);
/* Bytes of a blob, with a NUL after them; they live as long as the stage and what was
 * made. TOO_BIG over cap_bytes, told before reading. */
int stage_blob(struct stage *s, const git_oid *id, size_t cap_bytes, const char **ret,
	size_t *ret_len, struct err *e) MUST_CHECK;
/* The blob that has the id or beginning of an id (4 digits or more). False: none, or no
 * single one. */
bool stage_named_blob(git_odb *odb, const char *hex, git_oid *ret);
/* Writes the contents of all present entries as blobs; they then have ids. TOO_BIG. */
int stage_write_blobs(struct stage *s, struct err *e) MUST_CHECK;
/* Writes blobs and folders. CONFLICT with a sentence when a file would be where a folder
 * is, or the other way round. TOO_BIG. */
int stage_write(struct stage *s, git_oid *ret_tree, struct err *e) MUST_CHECK;
/* Files in the tree, counting stops at max. */
int stage_count_files(struct stage *s, size_t max, size_t *ret, struct err *e) MUST_CHECK;

#endif
