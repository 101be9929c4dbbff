/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/analyse/analyse.h"

#include "workers/facts.h"
#include <math.h>

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *interval(const double v[2])
{
	return jx_pack("[o, o]", number(v[0]), number(v[1]));
}

static json_t *stats_json(const struct stats_row *s, const char *unit)
{
	json_t *out = jx_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "status",
		stats_status_name(s->status), "scale",
		s->scale == STATS_LOG ? "log" : "linear", "unit", jx_str_or_null(unit),
		"base", number(s->base), "patched", number(s->patched), "base_std_pct",
		number(s->base_std_pct), "patched_std_pct", number(s->patched_std_pct),
		"effect_pct", number(s->effect_pct), "ci95_pct", interval(s->ci95_pct));
	json_t *more = jx_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:b, s:o, s:o, s:b, s:b}",
		"ci90_pct", interval(s->ci90_pct), "p", number(s->p), "q", number(s->q),
		"n_pairs", (json_int_t)s->n_pairs, "n_base", (json_int_t)s->n_base,
		"n_patched", (json_int_t)s->n_patched, "paired", s->paired,
		"same_limit_pct", number(s->same_limit_pct), "loss_excluded_pct",
		number(s->loss_excluded_pct), "moderated", s->moderated, "spread_changed",
		s->spread_changed);

	json_object_update_missing(out, more);
	json_decref(more);
	return out;
}

static const char *row_why(const struct report_row *r)
{
	if (r->stats.reason)
		return r->stats.reason;
	if (r->stats.mark == STATS_SHOWN && r->tier == REPORT_EMULATED)
		return "the time of an emulated machine: shown, not judged";
	return stats_mark_word(r->stats.mark);
}

static json_t *row_json(
	struct arena *a, const struct report_section *s, const struct report_row *r)
{
	char mark[2] = {stats_mark_char(r->stats.mark), '\0'};

	return jx_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "tier",
		report_tier_name(r->tier), "topology", r->topology, "bench", r->bench,
		"load", arena_printf(a, "%s/%s", r->case_, r->load), "metric", s->metric,
		"mark", mark, "why", row_why(r), "detail",
		stats_json(&r->stats, s->unit));
}

static json_t *texts(const char **v, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, jx_text(v[i], strlen(v[i])));
	return out;
}

/* What patched shows and base does not. */
static json_t *failure_json(struct arena *a, const struct report_failure *f)
{
	const char *where = f->n_topologies == 1 ? f->topologies[0] : "";
	const char *why = arena_printf(a, "%s%s%s: %d of %d patched boots, %d of %d base",
		f->kind, f->function ? " in " : "", f->function ? f->function : "",
		f->n_patched, f->of_patched, f->n_base, f->of_base);

	return jx_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "tier", "emulated",
		"topology", where, "bench", f->kind, "load", "", "metric", "boots",
		"mark", "!", "why", jx_text(why, strlen(why)), "detail",
		jx_pack("{s:i, s:i, s:i, s:i, s:o, s:o}", "n_patched", f->n_patched,
			"of_patched", f->of_patched, "n_base", f->n_base, "of_base",
			f->of_base, "topologies", texts(f->topologies, f->n_topologies),
			"lines", texts(f->lines, f->n_lines)));
}

int analyse_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	json_t *facts, *rows;
	struct report *r;
	int status = jx_unpack(in, e, "analyse", "{s:o !}", "report", &facts);

	if (status == 0)
		status = facts_report(j->arena, facts, &r, e);
	if (status != 0)
		return status;
	rows = json_array();
	for (size_t i = 0; i < r->n_failures; i++)
		if (r->failures[i].is_new)
			json_array_append_new(
				rows, failure_json(j->arena, &r->failures[i]));
	for (size_t s = 0; s < r->n_sections; s++)
		for (size_t i = 0; i < r->sections[s].n_rows; i++)
			json_array_append_new(rows, row_json(j->arena, &r->sections[s],
							    &r->sections[s].rows[i]));
	*ret = jx_pack("{s:s, s:o, s:o}", "verdict", r->verdict, "rows", rows, "report",
		report_to_json(r));
	return 0;
}
