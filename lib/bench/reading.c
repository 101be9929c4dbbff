// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/reading.h"
#include <math.h>

#define FEW_METRICS 16 /* are searched one by one */

/* ---- the lines ---- */

const char *reading_line(const struct reading *r, size_t i)
{
	return i < r->lines.n ? r->lines.lines[i] : "";
}

const char *reading_join(const struct reading *r, size_t i, size_t n)
{
	return bench_join(r->a, &r->lines, i, n);
}

/* The locale of the program: a decimal comma when more of its numbers have one. */
static bool uses_comma(const struct reading_rules *rules, const struct reading *r)
{
	size_t n_comma = 0, n_point = 0;

	for (size_t i = 0; rules->votes && i < r->lines.n; i++)
		rules->votes(r, i, &n_comma, &n_point);
	return n_comma > n_point;
}

static void add_note(struct arena *a, struct bench_run *run, const char *note)
{
	const char **notes = arena_alloc(a, (run->n_notes + 1) * sizeof(*notes));

	if (run->n_notes)
		memcpy(notes, run->notes, run->n_notes * sizeof(*notes));
	notes[run->n_notes++] = note;
	run->notes = notes;
}

/* The notes of reading_left_out(). */
static void note_left_out(struct reading *r)
{
	for (size_t i = 0; i < r->n_left; i++) {
		const struct reading_left *l = &r->left[i];
		const char *where = l->before ? "behind" : "before";

		add_note(r->a, &r->out->runs[l->before ? l->before - 1 : 0],
			l->n > 1 ? arena_printf(r->a,
					   "%zu runs %s this one are left out: %s", l->n,
					   where, l->why)
				 : arena_printf(r->a, "a run %s this one is left out: %s",
					   where, l->why));
	}
}

static int read_text(const struct reading_rules *rules, struct reading *r,
	const char *buf, size_t len, struct err *e)
{
	int status = bench_lines(r->a, buf, len, &r->lines, e);

	if (status != 0)
		return status;
	if (rules->marks_cut)
		bench_mark_cut(r->a, buf, len, &r->lines);
	r->open_end = len && buf[len - 1] != '\n' && buf[len - 1] != '\r';
	if (rules->begin)
		rules->begin(r);
	r->comma = uses_comma(rules, r);
	for (size_t i = 0; i < r->lines.n && !r->too_many; i = r->next) {
		r->next = i + 1;
		rules->line(r, i);
	}
	if (rules->end && !r->too_many)
		rules->end(r);
	if (r->too_many)
		return err_set(e, ERR_TOO_BIG, "more than %d runs", BENCH_RUNS_MAX);
	if (r->out->n_runs)
		note_left_out(r);
	else
		r->out->why = r->n_left ? r->left[r->n_left - 1].why : rules->why(r);
	return 0;
}

static struct reading *new_state(
	const struct reading_rules *rules, struct arena *a, struct bench_output *out)
{
	struct reading *r = arena_zalloc(a, rules->state_bytes);

	r->a = a;
	r->out = out;
	return r;
}

int reading_parse(const struct reading_rules *rules, struct arena *a, const char *buf,
	size_t len, struct bench_output *ret, struct err *e)
{
	struct reading *r = new_state(rules, a, ret);
	int status = read_text(rules, r, buf, len, e);
	char *copy;

	if (status != 0 || ret->n_runs || !r->tab_table || !memchr(buf, '\t', len))
		return status;
	copy = arena_memdup(a, buf, len);
	for (size_t i = 0; i < len; i++)
		if (copy[i] == '\t')
			copy[i] = ';';
	ret->why = NULL;
	return read_text(rules, new_state(rules, a, ret), copy, len, e);
}

/* ---- the run ---- */

static size_t slot_of(const struct reading *r, const char *name)
{
	size_t i = bench_hash(name) & (r->n_slots - 1);

	for (; r->slots[i]; i = (i + 1) & (r->n_slots - 1))
		if (strcmp(r->run.metrics[r->slots[i] - 1].name, name) == 0)
			break;
	return i;
}

/* Makes the hash at least twice as large as the run. */
static void grow_slots(struct reading *r)
{
	if (r->n_slots >= 2 * r->run.n_metrics)
		return;
	r->n_slots = r->n_slots ? 4 * r->n_slots : 8 * FEW_METRICS;
	if (r->n_slots > r->cap_slots) {
		r->slots = arena_alloc(r->a, r->n_slots * sizeof(*r->slots));
		r->cap_slots = r->n_slots;
	}
	memset(r->slots, 0, r->n_slots * sizeof(*r->slots));
	for (size_t i = 0; i < r->run.n_metrics; i++)
		r->slots[slot_of(r, r->run.metrics[i].name)] = (uint32_t)i + 1;
}

bool reading_has(const struct reading *r, const char *name)
{
	if (r->n_slots)
		return r->slots[slot_of(r, name)] != 0;
	for (size_t i = 0; i < r->run.n_metrics; i++)
		if (strcmp(r->run.metrics[i].name, name) == 0)
			return true;
	return false;
}

struct bench_metric *reading_metric(struct reading *r, const char *name, const char *unit,
	enum bench_better better, double v)
{
	struct bench_metric *m;

	if (!isfinite(v) || r->run.n_metrics == READING_METRICS_MAX ||
		reading_has(r, name))
		return &r->spare;
	m = ARENA_PUSH(r->a, r->run.metrics, r->run.n_metrics, r->cap_metrics);
	*m = (struct bench_metric){
		.name = name,
		.unit = unit,
		.better = better,
		.value = v,
		.percentile = NAN,
		.samples = -1,
	};
	if (r->n_slots)
		r->slots[slot_of(r, name)] = (uint32_t)r->run.n_metrics;
	if (r->run.n_metrics >= FEW_METRICS)
		grow_slots(r);
	return m;
}

struct bench_metric *reading_cost(
	struct reading *r, const char *name, const char *unit, double v)
{
	return reading_metric(r, name, unit, BENCH_LOWER, v < 0 ? NAN : v);
}

struct bench_metric *reading_rate(
	struct reading *r, const char *name, const char *unit, double v)
{
	return reading_metric(r, name, unit, BENCH_HIGHER, v > 0 ? v : NAN);
}

static struct bench_param *new_param(struct reading *r, const char *name)
{
	struct bench_param *p;

	for (size_t i = 0; i < r->run.n_params; i++)
		if (strcmp(r->run.params[i].name, name) == 0)
			return NULL;
	p = ARENA_PUSH(r->a, r->run.params, r->run.n_params, r->cap_params);
	p->name = name;
	return p;
}

void reading_text(struct reading *r, const char *name, const char *text)
{
	struct bench_param *p = text ? new_param(r, name) : NULL;

	if (p)
		p->text = text;
}

void reading_number(struct reading *r, const char *name, double v)
{
	struct bench_param *p = isfinite(v) ? new_param(r, name) : NULL;

	if (p)
		p->number = v;
}

void reading_note(struct reading *r, const char *note)
{
	*ARENA_PUSH(r->a, r->run.notes, r->run.n_notes, r->cap_notes) = note;
}

void reading_keep(struct reading *r)
{
	if (r->out->n_runs >= BENCH_RUNS_MAX)
		r->too_many = true;
	else if (r->run.n_metrics)
		*ARENA_PUSH(r->a, r->out->runs, r->out->n_runs, r->cap_runs) = r->run;
	reading_drop(r);
}

void reading_left_out(struct reading *r, const char *why)
{
	size_t before = r->out->n_runs;

	reading_drop(r);
	for (size_t i = r->n_left; i && r->left[i - 1].before == before; i--)
		if (strcmp(r->left[i - 1].why, why) == 0) {
			r->left[i - 1].n++;
			return;
		}
	*ARENA_PUSH(r->a, r->left, r->n_left, r->cap_left) =
		(struct reading_left){.before = before, .why = why, .n = 1};
}

void reading_drop(struct reading *r)
{
	r->run = (struct bench_run){0};
	r->cap_metrics = r->cap_params = r->cap_notes = 0;
	r->n_slots = 0;
}
