/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * paired.h - paired t on block differences, its intervals, the equivalence test (TOST)
 * and the variance borrowed from the machine's history (method v1, 2.3 and 2.4).
 *
 * Sources: Student; Schuirmann (1987) for TOST; Smyth (2004) for the moderated t, here
 * with the prior given by A/A history. Assumes that the K differences are independent.
 * Degenerate input: n = 0 EMPTY; NaN or infinity NONFINITE; n = 1 TOO_FEW (mean known, no
 * interval); all differences 0 IDENTICAL (p = 1, interval [0, 0], equivalent); all equal
 * and not 0 NO_VARIANCE (p NAN, no interval, not equivalent).
 */
#ifndef WL_STATS_PAIRED_H
#define WL_STATS_PAIRED_H

#include "stats/stats.h"

#define STATS_GUARD        0.20 /* upper p of the F test below which history is not used */
#define STATS_PRIOR_DF_MAX 15   /* history pairs used at most */
#define STATS_HISTORY_MIN  8    /* history boots needed at least */

struct stats_tost {
	double lo, hi;              /* the margins, on the scale of the differences */
	double p_lower, p_upper, p; /* p = the larger; NAN when undefined */
	bool equivalent;            /* p <= .05: the 90 % interval lies inside */
};

struct stats_paired {
	enum stats_status status;
	size_t n;
	double mean, sd; /* of the differences; sd NAN for n < 2 */
	double se;       /* of the mean, after moderation where it was used */
	double df, t, p; /* two-sided */
	double ci95[2], ci90[2];
	bool moderated;      /* the history's variance took part */
	bool spread_changed; /* history given, but the F test refused it */
	double f_ratio, f_p; /* NAN without history */
	struct stats_tost tost;
};

/* prior_var <= 0 or prior_df <= 0: no history. lo < 0 < hi are the margins of TOST. */
void stats_paired(const double *d, size_t n, double prior_var, double prior_df, double lo,
	double hi, struct stats_paired *ret);
/* From an estimate, its standard error (> 0) and df: t, p, intervals, TOST. Other fields
 * of ret are left as they are, n and sd among them. */
void stats_paired_from(double mean, double se, double df, double lo, double hi,
	struct stats_paired *ret);
/* Mean square of the differences of consecutive pairs (1,2) (3,4) ... of base boots:
 * prior variance and its df (at most STATS_PRIOR_DF_MAX, the newest pairs). Fewer than
 * STATS_HISTORY_MIN boots: both 0. */
void stats_history_prior(const double *boots, size_t n, double *ret_var, double *ret_df);
/* Margins of a symmetric ratio bound: log(1 - x) and log(1 + x). */
void stats_margin_log(double x, double *ret_lo, double *ret_hi);

/* Welch's t for data without blocks, on boot summaries, and from posted mean and sd. */
struct stats_welch {
	enum stats_status status;
	double diff, se, df, t, p; /* b - a */
	double ci95[2], ci90[2];
};
void stats_welch(const double *a, size_t n_a, const double *b, size_t n_b,
	struct stats_welch *ret);
void stats_welch_summary(double mean_a, double sd_a, size_t n_a, double mean_b,
	double sd_b, size_t n_b, struct stats_welch *ret);

#endif
