/* SPDX-License-Identifier: GPL-2.0-or-later */
/* objects_made.h - inside of objects.h, for objects.c and objects_store.c only. */
#ifndef WL_PATCH_OBJECTS_MADE_H
#define WL_PATCH_OBJECTS_MADE_H

#include "base/arena.h"
#include "patch/objects.h"

#include <git2/sys/odb_backend.h>

struct objects {
	git_odb_backend backend; /* libgit2 knows this member only */
	git_repository *repo;
	git_odb *odb;
	struct arena *a;  /* bytes of the objects */
	struct object *v; /* as they were made: a version before the one after it */
	size_t n, cap, n_bytes;
	uint32_t *slots; /* open addressing by id: index into v, plus 1 */
	size_t n_slots;
	git_odb_backend **stores; /* of the repository and what it borrows from */
	size_t n_stores;
	struct objects_failure failure;
	git_oid missing; /* the last that was to be read and is in no store */
};

struct object *objects_made(const struct objects *o, const git_oid *id);
/* Makes the stored object young, so that a clean-up that runs now spares it. False: it is
 * in no store, or not ours to touch, and has to be stored again, as git does. */
bool objects_freshen(struct objects *o, const git_oid *id);

#endif
