/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * job_build.c - kind `build`: one kernel of one git tree. Packs are fetched once, the
 * source folder of the tree is moved by content, and its build folder only compiles what
 * that changed. A patch whose files run on this machine while it builds gets a copy of
 * the build folder, so that nothing it leaves can reach the next series.
 */
#include "base/base.h"
#include "runners/kinds.h"

#include "base/file.h"
#include "runners/kbuild.h"
#include <unistd.h>

#define STEPS_FULL_GUESS 1400 /* x86_64 fragment, 6.1 */
#define STEPS_FEW_GUESS  45

struct build_job {
	const char *arch, *config, *tree_name, *label;
	const char *base_commit, *base_tree, *base_pack, *commit, *tree;
	const char *patch_pack; /* NULL: none */
	/* What the series stands on: warnings that it has are not the series'. base_tree,
	 * or that with patches of others. */
	const char *before_tree;
};

static int payload_read(json_t *j, struct build_job *b, struct err *e)
{
	json_t *patch_pack;
	int v, r;

	r = jx_unpack(j, e, "build",
		"{s:i, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s?s !}", "v", &v,
		"arch", &b->arch, "config", &b->config, "tree_name", &b->tree_name,
		"label", &b->label, "base_commit", &b->base_commit, "base_tree",
		&b->base_tree, "base_pack", &b->base_pack, "commit", &b->commit, "tree",
		&b->tree, "patch_pack", &patch_pack, "before_tree", &b->before_tree);
	if (r)
		return r;
	if (v != 1)
		return err_set(e, ERR_UNSUPPORTED, "build of version %d", v);
	b->patch_pack = json_string_value(patch_pack);
	if (!b->before_tree)
		b->before_tree = b->base_tree;
	return 0;
}

static int fetch_pack(
	struct job_env *env, const char *sha, const char *what, struct err *e)
{
	const char *file = arena_printf(env->a, "%s/%s.pack", env->dir, what);
	int r;

	if (!sha || cache_has_pack(&env->cache, sha))
		return 0;
	job_progress(env, 0, 0, "steps",
		!strcmp(what, "base") ? "fetching the base" : "fetching the patches");
	job_note(env, "wakelist: fetching the pack of the %s, %.12s", what, sha);
	r = api_blob_get(env->api, sha, file, e);
	if (!r)
		r = cache_add_pack(&env->cache, sha, file, e);
	return r ? err_wrap(e, "while fetching the %s pack", what) : 0;
}

/* A copy of the build folder for a patch that runs code while it builds. */
static int private_copy(
	struct job_env *env, const char *out, const char **ret, struct err *e)
{
	const char *copy = arena_printf(env->a, "%s/out", env->dir);
	const char *const argv[] = {"cp", "-a", "--reflink=auto", out, copy, NULL};
	struct proc_spec ps = {
		.argv = argv, .deadline_ms = 600000, .out_cap_bytes = 4096};
	struct proc_result pr;
	char text[128];
	int r = 0;

	proc_result_init(&pr);
	if (!access(out, F_OK)) {
		r = proc_run(&ps, &pr, e);
		if (!r && pr.exit_status)
			r = err_set(e, ERR_BUSY, "cannot copy the build folder: %s",
				proc_result_text(&pr, text, sizeof(text)));
	}
	proc_result_release(&pr);
	*ret = copy;
	return r;
}

struct plan {
	struct cache_build build;
	const char *out;
	bool is_private, reconfigure;
	int n_steps_guess;
};

static int plan_make(
	struct job_env *env, const struct build_job *b, struct plan *p, struct err *e)
{
	const char **paths = NULL;
	size_t n = 0;
	int r = cache_build_open(
		env->a, &env->cache, b->tree_name, b->arch, b->config, &p->build, e);

	if (r)
		return r;
	p->reconfigure = !p->build.tree;
	if (p->build.tree) {
		r = cache_changed(
			env->a, &env->cache, p->build.tree, b->tree, &paths, &n, e);
		/* What it was built from is not here any more: take no chances. */
		p->reconfigure = r || cache_touches_config(paths, n);
	}
	r = cache_changed(env->a, &env->cache, b->base_tree, b->tree, &paths, &n, e);
	if (r)
		return r;
	p->is_private = cache_runs_code(paths, n);
	p->n_steps_guess =
		p->build.n_steps_full ? p->build.n_steps_full : STEPS_FULL_GUESS;
	if (p->build.tree)
		p->n_steps_guess =
			p->build.n_steps_last ? p->build.n_steps_last : STEPS_FEW_GUESS;
	p->out = p->build.out;
	return p->is_private ? private_copy(env, p->build.out, &p->out, e) : 0;
}

static void on_progress(void *arg, int done, int total)
{
	job_progress(arg, done, total, "steps", "compiling");
}

static const struct cache_warned *warned_find(
	const struct cache_build *b, const char *tree)
{
	for (size_t i = 0; i < CACHE_WARNED_MAX && b->warned[i].tree; i++)
		if (!strcmp(b->warned[i].tree, tree))
			return &b->warned[i];
	return NULL;
}

/* Of the base: all that are known. Of patched: what the base does not have. */
static json_t *warnings_json(struct job_env *env, const struct build_job *b,
	struct plan *p, const struct kbuild_result *k)
{
	const struct cache_warned *base;
	struct build_issue *v = NULL;
	size_t n = 0;

	if (!strcmp(b->tree, b->before_tree))
		cache_build_warn(
			env->a, &p->build, b->tree, k->log->warnings, k->log->n_warnings);
	base = warned_find(&p->build, b->before_tree);
	if (!strcmp(b->tree, b->before_tree))
		return buildlog_issues_json(base->v, base->n);
	if (base)
		buildlog_new_warnings(env->a, k->log, base->v, base->n, &v, &n);
	else
		job_note(env,
			"wakelist: the base was not built here, so new warnings are "
			"not known");
	return buildlog_issues_json(v, n);
}

/* Keeps the image for boots on this machine and puts it on the server. */
static int kernel_keep(struct job_env *env, const struct kbuild_result *k,
	char ret_sha[SHA256_HEX], struct err *e)
{
	const char *const tmp = arena_printf(env->a, "%s/kernel", env->dir);
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	const char *path;
	int r = file_read(k->kernel, (size_t)256 << 20, &buf, e);

	if (!r)
		r = file_write_atomic(tmp, buf.buf, buf.len, 0644, e);
	if (!r)
		r = api_blob_put(env->api, tmp, ret_sha, e);
	if (r)
		return err_wrap(e, "while keeping the kernel");
	path = arena_printf(env->a, "%s/kernels/%s", env->cache.dir, ret_sha);
	if (rename(tmp, path))
		unlink(tmp); /* boots fetch it from the server then */
	return 0;
}

static int build(struct job_env *env, const struct build_job *b, struct plan *p,
	const char *src, struct kbuild_result *k, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	struct kbuild_spec s = {.src = src,
		.out = p->out,
		.arch = b->arch,
		.reconfigure = p->reconfigure,
		.jobs = env->cores,
		.tag = arena_printf(env->a, "wl-%.12s", b->tree),
		.log_path = arena_printf(env->a, "%s/log", env->dir),
		.sandbox = &env->box,
		.limits = kbuild_limits_default,
		.n_steps_guess = p->n_steps_guess,
		.progress = on_progress,
		.arg = env};
	char *title;
	int r = kbuild_fragments(
		env->a, kbuild_config_dir(env->a), b->arch, b->config, &s.fragments, e);

	if (!r)
		r = repo_open(
			arena_printf(env->a, "%s/objects.git", env->cache.dir), &repo, e);
	if (!r)
		r = repo_commit_title(repo, b->commit, env->a, &title, &s.time_s, e);
	if (!r && !p->is_private && kbuild_has_ccache())
		s.ccache_dir = arena_printf(env->a, "%s/ccache", env->cache.dir);
	return r ? r : kbuild_run(env->a, &s, k, e);
}

static int run(
	struct job_env *env, json_t *payload, struct job_outcome *ret, struct err *e)
{
	CLEANUP(base_closep) int lock = -1;
	char sha[SHA256_HEX] = "";
	struct kbuild_result k;
	struct plan p = {0};
	struct build_job b = {.before_tree = NULL};
	const char *src;
	json_t *warnings;
	int r = payload_read(payload, &b, e);

	if (!r)
		r = fetch_pack(env, b.base_pack, "base", e);
	if (!r)
		r = fetch_pack(env, b.patch_pack, "patches", e);
	if (!r)
		r = plan_make(env, &b, &p, e);
	if (!r)
		r = cache_trim(
			env->a, &env->cache, env->cache_limit_bytes, p.build.dir, e);
	if (!r) {
		job_progress(env, 0, p.n_steps_guess, "steps", "moving the source tree");
		r = cache_source(
			env->a, &env->cache, b.tree_name, b.tree, &src, &lock, e);
	}
	if (!r)
		r = build(env, &b, &p, src, &k, e);
	if (r)
		return r;
	if (k.ok)
		r = kernel_keep(env, &k, sha, e);
	if (r)
		return r;
	warnings = warnings_json(env, &b, &p, &k);
	if (!p.is_private) {
		if (!p.build.tree)
			p.build.n_steps_full = k.ok ? k.log->n_steps : 0;
		else if (k.ok && strcmp(p.build.tree, b.tree))
			p.build.n_steps_last = k.log->n_steps;
		p.build.tree = b.tree;
		r = cache_build_save(&p.build, e);
	} else {
		r = file_rm_rf(p.out, e);
	}
	ret->outcome = k.ok ? "done" : "failed";
	ret->why = k.why;
	ret->has_log = true;
	ret->result = jx_pack("{s:i, s:s, s:o, s:o, s:o, s:o, s:i, s:I, s:o, s:s}", "v",
		1, "status", k.ok ? "ok" : "broken", "kernel",
		jx_str_or_null(k.ok ? sha : NULL), "release", jx_str_or_null(k.release),
		"errors", buildlog_issues_json(k.log->errors, k.log->n_errors),
		"warnings", warnings, "compiles", k.log->n_compiles, "wall_ms",
		(json_int_t)k.wall_ms, "cc", jx_text(k.cc, strlen(k.cc)), "sandbox",
		sandbox_text(env->a, &env->box));
	return r;
}

const struct job_kind kind_build = {
	.name = "build", .help = "kernels, with a config fragment", .run = run};
