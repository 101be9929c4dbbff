/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded.h - a diff whose line ends became blanks, read as words, for a sentence: which
 * files and functions it names, and whether a version of a file has what it adds. Which
 * word ended which line is not known, so nothing here makes a diff. Pure; arena.
 *
 * Quoted-printable that was left undecoded is decoded first, soft line breaks ("= ")
 * included. At most FOLDED_WORDS_MAX words are read; the rest is as if it were not there.
 */
#ifndef WL_PATCH_FOLDED_H
#define WL_PATCH_FOLDED_H

#include "base/arena.h"

#define FOLDED_WORDS_MAX 50000

struct folded_word {
	const char *p;
	uint32_t len;
};

struct folded_hunk {
	uint32_t old_n, new_n;
	const struct folded_word *words; /* behind the second "@@" */
	size_t n_words;
	const char *name; /* the function, or type, that it is for; NULL: not told */
	bool is_type;
};

struct folded_file {
	const char *path; /* old one, of a new file the new one; without "a/" */
	struct folded_hunk *hunks;
	size_t n_hunks, cap;
};

struct folded {
	struct folded_file *files;
	size_t n_files, cap;
};

/* p: from the diff's header on, as mend_folded() finds it. */
void folded_read(const char *p, size_t len, struct arena *a, struct folded *ret);

enum folded_state {
	FOLDED_UNKNOWN, /* no function to compare with, or no line that tells anything */
	FOLDED_ABSENT,  /* what it adds is not there, what it takes away is */
	FOLDED_PARTLY,
	FOLDED_PRESENT, /* what it adds is there, what it takes away is not */
};

/* Compares lines of code with the file near the definition of name (of the hunk, or what
 * it is called there). ret_line (may be NULL): the first added line that is there, in
 * text with its newline; len 0: none. */
enum folded_state folded_compare(const struct folded_hunk *h, const char *name,
	const char *text, size_t len, struct arena *scratch,
	struct folded_word *ret_line);

/* The word stands in the text; it is defined there as a function or type. */
bool folded_has_word(const char *text, size_t len, const char *word);
bool folded_defines(const char *text, size_t len, const char *name);

#endif
