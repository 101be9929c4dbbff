/* SPDX-License-Identifier: GPL-2.0-or-later */
/* object_dirs.h - the folders that hold a repository's objects: its own, then those that
 * it borrows from (alternates), near or far. */
#ifndef WL_PATCH_OBJECT_DIRS_H
#define WL_PATCH_OBJECT_DIRS_H

#include "base/arena.h"

#define OBJECT_DIRS_MAX 64

struct git_repository;

struct object_dirs {
	struct arena *a;
	const char *v[OBJECT_DIRS_MAX]; /* no slash at the end */
	size_t n;
	const char *absent; /* the first that is named and is no folder; NULL: none */
};

/* What is beyond the limit is left out. Arena. */
void object_dirs_find(struct git_repository *r, struct arena *a, struct object_dirs *ret);

#endif
