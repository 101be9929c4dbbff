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

/* ERR_TOO_BIG above BENCH_TEXT_MAX. Arena. */
int bench_lines(struct arena *a, const char *buf, size_t len, struct bench_lines *ret,
	struct err *e) MUST_CHECK;
/* The whole word at p as a number: "1.234" or, with a decimal comma, "1,234". Sets *end
 * behind it. False for nan, inf, a sign alone, and what is no number. */
bool bench_number(const char *p, bool comma, double *ret, const char **end);
/* Decimal integer at p, at most INT64_MAX. False without digits. */
bool bench_integer(const char *p, int64_t *ret, const char **end);
/* True when p starts with word; *rest behind it. */
bool bench_starts(const char *p, const char *word, const char **rest);

/* Stands behind the last number of a text whose last byte belongs to a number, once
 * bench_mark_cut() was called: that number may have been cut. No clean line holds it. */
#define BENCH_CUT '\x7f'
void bench_mark_cut(struct arena *a, const char *buf, size_t len, struct bench_lines *l);
/* Line i and, behind a blank each, the n lines that follow it (fewer at the end). */
const char *bench_join(struct arena *a, const struct bench_lines *l, size_t i, size_t n);
const char *bench_blanks(const char *p); /* p behind its blanks */
/* A number with exactly this many decimals, which therefore was not cut. *end stands
 * behind it and a BENCH_CUT. */
bool bench_fixed(const char *p, bool comma, int decimals, double *ret, const char **end);
/* A whole integer: no BENCH_CUT, decimals or letters behind it. */
bool bench_whole(const char *p, int64_t *ret, const char **end);
/* Counts the words of a line that begin like "1,5" and like "1.5". */
void bench_votes(const char *p, size_t *n_comma, size_t *n_point);

#endif
