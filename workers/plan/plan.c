/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/plan/plan.h"

#include "base/blob.h"
#include "patch/borrow.h"
#include "patch/pack.h"
#include "plan/plan.h"
#include "plan/spans.h"
#include "plan/touch_load.h"

#define WORK_REPO "work.git"

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
	json_t *topologies;
	const char *version, *profile;
	const char *tree, *base_commit, *patched_commit, *pack;
	struct plan_input in;
};

static int wanted_parse(json_t *in, struct wanted *w, struct err *e)
{
	const char *const *topologies;
	json_int_t k_blocks, n_runs;
	json_t *name;
	size_t i;
	struct plan_bench *bench = ARENA_NEW(w->j->arena, struct plan_bench);
	int status = jx_unpack(in, e, "plan",
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:I "
		"!}",
		"root", &w->in.root_msgid, "version", &w->version, "tree", &w->tree,
		"base_commit", &w->base_commit, "base_tree", &w->in.base_tree,
		"patched_commit", &w->patched_commit, "patched_tree", &w->in.patched_tree,
		"pack", &w->pack, "arch", &w->in.arch, "config", &w->in.config_id,
		"profile", &w->profile, "topologies", &w->topologies, "k_blocks",
		&k_blocks, "n_runs", &n_runs);

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

/* Both sides, file by file, in a repository of our own: the branch of the series may not
 * stand in the tree yet. */
static int look_at_series(struct wanted *w, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct arena *a = w->j->arena;
	struct touch_input in = {0};
	struct touch_table *table;
	struct touch_file *files;
	const char *from[] = {
		arena_printf(a, "%s/trees/%s.git", w->j->data, w->tree), NULL};
	char pack[BLOB_PATH_MAX];
	int status = touch_table_parse(
		touch_table_text, strlen(touch_table_text), a, &table, e);

	if (status == 0)
		status = blob_path(w->j->blobs, w->pack, pack, e);
	if (status == 0)
		status = repo_borrow(WORK_REPO, from, &r, e);
	if (status == 0)
		status = pack_ingest(r, pack, e);
	if (status == 0)
		status = touch_load(
			r, w->base_commit, w->patched_commit, a, &files, &in.n_files, e);
	if (status != 0)
		return status;
	spans_scan(a, files, in.n_files, &w->in.spans_why);
	in.files = files;
	in.table = table;
	w->in.touch = touch_make(a, &in);
	return 0;
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
	status = look_at_series(&w, e);
	if (status != 0)
		return status;
	seed = plan_seed(w.in.root_msgid, w.in.series_version, hex);
	status = plan_make(j->arena, &w.in, seed, &p, e);
	if (status != 0)
		return status;
	*ret = jx_pack("{s:o, s:o, s:s}", "plan", plan_to_json(p), "boot_benches",
		boot_benches(j->arena, p), "why", sentence(j->arena, p));
	return 0;
}
