/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * supervise.h - the supervisor: claims jobs, runs each in a child, stores what it gives.
 *
 * One libevent loop; the only part of the workers that talks to the database. A job goes
 * loading -> running -> adopting -> ending (work.c). Leases are renewed at a third of
 * their time; a lease that is lost, a job that is cancelled or a deadline that passes
 * kills the child. SIGTERM: nothing new is claimed, children get STOP_MS, then leases go
 * back to the queue.
 */
#ifndef WL_WORKERS_SUPERVISE_H
#define WL_WORKERS_SUPERVISE_H

#include "base/base.h"

#include "base/evloop.h"
#include "db/db.h"
#include "workers/kind.h"
#include "workers/sandbox.h"

#define SUPERVISE_JOBS_MAX 32
#define SUPERVISE_STOP_MS  3000

struct work;

struct supervisor {
	struct evloop *loop;
	struct db *db;
	struct db_listen *listen;
	struct work_paths paths;
	struct sandbox sandbox;
	const char *owner;    /* host:pid, what leases say */
	const char *run_root; /* DATA/scratch/<pid>: scratch folders of this supervisor */
	const char *smtp;     /* --smtp, or NULL */
	int max_jobs;
	int64_t lease_ms;
	const char **kinds;
	size_t n_kinds;
	struct work *works; /* list */
	int n_works;
	bool claiming;    /* a claim is on its way */
	bool claim_again; /* something was notified meanwhile */
	bool ticking, stopping;
	struct event *poll_timer, *stop_timer;
};

struct supervise_opts {
	const char *data, *db, *smtp;
	int64_t jobs, lease_ms, poll_ms;
};

/* Runs until stopped. Errors: the data folder or the sandbox cannot be used. */
int supervise_run(const struct supervise_opts *o, struct err *e) MUST_CHECK;

/* For work.c: asks for more jobs when there is room. */
void supervise_claim(struct supervisor *s);

#endif
