/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.h - the patch parser: bytes after a commit message to files, hunks and lines, the
 * way git apply reads them. Pure; positions point into the caller's bytes, which must
 * outlive the result; all else is in the arena.
 *
 * Accepted: git diffs with extended headers in any order, ---/+++ diffs with or without
 * Index:, quilt stamps, junk between diffs, blank context lines without their space,
 * "\ No newline", -U0, git binary patches. Text that holds no diff gives n_files 0.
 */
#ifndef WL_PATCH_DIFF_H
#define WL_PATCH_DIFF_H

#include "base/arena.h"
#include "base/err.h"

#define DIFF_FILES_MAX      2000
#define DIFF_HUNKS_MAX      20000
#define DIFF_HUNK_LINES_MAX 1000000
#define DIFF_LINE_MAX       (1u << 20) /* bytes of one line of the patch */
#define DIFF_PATCH_MAX      (32u << 20)
#define DIFF_ID             41

struct diff_line {
	const char *p; /* after the first character; "\n" for a blank context line */
	uint32_t len;  /* with the newline, unless "\ No newline" follows */
	char origin;   /* ' ' '-' '+' */
};

struct diff_hunk {
	const char *header; /* "@@ -1,2 +3,4 @@ text", no newline, borrowed */
	uint32_t header_len;
	const char *func; /* after the second @@ and its space; func_len 0: none */
	uint32_t func_len;
	uint32_t patch_line; /* of the header, 1-based in the patch */
	uint32_t old_start, old_n, new_start, new_n;
	uint32_t leading, trailing; /* context lines at the ends, as git counts them */
	uint32_t n_added, n_removed;
	struct diff_line *lines;
	uint32_t n_lines;
};

enum diff_tri { DIFF_UNKNOWN = -1, DIFF_NO = 0, DIFF_YES = 1 };
enum diff_binary {
	DIFF_TEXT,
	DIFF_BINARY_ABSENT,
	DIFF_BINARY_LITERAL,
	DIFF_BINARY_DELTA
};

/* One direction of a "GIT binary patch": base85 lines, not yet decoded. */
struct diff_blob {
	enum diff_binary kind;
	const char *text;
	size_t text_len;
	uint64_t size_bytes; /* inflated, as the patch says */
};

struct diff_file {
	const char *old_path, *new_path; /* NULL: none on that side */
	/* DIFF_UNKNOWN only for a ---/+++ diff with nothing but added (or removed) lines
	 */
	enum diff_tri is_new, is_delete;
	bool is_rename, is_copy;
	bool is_unsaid; /* a rename by its two names alone, without a line that says so */
	bool is_git;    /* began with "diff --git" */
	unsigned old_mode, new_mode;           /* 0: not said */
	char old_id[DIFF_ID], new_id[DIFF_ID]; /* of the index line, "" when absent */
	uint32_t patch_line;                   /* of the header's first line */
	enum diff_binary binary;
	struct diff_blob forward, reverse;
	struct diff_hunk *hunks;
	uint32_t n_hunks;
	uint32_t n_added, n_removed;
};

struct diff {
	struct diff_file *files;
	size_t n_files;
	size_t n_hunks;
	size_t n_lines; /* of hunks */
	uint64_t n_added_bytes;
	uint32_t n_blank_context; /* lines that lost their space */
};

/* INVALID: damaged ("line 12 of the patch: ..."); UNSUPPORTED: a context diff or an ed
 * script; TOO_BIG: over a limit, naming the figure. */
int diff_parse(const char *buf, size_t len, struct arena *a, struct diff **ret,
	struct err *e) MUST_CHECK;

/* added deleted renamed copied mode modified */
const char *diff_file_status(const struct diff_file *f);
/* new_path, or old_path of a deletion. */
const char *diff_file_path(const struct diff_file *f);
/* The same change backwards (files in reverse order, lines with swapped origins). */
struct diff *diff_reverse(const struct diff *d, struct arena *a);

#endif
