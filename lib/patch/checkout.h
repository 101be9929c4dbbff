/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checkout.h - brings a work folder from one tree to another, touching only what differs,
 * so that a build sees new times only on files whose contents changed.
 *
 * Nothing outside the folder is written: every component is opened without following
 * links. Files the trees do not name (build products) stay; a folder that becomes empty
 * is removed. Modes are 0644 or 0755, links are made as they are in the tree.
 */
#ifndef WL_PATCH_CHECKOUT_H
#define WL_PATCH_CHECKOUT_H

#include "base/err.h"
#include "patch/repo.h"

struct checkout_stats {
	int64_t n_written; /* files and links made or replaced */
	int64_t n_removed;
	int64_t n_kept; /* the same in both trees, not touched; a whole folder counts 1 */
	int64_t n_bytes;
};

/* Trees or commits by 40 hex. from NULL: nothing of ours is in the folder yet (it is made
 * when absent); files in the way are replaced. After an error the folder is between the
 * two: call again with the same from and to, which is harmless. ret_stats may be NULL.
 * NOT_FOUND: object missing; CONFLICT: a folder with foreign files is where a file goes.
 */
int checkout_move(struct git_repository *r, const char *from_hex, const char *to_hex,
	const char *dir, struct checkout_stats *ret_stats, struct err *e) MUST_CHECK;

#endif
