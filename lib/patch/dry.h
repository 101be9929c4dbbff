/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dry.h - objects that are written to memory instead of the repository: libgit2's
 * mempack, which alone does not find an object by an abbreviated id, as index lines name
 * it.
 */
#ifndef WL_PATCH_DRY_H
#define WL_PATCH_DRY_H

#include "base/base.h"

#include <git2/sys/odb_backend.h>

/* Returns libgit2's code. Owner: caller, until git_odb_add_backend() took it. */
int dry_backend_new(git_odb_backend **ret) MUST_CHECK;

#endif
