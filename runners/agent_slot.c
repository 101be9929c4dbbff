/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agent_slot.c - see agent_slot.h. */
#include "runners/agent_slot.h"
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/orphan.h"
#include "base/proc.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTCOME_MAX  (16u << 20)
#define PROGRESS_MAX 4096
#define GIVE_BACK_MS 2000
#define PIECES_MAX   4 /* of a log, in one look */

int slot_start(struct agent *g, struct slot *s, const char *id, int64_t fence,
	int64_t lease_ms, const char *kind, json_t *payload, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(base_freep) char *text = NULL;
	const char *dir =
		arena_printf(a, "%s/jobs/%s.%lld", g->conf->cache, id, (long long)fence);
	const char *const argv[] = {"/proc/self/exe", "--job", dir, NULL};
	struct proc_spec ps = {.argv = argv, .die_with_parent = true};
	json_auto_t *job = jx_pack("{s:i, s:s, s:I, s:s, s:s, s:s, s:s, s:I, s:i, s:O}",
		"v", 1, "id", id, "fence", (json_int_t)fence, "kind", kind, "server",
		g->conf->server, "token_file", g->conf->token_file, "cache",
		g->conf->cache, "cache_limit_bytes",
		(json_int_t)g->conf->cache_limit_bytes, "cores", g->cores, "payload",
		payload);
	pid_t pid;
	int r = file_rm_rf(dir, e);

	text = jx_dump(job);
	if (!r)
		r = file_mkdir_p(dir, 0755, e);
	if (!r)
		r = file_write_atomic(
			arena_printf(a, "%s/job.json", dir), text, strlen(text), 0644, e);
	if (!r)
		r = proc_spawn(&ps, &pid, e);
	if (r)
		return r;
	*s = (struct slot){.used = true,
		.fence = fence,
		.dir = base_strdup(dir),
		.pid = pid,
		.lease_ms = lease_ms,
		.renew_at_ns = clock_mono_ns() + lease_ms * NS_PER_MS / 4};
	snprintf(s->id, sizeof(s->id), "%s", id);
	log_info("job_start", "job=%s fence=%lld kind=%s", id, (long long)fence, kind);
	return 0;
}

static void slot_free(struct slot *s)
{
	struct err e = {0};

	if (s->dir)
		orphans_kill(s->dir);
	if (s->dir && file_rm_rf(s->dir, &e))
		log_warn("job_folder", "job=%s err=%s", s->id, log_q(e.msg));
	free(s->dir);
	*s = (struct slot){0};
}

void slot_drop(struct slot *s, const char *why)
{
	int status;

	if (s->pid)
		proc_kill(s->pid, &status);
	log_warn("job_dropped", "job=%s fence=%lld why=%s", s->id, (long long)s->fence,
		log_q(why));
	slot_free(s);
}

void slot_give_back(struct agent *g, struct slot *s)
{
	char path[128];
	struct err e = {0};
	json_auto_t *body = jx_pack("{s:i, s:I}", "v", 1, "fence", (json_int_t)s->fence);

	snprintf(path, sizeof(path), "/runner/jobs/%s/release", s->id);
	slot_drop(s, "the runner stops");
	api_ignore_stop(g->api);
	if (api_post(g->api, path, body, GIVE_BACK_MS, NULL, &e))
		log_warn("job_kept", "path=%s err=%s", path, log_q(e.msg));
}

/* A process that ended without an outcome gets one. */
static void reap(struct slot *s)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *path = arena_printf(a, "%s/outcome.json", s->dir);
	CLEANUP(base_freep) char *text = NULL;
	json_auto_t *j = NULL;
	struct err e = {0};
	int status;

	if (!s->pid || !proc_reap(s->pid, &status))
		return;
	s->pid = 0;
	if (!access(path, R_OK))
		return;
	j = jx_pack("{s:i, s:s, s:s, s:n, s:b}", "v", 1, "outcome", "retry", "why",
		WIFSIGNALED(status)
			? arena_printf(a, "the job's process was killed by signal %d",
				  WTERMSIG(status))
			: arena_printf(a, "the job's process ended with status %d",
				  WEXITSTATUS(status)),
		"result", "has_log", false);
	text = jx_dump(j);
	if (file_write_atomic(path, text, strlen(text), 0644, &e))
		log_error("job_outcome", "job=%s err=%s", s->id, log_q(e.msg));
}

/* The log that grows: of a build what make prints, of a boot the serial console. */
static int log_open(const struct slot *s)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	int fd = open(
		arena_printf(a, "%s/log", s->dir), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	return fd >= 0 ? fd
		       : open(arena_printf(a, "%s/vm/serial.log", s->dir),
				 O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
}

/* Sends what is new. 0: up to date or enough for now; *ret_all: nothing is left. */
static int log_send(struct agent *g, struct slot *s, bool *ret_all, struct err *e)
{
	CLEANUP(base_closep) int fd = log_open(s);
	CLEANUP(base_freep) char *piece = NULL;

	*ret_all = fd < 0;
	for (int i = 0; fd >= 0 && i < PIECES_MAX; i++) {
		int64_t size;
		ssize_t n;
		int r;

		if (!piece)
			piece = base_alloc(API_PIECE_MAX);
		n = pread(fd, piece, API_PIECE_MAX, s->log_sent);
		if (n <= 0) {
			*ret_all = true;
			return 0;
		}
		r = api_log(
			g->api, s->id, s->fence, s->log_sent, piece, (size_t)n, &size, e);
		if (r == ERR_CONFLICT && size >= 0 && size != s->log_sent)
			s->log_sent = size; /* the server says where to go on */
		else if (r)
			return r;
		else
			s->log_sent += n;
	}
	return 0;
}

static json_t *progress_read(const struct slot *s)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_t *j = NULL;
	struct err e;

	if (jx_load_file(
		    arena_printf(a, "%s/progress.json", s->dir), PROGRESS_MAX, &j, &e))
		return json_null();
	return j;
}

static int renew(struct agent *g, struct slot *s, struct err *e)
{
	json_auto_t *body = jx_pack("{s:i, s:I, s:o}", "v", 1, "fence",
		(json_int_t)s->fence, "progress", progress_read(s));
	char path[128];

	snprintf(path, sizeof(path), "/runner/jobs/%s/renew", s->id);
	return api_post(g->api, path, body, 0, NULL, e);
}

int slot_deliver(struct agent *g, struct slot *s, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	json_auto_t *o = NULL, *body = NULL;
	json_t *why, *result;
	const char *outcome;
	char sha[SHA256_HEX] = "", path[128];
	int has_log, v, r;

	r = jx_load_file(arena_printf(a, "%s/outcome.json", s->dir), OUTCOME_MAX, &o, e);
	if (!r)
		r = jx_unpack(o, e, "outcome.json", "{s:i, s:s, s:o, s:o, s:b !}", "v",
			&v, "outcome", &outcome, "why", &why, "result", &result,
			"has_log", &has_log);
	if (!r && has_log)
		r = api_blob_put(g->api, arena_printf(a, "%s/log", s->dir), sha, e);
	if (r)
		return r;
	body = jx_pack("{s:i, s:I, s:s, s:s, s:O, s:o}", "v", 1, "fence",
		(json_int_t)s->fence, "outcome", outcome, "why",
		json_is_string(why) ? json_string_value(why) : "", "result", result,
		"log", *sha ? json_string(sha) : json_null());
	snprintf(path, sizeof(path), "/runner/jobs/%s/finish", s->id);
	r = api_post(g->api, path, body, 0, NULL, e);
	if (!r)
		log_info("job_done", "job=%s fence=%lld outcome=%s why=%s", s->id,
			(long long)s->fence, outcome, log_q(json_string_value(why)));
	return r;
}

/* True when the job is over for the server, whatever we think. */
static bool is_over(int r)
{
	return r == ERR_CONFLICT || r == ERR_NOT_FOUND || r == ERR_DENIED;
}

static void failed(struct slot *s, const char *what, const struct err *e)
{
	if (!s->n_failed)
		log_warn("job_call", "job=%s call=%s err=%s", s->id, what, log_q(e->msg));
	s->again_at_ns =
		clock_mono_ns() +
		agent_backoff_ms(s->n_failed, (uint64_t)clock_mono_ns()) * NS_PER_MS;
	s->n_failed++;
}

void slot_tend(struct agent *g, struct slot *s)
{
	struct err e = {0};
	bool log_all;
	int r;

	reap(s);
	if (clock_mono_ns() < s->again_at_ns)
		return;
	if (clock_mono_ns() >= s->renew_at_ns) {
		r = renew(g, s, &e);
		if (is_over(r)) {
			slot_drop(s, e.msg);
			return;
		}
		if (r) {
			failed(s, "renew", &e);
			return;
		}
		s->renew_at_ns = clock_mono_ns() + s->lease_ms * NS_PER_MS / 4;
	}
	r = log_send(g, s, &log_all, &e);
	if (is_over(r)) {
		slot_drop(s, e.msg);
		return;
	}
	if (r) {
		failed(s, "log", &e);
		return;
	}
	s->n_failed = 0;
	if (s->pid || !log_all)
		return;
	r = slot_deliver(g, s, &e);
	if (!r)
		slot_free(s);
	else if (is_over(r) || r == ERR_INVALID || r == ERR_TOO_BIG)
		slot_drop(s, e.msg);
	else
		failed(s, "finish", &e);
}
