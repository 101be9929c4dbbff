// SPDX-License-Identifier: GPL-2.0-or-later
/* report.c - judges facts into a report; the text is in text.c. */
#include "base/base.h"

#include "report/failure.h"
#include "report/report.h"
#include "report/words.h"
#include <math.h>

static const char *const kind_names[] = {
	"result", "does_not_apply", "does_not_build", "in_base"};
static const char *const tier_names[] = {"model", "emulated", "metal"};
static const char *const side_names[] = {"base", "patched"};
static const char *const outcome_names[] = {"ok", "panic", "hang", "load_failed", "none"};

const char *report_kind_name(enum report_kind k)
{
	return kind_names[k];
}

const char *report_tier_name(enum report_tier t)
{
	return tier_names[t];
}

const char *report_side_name(enum report_side s)
{
	return side_names[s];
}

const char *report_outcome_name(enum report_outcome o)
{
	return outcome_names[o];
}

int report_outcome_parse(const char *name, enum report_outcome *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(outcome_names); i++)
		if (strcmp(outcome_names[i], name) == 0) {
			*ret = (enum report_outcome)i;
			return 0;
		}
	return -1;
}

/* ---- checks ---- */

static bool is_word(const char *s)
{
	if (!s || !*s)
		return false;
	for (; *s; s++)
		if (*s <= 0x20 || *s > 0x7e)
			return false;
	return true;
}

static int check_measures(const struct report_input *in, struct err *e)
{
	for (size_t i = 0; i < in->n_measures; i++) {
		const struct report_measure *m = &in->measures[i];

		if (!is_word(m->topology) || !is_word(m->bench) || !is_word(m->case_) ||
			(m->load && *m->load && !is_word(m->load)) || !is_word(m->metric))
			return err_set(e, ERR_INVALID,
				"row %zu: topology, bench, case, load and metric are "
				"words",
				i);
		for (size_t k = 0; k < m->n_samples; k++)
			if (m->samples[k].block < 0)
				return err_set(e, ERR_INVALID,
					"row %zu: a block is negative", i);
	}
	return 0;
}

static int check(const struct report_input *in, struct err *e)
{
	size_t n_values = 0;

	if (!is_word(in->message_id))
		return err_set(e, ERR_INVALID, "the answered mail has no message-id");
	if (in->n_boots > REPORT_BOOTS_MAX || in->n_measures > REPORT_ROWS_MAX ||
		in->n_attempts > REPORT_LINES_MAX || in->n_missing > REPORT_LINES_MAX ||
		in->n_repeat > REPORT_LINES_MAX || in->n_machines > REPORT_LINES_MAX ||
		in->n_topologies > REPORT_LINES_MAX)
		return err_set(e, ERR_TOO_BIG,
			"over %d boots, %d rows, or %d lines of one kind",
			REPORT_BOOTS_MAX, REPORT_ROWS_MAX, REPORT_LINES_MAX);
	for (size_t i = 0; i < in->n_measures; i++)
		for (size_t k = 0; k < in->measures[i].n_samples; k++)
			n_values += in->measures[i].samples[k].n_values;
	if (n_values > 10000000)
		return err_set(e, ERR_TOO_BIG, "%zu values; limit 10000000", n_values);
	if (in->n_builds > 2 ||
		(in->n_builds == 2 && in->builds[0].side == in->builds[1].side))
		return err_set(e, ERR_INVALID, "one build a side is possible");
	if (in->kind == REPORT_DOES_NOT_APPLY && !in->conflict)
		return err_set(
			e, ERR_INVALID, "it does not apply, and nothing says where");
	for (size_t i = 0; i < in->n_boots; i++)
		if (!is_word(in->boots[i].topology) || in->boots[i].block < 0)
			return err_set(e, ERR_INVALID,
				"boot %zu has no topology or a negative block", i);
	return check_measures(in, e);
}

/* ---- rows ---- */

static void to_boots(struct arena *a, const struct report_measure *m,
	enum report_side side, const struct stats_boot **ret, size_t *ret_n)
{
	struct stats_boot *boots = ARENA_ARRAY(a, struct stats_boot, m->n_samples + 1);
	size_t n = 0;

	for (size_t i = 0; i < m->n_samples; i++)
		if (m->samples[i].side == side)
			boots[n++] = (struct stats_boot){m->samples[i].block,
				m->samples[i].values, m->samples[i].n_values};
	*ret = boots;
	*ret_n = n;
}

static struct stats_row *judge_rows(struct arena *a, const struct report_input *in)
{
	struct stats_row_in *rows =
		ARENA_ARRAY(a, struct stats_row_in, in->n_measures + 1);
	struct stats_row *judged = ARENA_ARRAY(a, struct stats_row, in->n_measures + 1);

	for (size_t i = 0; i < in->n_measures; i++) {
		const struct report_measure *m = &in->measures[i];

		rows[i].higher_is_better = m->better == BENCH_HIGHER;
		rows[i].judged = m->tier == REPORT_METAL;
		to_boots(a, m, REPORT_BASE, &rows[i].base, &rows[i].n_base);
		to_boots(a, m, REPORT_PATCHED, &rows[i].patched, &rows[i].n_patched);
	}
	stats_compare(a, rows, in->n_measures, judged);
	return judged;
}

static bool same_section(const struct report_section *s, const struct report_measure *m)
{
	return s->tier == m->tier && strcmp(s->topology, m->topology) == 0 &&
	       strcmp(s->bench, m->bench) == 0 && strcmp(s->metric, m->metric) == 0 &&
	       s->better == m->better &&
	       strcmp(s->unit ? s->unit : "", m->unit ? m->unit : "") == 0;
}

/* A row can stand in a table when it has an interval. */
static bool is_printable(const struct stats_row *s)
{
	return isfinite(s->effect_pct) && isfinite(s->ci95_pct[0]) &&
	       isfinite(s->ci95_pct[1]) && s->base >= 0;
}

struct missing_list {
	struct arena *a;
	struct report_list_item *items;
	size_t n, cap;
};

static void missing_add(struct missing_list *l, const char *what, const char *why)
{
	*ARENA_PUSH(l->a, l->items, l->n, l->cap) =
		(struct report_list_item){words_clean(l->a, what, 200),
			words_clean(l->a, why ? why : "no reason was recorded", 400)};
}

/* Rows without an interval: told once per benchmark, place and reason. */
static void add_missing_rows(struct arena *a, const struct report_input *in,
	const struct stats_row *judged, struct missing_list *l)
{
	static const char dflt[] = "no interval is possible";

	for (size_t i = 0; i < in->n_measures; i++) {
		const struct report_measure *m = &in->measures[i];
		const char *why = judged[i].reason ? judged[i].reason : dflt;
		size_t first = in->n_measures;
		long n = 0;

		if (is_printable(&judged[i]))
			continue;
		for (size_t k = 0; k < in->n_measures; k++) {
			const struct report_measure *o = &in->measures[k];
			const char *reason = judged[k].reason ? judged[k].reason : dflt;

			if (is_printable(&judged[k]) || strcmp(o->bench, m->bench) != 0 ||
				strcmp(o->topology, m->topology) != 0 ||
				strcmp(reason, why) != 0)
				continue;
			first = k < first ? k : first;
			n++;
		}
		if (first < i)
			continue;
		missing_add(l,
			n > 1 ? arena_printf(a, "%ld rows of %s on %s", n, m->bench,
					m->topology)
			      : arena_printf(a, "%s %s%s%s on %s", m->bench, m->case_,
					m->load ? " " : "", m->load ? m->load : "",
					m->topology),
			why);
	}
}

static void add_sections(struct arena *a, const struct report_input *in,
	const struct stats_row *judged, struct report *r)
{
	struct report_section *sections =
		ARENA_ARRAY(a, struct report_section, in->n_measures + 1);

	for (size_t i = 0; i < in->n_measures; i++) {
		const struct report_measure *m = &in->measures[i];
		struct report_section *s = NULL;
		struct report_row *rows;

		if (is_printable(&judged[i]) || judged[i].mark == STATS_INCONCLUSIVE)
			r->counts[judged[i].mark]++;
		if (!is_printable(&judged[i]))
			continue;
		for (size_t k = 0; k < r->n_sections && !s; k++)
			if (same_section(&sections[k], m))
				s = &sections[k];
		if (!s) {
			s = &sections[r->n_sections++];
			*s = (struct report_section){
				.tier = m->tier,
				.bench = m->bench,
				.topology = m->topology,
				.metric = m->metric,
				.unit = m->unit,
				.better = m->better,
				.rows = ARENA_ARRAY(
					a, struct report_row, in->n_measures - i),
			};
		}
		rows = (struct report_row *)s->rows;
		rows[s->n_rows++] = (struct report_row){
			m->tier, m->topology, m->bench, m->case_, m->load, judged[i]};
	}
	r->sections = sections;
}

/* ---- what is missing ---- */

static bool same_gap(const struct report_boot *x, const struct report_boot *y)
{
	return y->outcome == REPORT_BOOT_NONE && x->side == y->side &&
	       strcmp(x->topology, y->topology) == 0 &&
	       strcmp(x->why ? x->why : "", y->why ? y->why : "") == 0;
}

static void add_missing_boots(
	struct arena *a, const struct report_input *in, struct missing_list *l)
{
	for (size_t i = 0; i < in->n_boots; i++) {
		const struct report_boot *b = &in->boots[i];
		bool told = false;
		long n = 1;

		if (b->outcome != REPORT_BOOT_NONE)
			continue;
		for (size_t k = 0; k < i && !told; k++)
			told = same_gap(b, &in->boots[k]);
		for (size_t k = i + 1; k < in->n_boots; k++)
			n += same_gap(b, &in->boots[k]);
		if (!told)
			missing_add(l,
				arena_printf(a, "%s of %s on %s",
					words_count(a, n, "boot"),
					report_side_name(b->side), b->topology),
				b->why);
	}
}

static const struct report_kernel *kernel_of(
	const struct report_input *in, enum report_side side)
{
	for (size_t i = 0; i < in->n_builds; i++)
		if (in->builds[i].side == side)
			return &in->builds[i];
	return NULL;
}

static void add_missing_builds(
	struct arena *a, const struct report_input *in, struct missing_list *l)
{
	for (size_t i = 0; i < in->n_builds; i++)
		if (!in->builds[i].done)
			missing_add(l,
				arena_printf(a, "build of %s",
					report_side_name(in->builds[i].side)),
				in->builds[i].why);
}

/* ---- verdict ---- */

static const char *verdict(const struct report *r)
{
	const struct report_kernel *base = kernel_of(r->in, REPORT_BASE);
	const struct report_kernel *patched = kernel_of(r->in, REPORT_PATCHED);
	int n_base, n_patched, ok_base, ok_patched;

	if (r->kind == REPORT_DOES_NOT_APPLY)
		return "does-not-apply";
	if (r->kind == REPORT_DOES_NOT_BUILD)
		return "does-not-build";
	if (r->kind == REPORT_IN_BASE)
		return "in-base";
	if (r->counts[STATS_BROKEN])
		return "broken";
	if (r->counts[STATS_WORSE])
		return "worse";
	if (r->counts[STATS_BETTER])
		return "better";
	if (r->counts[STATS_INCONCLUSIVE])
		return "inconclusive";
	if (r->counts[STATS_SAME])
		return "no-change";
	failure_count_boots(r->in, REPORT_BASE, &n_base, &ok_base);
	failure_count_boots(r->in, REPORT_PATCHED, &n_patched, &ok_patched);
	if (patched && patched->done && !patched->ok)
		return "no-result"; /* and base does not build either */
	if (r->in->n_boots == 0)
		return patched && patched->ok && base && base->ok ? "ok" : "no-result";
	if (n_patched == 0)
		return "no-result";
	return ok_patched == n_patched && n_base > 0 ? "ok" : "inconclusive";
}

static enum report_kind kind_of(const struct report_input *in)
{
	const struct report_kernel *base = kernel_of(in, REPORT_BASE);
	const struct report_kernel *patched = kernel_of(in, REPORT_PATCHED);

	if (in->kind != REPORT_RESULT)
		return in->kind;
	return base && patched && base->done && base->ok && patched->done && !patched->ok
		       ? REPORT_DOES_NOT_BUILD
		       : REPORT_RESULT;
}

int report_build(struct arena *a, const struct report_input *in, struct report **ret,
	struct err *e)
{
	struct missing_list l = {.a = a};
	struct stats_row *judged;
	struct report *r;
	int status = check(in, e);

	if (status != 0)
		return err_wrap(e, "report");
	r = ARENA_NEW(a, struct report);
	r->in = in;
	r->kind = kind_of(in);
	failure_collect(a, in, r);
	for (size_t i = 0; i < r->n_failures; i++)
		r->counts[STATS_BROKEN] += r->failures[i].is_new;
	add_missing_builds(a, in, &l);
	add_missing_boots(a, in, &l);
	judged = judge_rows(a, in);
	add_missing_rows(a, in, judged, &l);
	add_sections(a, in, judged, r);
	for (size_t i = 0; i < in->n_missing; i++)
		missing_add(&l, in->missing[i].what, in->missing[i].why);
	r->missing = l.items;
	r->n_missing = l.n;
	r->verdict = verdict(r);
	*ret = r;
	return 0;
}

/* ---- JSON ---- */

static json_t *text_json(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}

static json_t *number_json(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *row_json(const struct report_row *row)
{
	const struct stats_row *s = &row->stats;
	const char mark[2] = {stats_mark_char(s->mark), 0};

	return jx_pack(
		"{s:s, s:s?, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:o}",
		"case", row->case_, "load", row->load, "mark", mark, "base",
		number_json(s->base), "base_std_pct", number_json(s->base_std_pct),
		"compare_pct", number_json(s->effect_pct), "patched_std_pct",
		number_json(s->patched_std_pct), "ci_lo_pct", number_json(s->ci95_pct[0]),
		"ci_hi_pct", number_json(s->ci95_pct[1]), "p", number_json(s->p), "q",
		number_json(s->q), "n_pairs", (int)s->n_pairs, "reason",
		text_json(s->reason));
}

static json_t *section_json(const struct report_section *s)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < s->n_rows; i++)
		json_array_append_new(rows, row_json(&s->rows[i]));
	return jx_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:o}", "tier",
		report_tier_name(s->tier), "bench", s->bench, "topology", s->topology,
		"metric", s->metric, "unit", text_json(s->unit), "better",
		bench_better_name(s->better), "rows", rows);
}

static json_t *failure_json(const struct report_failure *f)
{
	json_t *lines = json_array(), *topologies = json_array();

	for (size_t i = 0; i < f->n_lines; i++)
		json_array_append_new(lines, text_json(f->lines[i]));
	for (size_t i = 0; i < f->n_topologies; i++)
		json_array_append_new(topologies, text_json(f->topologies[i]));
	return jx_pack("{s:b, s:s, s:o, s:i, s:i, s:i, s:i, s:o, s:o, s:o}", "is_new",
		f->is_new, "kind", f->kind, "function", text_json(f->function),
		"n_patched", f->n_patched, "of_patched", f->of_patched, "n_base",
		f->n_base, "of_base", f->of_base, "topologies", topologies, "lines",
		lines, "log_url", text_json(f->log_url));
}

json_t *report_to_json(const struct report *r)
{
	json_t *sections = json_array(), *failures = json_array(),
	       *missing = json_array();
	json_t *notes = json_array(), *counts = json_object();

	for (int m = 0; m < STATS_N_MARKS; m++) {
		const char key[2] = {stats_mark_char((enum stats_mark)m), 0};

		json_object_set_new(counts, key, json_integer(r->counts[m]));
	}
	for (size_t i = 0; i < r->n_sections; i++)
		json_array_append_new(sections, section_json(&r->sections[i]));
	for (size_t i = 0; i < r->n_failures; i++)
		json_array_append_new(failures, failure_json(&r->failures[i]));
	for (size_t i = 0; i < r->n_missing; i++)
		json_array_append_new(missing,
			jx_pack("{s:o, s:o}", "what", text_json(r->missing[i].what),
				"why", text_json(r->missing[i].why)));
	for (size_t i = 0; i < r->n_notes; i++)
		json_array_append_new(notes, text_json(r->notes[i]));
	return jx_pack("{s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "v", 1, "kind",
		report_kind_name(r->kind), "verdict", r->verdict, "counts", counts,
		"sections", sections, "failures", failures, "missing", missing, "notes",
		notes);
}
