/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare.h - from the samples of a table to its marks (method v1, 2.2 to 2.4).
 *
 * Per row: one number per boot, differences of the blocks, paired t; over the table
 * Benjamini-Hochberg on the rows that may be judged; then the marks in the order of 2.4:
 * broken, no change, worse or better, inconclusive. Effects are signed so that + is
 * better on every row.
 */
#ifndef WL_STATS_COMPARE_H
#define WL_STATS_COMPARE_H

#include "stats/paired.h"
#include "stats/trim.h"

#define STATS_ALPHA      0.05
#define STATS_SAME_LIMIT 0.01 /* X of "no change > X" */

enum stats_mark {
	STATS_WORSE,        /* W */
	STATS_BETTER,       /* B */
	STATS_SAME,         /* = no change > X % */
	STATS_INCONCLUSIVE, /* ? */
	STATS_BROKEN,       /* ! */
	STATS_SHOWN,        /* . shown and not judged */
	STATS_N_MARKS
};
char stats_mark_char(enum stats_mark m);
const char *stats_mark_word(enum stats_mark m);     /* "worse", "no change", ... */
int stats_mark_parse(char c, enum stats_mark *ret); /* 0, or -1 */

/* Runs of one boot. Boots of both sides with the same block form a pair. */
struct stats_boot {
	int block; /* < 0: no block known */
	const double *runs;
	size_t n_runs;
};

struct stats_row_in {
	bool higher_is_better;
	const struct stats_boot *base, *patched;
	size_t n_base, n_patched;
	const struct stats_boot
		*history; /* earlier base boots, oldest first; may be NULL */
	size_t n_history;
	bool judged;       /* false: numbers and '.', not part of the family */
	double same_limit; /* X of this row; <= 0: STATS_SAME_LIMIT */
};

struct stats_row {
	enum stats_status status;
	enum stats_scale scale;
	enum stats_mark mark;
	size_t n_pairs, n_base, n_patched; /* blocks with both; boots with values */
	bool paired;          /* false: no block had both sides, Welch was used */
	double base, patched; /* typical value, in the metric's unit */
	double base_std_pct, patched_std_pct; /* between boots; NAN with one boot */
	double effect_pct;                    /* + is better */
	double ci95_pct[2], ci90_pct[2];      /* ascending, + is better; NAN: none */
	double p, q; /* q: BH over the judged rows; NAN: no test */
	double same_limit_pct;
	double loss_excluded_pct; /* one-sided 95 %: a larger loss is excluded; NAN */
	bool moderated, spread_changed;
	int n_outliers_base, n_outliers_patched; /* beyond Tukey's 3 IQR fence, kept */
	const char *reason; /* why '?' or no numbers, NULL when plain */
};

/* Fills ret[0..n). Order of rows does not change a result. */
void stats_compare(struct arena *a, const struct stats_row_in *rows, size_t n,
	struct stats_row *ret);

#endif
