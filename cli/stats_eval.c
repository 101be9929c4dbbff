// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "cli/stats_eval.h"
#include "stats/adjust.h"
#include "stats/binom.h"
#include "stats/paired.h"
#include "stats/quantile.h"
#include <math.h>

#define VALUES_MAX 1000000

struct eval {
	struct arena *a;
	json_t *input, *out;
	struct err *e;
};

struct vec {
	double *x;
	size_t n;
};

static json_t *num(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *pair(const double v[2])
{
	return jx_pack("[o, o]", num(v[0]), num(v[1]));
}

static void set(struct eval *ev, const char *key, json_t *v)
{
	json_object_set_new(ev->out, key, v);
}

/* A number, null (NAN), or one of the three strings for what JSON cannot say. */
static int to_double(json_t *j, double *ret, struct err *e)
{
	const char *s = json_string_value(j);

	if (json_is_number(j))
		*ret = json_number_value(j);
	else if (json_is_null(j) || (s && strcmp(s, "NaN") == 0))
		*ret = NAN;
	else if (s && strcmp(s, "Infinity") == 0)
		*ret = INFINITY;
	else if (s && strcmp(s, "-Infinity") == 0)
		*ret = -INFINITY;
	else
		return err_set(e, ERR_INVALID, "a value is no number");
	return 0;
}

static int get_vec(struct eval *ev, const char *key, struct vec *ret)
{
	json_t *j = json_object_get(ev->input, key), *v;
	size_t i;

	if (!json_is_array(j))
		return err_set(ev->e, ERR_INVALID, "input.%s is no array", key);
	if (json_array_size(j) > VALUES_MAX)
		return err_set(
			ev->e, ERR_TOO_BIG, "input.%s: over %d values", key, VALUES_MAX);
	ret->n = json_array_size(j);
	ret->x = ARENA_ARRAY(ev->a, double, ret->n + 1);
	json_array_foreach(j, i, v) if (to_double(v, &ret->x[i], ev->e) !=
					0) return err_wrap(ev->e, "input.%s", key);
	return 0;
}

static int get_num(struct eval *ev, const char *key, double *ret)
{
	json_t *j = json_object_get(ev->input, key);

	if (!json_is_number(j))
		return err_set(ev->e, ERR_INVALID, "input.%s is no number", key);
	*ret = json_number_value(j);
	return 0;
}

static json_t *tost_json(const struct stats_tost *t, const double ci90[2])
{
	if (isnan(t->p))
		return jx_pack("{s:s}", "error", "zero variance");
	return jx_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "lo", num(t->lo), "hi",
		num(t->hi), "p_lower", num(t->p_lower), "p_upper", num(t->p_upper), "p",
		num(t->p), "ci90", pair(ci90));
}

/* ---- one function per kind ---- */

static int eval_block(struct eval *ev)
{
	struct vec a, b;
	double margin, lo, hi;
	struct stats_paired r;
	json_t *d = NULL;

	if (get_vec(ev, "a", &a) != 0 || get_vec(ev, "b", &b) != 0 ||
		get_num(ev, "margin", &margin) != 0)
		return (int)ev->e->code;
	if (a.n != b.n)
		return err_set(
			ev->e, ERR_INVALID, "input.a and input.b differ in length");
	d = json_array();
	for (size_t i = 0; i < a.n; i++) {
		b.x[i] = log(b.x[i] / a.x[i]);
		json_array_append_new(d, num(b.x[i]));
	}
	stats_margin_log(margin, &lo, &hi);
	stats_paired(b.x, b.n, 0, 0, lo, hi, &r);
	set(ev, "d", d);
	set(ev, "mean", num(r.mean));
	set(ev, "sd", num(r.sd));
	if (r.status == STATS_IDENTICAL) /* by convention of the sets: no t, so no p */
		set(ev, "paired_t",
			jx_pack("{s:n, s:o, s:n, s:[n, n]}", "t", "df", num(r.df), "p",
				"ci95"));
	else
		set(ev, "paired_t",
			jx_pack("{s:o, s:o, s:o, s:o}", "t", num(r.t), "df", num(r.df),
				"p", num(r.p), "ci95", pair(r.ci95)));
	set(ev, "tost", tost_json(&r.tost, r.ci90));
	return 0;
}

static int eval_moderated(struct eval *ev)
{
	struct stats_paired r;
	double d0, s0, var, se;
	struct vec d;

	if (get_vec(ev, "d", &d) != 0 || get_num(ev, "d0", &d0) != 0 ||
		get_num(ev, "s0", &s0) != 0)
		return (int)ev->e->code;
	stats_paired(d.x, d.n, s0 * s0, d0, -1, 1, &r);
	if (r.spread_changed) {
		/* the sets ask for the moderated values even where the guard refuses them
		 */
		var = (d0 * s0 * s0 + (double)(d.n - 1) * r.sd * r.sd) /
		      (d0 + (double)(d.n - 1));
		se = sqrt(var / (double)d.n);
		stats_paired_from(r.mean, se, d0 + (double)(d.n - 1), -1, 1, &r);
	}
	set(ev, "mean", num(r.mean));
	set(ev, "s", num(stats_sd(d.x, d.n)));
	set(ev, "s_mod", num(r.se * sqrt((double)d.n)));
	set(ev, "df", num(r.df));
	set(ev, "t", num(r.t));
	set(ev, "p", num(r.p));
	set(ev, "ci95", pair(r.ci95));
	set(ev, "f_ratio", num(r.f_ratio));
	set(ev, "f_p_upper", num(r.f_p));
	return 0;
}

static int eval_adjust(struct eval *ev)
{
	static const enum stats_adjust methods[] = {
		STATS_BONFERRONI, STATS_HOLM, STATS_HOCHBERG, STATS_BH, STATS_BY};
	struct vec p;
	int status = get_vec(ev, "p", &p);

	if (status != 0)
		return status;
	for (size_t i = 0; i < p.n; i++)
		if (p.x[i] < 0 || p.x[i] > 1)
			return err_set(
				ev->e, ERR_INVALID, "input.p[%zu] is no probability", i);
	for (size_t m = 0; m < ARRAY_LEN(methods); m++) {
		double *q = ARENA_ARRAY(ev->a, double, p.n + 1);
		json_t *list = json_array();

		stats_adjust(ev->a, methods[m], p.x, p.n, q);
		for (size_t i = 0; i < p.n; i++)
			json_array_append_new(list, num(q[i]));
		set(ev, stats_adjust_name(methods[m]), list);
	}
	return 0;
}

static json_t *welch_json(const struct stats_welch *w)
{
	if (w->status != STATS_OK)
		return jx_pack("{s:b}", "undefined", 1);
	return jx_pack("{s:o, s:o, s:o, s:o}", "t", num(w->t), "df", num(w->df), "p",
		num(w->p), "ci95", pair(w->ci95));
}

static int eval_summary(struct eval *ev)
{
	double mean_a, mean_b, cv_a, cv_b, n;
	struct stats_welch w;

	if (get_num(ev, "mean_a", &mean_a) != 0 || get_num(ev, "mean_b", &mean_b) != 0 ||
		get_num(ev, "cv_a", &cv_a) != 0 || get_num(ev, "cv_b", &cv_b) != 0 ||
		get_num(ev, "n", &n) != 0)
		return (int)ev->e->code;
	if (!(n >= 1 && n <= VALUES_MAX))
		return err_set(ev->e, ERR_INVALID, "input.n is no count");
	stats_welch_summary(mean_a, cv_a * fabs(mean_a), (size_t)n, mean_b,
		cv_b * fabs(mean_b), (size_t)n, &w);
	set(ev, "t", num(w.t));
	set(ev, "df", num(w.df));
	set(ev, "p", num(w.p));
	set(ev, "ci95", pair(w.ci95));
	set(ev, "ci90", pair(w.ci90));
	set(ev, "df_int_mmtests",
		isfinite(w.df) ? json_integer((json_int_t)w.df) : json_null());
	return 0;
}

static int eval_invalid(struct eval *ev)
{
	enum stats_status sa, sb;
	struct vec a, b;

	if (get_vec(ev, "a", &a) != 0 || get_vec(ev, "b", &b) != 0)
		return (int)ev->e->code;
	sa = stats_check(a.x, a.n);
	sb = stats_check(b.x, b.n);
	if (sa == STATS_NONFINITE || sb == STATS_NONFINITE)
		set(ev, "status", json_string(stats_status_name(STATS_NONFINITE)));
	else if (sa == STATS_EMPTY || sb == STATS_EMPTY)
		set(ev, "status",
			json_string(
				"error: empty sample / verdict inconclusive (no data)"));
	else
		set(ev, "status", json_string("ok"));
	return 0;
}

static int eval_quantile(struct eval *ev)
{
	static const enum stats_quantile_type types[] = {STATS_Q1, STATS_Q6, STATS_Q7};
	struct vec x, probs;

	if (get_vec(ev, "x", &x) != 0 || get_vec(ev, "probs", &probs) != 0)
		return (int)ev->e->code;
	if (stats_check(x.x, x.n) != STATS_OK)
		return err_set(ev->e, ERR_INVALID, "input.x: %s",
			stats_status_name(stats_check(x.x, x.n)));
	stats_sort(x.x, x.n);
	for (size_t t = 0; t < ARRAY_LEN(types); t++) {
		json_t *list = json_array();

		for (size_t i = 0; i < probs.n; i++) {
			if (!(probs.x[i] >= 0 && probs.x[i] <= 1)) {
				json_decref(list);
				return err_set(ev->e, ERR_INVALID,
					"input.probs[%zu] is no probability", i);
			}
			json_array_append_new(list,
				num(stats_quantile(types[t], x.x, x.n, probs.x[i])));
		}
		set(ev, arena_printf(ev->a, "type%d", (int)types[t]), list);
	}
	return 0;
}

static int eval_binom(struct eval *ev)
{
	struct stats_binom b;
	double x, n;

	if (get_num(ev, "x", &x) != 0 || get_num(ev, "n", &n) != 0)
		return (int)ev->e->code;
	if (!(x >= 0 && x <= n && n <= 1e9))
		return err_set(ev->e, ERR_INVALID, "input: 0 <= x <= n is wanted");
	stats_binom((size_t)x, (size_t)n, &b);
	set(ev, "ci95", pair(b.ci95));
	set(ev, "upper95_one_sided", num(b.upper95));
	set(ev, "p_vs_005_greater", num(stats_binom_upper_p((size_t)x, (size_t)n, 0.05)));
	return 0;
}

/* ---- two samples: what is here of it ---- */

static json_t *describe_json(struct eval *ev, const struct vec *v)
{
	static const double probs[] = {0.25, 0.5, 0.75, 0.9, 0.95, 0.99};
	double *sorted = ARENA_ARRAY(ev->a, double, v->n + 1);
	json_t *q = json_array();
	struct stats_describe d;

	stats_describe(ev->a, v->x, v->n, &d, sorted);
	for (size_t i = 0; i < ARRAY_LEN(probs) && d.status == STATS_OK; i++)
		json_array_append_new(q, num(stats_quantile7(sorted, v->n, probs[i])));
	return jx_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (int)d.n,
		"mean", num(d.mean), "sd", num(d.sd), "median", num(d.median), "mad_raw",
		num(d.mad), "min", num(d.min), "max", num(d.max), "trim20_mean",
		num(d.trimmed_mean), "q", q);
}

static json_t *welch_tost_json(const struct stats_welch *w, double lo, double hi)
{
	struct stats_paired r;

	if (w->status != STATS_OK)
		return jx_pack("{s:s}", "error", "zero variance");
	stats_paired_from(w->diff, w->se, w->df, lo, hi, &r);
	return jx_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "lo", num(lo),
		"hi", num(hi), "est", num(w->diff), "se", num(w->se), "df", num(w->df),
		"p_lower", num(r.tost.p_lower), "p_upper", num(r.tost.p_upper), "p",
		num(r.tost.p), "ci90", pair(w->ci90));
}

static bool all_positive(const struct vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (!(v->x[i] > 0))
			return false;
	return true;
}

static void to_logs(struct vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		v->x[i] = log(v->x[i]);
}

static int eval_two(struct eval *ev)
{
	struct stats_welch w;
	double margin, lo, hi, scale = 1;
	struct vec a, b;

	if (get_vec(ev, "a", &a) != 0 || get_vec(ev, "b", &b) != 0 ||
		get_num(ev, "margin", &margin) != 0)
		return (int)ev->e->code;
	if (stats_check(a.x, a.n) != STATS_OK || stats_check(b.x, b.n) != STATS_OK)
		return err_set(ev->e, ERR_INVALID, "input: empty or not finite");
	if (json_is_number(json_object_get(ev->input, "scaled")))
		scale = json_number_value(json_object_get(ev->input, "scaled"));
	for (size_t i = 0; i < a.n; i++)
		a.x[i] /= scale;
	for (size_t i = 0; i < b.n; i++)
		b.x[i] /= scale;
	set(ev, "a", describe_json(ev, &a));
	set(ev, "b", describe_json(ev, &b));
	stats_welch(a.x, a.n, b.x, b.n, &w);
	set(ev, "welch", welch_json(&w));
	hi = margin * stats_mean(a.x, a.n);
	set(ev, "tost", welch_tost_json(&w, -hi, hi));
	if (w.status == STATS_IDENTICAL)
		set(ev, "verdict_required", json_string("no change (identical)"));
	if (!all_positive(&a) || !all_positive(&b))
		return 0;
	to_logs(&a);
	to_logs(&b);
	stats_welch(a.x, a.n, b.x, b.n, &w);
	if (w.status == STATS_OK)
		set(ev, "log_welch", welch_json(&w));
	stats_margin_log(margin, &lo, &hi);
	set(ev, "log_tost", welch_tost_json(&w, lo, hi));
	return 0;
}

int stats_eval_load(const char *buf, size_t len, json_t **ret, struct err *e)
{
	json_error_t je;
	json_t *j = json_loadb(
		buf, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &je);

	if (!j)
		return err_set(e, ERR_INVALID, "JSON line %d column %d: %s", je.line,
			je.column, je.text);
	*ret = j;
	return 0;
}

int stats_eval(json_t *set_json, json_t **ret, struct err *e)
{
	static const struct {
		const char *kind;
		int (*eval)(struct eval *ev);
	} kinds[] = {
		{"two", eval_two},
		{"block", eval_block},
		{"adjust", eval_adjust},
		{"moderated", eval_moderated},
		{"summary", eval_summary},
		{"invalid", eval_invalid},
		{"quantile", eval_quantile},
		{"binom", eval_binom},
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *kind = json_string_value(json_object_get(set_json, "kind"));
	struct err own;
	struct eval ev = {
		.a = a, .input = json_object_get(set_json, "input"), .e = e ? e : &own};

	if (!kind || !json_is_object(ev.input))
		return err_set(e, ERR_INVALID, "a set has a kind and an input");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		int status;

		if (strcmp(kinds[i].kind, kind) != 0)
			continue;
		ev.out = json_object();
		status = kinds[i].eval(&ev);
		if (status == 0)
			*ret = ev.out;
		else
			json_decref(ev.out);
		return status;
	}
	return err_set(e, ERR_UNSUPPORTED, "sets of kind '%.30s' are not computed", kind);
}
