/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objects.h - the objects that a run makes: in memory, where the repository finds them as
 * if it had them, until those that are wanted are stored. A try that fails leaves
 * nothing, not even the age of a file, and what only led to the result is never deflated.
 */
#ifndef WL_PATCH_OBJECTS_H
#define WL_PATCH_OBJECTS_H

#include "base/err.h"
#include <git2.h>

#define OBJECTS_MAX_BYTES ((size_t)1 << 30) /* in memory; more is TOO_BIG */

struct objects;

/* What is in memory. p has a NUL after it and lives until objects_drop(). */
struct object {
	git_oid id;
	git_object_t type;
	const char *p;
	size_t len;
	uint32_t next; /* of objects_store(): index of the version after it, plus 1 */
};

/* Nothing that is written to r from now on reaches the disk by itself; once a
 * repository. Owner: r, until it is closed. */
int objects_hold(git_repository *r, struct objects **ret, struct err *e) MUST_CHECK;
git_repository *objects_repo(const struct objects *o);
git_odb *objects_odb(const struct objects *o); /* borrowed */

/* Makes an object. TOO_BIG. One that the repository has is not stored again. */
int objects_write(struct objects *o, git_object_t type, const void *p, size_t len,
	git_oid *ret, struct err *e) MUST_CHECK;
/* In memory only; NULL: not there. Valid until the next write. */
const struct object *objects_find(const struct objects *o, const git_oid *id);
/* Forgets all that was made. */
void objects_drop(struct objects *o);

/* What could not be read since objects_hold(), though a store has it. */
struct objects_failure {
	bool is;
	git_oid id;    /* of the first */
	char why[160]; /* libgit2's words */
};
const struct objects_failure *objects_failure(const struct objects *o);
/* The last that was to be read and is nowhere; all zeros: none. */
const git_oid *objects_missing(const struct objects *o);

/* Stores what was made: everything, or, when only_tree is not NULL, that tree and what is
 * in it. Few small objects go into files of their own, else all go into one pack, where
 * an earlier version of a file or folder is the difference to the next. */
int objects_store(struct objects *o, const git_oid *only_tree, struct err *e) MUST_CHECK;

#endif
