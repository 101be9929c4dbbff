/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * word.h - words and numbers at a place in a clean line. Internal to lib/bench.
 *
 * A number is what a program prints: digits with at most one decimal point, which is a
 * comma where the program's locale says so; no grouping. nan and inf are no numbers.
 */
#ifndef WL_BENCH_WORD_H
#define WL_BENCH_WORD_H

#include "base/arena.h"

/* Stands behind the last number of a text whose last byte belongs to a number: that
 * number may have been cut (bench_mark_cut() of text.h). No clean line holds it. */
#define BENCH_CUT '\x7f'

const char *bench_blanks(const char *p); /* p behind its blanks */
/* True when p starts with word; *rest behind it. */
bool bench_starts(const char *p, const char *word, const char **rest);
/* True when p starts with these words, whatever blanks lie before and between them; *rest
 * behind them and the blanks that follow. */
bool bench_words(const char *p, const char *words, const char **rest);
/* The first word at p, "" at the end; *rest behind it and its blanks. Arena. */
const char *bench_word(struct arena *a, const char *p, const char **rest);

/* The whole number at p: "1.234" or, with a decimal comma, "1,234"; a sign may stand
 * before it. Sets *end behind it. False for nan, inf, a sign alone, and "1.2.3". */
bool bench_number(const char *p, bool comma, double *ret, const char **end);
/* Decimal integer at p, at most INT64_MAX. False without digits. */
bool bench_integer(const char *p, int64_t *ret, const char **end);
/* A number with exactly this many decimals, which therefore was not cut. *end stands
 * behind it and a BENCH_CUT. */
bool bench_fixed(const char *p, bool comma, int decimals, double *ret, const char **end);
/* A whole integer: no BENCH_CUT, decimals or letters behind it. */
bool bench_whole(const char *p, int64_t *ret, const char **end);

struct bench_decimal {
	double value;
	int decimals;    /* digits behind the point, -1 without one */
	const char *end; /* behind it */
};

/* A number at p, blanks before it skipped, which may have an exponent ("2.72040e+02").
 * False where what follows continues it ("1.2.3", "1,5" with a decimal point). */
bool bench_decimal(const char *p, bool comma, struct bench_decimal *ret);

uint32_t bench_hash(const char *name);
/* Counts the words of a line that begin like "1,5" and like "1.5". */
void bench_votes(const char *p, size_t *n_comma, size_t *n_point);

#endif
