/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * agent.h - the runner's loop: registers, leases jobs, runs each in a process of its own
 * (this program with --job DIR), renews leases, sends logs as they grow, delivers
 * results.
 *
 * Every job has a folder CACHE/jobs/<id>.<fence>/ with job.json (what to do), log,
 * progress.json and, at the end, outcome.json; it is removed once the server has taken or
 * refused the result. What a dead agent left is delivered when it was finished, else told
 * as lost: the new session frees its lease.
 */
#ifndef WL_RUNNERS_AGENT_H
#define WL_RUNNERS_AGENT_H

#include "base/err.h"

struct agent_conf {
	const char *server;     /* "http://127.0.0.1:8080" */
	const char *token_file; /* absolute */
	const char *cache;      /* absolute */
	const char *name;
	const char *kinds; /* "build,boot" */
	int64_t n_jobs;    /* at a time */
	int64_t cache_limit_bytes;
};

/* Until SIGTERM or SIGINT: 0. CONFLICT: another session of this machine has registered;
 * DENIED: the server refuses this machine or token. */
int agent_run(const struct agent_conf *c, struct err *e) MUST_CHECK;
/* One job in its folder; writes outcome.json. The exit status of --job. */
int agent_job(const char *dir);

/* Milliseconds to wait before try n (from 0): doubles from 500 to 30000, with up to a
 * quarter of jitter from seed. Pure. */
int64_t agent_backoff_ms(int n, uint64_t seed);

#endif
