/* SPDX-License-Identifier: GPL-2.0-or-later */
/* agent_slot.h - one running job as its agent sees it; used by agent.c alone. */
#ifndef WL_RUNNERS_AGENT_SLOT_H
#define WL_RUNNERS_AGENT_SLOT_H

#include "runners/agent.h"
#include "runners/api.h"

struct slot {
	bool used;
	char id[32];
	int64_t fence;
	char *dir; /* owned */
	pid_t pid; /* 0: the process has ended */
	int64_t lease_ms;
	int64_t renew_at_ns, again_at_ns; /* CLOCK_MONOTONIC */
	int64_t log_sent;                 /* bytes the server has */
	int n_failed;                     /* calls in a row */
};

struct agent {
	const struct agent_conf *conf;
	struct api *api;
	json_t *kinds;
	char session[33], machine_id[32];
	struct slot *slots;
	int n_slots, cores;
};

/* Makes the folder and starts the process. */
int slot_start(struct agent *g, struct slot *s, const char *id, int64_t fence,
	int64_t lease_ms, const char *kind, json_t *payload, struct err *e) MUST_CHECK;
/* Looks after a job once: reaps, sends its log, renews, delivers. Frees the slot in the
 * end. Logs what it does. */
void slot_tend(struct agent *g, struct slot *s);
/* Kills and forgets a job. */
void slot_drop(struct slot *s, const char *why);
/* The runner stops: drops the job and tells the server, so that no attempt is counted. */
void slot_give_back(struct agent *g, struct slot *s);
/* Sends the rest of the log and the outcome. 0: taken; CONFLICT: too late. */
int slot_deliver(struct agent *g, struct slot *s, struct err *e) MUST_CHECK;

#endif
