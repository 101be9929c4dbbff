/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hunk.h - where a hunk goes in a file: the search of git apply. Pure.
 *
 * Start at the new line number; then one forward, one backward, growing; forward first at
 * the same distance. A hunk that starts at line 0 or 1 must match at the top, one without
 * trailing context at the end. Bytes must be equal, and no line that an earlier hunk of
 * the same file wrote may take part. No fuzz, no tolerance of white space.
 *
 * Stricter than git: a hunk without any context in a file it does not cover whole is
 * not placed (it was made with -U0, git guesses); a last line without newline matches
 * only the last line of a file (git joins it with the line that follows).
 */
#ifndef WL_PATCH_HUNK_H
#define WL_PATCH_HUNK_H

#include "base/arena.h"
#include "patch/diff.h"

/* Lines compared while placing the hunks of one file; over it a file is given up. */
#define HUNK_WORK_MAX UINT64_C(2000000000)

struct image_line {
	const char *p;
	uint32_t len; /* with its newline, if it has one */
	bool written; /* by an earlier hunk */
};

/* A file as lines; changed by hunk_place(). Lines point into the file's bytes and into
 * the patch, both borrowed. */
struct image {
	struct arena *a;
	struct image_line *lines;
	size_t n, cap;
	uint64_t work; /* lines compared and moved so far */
};

enum hunk_fit {
	HUNK_FITS,
	HUNK_NO_MATCH,
	HUNK_NO_CONTEXT, /* made with -U0 */
	HUNK_TOO_LONG,   /* HUNK_WORK_MAX reached */
};

struct hunk_place {
	enum hunk_fit fit;
	size_t at;       /* index of the first line, when it fits */
	int64_t offset;  /* at - expected */
	size_t expected; /* index where it should be, clamped to the file */
	bool second;     /* moved, and an equal match exists at other */
	size_t other;
};

/* len < 4 GiB. */
void image_init(struct image *img, struct arena *a, const char *buf, size_t len);
/* Bytes of all lines. Arena of the image, NUL added. */
char *image_text(const struct image *img, size_t *ret_len);

/* Looks only. second is searched for when want_second and the offset is not 0. */
struct hunk_place hunk_find(
	struct image *img, const struct diff_hunk *h, bool want_second);
/* Replaces the lines at place->at by the hunk's new side. place must fit. */
void hunk_put(
	struct image *img, const struct diff_hunk *h, const struct hunk_place *place);

/* Index of the last function line before line index at, or -1: the rule git writes after
 * "@@" with (letter, _ or $ at column 0; no label of C). */
int64_t image_function(const struct image *img, size_t at);
/* The line's text as git cuts it for "@@": no trailing blanks, at most 80 bytes. */
void image_line_text(
	const struct image *img, size_t i, const char **ret_p, size_t *ret_len);
/* The text after "@@" names the function line i (either may be cut). */
bool hunk_function_is(const struct diff_hunk *h, const struct image *img, int64_t i);

/* The window most like the hunk's old side: index of its first line; -1: nothing in the
 * file is like it. */
int64_t hunk_closest(struct image *img, const struct diff_hunk *h, size_t expected);

#endif
