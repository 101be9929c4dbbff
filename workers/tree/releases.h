/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * releases.h - tags of releases of a remote, kept as tags of the commits themselves, so
 * that no tag brings in objects that no branch needs.
 */
#ifndef WL_WORKERS_TREE_RELEASES_H
#define WL_WORKERS_TREE_RELEASES_H

#include "base/arena.h"
#include "base/err.h"
#include <git2.h>

#define RELEASES_MAX 5000 /* the rest is left out */

struct release {
	const char *name; /* "v6.12-rc3" */
	git_oid id;       /* of the commit, or of what else it names */
};

struct releases {
	struct release *v;
	size_t n, cap;
};

/* Those among what a remote has. Arena. */
void releases_read(const git_remote_head *const *heads, size_t n_heads, struct arena *a,
	struct releases *ret);
/* Makes or moves the tags of those whose commit is here. One that cannot be made is left
 * out. */
void releases_keep(git_repository *r, const struct releases *v);

#endif
