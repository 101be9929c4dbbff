/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch_mails.h - the FILE... of a plumbing command to the patches of one series. */
#ifndef WL_CLI_PATCH_MAILS_H
#define WL_CLI_PATCH_MAILS_H

#include "base/base.h"

#include "mail/sent.h"
#include "patch/apply.h"

struct patch_mails {
	struct arena *a;         /* set by the caller; owns what is read */
	bool bare_diffs;         /* a file may be a diff without a mail around it */
	bool no_author;          /* nobody's patches are taken too; git am refuses them */
	size_t n_no_author;      /* of the patches chosen, those that name nobody */
	struct sent_thread sent; /* zero at first */
	const struct mail **v;   /* all that were read, in order */
	size_t n, cap;
};

/* A mail, an mbox, or "-"; adds to what was read. 0; CLI_FAILED after the message when
 * the file cannot be read; negative, with its name in front, when it is refused: INVALID
 * (no mail) or TOO_BIG. */
int patch_mails_read(struct patch_mails *m, const char *path, struct err *e) MUST_CHECK;
/* The same of len bytes, which are copied. */
int patch_mails_add(
	struct patch_mails *m, const char *text, size_t len, struct err *e) MUST_CHECK;
/* That one series is among the mails: 0, CLI_USAGE after the message when it is not clear
 * which, or ERR_INVALID in words that say what is there instead. */
int patch_mails_check(struct patch_mails *m, struct err *e) MUST_CHECK;
/* What to apply. */
struct patch_choice {
	const struct apply_patch *patches; /* prerequisites, then the series, in order */
	size_t n_patches, n_before;        /* the first n_before are prerequisites */
	const char *const *missing;        /* NULL, or as in apply.h */
	const char *base_commit;           /* the trailer, or NULL */
	const char *tree;                  /* word of the subject prefix, or NULL */
	int64_t time_s;                    /* when it was written */
};
/* The one series among the mails: complete ones go before others, newer versions before
 * older, series that build on others before these; without a series, what holds hunks. 0,
 * CLI_USAGE after the message when it is not clear which, or negative: INVALID (no mail,
 * one without an author, series that build on each other in a circle), TOO_BIG. Arena. */
int patch_mails_choose(
	struct patch_mails *m, struct patch_choice *ret, struct err *e) MUST_CHECK;

#endif
