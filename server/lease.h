/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lease.h - machines that wait for a job: a long poll that NOTIFY wl_job_runner ends
 * early; without it the queue is asked every LEASE_POLL_MS.
 */
#ifndef WL_SERVER_LEASE_H
#define WL_SERVER_LEASE_H

#include "base/base.h"

#define LEASE_POLL_MS     2000
#define LEASE_WAIT_MAX_MS 30000
#define LEASE_JOBS_MAX    64

struct http_ctx;
struct lease;
struct server;

struct lease_ask {
	int64_t machine_id;
	const char *session; /* in the context's arena, as kinds */
	const char *const *kinds;
	size_t n_kinds;
	int max;
	int64_t wait_ms;
};

struct lease *lease_new(struct server *srv);
void lease_free(struct lease *l); /* after lease_stop and db_free; accepts NULL */
void lease_wait(struct lease *l, struct http_ctx *ctx, const struct lease_ask *ask);
void lease_wake(struct lease *l); /* there may be a job */
void lease_stop(struct lease *l); /* answers all who wait with no jobs */
int lease_n_waiting(const struct lease *l);

#endif
