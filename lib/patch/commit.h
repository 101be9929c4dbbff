/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commit.h - commits with ids that anyone can reproduce: the bytes git am writes.
 *
 * Author and author date are the mail's; the committer is given, its date is the author
 * date but not before the parent's, zone +0000. No signature, no encoding header.
 */
#ifndef WL_PATCH_COMMIT_H
#define WL_PATCH_COMMIT_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/apply.h"
#include <git2.h>

struct commit_spec {
	git_oid tree, parent;
	int64_t parent_time_s; /* committer time of parent */
	const struct apply_patch *patch;
	const char *committer_name, *committer_email;
	const char *link_prefix; /* NULL: none */
};

/* The commit object's bytes, arena. *ret_time_s: its committer time. INVALID: the mail
 * has no usable author. *ret_repaired: the message was not UTF-8 and its bytes were taken
 * for latin-1, as git does. */
int commit_bytes(const struct commit_spec *spec, struct arena *a, const char **ret,
	size_t *ret_len, int64_t *ret_time_s, bool *ret_repaired,
	struct err *e) MUST_CHECK;

#endif
