/* SPDX-License-Identifier: GPL-2.0-or-later */
/* borrow.h - scratch repositories that see others' objects and never write to these. */
#ifndef WL_PATCH_BORROW_H
#define WL_PATCH_BORROW_H

#include "patch/repo.h"

/* Makes a bare repository at path whose objects are also those of the ones at from
 * (absolute paths, NULL ends), and opens it. Owner: caller, repo_close(). */
int repo_borrow(const char *path, const char *const *from, struct git_repository **ret,
	struct err *e) MUST_CHECK;

#endif
