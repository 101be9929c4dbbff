/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * evloop.h - one libevent loop with signals, lag meter and graceful stop.
 * Used by wakelistd, the worker supervisor and the runner's agent.
 */
#ifndef WL_BASE_EVLOOP_H
#define WL_BASE_EVLOOP_H

#include "base/err.h"

struct event_base;
struct evloop;

/* Lag is the drift of a 100 ms timer; above 50 ms a line ev=loop_lag is logged. */
struct evloop_lag {
	int64_t max_ns;  /* since start */
	int64_t last_ns; /* of the newest tick */
	int64_t n_ticks;
	int64_t n_late; /* ticks over 50 ms */
};

struct evloop *evloop_new(void);
void evloop_free(struct evloop *l);
struct event_base *evloop_base(struct evloop *l); /* borrowed */
/* First SIGTERM or SIGINT calls on_stop (which ends by calling evloop_break); the second
 * breaks. */
void evloop_on_stop(struct evloop *l, void (*on_stop)(void *arg), void *arg);
/* on_exit gets each child of the program that has ended, as waitpid tells it. What it
 * left running in a process group of its own (proc_spawn) is killed before. */
void evloop_on_child(
	struct evloop *l, void (*on_exit)(pid_t pid, int status, void *arg), void *arg);
void evloop_on_hup(struct evloop *l, void (*on_hup)(void *arg), void *arg);
struct evloop_lag evloop_lag(const struct evloop *l);
int evloop_run(struct evloop *l, struct err *e) MUST_CHECK;
void evloop_break(struct evloop *l);

#endif
