/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch_mails.h - the FILE... of a plumbing command to the patches of one series. */
#ifndef WL_CLI_PATCH_MAILS_H
#define WL_CLI_PATCH_MAILS_H

#include "base/base.h"

#include "patch/apply.h"

struct patch_mails {
	struct arena *a;       /* set by the caller; owns what is read */
	bool bare_diffs;       /* a file may be a diff without a mail around it */
	bool no_author;        /* nobody's patches are taken too; git am refuses them */
	size_t n_no_author;    /* of the patches chosen, those that name nobody */
	const struct mail **v; /* all that were read, in order */
	size_t n, cap;
};

/* A mail, an mbox, or "-"; adds to what was read. */
int patch_mails_read(struct patch_mails *m, const char *path, struct err *e) MUST_CHECK;
/* The patches of the one series among the mails, in order: complete ones go before
 * others, newer versions before older; without a series, what holds hunks. 0, CLI_USAGE
 * after the message when it is not clear which, or negative. *ret_base_commit: the
 * trailer, or NULL. */
int patch_mails_choose(struct patch_mails *m, const struct apply_patch **ret,
	size_t *ret_n, const char **ret_base_commit, struct err *e) MUST_CHECK;

#endif
