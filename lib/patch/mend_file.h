/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mend_file.h - the diff of one file, laid along the blob that it is made for: which line
 * of the mail is which line of the file, and which added lines give the blob that it
 * makes. Pure. Private to lib/patch/mend*.c.
 */
#ifndef WL_PATCH_MEND_FILE_H
#define WL_PATCH_MEND_FILE_H

#include "base/sbuf.h"
#include "patch/diff.h"

/* One line of the mail, without its newline. */
struct mend_raw {
	const char *p;
	uint32_t len;
	uint32_t line; /* 1-based in the patch */
};

struct mend_hunk {
	uint32_t old_start, old_n, new_start, new_n;
	size_t header;    /* raw line */
	size_t body, end; /* raw lines of the body, and what stands behind it */
};

struct mend_file {
	struct arena *a;
	const struct mend_raw *raws;
	struct mend_hunk *hunks;
	size_t n_hunks;
	const char *old; /* of the blob */
	size_t old_len;
	const char *new_id; /* 7 to 40 hex; zeros: nothing is left */
	uint64_t *work;     /* of MEND_WORK_MAX */
};

struct mend_found {
	uint32_t tail;            /* lines of context filled in at the end */
	uint32_t wrapped, blanks; /* first line that was broken, that has other white
				   * space; 0: none */
};

/* True: out has the hunks, repaired and proved. Else out is as it was; *ret_aligned says
 * whether the old lines, at least, are those of the blob. */
bool mend_file(const struct mend_file *f, struct sbuf *out, struct mend_found *ret,
	bool *ret_aligned);

#endif
