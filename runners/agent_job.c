/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agent_job.c - the process of one job: job.json in, outcome.json out. */
#include "base/base.h"
#include "runners/agent.h"

#include "base/file.h"
#include "base/log.h"
#include "runners/kinds.h"

#define JOB_MAX (1u << 20)

struct job_file {
	const char *id, *kind, *server, *token_file, *cache;
	int64_t cache_limit_bytes;
	int cores;
	json_t *payload;
};

static int job_read(json_t *j, struct job_file *f, struct err *e)
{
	json_int_t limit, fence;
	int v, r = jx_unpack(j, e, "job.json",
		       "{s:i, s:s, s:I, s:s, s:s, s:s, s:s, s:I, s:i, s:o !}", "v", &v,
		       "id", &f->id, "fence", &fence, "kind", &f->kind, "server",
		       &f->server, "token_file", &f->token_file, "cache", &f->cache,
		       "cache_limit_bytes", &limit, "cores", &f->cores, "payload",
		       &f->payload);

	f->cache_limit_bytes = r ? 0 : limit;
	return r;
}

/* An error of ours: try again elsewhere or later, or wait for a person. */
static const char *outcome_of(enum err_code code)
{
	return err_outcome(code) == ERR_OUTCOME_RETRY ? "retry" : "park";
}

static int outcome_write(const char *dir, const struct job_outcome *o, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(base_freep) char *text = NULL;
	json_auto_t *j = jx_pack("{s:i, s:s, s:o, s:O?, s:b}", "v", 1, "outcome",
		o->outcome, "why", o->why ? jx_text(o->why, strlen(o->why)) : json_null(),
		"result", o->result, "has_log", o->has_log);

	text = jx_dump(j);
	return file_write_atomic(
		arena_printf(a, "%s/outcome.json", dir), text, strlen(text), 0644, e);
}

static int job_do(struct job_env *env, const struct job_file *f, struct job_outcome *o,
	struct err *e)
{
	const struct job_kind *k = job_kind_find(f->kind);
	int r;

	if (!k)
		return err_set(e, ERR_UNSUPPORTED, "no kind %.40s here", f->kind);
	r = cache_init(&env->cache, e);
	if (!r)
		r = api_open(f->server, f->token_file, NULL, &env->api, e);
	if (r)
		return r;
	if (strcmp(f->kind, "null"))
		sandbox_probe(env->a, &env->box);
	return k->run(env, f->payload, o, e);
}

int agent_job(const char *dir)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct job_env env = {.a = a, .dir = dir};
	struct job_outcome o = {0};
	json_auto_t *j = NULL;
	struct job_file f = {0};
	struct err e = {0};
	int r;

	r = jx_load_file(arena_printf(a, "%s/job.json", dir), JOB_MAX, &j, &e);
	if (!r)
		r = job_read(j, &f, &e);
	if (!r) {
		env.id = f.id;
		env.cache.dir = f.cache;
		env.cache_limit_bytes = f.cache_limit_bytes;
		env.cores = f.cores;
		r = job_do(&env, &f, &o, &e);
	}
	if (r) {
		json_decref(o.result);
		o = (struct job_outcome){.outcome = outcome_of(e.code),
			.why = e.msg,
			.has_log = o.has_log};
	}
	api_close(env.api);
	r = outcome_write(dir, &o, &e);
	json_decref(o.result);
	if (r)
		log_error(
			"job_outcome", "job=%s err=%s", f.id ? f.id : "-", log_q(e.msg));
	return r ? 3 : 0;
}
