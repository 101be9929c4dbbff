/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * refuse.h - what a hostile patch may not do, decided on the parsed diff before any blob
 * is read. Pure. Every refusal is DENIED (or TOO_BIG) with one sentence that names the
 * path. What needs the tree (links on the way, mass deletion) is judged in place.c.
 */
#ifndef WL_PATCH_REFUSE_H
#define WL_PATCH_REFUSE_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/diff.h"

#define REFUSE_BINARY_MAX  (64u << 10) /* bytes of a binary file after inflation */
#define REFUSE_RESULT_MAX  (8u << 20)  /* bytes of a file after the patch */
#define REFUSE_ADDED_MAX   (32u << 20) /* sum of added bytes */
#define REFUSE_DELETES_MAX 500
#define REFUSE_PATH_MAX    4096
#define REFUSE_NAME_MAX    255

/* path with bytes that do not print as \ooo, at most 120 bytes and then "..."; arena. */
const char *refuse_show_path(const char *path, struct arena *a);

/* One path, by itself. */
int refuse_path(const char *path, struct arena *a, struct err *e) MUST_CHECK;
/* 0, 0100644 and 0100755 pass. */
int refuse_mode(
	const char *path, unsigned mode, struct arena *a, struct err *e) MUST_CHECK;
/* The whole diff: paths, modes, binaries, sizes, overlapping hunks. */
int refuse_diff(const struct diff *d, struct arena *a, struct err *e) MUST_CHECK;
/* Two paths are equal after case folding (of ASCII). */
bool refuse_is_twin(const char *path, const char *other);
/* The paths that a diff leaves or makes, sorted so that twins are neighbours, each once.
 * Arena. */
const char **refuse_paths(const struct diff *d, struct arena *a, size_t *ret_n);

#endif
