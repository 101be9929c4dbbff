// SPDX-License-Identifier: GPL-2.0-or-later
/* codec.c - report_input from JSON: one strict unpack per object. */
#include "base/base.h"

#include "report/report.h"
#include <limits.h>

#define EVENTS_MAX  10000 /* a warning may repeat for a whole boot */
#define STACK_MAX   4096
#define VALUES_MAX  10000
#define SAMPLES_MAX (2 * 64)

struct read {
	struct arena *a;
	struct err *e;
};

static const char *dup(struct read *r, const char *s)
{
	return s ? arena_strdup(r->a, s) : NULL;
}

static int check_array(
	struct read *r, json_t *j, const char *what, size_t max, size_t *ret_n)
{
	*ret_n = 0;
	if (!j || json_is_null(j))
		return 0;
	if (!json_is_array(j))
		return err_set(r->e, ERR_INVALID, "%s is no array", what);
	if (json_array_size(j) > max)
		return err_set(r->e, ERR_TOO_BIG, "%s: %zu entries; limit %zu", what,
			json_array_size(j), max);
	*ret_n = json_array_size(j);
	return 0;
}

static int to_int(struct read *r, json_int_t v, const char *what, int *ret)
{
	if (v < 0 || v > INT_MAX)
		return err_set(
			r->e, ERR_INVALID, "%s: %lld is no count", what, (long long)v);
	*ret = (int)v;
	return 0;
}

static int to_enum(
	struct read *r, const char *const *names, size_t n, const char *name, int *ret)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0) {
			*ret = (int)i;
			return 0;
		}
	return err_set(r->e, ERR_INVALID, "'%.30s' is none of %s, %s ...", name, names[0],
		names[1]);
}

static int to_side(struct read *r, const char *name, enum report_side *ret)
{
	static const char *const names[] = {"base", "patched"};
	int v = 0, status = to_enum(r, names, ARRAY_LEN(names), name, &v);

	*ret = (enum report_side)v;
	return status;
}

static int to_tier(struct read *r, const char *name, enum report_tier *ret)
{
	static const char *const names[] = {"model", "emulated", "metal"};
	int v = 0, status = to_enum(r, names, ARRAY_LEN(names), name, &v);

	*ret = (enum report_tier)v;
	return status;
}

static int to_texts(struct read *r, json_t *j, const char *what, size_t max,
	const char *const **ret, size_t *ret_n)
{
	int status = check_array(r, j, what, max, ret_n);
	const char **list;

	if (status != 0)
		return status;
	list = ARENA_ARRAY(r->a, const char *, *ret_n + 1);
	for (size_t i = 0; i < *ret_n; i++) {
		list[i] = dup(r, json_string_value(json_array_get(j, i)));
		if (!list[i])
			return err_set(
				r->e, ERR_INVALID, "%s[%zu] is no string", what, i);
	}
	*ret = list;
	return 0;
}

/* Reads an array of objects: each element by one(). */
static int to_list(struct read *r, json_t *j, const char *what, size_t max, size_t size,
	int (*one)(struct read *, json_t *, void *), void **ret, size_t *ret_n)
{
	int status = check_array(r, j, what, max, ret_n);

	if (status != 0)
		return status;
	*ret = arena_zalloc(r->a, (*ret_n + 1) * size);
	for (size_t i = 0; i < *ret_n; i++) {
		status = one(r, json_array_get(j, i), (char *)*ret + i * size);
		if (status != 0)
			return err_wrap(r->e, "%s[%zu]", what, i);
	}
	return 0;
}

static int attempt_read(struct read *r, json_t *j, void *to)
{
	struct report_attempt *x = to;
	const char *tree, *commit = NULL, *how, *why = NULL;
	int status = jx_unpack(j, r->e, "attempt", "{s:s, s?s, s:s, s?s !}", "tree",
		&tree, "commit", &commit, "how", &how, "why", &why);

	if (status == 0)
		*x = (struct report_attempt){
			dup(r, tree), dup(r, commit), dup(r, how), dup(r, why)};
	return status;
}

static int machine_read(struct read *r, json_t *j, void *to)
{
	struct report_machine *x = to;
	const char *name, *tier, *text;
	int status = jx_unpack(j, r->e, "machine", "{s:s, s:s, s:s !}", "name", &name,
		"tier", &tier, "text", &text);

	if (status == 0)
		status = to_tier(r, tier, &x->tier);
	if (status != 0)
		return status;
	x->name = dup(r, name);
	x->text = dup(r, text);
	return 0;
}

static int topology_read(struct read *r, json_t *j, void *to)
{
	struct report_topology *x = to;
	const char *name, *text, *command = NULL;
	int status = jx_unpack(j, r->e, "topology", "{s:s, s:s, s?s !}", "name", &name,
		"text", &text, "command", &command);

	if (status == 0)
		*x = (struct report_topology){
			dup(r, name), dup(r, text), dup(r, command)};
	return status;
}

static int kernel_read(struct read *r, json_t *j, void *to)
{
	struct report_kernel *x = to;
	const char *side, *why = NULL;
	json_t *errors = NULL;
	json_int_t total = 0;
	int done, ok,
		status = jx_unpack(j, r->e, "build", "{s:s, s:b, s:b, s?s, s?o, s?I !}",
			"side", &side, "done", &done, "ok", &ok, "why", &why, "errors",
			&errors, "n_errors_total", &total);

	if (status == 0)
		status = to_side(r, side, &x->side);
	if (status == 0)
		status = to_texts(
			r, errors, "errors", REPORT_LINES_MAX, &x->errors, &x->n_errors);
	if (status == 0)
		status = to_int(r, total, "n_errors_total", &x->n_errors_total);
	if (status != 0)
		return status;
	x->done = done;
	x->ok = ok;
	x->why = dup(r, why);
	return 0;
}

static int event_read(struct read *r, json_t *j, void *to)
{
	struct report_event *x = to;
	const char *kind, *text, *function = NULL;
	json_t *stack = NULL;
	json_int_t line = 0;
	int status = jx_unpack(j, r->e, "event", "{s:s, s:s, s?s, s?I, s?o !}", "kind",
		&kind, "text", &text, "function", &function, "line", &line, "stack",
		&stack);

	if (status == 0)
		status = to_texts(r, stack, "stack", STACK_MAX, &x->stack, &x->n_stack);
	if (status != 0)
		return status;
	x->kind = dup(r, kind);
	x->text = dup(r, text);
	x->function = dup(r, function);
	x->line = line;
	return 0;
}

static int boot_read(struct read *r, json_t *j, void *to)
{
	struct report_boot *x = to;
	const char *topology, *side, *outcome, *why = NULL, *log_url = NULL;
	json_t *events = NULL;
	json_int_t block;
	void *list = NULL;
	int shared = 0;
	int status = jx_unpack(j, r->e, "boot",
		"{s:s, s:I, s:s, s:s, s?s, s?b, s?o, s?s !}", "topology", &topology,
		"block", &block, "side", &side, "outcome", &outcome, "why", &why,
		"shared", &shared, "events", &events, "log_url", &log_url);

	if (status == 0)
		status = to_side(r, side, &x->side);
	if (status == 0)
		status = to_int(r, block, "block", &x->block);
	if (status == 0 && report_outcome_parse(outcome, &x->outcome) != 0)
		status = err_set(r->e, ERR_INVALID, "boot: no outcome '%.30s'", outcome);
	if (status == 0)
		status = to_list(r, events, "events", EVENTS_MAX, sizeof(*x->events),
			event_read, &list, &x->n_events);
	if (status != 0)
		return status;
	x->events = list;
	x->topology = dup(r, topology);
	x->why = dup(r, why);
	x->log_url = dup(r, log_url);
	x->shared = shared;
	return 0;
}

static int samples_read(struct read *r, json_t *j, void *to)
{
	struct report_samples *x = to;
	const char *side;
	json_t *values;
	json_int_t block;
	double *v;
	int status = jx_unpack(j, r->e, "samples", "{s:s, s:I, s:o !}", "side", &side,
		"block", &block, "values", &values);

	if (status == 0)
		status = to_side(r, side, &x->side);
	if (status == 0)
		status = to_int(r, block, "block", &x->block);
	if (status == 0)
		status = check_array(r, values, "values", VALUES_MAX, &x->n_values);
	if (status != 0)
		return status;
	x->values = v = ARENA_ARRAY(r->a, double, x->n_values + 1);
	for (size_t i = 0; i < x->n_values; i++) {
		if (!json_is_number(json_array_get(values, i)))
			return err_set(r->e, ERR_INVALID, "values[%zu] is no number", i);
		v[i] = json_number_value(json_array_get(values, i));
	}
	return 0;
}

static int measure_read(struct read *r, json_t *j, void *to)
{
	struct report_measure *x = to;
	const char *tier, *topology, *bench, *case_, *metric, *better;
	const char *load = NULL, *unit = NULL, *command = NULL;
	json_t *samples;
	void *list = NULL;
	int status = jx_unpack(j, r->e, "row",
		"{s:s, s:s, s:s, s:s, s?s, s:s, s?s, s:s, s?s, s:o !}", "tier", &tier,
		"topology", &topology, "bench", &bench, "case", &case_, "load", &load,
		"metric", &metric, "unit", &unit, "better", &better, "command", &command,
		"samples", &samples);

	if (status == 0)
		status = to_tier(r, tier, &x->tier);
	if (status == 0 && bench_better_parse(better, &x->better) != 0)
		status = err_set(r->e, ERR_INVALID,
			"better is lower or higher, not '%.20s'", better);
	if (status == 0)
		status = to_list(r, samples, "samples", SAMPLES_MAX, sizeof(*x->samples),
			samples_read, &list, &x->n_samples);
	if (status != 0)
		return status;
	x->samples = list;
	x->topology = dup(r, topology);
	x->bench = dup(r, bench);
	x->case_ = dup(r, case_);
	x->load = dup(r, load);
	x->metric = dup(r, metric);
	x->unit = dup(r, unit);
	x->command = dup(r, command);
	return 0;
}

static int missing_read(struct read *r, json_t *j, void *to)
{
	struct report_missing *x = to;
	const char *what, *why;
	int status =
		jx_unpack(j, r->e, "missing", "{s:s, s:s !}", "what", &what, "why", &why);

	if (status == 0)
		*x = (struct report_missing){dup(r, what), dup(r, why)};
	return status;
}

static int conflict_read(struct read *r, json_t *j, const struct report_conflict **ret)
{
	struct report_conflict *x = ARENA_NEW(r->a, struct report_conflict);
	const char *title, *file = NULL, *header = NULL, *reason;
	json_int_t patch_n, n_patches, hunk = 0, n_hunks = 0;
	json_t *closest = NULL;
	int status;

	*ret = NULL;
	if (!j || json_is_null(j))
		return 0;
	status = jx_unpack(j, r->e, "conflict",
		"{s:I, s:I, s:s, s?s, s?I, s?I, s?s, s:s, s?o !}", "patch_n", &patch_n,
		"n_patches", &n_patches, "title", &title, "file", &file, "hunk", &hunk,
		"n_hunks", &n_hunks, "header", &header, "reason", &reason, "closest",
		&closest);
	if (status == 0)
		status = to_int(r, patch_n, "patch_n", &x->patch_n);
	if (status == 0)
		status = to_int(r, n_patches, "n_patches", &x->n_patches);
	if (status == 0)
		status = to_int(r, hunk, "hunk", &x->hunk);
	if (status == 0)
		status = to_int(r, n_hunks, "n_hunks", &x->n_hunks);
	if (status == 0)
		status = to_texts(r, closest, "closest", 12, &x->closest, &x->n_closest);
	if (status != 0)
		return status;
	x->title = dup(r, title);
	x->file = dup(r, file);
	x->header = dup(r, header);
	x->reason = dup(r, reason);
	*ret = x;
	return 0;
}

static int design_read(struct read *r, json_t *j, const struct report_design **ret)
{
	struct report_design *x = ARENA_NEW(r->a, struct report_design);
	const char *seed;
	json_int_t k, n_warmup = 0, n_runs = 0;
	int status;

	*ret = NULL;
	if (!j || json_is_null(j))
		return 0;
	status = jx_unpack(j, r->e, "design", "{s:I, s:s, s?I, s?I !}", "k_blocks", &k,
		"seed", &seed, "n_warmup", &n_warmup, "n_runs", &n_runs);
	if (status == 0)
		status = to_int(r, k, "k_blocks", &x->k_blocks);
	if (status == 0)
		status = to_int(r, n_warmup, "n_warmup", &x->n_warmup);
	if (status == 0)
		status = to_int(r, n_runs, "n_runs", &x->n_runs);
	if (status != 0)
		return status;
	x->seed = dup(r, seed);
	*ret = x;
	return 0;
}

struct lists {
	json_t *attempts, *conflict, *machines, *topologies, *design, *builds, *boots;
	json_t *measures, *missing, *repeat;
};

static int lists_read(struct read *r, const struct lists *l, struct report_input *in)
{
	const struct {
		json_t *j;
		const char *what;
		size_t max, size;
		int (*one)(struct read *, json_t *, void *);
		const void *ret; /* address of the pointer in the struct */
		size_t *ret_n;
	} rows[] = {
		{l->attempts, "attempts", REPORT_LINES_MAX, sizeof(*in->attempts),
			attempt_read, &in->attempts, &in->n_attempts},
		{l->machines, "machines", REPORT_LINES_MAX, sizeof(*in->machines),
			machine_read, &in->machines, &in->n_machines},
		{l->topologies, "topologies", REPORT_LINES_MAX, sizeof(*in->topologies),
			topology_read, &in->topologies, &in->n_topologies},
		{l->builds, "builds", 2, sizeof(*in->builds), kernel_read, &in->builds,
			&in->n_builds},
		{l->boots, "boots", REPORT_BOOTS_MAX, sizeof(*in->boots), boot_read,
			&in->boots, &in->n_boots},
		{l->measures, "measures", REPORT_ROWS_MAX, sizeof(*in->measures),
			measure_read, &in->measures, &in->n_measures},
		{l->missing, "missing", REPORT_LINES_MAX, sizeof(*in->missing),
			missing_read, &in->missing, &in->n_missing},
	};
	int status = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && status == 0; i++) {
		void *list = NULL;

		status = to_list(r, rows[i].j, rows[i].what, rows[i].max, rows[i].size,
			rows[i].one, &list, rows[i].ret_n);
		memcpy((void *)rows[i].ret, &list, sizeof(list));
	}
	if (status == 0)
		status = conflict_read(r, l->conflict, &in->conflict);
	if (status == 0)
		status = design_read(r, l->design, &in->design);
	if (status == 0)
		status = to_texts(r, l->repeat, "repeat", REPORT_LINES_MAX, &in->repeat,
			&in->n_repeat);
	return status;
}

/* null means the same as an absent key: writers may say either. */
static void drop_nulls(json_t *j)
{
	const char *key;
	json_t *value;
	void *next;
	size_t i;

	json_object_foreach_safe(j, next, key, value)
	{
		if (json_is_null(value))
			json_object_del(j, key);
		else
			drop_nulls(value);
	}
	json_array_foreach(j, i, value) drop_nulls(value);
}

static int input_read(
	struct arena *a, json_t *j, struct report_input **ret, struct err *e)
{
	static const char *const kinds[] = {
		"result", "does_not_apply", "does_not_build", "in_base"};
	struct report_input *in = ARENA_NEW(a, struct report_input);
	struct read r = {a, e};
	struct lists l = {0};
	const char *kind, *message_id;
	json_int_t v, n_patches;
	int kind_no = 0, can_opt_out = 0;
	int status = jx_unpack(j, e, "report",
		"{s:I, s:s, s?s, s:s, s:I, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, s?s, "
		"s?s, "
		"s?b, s?o, s?o, s?o, s?o, s?o, s?o, s?o, s?o, s?o, s?o !}",
		"v", &v, "kind", &kind, "title", &in->title, "message_id", &message_id,
		"n_patches", &n_patches, "applied", &in->applied, "base_tree",
		&in->base_tree, "base_commit", &in->base_commit, "base_how",
		&in->base_how, "config", &in->config, "config_url", &in->config_url,
		"arch", &in->arch, "compiler", &in->compiler, "url", &in->url, "contact",
		&in->contact, "can_opt_out", &can_opt_out, "attempts", &l.attempts,
		"conflict", &l.conflict, "machines", &l.machines, "topologies",
		&l.topologies, "design", &l.design, "builds", &l.builds, "boots",
		&l.boots, "measures", &l.measures, "missing", &l.missing, "repeat",
		&l.repeat);

	if (status == 0 && v != 1)
		status = err_set(e, ERR_UNSUPPORTED,
			"report: version %lld, this program reads 1", (long long)v);
	if (status == 0)
		status = to_enum(&r, kinds, ARRAY_LEN(kinds), kind, &kind_no);
	if (status == 0)
		status = to_int(&r, n_patches, "n_patches", &in->n_patches);
	if (status == 0)
		status = lists_read(&r, &l, in);
	if (status != 0)
		return err_wrap(e, "report input");
	in->kind = (enum report_kind)kind_no;
	in->can_opt_out = can_opt_out;
	in->message_id = dup(&r, message_id);
	in->title = dup(&r, in->title);
	in->applied = dup(&r, in->applied);
	in->base_tree = dup(&r, in->base_tree);
	in->base_commit = dup(&r, in->base_commit);
	in->base_how = dup(&r, in->base_how);
	in->config = dup(&r, in->config);
	in->config_url = dup(&r, in->config_url);
	in->arch = dup(&r, in->arch);
	in->compiler = dup(&r, in->compiler);
	in->url = dup(&r, in->url);
	in->contact = dup(&r, in->contact);
	*ret = in;
	return 0;
}

int report_input_from_json(
	struct arena *a, json_t *j, struct report_input **ret, struct err *e)
{
	json_auto_t *copy = json_deep_copy(j);

	drop_nulls(copy);
	return input_read(a, copy, ret, e);
}
