// SPDX-License-Identifier: GPL-2.0-or-later
/* codec.c - struct plan as JSON, strict on the way in. */
#include "base/base.h"

#include "plan/plan.h"

#define CELLS_MAX (PLAN_TOPOS_MAX * (PLAN_BENCHES_MAX + 1) + 1)
#define RUNS_MAX  (PLAN_TOPOS_MAX * PLAN_BLOCKS_MAX * 2)
#define TEXTS_MAX 256

static json_t *texts_to_json(const char *const *texts, size_t n)
{
	json_t *j = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(j, jx_text(texts[i], strlen(texts[i])));
	return j;
}

json_t *plan_to_json(const struct plan *p)
{
	json_t *benches = json_array(), *cells = json_array(), *builds = json_array();
	json_t *runs = json_array();

	for (size_t i = 0; i < p->n_benches; i++) {
		const struct plan_bench *b = &p->benches[i];

		json_array_append_new(benches,
			jx_pack("{s:s, s:s, s:s, s:o, s:i, s:i}", "bench", b->bench,
				"case", b->case_, "load", b->load, "command",
				jx_text(b->command, strlen(b->command)), "n_warmup",
				b->n_warmup, "n_runs", b->n_runs));
	}
	for (size_t i = 0; i < p->n_cells; i++) {
		const struct plan_cell *c = &p->cells[i];

		json_array_append_new(cells,
			jx_pack("{s:i, s:s, s:s, s:s?, s:o, s:o}", "id", c->id, "action",
				plan_action_name(c->action), "tier",
				plan_tier_name(c->tier), "topology", c->topology, "bench",
				c->bench < 0 ? json_null() : json_integer(c->bench),
				"why", jx_text(c->why, strlen(c->why))));
	}
	for (size_t i = 0; i < p->n_builds; i++)
		json_array_append_new(
			builds, jx_pack("{s:s, s:s, s:s}", "side",
					plan_side_name(p->builds[i].side), "tree",
					p->builds[i].tree, "key", p->builds[i].key));
	for (size_t i = 0; i < p->n_runs; i++) {
		const struct plan_run *r = &p->runs[i];

		json_array_append_new(
			runs, jx_pack("{s:i, s:s, s:i, s:s, s:i, s:s, s:s}", "seq",
				      r->seq, "topology", r->topology, "block", r->block,
				      "side", plan_side_name(r->side), "order", r->order,
				      "key", r->key, "build_key", r->build_key));
	}
	return jx_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}",
		"v", PLAN_VERSION, "seed", p->seed, "k_blocks", p->k_blocks, "arch",
		p->arch, "config_id", p->config_id, "load_id", p->load_id, "benches",
		benches, "cells", cells, "builds", builds, "runs", runs, "aspects",
		texts_to_json(p->aspects, p->n_aspects), "notes",
		texts_to_json(p->notes, p->n_notes));
}

/* ---- in ---- */

static int array_check(json_t *j, const char *what, size_t max, struct err *e)
{
	if (!json_is_array(j))
		return err_set(e, ERR_INVALID, "%s is no array", what);
	if (json_array_size(j) > max)
		return err_set(e, ERR_TOO_BIG, "%s: %zu entries; limit %zu", what,
			json_array_size(j), max);
	return 0;
}

static int small_int(json_int_t v, const char *what, int max, int *ret, struct err *e)
{
	if (v < 0 || v > max)
		return err_set(e, ERR_INVALID, "%s: %lld is not in 0..%d", what,
			(long long)v, max);
	*ret = (int)v;
	return 0;
}

static int texts_from_json(struct arena *a, json_t *j, const char *what,
	const char ***ret, size_t *ret_n, struct err *e)
{
	int status = array_check(j, what, TEXTS_MAX, e);

	if (status != 0)
		return status;
	*ret_n = json_array_size(j);
	*ret = ARENA_ARRAY(a, const char *, *ret_n + 1);
	for (size_t i = 0; i < *ret_n; i++) {
		const char *s = json_string_value(json_array_get(j, i));

		if (!s)
			return err_set(e, ERR_INVALID, "%s[%zu] is no string", what, i);
		(*ret)[i] = arena_strdup(a, s);
	}
	return 0;
}

static int bench_from_json(
	struct arena *a, json_t *j, struct plan_bench *b, struct err *e)
{
	const char *bench, *case_, *load, *command;
	json_int_t n_warmup, n_runs;
	int status = jx_unpack(j, e, "benches", "{s:s, s:s, s:s, s:s, s:I, s:I !}",
		"bench", &bench, "case", &case_, "load", &load, "command", &command,
		"n_warmup", &n_warmup, "n_runs", &n_runs);

	if (status == 0)
		status = small_int(n_warmup, "n_warmup", 100, &b->n_warmup, e);
	if (status == 0)
		status = small_int(n_runs, "n_runs", 1000, &b->n_runs, e);
	if (status != 0)
		return status;
	b->bench = arena_strdup(a, bench);
	b->case_ = arena_strdup(a, case_);
	b->load = arena_strdup(a, load);
	b->command = arena_strdup(a, command);
	return 0;
}

static int cell_from_json(struct arena *a, json_t *j, const struct plan *p,
	struct plan_cell *c, struct err *e)
{
	const char *action, *tier, *topology, *why;
	json_t *where, *bench;
	json_int_t id;
	int status = jx_unpack(j, e, "cells", "{s:I, s:s, s:s, s:o, s:o, s:s !}", "id",
		&id, "action", &action, "tier", &tier, "topology", &where, "bench",
		&bench, "why", &why);

	if (status == 0)
		status = small_int(id, "cells: id", CELLS_MAX, &c->id, e);
	if (status != 0)
		return status;
	topology = json_string_value(where);
	if (plan_action_parse(action, &c->action) != 0 ||
		plan_tier_parse(tier, &c->tier) != 0)
		return err_set(e, ERR_INVALID, "cells: no action '%.20s' or tier '%.20s'",
			action, tier);
	if ((!topology && !json_is_null(where)) ||
		(!topology) != (c->action == PLAN_BUILD))
		return err_set(e, ERR_INVALID, "cells: a topology belongs to boots only");
	if (!json_is_null(bench) && !json_is_integer(bench))
		return err_set(
			e, ERR_INVALID, "cells: bench is neither a number nor null");
	c->bench = -1;
	if (json_is_integer(bench) &&
		(json_integer_value(bench) < 0 ||
			(size_t)json_integer_value(bench) >= p->n_benches))
		return err_set(e, ERR_INVALID, "cells: there is no such bench");
	if (json_is_integer(bench))
		c->bench = (int)json_integer_value(bench);
	if ((c->bench < 0) != (c->action != PLAN_BENCH))
		return err_set(
			e, ERR_INVALID, "cells: a bench belongs to bench cells only");
	c->topology = arena_strdup(a, topology);
	c->why = arena_strdup(a, why);
	return 0;
}

static int build_from_json(
	struct arena *a, json_t *j, struct plan_build *b, struct err *e)
{
	const char *side, *tree, *key;
	int status = jx_unpack(j, e, "builds", "{s:s, s:s, s:s !}", "side", &side, "tree",
		&tree, "key", &key);

	if (status != 0)
		return status;
	if (plan_side_parse(side, &b->side) != 0)
		return err_set(e, ERR_INVALID, "builds: no side '%.20s'", side);
	b->tree = arena_strdup(a, tree);
	b->key = arena_strdup(a, key);
	return 0;
}

static int run_from_json(struct arena *a, json_t *j, struct plan_run *r, struct err *e)
{
	const char *topology, *side, *key, *build_key;
	json_int_t seq, block, order;
	int status = jx_unpack(j, e, "runs", "{s:I, s:s, s:I, s:s, s:I, s:s, s:s !}",
		"seq", &seq, "topology", &topology, "block", &block, "side", &side,
		"order", &order, "key", &key, "build_key", &build_key);

	if (status == 0)
		status = small_int(seq, "runs: seq", RUNS_MAX, &r->seq, e);
	if (status == 0)
		status = small_int(
			block, "runs: block", PLAN_BLOCKS_MAX - 1, &r->block, e);
	if (status == 0)
		status = small_int(order, "runs: order", 1, &r->order, e);
	if (status != 0)
		return status;
	if (plan_side_parse(side, &r->side) != 0)
		return err_set(e, ERR_INVALID, "runs: no side '%.20s'", side);
	r->topology = arena_strdup(a, topology);
	r->key = arena_strdup(a, key);
	r->build_key = arena_strdup(a, build_key);
	return 0;
}

/* The arrays of objects, each with its cap and reader. */
static int lists_from_json(struct arena *a, struct plan *p, json_t *benches,
	json_t *cells, json_t *builds, json_t *runs, struct err *e)
{
	int status = array_check(benches, "benches", PLAN_BENCHES_MAX, e);

	if (status == 0)
		status = array_check(cells, "cells", CELLS_MAX, e);
	if (status == 0)
		status = array_check(builds, "builds", 2, e);
	if (status == 0)
		status = array_check(runs, "runs", RUNS_MAX, e);
	if (status != 0)
		return status;
	p->n_benches = json_array_size(benches);
	p->benches = ARENA_ARRAY(a, struct plan_bench, p->n_benches + 1);
	p->n_cells = json_array_size(cells);
	p->cells = ARENA_ARRAY(a, struct plan_cell, p->n_cells + 1);
	p->n_builds = json_array_size(builds);
	p->builds = ARENA_ARRAY(a, struct plan_build, p->n_builds + 1);
	p->n_runs = json_array_size(runs);
	p->runs = ARENA_ARRAY(a, struct plan_run, p->n_runs + 1);
	for (size_t i = 0; i < p->n_benches && status == 0; i++)
		status =
			bench_from_json(a, json_array_get(benches, i), &p->benches[i], e);
	for (size_t i = 0; i < p->n_cells && status == 0; i++)
		status = cell_from_json(a, json_array_get(cells, i), p, &p->cells[i], e);
	for (size_t i = 0; i < p->n_builds && status == 0; i++)
		status = build_from_json(a, json_array_get(builds, i), &p->builds[i], e);
	for (size_t i = 0; i < p->n_runs && status == 0; i++)
		status = run_from_json(a, json_array_get(runs, i), &p->runs[i], e);
	return status;
}

int plan_from_json(struct arena *a, json_t *j, struct plan **ret, struct err *e)
{
	struct plan *p = ARENA_NEW(a, struct plan);
	json_t *benches, *cells, *builds, *runs, *aspects, *notes;
	const char *seed, *arch, *config_id, *load_id;
	json_int_t v, k;
	int status = jx_unpack(j, e, "plan",
		"{s:I, s:s, s:I, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o !}", "v", &v,
		"seed", &seed, "k_blocks", &k, "arch", &arch, "config_id", &config_id,
		"load_id", &load_id, "benches", &benches, "cells", &cells, "builds",
		&builds, "runs", &runs, "aspects", &aspects, "notes", &notes);

	if (status != 0)
		return status;
	if (v != PLAN_VERSION)
		return err_set(e, ERR_UNSUPPORTED,
			"plan: version %lld, this program reads %d", (long long)v,
			PLAN_VERSION);
	if (strspn(seed, "0123456789abcdef") != PLAN_SEED_HEX - 1 ||
		seed[PLAN_SEED_HEX - 1])
		return err_set(e, ERR_INVALID, "plan: the seed is not 16 hex digits");
	memcpy(p->seed, seed, PLAN_SEED_HEX);
	if (k < 1)
		return err_set(e, ERR_INVALID, "plan: no blocks");
	status = small_int(k, "plan: k_blocks", PLAN_BLOCKS_MAX, &p->k_blocks, e);
	if (status == 0)
		status = lists_from_json(a, p, benches, cells, builds, runs, e);
	if (status == 0)
		status = texts_from_json(
			a, aspects, "aspects", &p->aspects, &p->n_aspects, e);
	if (status == 0)
		status = texts_from_json(a, notes, "notes", &p->notes, &p->n_notes, e);
	if (status != 0)
		return err_wrap(e, "plan");
	p->arch = arena_strdup(a, arch);
	p->config_id = arena_strdup(a, config_id);
	p->load_id = arena_strdup(a, load_id);
	*ret = p;
	return 0;
}
