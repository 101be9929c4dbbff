/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_null.c - kind `null`: builds and boots that only draw from known distributions, to
 * test the whole chain without a kernel. Same payload, same samples. Test databases only.
 *
 * value = mean * (1 + effect%, patched only) * exp(boot_sd% * zb + run_sd% * zr), zb
 * drawn once a boot and load, zr once a run.
 */
#include "base/base.h"
#include "runners/kinds.h"

#include "base/rng.h"
#include "runners/logcheck.h"
#include <math.h>

#define RUNS_MAX    1000
#define BENCHES_MAX 64

struct null_job {
	const char *role, *side, *seed, *topology;
	const char *fail; /* NULL: none */
	int block, runs;
	json_t *benches;
	double mean, boot_sd_pct, run_sd_pct, effect_pct;
	bool patched;
};

static int payload_read(json_t *j, struct null_job *n, struct err *e)
{
	json_t *topology, *block, *fail, *ignored = NULL;
	int v, r;

	r = jx_unpack(j, e, "null",
		"{s:i, s:s, s:s, s:s, s:o, s:o, s:i, s:o, s:F, s:F, s:F, s:F, s:o, s?o "
		"!}",
		"v", &v, "role", &n->role, "side", &n->side, "seed", &n->seed, "topology",
		&topology, "block", &block, "runs", &n->runs, "benches", &n->benches,
		"mean", &n->mean, "boot_sd_pct", &n->boot_sd_pct, "run_sd_pct",
		&n->run_sd_pct, "effect_pct", &n->effect_pct, "fail", &fail, "kernel",
		&ignored);
	if (r)
		return r;
	n->topology = json_string_value(topology) ? json_string_value(topology) : "";
	n->block = (int)json_integer_value(block);
	n->fail = json_string_value(fail);
	n->patched = !strcmp(n->side, "patched");
	if (v != 1 || (!n->patched && strcmp(n->side, "base")) ||
		(strcmp(n->role, "build") && strcmp(n->role, "boot")))
		return err_set(e, ERR_INVALID, "null: odd version, side or role");
	if (n->runs < 0 || n->runs > RUNS_MAX || !json_is_array(n->benches) ||
		json_array_size(n->benches) > BENCHES_MAX)
		return err_set(e, ERR_INVALID, "null: too many runs or benches");
	if ((!strcmp(n->role, "boot") && !(n->mean > 0)) ||
		strspn(n->seed, "0123456789abcdef") != 16 || n->seed[16])
		return err_set(e, ERR_INVALID, "null: odd mean or seed");
	return 0;
}

static json_t *samples_json(struct arena *a, const struct null_job *n, struct err *e)
{
	double mean = n->mean * (n->patched ? 1 + n->effect_pct / 100 : 1);
	json_t *list = json_array(), *item;
	size_t i;

	json_array_foreach(n->benches, i, item)
	{
		const char *bench, *load;
		struct rng rng;
		double boot;

		if (jx_unpack(item, e, "bench", "{s:s, s:s}", "bench", &bench, "load",
			    &load)) {
			json_decref(list);
			return NULL;
		}
		rng_seed_named(&rng, strtoull(n->seed, NULL, 16),
			arena_printf(a, "%s %d %s %s %s", n->topology, n->block, n->side,
				bench, load));
		boot = rng_normal(&rng) * n->boot_sd_pct / 100;
		for (int k = 0; k < n->runs; k++)
			json_array_append_new(list,
				jx_pack("{s:s, s:s, s:s, s:i, s:f, s:s, s:s}", "bench",
					bench, "load", load, "metric", "time", "n", k,
					"value",
					mean * exp(boot + rng_normal(&rng) *
								  n->run_sd_pct / 100),
					"unit", "s", "better", "lower"));
	}
	return list;
}

static int null_build(struct job_env *env, const struct null_job *n,
	struct job_outcome *ret, struct err *e)
{
	bool broken = n->fail && !strcmp(n->fail, "build") && n->patched;
	json_t *errors = json_array();
	char sha[SHA256_HEX] = "";
	int r = 0;

	if (broken)
		json_array_append_new(errors,
			jx_pack("{s:s, s:i, s:s}", "path", "kernel/sched/null.c", "line",
				1, "text", "this patch was told not to compile"));
	else
		r = job_put_text(env, "kernel",
			arena_printf(env->a, "null kernel %s %s\n", n->seed, n->side),
			sha, e);
	if (r) {
		json_decref(errors);
		return r;
	}
	ret->outcome = broken ? "failed" : "done";
	ret->why = broken ? "kernel/sched/null.c:1: this patch was told not to compile"
			  : NULL;
	ret->has_log = true;
	ret->result = jx_pack("{s:i, s:s, s:o, s:o, s:o, s:[], s:i, s:i, s:s, s:s}", "v",
		1, "status", broken ? "broken" : "ok", "kernel",
		jx_str_or_null(broken ? NULL : sha), "release",
		jx_str_or_null(broken ? NULL : "0.0.0-null"), "errors", errors,
		"warnings", "compiles", 1, "wall_ms", 1, "cc", "null", "sandbox",
		"null: nothing was run");
	return 0;
}

static int null_boot(struct job_env *env, const struct null_job *n,
	struct job_outcome *ret, struct err *e)
{
	bool panics = n->fail && !strcmp(n->fail, "panic") && n->patched;
	const char *text = panics ? "[    0.000000] Linux version 0.0.0-null\n"
				    "[    0.100000] Kernel panic - not syncing: this "
				    "patch was told to panic\n"
				  : "[    0.000000] Linux version 0.0.0-null\n"
				    "[    0.100000] Run /init as init process\n";
	json_t *samples = panics ? json_array() : samples_json(env->a, n, e);
	json_auto_t *log = NULL;
	char sha[SHA256_HEX];
	struct log_check *c;
	int r;

	if (!samples)
		return ERR_INVALID;
	r = logcheck_parse(env->a, text, strlen(text), &c, e);
	if (!r)
		r = job_put_text(env, "serial", text, sha, e);
	if (r) {
		json_decref(samples);
		return r;
	}
	log = logcheck_to_json(c);
	ret->outcome = "done";
	ret->why = panics ? "the kernel panicked before user space: Kernel panic - not "
			    "syncing: "
			    "this patch was told to panic"
			  : NULL;
	ret->result =
		jx_pack("{s:i, s:s, s:b, s:s, s:s, s:s, s:s, s:[], s:s, s:n, s:O, s:o, "
			"s:i, s:s}",
			"v", 1, "status", panics ? "broken" : "ok", "booted", !panics,
			"release", "0.0.0-null", "accel", "null", "accel_why",
			"nothing was booted", "qemu", "null", "argv", "serial", sha,
			"raw", "events", json_object_get(log, "events"), "samples",
			samples, "wall_ms", 1, "sandbox", "null: nothing was run");
	return 0;
}

static int run(
	struct job_env *env, json_t *payload, struct job_outcome *ret, struct err *e)
{
	struct null_job n;
	int r = payload_read(payload, &n, e);

	if (r)
		return r;
	job_note(env, "null %s of %s, seed %s, block %d on %s", n.role, n.side, n.seed,
		n.block, *n.topology ? n.topology : "nothing");
	return !strcmp(n.role, "build") ? null_build(env, &n, ret, e)
					: null_boot(env, &n, ret, e);
}

const struct job_kind kind_null = {
	.name = "null", .help = "known distributions, for tests", .run = run};
