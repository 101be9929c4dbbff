/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_names.h - what the kernel's scheduler calls today what old patches name: files
 * that were moved and functions that were renamed. Tables; pure. They serve sentences:
 * whether a base has the new name is for the caller to look.
 */
#ifndef WL_PATCH_KERNEL_NAMES_H
#define WL_PATCH_KERNEL_NAMES_H

#include "base/base.h"

struct kernel_name {
	const char *was, *is;
	const char *since; /* "v3.3" */
};

/* The next name of a path or function, NULL: none is known. Names change more than once:
 * ask again with the answer; no chain is longer than KERNEL_NAMES_CHAIN. */
#define KERNEL_NAMES_CHAIN 4
const struct kernel_name *kernel_path_next(const char *path);
const struct kernel_name *kernel_function_next(const char *name);

#endif
