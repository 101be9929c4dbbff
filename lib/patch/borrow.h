/* SPDX-License-Identifier: GPL-2.0-or-later */
/* borrow.h - scratch repositories that see another's objects and never write to it. */
#ifndef WL_PATCH_BORROW_H
#define WL_PATCH_BORROW_H

#include "patch/repo.h"

/* Makes a bare repository at path whose objects are also those of the one at from (an
 * absolute path), and opens it. Owner: caller, repo_close(). */
int repo_borrow(const char *path, const char *from, struct git_repository **ret,
	struct err *e) MUST_CHECK;

#endif
