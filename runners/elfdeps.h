/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elfdeps.h - what a program needs to start: its loader and shared libraries, found by
 * reading the files, so that programs of another architecture work as well.
 */
#ifndef WL_RUNNERS_ELFDEPS_H
#define WL_RUNNERS_ELFDEPS_H

#include "base/arena.h"
#include "base/err.h"

#define ELFDEPS_FILE_MAX (64u << 20)
#define ELFDEPS_MAX      64 /* files of one program */

struct elfdep {
	const char *guest_path; /* "/lib64/ld-linux-x86-64.so.2", "/lib/libc.so.6" */
	const char *host_path;
};

/* Loader first, then libraries in the order they are met, found in dirs (NULL ended).
 * root goes before the loader's path ("" for this machine). None for a static program.
 * NOT_FOUND names the library; INVALID: no ELF program. Arena. */
int elfdeps_find(struct arena *a, const char *path, const char *root,
	const char *const *dirs, struct elfdep **ret, size_t *ret_n,
	struct err *e) MUST_CHECK;

#endif
