/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/plan/plan.h"

#include "plan/plan.h"

/* What a boot of each profile carries. */
static const struct profile {
	const char *name;
	struct plan_bench bench;
} profiles[] = {
	{"emulated", {.bench = "hackbench",
			     .case_ = "process-pipe",
			     .load = "1-groups",
			     .command = "hackbench -p -g 1 -l 100",
			     .n_warmup = 1}},
	{"null", {.bench = "null",
			 .case_ = "normal",
			 .load = "1",
			 .command = "true",
			 .n_warmup = 1}},
};

struct wanted {
	struct job_ctx *j;
	json_t *detail, *topologies;
	const char *version, *profile;
	const char **paths;
	size_t n_paths, cap_paths;
	struct plan_function *functions;
	size_t n_functions, cap_functions;
	struct plan_input in;
};

static void add_path(struct wanted *w, const char *path)
{
	if (!path || w->n_paths == PLAN_PATHS_MAX)
		return;
	for (size_t i = 0; i < w->n_paths; i++)
		if (strcmp(w->paths[i], path) == 0)
			return;
	*ARENA_PUSH(w->j->arena, w->paths, w->n_paths, w->cap_paths) = path;
}

static void add_function(struct wanted *w, const char *path, const char *name)
{
	if (!path || !name || w->n_functions == PLAN_PATHS_MAX)
		return;
	for (size_t i = 0; i < w->n_functions; i++)
		if (strcmp(w->functions[i].path, path) == 0 &&
			strcmp(w->functions[i].name, name) == 0)
			return;
	*ARENA_PUSH(w->j->arena, w->functions, w->n_functions, w->cap_functions) =
		(struct plan_function){path, name};
}

/* Paths and functions of what was applied. */
static void read_touched(struct wanted *w)
{
	json_t *patch, *file, *hunk;
	size_t p, f, h;

	json_array_foreach(json_object_get(w->detail, "patches"), p, patch)
		json_array_foreach(json_object_get(patch, "files"), f, file)
	{
		const char *path = json_string_value(json_object_get(file, "path"));

		add_path(w, path);
		add_path(w, json_string_value(json_object_get(file, "old_path")));
		json_array_foreach(json_object_get(file, "hunks"), h, hunk) add_function(
			w, path, json_string_value(json_object_get(hunk, "function")));
	}
}

static int wanted_parse(json_t *in, struct wanted *w, struct err *e)
{
	const char *const *topologies;
	json_int_t k_blocks, n_runs;
	json_t *name;
	size_t i;
	struct plan_bench *bench = ARENA_NEW(w->j->arena, struct plan_bench);
	int status = jx_unpack(in, e, "plan",
		"{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:o, s:I, s:I !}", "root",
		&w->in.root_msgid, "version", &w->version, "base_tree", &w->in.base_tree,
		"patched_tree", &w->in.patched_tree, "detail", &w->detail, "arch",
		&w->in.arch, "config", &w->in.config_id, "profile", &w->profile,
		"topologies", &w->topologies, "k_blocks", &k_blocks, "n_runs", &n_runs);

	if (status != 0)
		return status;
	topologies = ARENA_ARRAY(
		w->j->arena, const char *, json_array_size(w->topologies) + 1);
	json_array_foreach(w->topologies, i, name)((
		const char **)topologies)[w->in.n_topologies++] = json_string_value(name);
	w->in.topologies = topologies;
	w->in.series_version = atoi(w->version);
	w->in.k_blocks = (int)k_blocks;
	w->in.tier = PLAN_EMULATED;
	for (i = 0; i < ARRAY_LEN(profiles); i++)
		if (strcmp(profiles[i].name, w->profile) == 0) {
			*bench = profiles[i].bench;
			bench->n_runs = (int)n_runs;
			w->in.benches = bench;
			w->in.n_benches = 1;
			return 0;
		}
	return err_set(
		e, ERR_INVALID, "setting plan_profile: no profile \"%s\"", w->profile);
}

/* "hackbench -p" -> ["hackbench","-p"]. */
static json_t *words_json(struct arena *a, const char *command)
{
	json_t *out = json_array();

	while (*command) {
		size_t len = strcspn(command, " ");

		if (len)
			json_array_append_new(
				out, json_string(arena_strndup(a, command, len)));
		command += len + (command[len] == ' ');
	}
	return out;
}

/* As the runner wants them: one load a row, named CASE/LOAD. */
static json_t *boot_benches(struct arena *a, const struct plan *p)
{
	json_t *out = json_array();

	for (size_t i = 0; i < p->n_benches; i++)
		json_array_append_new(out,
			jx_pack("{s:s, s:s, s:o}", "bench", p->benches[i].bench, "load",
				arena_printf(a, "%s/%s", p->benches[i].case_,
					p->benches[i].load),
				"argv", words_json(a, p->benches[i].command)));
	return out;
}

static const char *sentence(struct arena *a, const struct plan *p)
{
	if (p->n_runs == 0)
		return p->n_notes ? p->notes[0] : "nothing to run";
	return arena_printf(
		a, "%zu kernels, %zu boots, seed %s", p->n_builds, p->n_runs, p->seed);
}

int plan_job_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	struct wanted w = {.j = j};
	char hex[PLAN_SEED_HEX];
	struct plan *p;
	uint64_t seed;
	int status = wanted_parse(in, &w, e);

	if (status != 0)
		return status;
	read_touched(&w);
	w.in.paths = w.paths;
	w.in.n_paths = w.n_paths;
	w.in.functions = w.functions;
	w.in.n_functions = w.n_functions;
	seed = plan_seed(w.in.root_msgid, w.in.series_version, hex);
	status = plan_make(j->arena, &w.in, seed, &p, e);
	if (status != 0)
		return status;
	*ret = jx_pack("{s:o, s:o, s:s}", "plan", plan_to_json(p), "boot_benches",
		boot_benches(j->arena, p), "why", sentence(j->arena, p));
	return 0;
}
