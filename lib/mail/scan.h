/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scan.h - reads a patch just far enough to say what it touches: files, counts, patch id.
 * The parser with positions that applying needs is lib/patch/diff.h.
 */
#ifndef WL_MAIL_SCAN_H
#define WL_MAIL_SCAN_H

#include "base/base.h"

#include "mail/mail.h"

struct scan {
	struct mail_file *files;
	size_t n_files;
	uint32_t n_hunks;
	int64_t first_hunk;   /* offset in the patch of the first hunk header, -1 none */
	bool git_header;      /* a "diff --git" line with an index or mode line */
	const char *patch_id; /* 40 hex of the repaired text, NULL without hunks */
	bool all_cr;          /* every hunk line ends in CR LF */
	bool blank_repaired;  /* empty lines inside hunks were given their blank */
	bool sig_absorbed;    /* a "-- " line right behind a hunk ended the patch */
	const char *corrupt;  /* "corrupt patch at line 12: ...", NULL when sound */
	const char *refused;  /* a limit was passed: sentence, NULL otherwise */
	struct mail_bytes repaired; /* the text after repairs */
};

void scan_patch(struct arena *a, const char *p, size_t len, struct scan *ret);

#endif
