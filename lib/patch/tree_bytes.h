/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree_bytes.h - a folder as git stores it: entries "MODE NAME\0" and 20 bytes of id, in
 * the order of their names, where a folder's name ends with "/". Pure.
 */
#ifndef WL_PATCH_TREE_BYTES_H
#define WL_PATCH_TREE_BYTES_H

#include "base/sbuf.h"

#define TREE_FOLDER 040000u /* mode of a folder */

struct tree_item {
	unsigned mode;
	const char *name; /* borrowed */
	size_t len;       /* of the name */
	unsigned char id[20];
};

struct tree_cursor {
	const char *p, *end;
	bool damaged; /* set by tree_next() */
};

/* False: no more, or damaged. */
bool tree_next(struct tree_cursor *c, struct tree_item *ret);
/* As strcmp(), in the order of a folder; both are struct tree_item, for qsort(). */
int tree_compare(const void *x, const void *y);
/* Appends an entry. */
void tree_put(struct sbuf *s, const struct tree_item *item);

#endif
