/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * loose.h - objects in files of their own, read by us: libgit2 1.5 never comes back from
 * one that is cut short.
 */
#ifndef WL_PATCH_LOOSE_H
#define WL_PATCH_LOOSE_H

#include "base/err.h"

struct git_odb_backend;
struct git_repository;

/* From now on objects that have files of their own in r, or in what it borrows from, are
 * read here. They are looked for when the packs do not have them. */
int loose_guard(struct git_repository *r, struct err *e) MUST_CHECK;
/* It is what loose_guard() added: what comes after it is not to be asked for objects. */
bool loose_is_guard(const struct git_odb_backend *b);

#endif
