/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * text.h - a benchmark's output as clean lines, shared by the parsers.
 *
 * Removed: CR, ANSI colour and cursor codes, other control characters, quoting ("> ", any
 * depth) and indentation, blanks at the end, lines that begin with a kernel time stamp.
 * "=3D" becomes "=", the soft line breaks of quoted-printable are undone, no-break spaces
 * are blanks. Other bytes that are no ASCII stay as they are.
 */
#ifndef WL_BENCH_TEXT_H
#define WL_BENCH_TEXT_H

#include "base/arena.h"
#include "base/err.h"

struct bench_lines {
	const char **lines; /* NUL terminated each */
	size_t n;
};

/* ERR_TOO_BIG above BENCH_TEXT_MAX or BENCH_LINES_MAX. Arena. */
int bench_lines(struct arena *a, const char *buf, size_t len, struct bench_lines *ret,
	struct err *e) MUST_CHECK;
/* Puts a BENCH_CUT (word.h) behind the last line where the text ends with a number. */
void bench_mark_cut(struct arena *a, const char *buf, size_t len, struct bench_lines *l);
/* Line i and, behind a blank each, the n lines that follow it (fewer at the end), as a
 * mail program wrapped them. Long lines are cut. Arena. */
const char *bench_join(struct arena *a, const struct bench_lines *l, size_t i, size_t n);

#endif
