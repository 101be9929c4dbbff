/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agent.c - see agent.h. One loop of bounded calls; what blocks long is in the jobs. */
#include "runners/agent.h"
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/orphan.h"
#include "base/proc.h"
#include "runners/agent_slot.h"
#include "runners/cache.h"
#include "runners/probe.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define LEASE_WAIT_MS  20000
#define LEASE_BUSY_NS  NS_PER_S /* between asks while jobs run */
#define LOOK_NS        (200 * NS_PER_MS)
#define BACKOFF_MIN_MS 500
#define BACKOFF_MAX_MS 30000

static volatile sig_atomic_t stop;

static void on_stop(int sig)
{
	(void)sig;
	stop = 1;
}

int64_t agent_backoff_ms(int n, uint64_t seed)
{
	int64_t ms = BACKOFF_MIN_MS;

	while (n-- > 0 && ms < BACKOFF_MAX_MS)
		ms *= 2;
	if (ms > BACKOFF_MAX_MS)
		ms = BACKOFF_MAX_MS;
	return ms + (int64_t)(seed % (uint64_t)(ms / 4));
}

static void nap(int64_t ns)
{
	struct timespec t = {ns / NS_PER_S, ns % NS_PER_S};

	nanosleep(&t, NULL); /* a signal ends it early, which is what we want */
}

/* Waits out a back-off, or until we are stopped. */
static void backoff(int n)
{
	int64_t end = clock_mono_ns() +
		      agent_backoff_ms(n, (uint64_t)clock_mono_ns()) * NS_PER_MS;

	while (!stop && clock_mono_ns() < end)
		nap(LOOK_NS);
}

/* ---- what an earlier agent left ---- */

static void leftover(struct agent *g, const char *name)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct slot s = {0};
	struct err e = {0};
	char *dot;
	int r = -1;

	s.dir = base_strdup(arena_printf(a, "%s/jobs/%s", g->conf->cache, name));
	snprintf(s.id, sizeof(s.id), "%.30s", name);
	dot = strchr(s.id, '.');
	if (dot) {
		*dot = '\0';
		s.fence = strtoll(dot + 1, NULL, 10);
		if (!access(arena_printf(a, "%s/outcome.json", s.dir), R_OK))
			r = slot_deliver(g, &s, &e);
	}
	if (r)
		log_warn("job_lost", "job=%s why=%s", log_q(s.id),
			log_q(e.code ? e.msg : "the agent ended before the job did"));
	if (file_rm_rf(s.dir, &e))
		log_warn("job_folder", "err=%s", log_q(e.msg));
	free(s.dir);
}

static void leftovers(struct agent *g)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	DIR *d = opendir(arena_printf(a, "%s/jobs", g->conf->cache));
	struct dirent *de;

	if (orphans_kill(g->conf->cache))
		log_warn("orphans", "cache=%s", log_q(g->conf->cache));
	while (d && (de = readdir(d)))
		if (de->d_name[0] != '.')
			leftover(g, de->d_name);
	if (d)
		closedir(d);
}

/* ---- register and lease ---- */

static int enroll_once(struct agent *g, const struct probe *p, struct err *e)
{
	json_auto_t *body = jx_pack("{s:i, s:s, s:s, s:O, s:O, s:O, s:s, s:b}", "v", 1,
		"name", g->conf->name, "arch", p->arch, "caps", p->caps, "topology",
		p->topology, "tools", p->tools, "session", g->session, "test_only",
		p->test_only);
	json_auto_t *answer = NULL;
	const char *id;
	int r = api_post(g->api, "/runner/register", body, 0, &answer, e);

	if (!r)
		r = jx_unpack(answer, e, "register", "{s:s}", "machine_id", &id);
	if (!r)
		snprintf(g->machine_id, sizeof(g->machine_id), "%.30s", id);
	return r;
}

static bool may_pass(int code)
{
	return code == ERR_UNAVAILABLE || code == ERR_TIMEOUT || code == ERR_BUSY;
}

static int enroll(struct agent *g, const struct probe *p, struct err *e)
{
	for (int n = 0; !stop; n++) {
		int r = enroll_once(g, p, e);

		if (!r) {
			log_info("registered", "machine=%s name=%s session=%s",
				g->machine_id, log_q(g->conf->name), g->session);
			return 0;
		}
		if (!may_pass(r))
			return r;
		if (n == 0)
			log_warn("server_away", "err=%s", log_q(e->msg));
		backoff(n);
	}
	return ERR_CANCELLED;
}

static int take(struct agent *g, json_t *job, struct err *e)
{
	const char *id, *kind;
	json_int_t fence, lease_ms;
	json_t *payload;
	int r = jx_unpack(job, e, "lease", "{s:s, s:s, s:I, s:I, s:o}", "id", &id, "kind",
		&kind, "fence", &fence, "lease_ms", &lease_ms, "payload", &payload);
	struct slot *s = NULL;

	if (r)
		return r;
	for (int i = 0; i < g->n_slots && !s; i++)
		if (!g->slots[i].used)
			s = &g->slots[i];
	if (!s || strlen(id) > 20 || strspn(id, "0123456789") != strlen(id) ||
		lease_ms < 1000)
		return err_set(e, ERR_INVALID, "the server gave an odd job");
	return slot_start(g, s, id, fence, lease_ms, kind, payload, e);
}

/* Asks for jobs. ret_got: how many came. */
static int lease(struct agent *g, int n_free, bool busy, int *ret_got, struct err *e)
{
	int wait_ms = busy ? 0 : LEASE_WAIT_MS;
	json_auto_t *body = jx_pack("{s:i, s:s, s:s, s:O, s:i, s:i}", "v", 1,
		"machine_id", g->machine_id, "session", g->session, "kinds", g->kinds,
		"max", n_free, "wait_ms", wait_ms);
	json_auto_t *answer = NULL;
	json_t *jobs, *job;
	size_t i;
	int r = api_post(g->api, "/runner/lease", body, wait_ms + 15000, &answer, e);

	*ret_got = 0;
	if (!r)
		r = jx_unpack(answer, e, "lease", "{s:o}", "jobs", &jobs);
	if (r)
		return r;
	json_array_foreach(jobs, i, job)
	{
		struct err job_err = {0};

		if (take(g, job, &job_err))
			log_error("job_take", "err=%s", log_q(job_err.msg));
		else
			++*ret_got;
	}
	return 0;
}

/* ---- the loop ---- */

static int count_used(const struct agent *g)
{
	int n = 0;

	for (int i = 0; i < g->n_slots; i++)
		n += g->slots[i].used;
	return n;
}

static int ask(struct agent *g, const struct probe *p, int64_t *ask_at, int *n_away,
	struct err *e)
{
	int used = count_used(g), got = 0, r;
	int64_t start = clock_mono_ns();

	if (used == g->n_slots || clock_mono_ns() < *ask_at)
		return 0;
	r = lease(g, g->n_slots - used, used > 0, &got, e);
	if (!r) {
		if (*n_away)
			log_info("server_back", "tries=%d", *n_away);
		*n_away = 0;
		/* A server that does not make us wait is not asked more often either. */
		*ask_at = start + LEASE_BUSY_NS;
		return 0;
	}
	if (r == ERR_CANCELLED)
		return 0;
	if (r == ERR_NOT_FOUND)
		return enroll(g, p, e);
	if (!may_pass(r))
		return r;
	if (!*n_away)
		log_warn("server_away", "err=%s", log_q(e->msg));
	*ask_at = clock_mono_ns() +
		  agent_backoff_ms(*n_away, (uint64_t)clock_mono_ns()) * NS_PER_MS;
	++*n_away;
	return 0;
}

static int loop(struct agent *g, const struct probe *p, struct err *e)
{
	int64_t ask_at = 0;
	int n_away = 0, r = 0;

	while (!stop && !r) {
		for (int i = 0; i < g->n_slots; i++)
			if (g->slots[i].used)
				slot_tend(g, &g->slots[i]);
		r = ask(g, p, &ask_at, &n_away, e);
		if (count_used(g) || clock_mono_ns() < ask_at)
			nap(LOOK_NS);
	}
	for (int i = 0; i < g->n_slots; i++)
		if (g->slots[i].used)
			slot_give_back(g, &g->slots[i]);
	return r;
}

static void kinds_set(struct agent *g)
{
	CLEANUP(base_freep) char *text = base_strdup(g->conf->kinds);
	char *save;

	g->kinds = json_array();
	for (char *k = strtok_r(text, ",", &save); k; k = strtok_r(NULL, ",", &save))
		json_array_append_new(g->kinds, json_string(k));
}

static int session_make(struct agent *g, struct err *e)
{
	unsigned char raw[16];

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return err_set(e, ERR_INTERNAL, "no random numbers: %s", strerror(errno));
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(g->session + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

int agent_run(const struct agent_conf *c, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(base_closep) int lock = -1;
	struct sigaction on = {.sa_handler = on_stop};
	const struct cache cache = {c->cache};
	struct agent g = {.conf = c, .n_slots = (int)c->n_jobs};
	struct probe p = {0};
	int r;

	sigaction(SIGTERM, &on, NULL);
	sigaction(SIGINT, &on, NULL);
	signal(SIGPIPE, SIG_IGN);
	r = cache_init(&cache, e);
	if (!r)
		r = file_lock(arena_printf(a, "%s/lock", c->cache), &lock, e);
	if (!r)
		r = probe_machine(a, c->kinds, c->cache, &p, e);
	if (!r)
		r = session_make(&g, e);
	if (!r)
		r = api_open(c->server, c->token_file, &stop, &g.api, e);
	if (!r) {
		g.slots = base_zalloc(sizeof(*g.slots) * (size_t)g.n_slots);
		g.cores = (int)(sysconf(_SC_NPROCESSORS_ONLN) / c->n_jobs);
		g.cores = g.cores < 1 ? 1 : g.cores;
		kinds_set(&g);
		leftovers(&g);
		r = enroll(&g, &p, e);
	}
	if (!r)
		r = loop(&g, &p, e);
	json_decref(g.kinds);
	free(g.slots);
	probe_release(&p);
	api_close(g.api);
	return stop ? 0 : r;
}
