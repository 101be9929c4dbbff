// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "stats/adjust.h"
#include "stats/compare.h"
#include <limits.h>
#include <math.h>

#define CLAIM_BLOCKS 6 /* pairs needed before worse or better may be said ... */
#define CLAIM_BLOCKS_MIN                                                                 \
	4 /* ... or these, with this much history behind the variance                    \
	   */
#define CLAIM_PRIOR_DF 8
#define TUKEY          3.0

char stats_mark_char(enum stats_mark m)
{
	return "WB=?!."[m];
}

const char *stats_mark_word(enum stats_mark m)
{
	static const char *const words[STATS_N_MARKS] = {
		"worse", "better", "no change", "inconclusive", "broken", "shown"};

	return words[m];
}

int stats_mark_parse(char c, enum stats_mark *ret)
{
	for (int m = 0; m < STATS_N_MARKS; m++)
		if (stats_mark_char((enum stats_mark)m) == c) {
			*ret = (enum stats_mark)m;
			return 0;
		}
	return -1;
}

/* One side of a row: a summary per boot that has values. */
struct side {
	double *values; /* all runs */
	size_t n_values;
	double *boots; /* summaries */
	int *blocks;
	size_t n_boots;
};

static void collect(
	struct arena *a, const struct stats_boot *boots, size_t n, struct side *s)
{
	size_t total = 0;

	*s = (struct side){0};
	for (size_t i = 0; i < n; i++)
		total += boots[i].n_runs;
	s->values = ARENA_ARRAY(a, double, total + 1);
	s->boots = ARENA_ARRAY(a, double, n + 1);
	s->blocks = ARENA_ARRAY(a, int, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (boots[i].n_runs == 0)
			continue;
		memcpy(s->values + s->n_values, boots[i].runs,
			boots[i].n_runs * sizeof(double));
		s->n_values += boots[i].n_runs;
	}
}

/* Needs the scale, which needs all values: hence the second pass. */
static void summarise(struct arena *a, const struct stats_boot *boots, size_t n,
	enum stats_scale scale, struct side *s)
{
	double *scratch = ARENA_ARRAY(a, double, s->n_values + 1);

	for (size_t i = 0; i < n; i++) {
		if (boots[i].n_runs == 0)
			continue;
		s->boots[s->n_boots] =
			scale == STATS_LOG ? stats_trimmed_log_mean(boots[i].runs,
						     boots[i].n_runs, scratch)
					   : stats_mean(boots[i].runs, boots[i].n_runs);
		s->blocks[s->n_boots++] = boots[i].block;
	}
}

/* Mean summary of a block on one side; false when the block has no boot there. */
static bool block_value(const struct side *s, int block, double *ret)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_boots; i++) {
		if (s->blocks[i] != block)
			continue;
		sum += s->boots[i];
		n++;
	}
	*ret = n ? sum / (double)n : (double)NAN;
	return n > 0;
}

/* Differences patched - base of the blocks that have both, by ascending block. */
static size_t differences(const struct side *base, const struct side *patched, double *d)
{
	size_t n = 0;
	int last = -1;

	for (;;) {
		int next = INT_MAX;
		double b, p;

		for (size_t i = 0; i < base->n_boots; i++)
			if (base->blocks[i] > last && base->blocks[i] < next)
				next = base->blocks[i];
		if (next == INT_MAX)
			return n;
		last = next;
		if (block_value(base, next, &b) && block_value(patched, next, &p))
			d[n++] = p - b;
	}
}

static int count_outliers(struct arena *a, const struct side *s, enum stats_scale scale)
{
	double *x = ARENA_ARRAY(a, double, s->n_values + 1), q1, q3;
	int n = 0;

	if (s->n_values < 4)
		return 0;
	for (size_t i = 0; i < s->n_values; i++)
		x[i] = scale == STATS_LOG ? log(s->values[i]) : s->values[i];
	stats_sort(x, s->n_values);
	q1 = stats_quantile7(x, s->n_values, 0.25);
	q3 = stats_quantile7(x, s->n_values, 0.75);
	for (size_t i = 0; i < s->n_values; i++)
		if (x[i] < q1 - TUKEY * (q3 - q1) || x[i] > q3 + TUKEY * (q3 - q1))
			n++;
	return n;
}

static bool all_equal(const struct side *base, const struct side *patched)
{
	for (size_t i = 0; i < base->n_values; i++)
		if (base->values[i] != base->values[0])
			return false;
	for (size_t i = 0; i < patched->n_values; i++)
		if (patched->values[i] != base->values[0])
			return false;
	return true;
}

static void history_prior(struct arena *a, const struct stats_row_in *in,
	enum stats_scale scale, double *ret_var, double *ret_df)
{
	struct side h;

	*ret_var = 0;
	*ret_df = 0;
	if (in->n_history == 0)
		return;
	collect(a, in->history, in->n_history, &h);
	if (stats_check(h.values, h.n_values) != STATS_OK)
		return;
	for (size_t i = 0; i < h.n_values && scale == STATS_LOG; i++)
		if (!(h.values[i] > 0))
			return;
	summarise(a, in->history, in->n_history, scale, &h);
	stats_history_prior(h.boots, h.n_boots, ret_var, ret_df);
}

/* From the scale of the differences to percent of base. */
static double to_pct(double v, enum stats_scale scale, double base)
{
	return 100 * (scale == STATS_LOG ? expm1(v) : v / fabs(base));
}

static double std_pct(const struct side *s, enum stats_scale scale)
{
	double sd = stats_sd(s->boots, s->n_boots), mean;

	if (isnan(sd) || sd == 0)
		return sd;
	if (scale == STATS_LOG)
		return 100 * sd;
	mean = stats_mean(s->boots, s->n_boots);
	return mean == 0 ? (double)NAN : 100 * sd / fabs(mean);
}

/* The common part of paired and Welch: an estimate with its intervals, already turned so
 * that + is better. */
struct estimate {
	enum stats_status status;
	double mean, p, ci95[2], ci90[2];
	bool equivalent;
	size_t k;
	double prior_df;
};

static void estimate_paired(struct arena *a, const struct stats_row_in *in,
	enum stats_scale scale, double *d, size_t n, double lo, double hi,
	struct stats_row *r, struct estimate *est)
{
	double prior_var, prior_df;
	struct stats_paired p;

	history_prior(a, in, scale, &prior_var, &prior_df);
	for (size_t i = 0; i < n && !in->higher_is_better; i++)
		d[i] = -d[i];
	stats_paired(d, n, prior_var, prior_df, lo, hi, &p);
	r->moderated = p.moderated;
	r->spread_changed = p.spread_changed;
	*est = (struct estimate){
		.status = p.status,
		.mean = p.mean,
		.p = p.p,
		.ci95 = {p.ci95[0], p.ci95[1]},
		.ci90 = {p.ci90[0], p.ci90[1]},
		.equivalent = p.tost.equivalent,
		.k = n,
		.prior_df = prior_df,
	};
	/* equal differences: no t, but the sign-flip distribution is exact */
	if (p.status == STATS_NO_VARIANCE)
		est->p = ldexp(2.0, -(int)(n < 60 ? n : 60));
}

static void estimate_welch(const struct stats_row_in *in, const struct side *base,
	const struct side *patched, double lo, double hi, struct estimate *est)
{
	const struct side *x = in->higher_is_better ? base : patched;
	const struct side *y = in->higher_is_better ? patched : base;
	struct stats_welch w;

	stats_welch(x->boots, x->n_boots, y->boots, y->n_boots, &w);
	*est = (struct estimate){
		.status = w.status,
		.mean = w.diff,
		.p = w.p,
		.ci95 = {w.ci95[0], w.ci95[1]},
		.ci90 = {w.ci90[0], w.ci90[1]},
		.equivalent = w.ci90[0] > lo && w.ci90[1] < hi,
		.k = base->n_boots < patched->n_boots ? base->n_boots : patched->n_boots,
	};
}

static void row_reset(struct stats_row *r)
{
	*r = (struct stats_row){
		.mark = STATS_INCONCLUSIVE,
		.base = NAN,
		.patched = NAN,
		.base_std_pct = NAN,
		.patched_std_pct = NAN,
		.effect_pct = NAN,
		.ci95_pct = {NAN, NAN},
		.ci90_pct = {NAN, NAN},
		.p = NAN,
		.q = NAN,
		.loss_excluded_pct = NAN,
	};
}

static const char *reason_of(
	const struct stats_row *r, const struct side *base, const struct side *patched)
{
	switch (r->status) {
	case STATS_EMPTY:
		return base->n_values == 0 && patched->n_values == 0 ? "no run finished"
		       : base->n_values == 0 ? "no run of base finished"
					     : "no run of the patched kernel finished";
	case STATS_NONFINITE:
		return "a value is not a finite number";
	case STATS_TOO_FEW:
		return r->paired ? "one pair of boots: no interval is possible"
				 : "one boot a side: no interval is possible";
	case STATS_NO_VARIANCE:
		return "every block differs by the same amount: no interval";
	case STATS_OK:
	case STATS_IDENTICAL:
		break;
	}
	return NULL;
}

/* Numbers of one row; the mark comes later, it needs the family. Returns whether q <= .05
 * may say worse or better at this number of blocks. */
static bool row_numbers(
	struct arena *a, const struct stats_row_in *in, struct stats_row *r)
{
	double x = in->same_limit > 0 ? in->same_limit : STATS_SAME_LIMIT, lo, hi;
	struct estimate est = {.status = STATS_EMPTY};
	struct side base, patched;
	double *d;

	row_reset(r);
	r->same_limit_pct = 100 * x;
	collect(a, in->base, in->n_base, &base);
	collect(a, in->patched, in->n_patched, &patched);
	r->status = stats_check(base.values, base.n_values);
	if (r->status == STATS_OK ||
		stats_check(patched.values, patched.n_values) == STATS_NONFINITE)
		r->status = stats_check(patched.values, patched.n_values);
	if (r->status != STATS_OK) {
		r->reason = reason_of(r, &base, &patched);
		return false;
	}
	r->scale = stats_scale_pick(
		base.values, base.n_values, patched.values, patched.n_values);
	summarise(a, in->base, in->n_base, r->scale, &base);
	summarise(a, in->patched, in->n_patched, r->scale, &patched);
	r->n_base = base.n_boots;
	r->n_patched = patched.n_boots;
	r->base = stats_mean(base.boots, base.n_boots);
	r->patched = stats_mean(patched.boots, patched.n_boots);
	stats_margin_log(x, &lo, &hi);
	if (r->scale == STATS_LOG) {
		r->base = exp(r->base);
		r->patched = exp(r->patched);
	} else {
		lo = -x * fabs(r->base);
		hi = x * fabs(r->base);
	}
	r->base_std_pct = std_pct(&base, r->scale);
	r->patched_std_pct = std_pct(&patched, r->scale);
	r->n_outliers_base = count_outliers(a, &base, r->scale);
	r->n_outliers_patched = count_outliers(a, &patched, r->scale);

	d = ARENA_ARRAY(a, double, base.n_boots + 1);
	r->n_pairs = differences(&base, &patched, d);
	r->paired = r->n_pairs > 0;
	if (r->paired)
		estimate_paired(a, in, r->scale, d, r->n_pairs, lo, hi, r, &est);
	else
		estimate_welch(in, &base, &patched, lo, hi, &est);
	r->status = est.status;
	/* all values equal: identical, also with a single pair, also at zero */
	if (all_equal(&base, &patched) && est.k >= 2) {
		r->status = STATS_IDENTICAL;
		r->effect_pct = r->ci95_pct[0] = r->ci95_pct[1] = 0;
		r->ci90_pct[0] = r->ci90_pct[1] = r->loss_excluded_pct = 0;
		r->base_std_pct = r->patched_std_pct = 0;
		r->p = 1;
		r->mark = STATS_SAME;
		return false;
	}
	if (r->scale == STATS_LINEAR && r->base == 0) {
		r->reason = "base is zero: no ratio";
		r->p = est.p;
		return false;
	}
	r->effect_pct = to_pct(est.mean, r->scale, r->base);
	for (int i = 0; i < 2; i++) {
		r->ci95_pct[i] = to_pct(est.ci95[i], r->scale, r->base);
		r->ci90_pct[i] = to_pct(est.ci90[i], r->scale, r->base);
	}
	r->loss_excluded_pct =
		isnan(r->ci90_pct[0]) ? (double)NAN : fmax(0, -r->ci90_pct[0]);
	r->p = est.p;
	r->reason = reason_of(r, &base, &patched);
	if (est.equivalent)
		r->mark = STATS_SAME;
	return est.k >= CLAIM_BLOCKS ||
	       (est.k >= CLAIM_BLOCKS_MIN && est.prior_df >= CLAIM_PRIOR_DF &&
		       !r->spread_changed);
}

void stats_compare(
	struct arena *a, const struct stats_row_in *rows, size_t n, struct stats_row *ret)
{
	double *p = ARENA_ARRAY(a, double, n + 1);
	bool *may_claim = ARENA_ARRAY(a, bool, n + 1);

	for (size_t i = 0; i < n; i++) {
		may_claim[i] = row_numbers(a, &rows[i], &ret[i]);
		p[i] = rows[i].judged ? ret[i].p : (double)NAN;
	}
	stats_adjust(a, STATS_BH, p, n, p);
	for (size_t i = 0; i < n; i++) {
		struct stats_row *r = &ret[i];

		r->q = p[i];
		if (!rows[i].judged) {
			r->mark = STATS_SHOWN;
			continue;
		}
		if (r->mark == STATS_SAME || !(r->q <= STATS_ALPHA) ||
			isnan(r->effect_pct))
			continue;
		if (may_claim[i])
			r->mark = r->effect_pct > 0 ? STATS_BETTER : STATS_WORSE;
		else
			r->reason = "too few blocks to say better or worse";
	}
}
