/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/evloop.h"

#include "base/clock.h"
#include "base/log.h"
#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <sys/wait.h>

#define TICK_NS (100 * NS_PER_MS)
#define LATE_NS (50 * NS_PER_MS)

enum { SIG_TERM, SIG_INT, SIG_CHLD, SIG_HUP, N_SIGS };
static const int sig_numbers[N_SIGS] = {SIGTERM, SIGINT, SIGCHLD, SIGHUP};

struct evloop {
	struct event_base *base;
	struct event *tick;
	struct event *sigs[N_SIGS];
	struct evloop_lag lag;
	int64_t last_tick_ns;
	unsigned n_stops;
	void (*on_stop)(void *arg);
	void *stop_arg;
	void (*on_exit)(pid_t pid, int status, void *arg);
	void *exit_arg;
	void (*on_hup)(void *arg);
	void *hup_arg;
};

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct evloop *l = arg;
	int64_t now = clock_mono_ns();
	int64_t lag = now - l->last_tick_ns - TICK_NS;

	(void)fd;
	(void)what;
	l->last_tick_ns = now;
	l->lag.last_ns = lag > 0 ? lag : 0;
	l->lag.n_ticks++;
	if (l->lag.last_ns > l->lag.max_ns)
		l->lag.max_ns = l->lag.last_ns;
	if (l->lag.last_ns > LATE_NS) {
		l->lag.n_late++;
		log_warn("loop_lag", "ms=%lld", (long long)(l->lag.last_ns / NS_PER_MS));
	}
}

static void on_stop_signal(evutil_socket_t fd, short what, void *arg)
{
	struct evloop *l = arg;

	(void)fd;
	(void)what;
	if (l->n_stops++ == 0 && l->on_stop)
		l->on_stop(l->stop_arg);
	else
		evloop_break(l);
}

/* The next child that has ended and is not reaped yet; 0: none. */
static pid_t next_ended(void)
{
	siginfo_t info = {.si_pid = 0};

	/* WNOWAIT: while it is a zombie its group number cannot be taken by another. */
	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 ? info.si_pid
									 : 0;
}

static void on_child_signal(evutil_socket_t fd, short what, void *arg)
{
	struct evloop *l = arg;
	int status;
	pid_t pid;

	(void)fd;
	(void)what;
	/* Signals merge: one may stand for many. */
	while ((pid = next_ended()) > 0) {
		(void)kill(-pid, SIGKILL);
		if (waitpid(pid, &status, 0) == pid)
			l->on_exit(pid, status, l->exit_arg);
	}
}

static void on_hup_signal(evutil_socket_t fd, short what, void *arg)
{
	struct evloop *l = arg;

	(void)fd;
	(void)what;
	l->on_hup(l->hup_arg);
}

static struct event *or_die(struct event *ev)
{
	if (!ev)
		BUG("libevent: no memory for an event");
	return ev;
}

static void watch(struct evloop *l, int index, event_callback_fn fn)
{
	if (l->sigs[index])
		return;
	l->sigs[index] = or_die(evsignal_new(l->base, sig_numbers[index], fn, l));
	if (evsignal_add(l->sigs[index], NULL) != 0)
		BUG("libevent: signal %d cannot be watched", sig_numbers[index]);
}

struct evloop *evloop_new(void)
{
	struct evloop *l = base_zalloc(sizeof(*l));

	/* A peer that hangs up is an error of one write, never the end of the program. */
	signal(SIGPIPE, SIG_IGN);
	l->base = event_base_new();
	if (!l->base)
		BUG("libevent: no event base");
	l->tick = or_die(event_new(l->base, -1, EV_PERSIST, on_tick, l));
	watch(l, SIG_TERM, on_stop_signal);
	watch(l, SIG_INT, on_stop_signal);
	return l;
}

void evloop_free(struct evloop *l)
{
	if (!l)
		return;
	event_free(l->tick);
	for (int i = 0; i < N_SIGS; i++)
		if (l->sigs[i])
			event_free(l->sigs[i]);
	event_base_free(l->base);
	free(l);
}

struct event_base *evloop_base(struct evloop *l)
{
	return l->base;
}

void evloop_on_stop(struct evloop *l, void (*on_stop)(void *arg), void *arg)
{
	l->on_stop = on_stop;
	l->stop_arg = arg;
}

void evloop_on_child(
	struct evloop *l, void (*on_exit)(pid_t pid, int status, void *arg), void *arg)
{
	l->on_exit = on_exit;
	l->exit_arg = arg;
	watch(l, SIG_CHLD, on_child_signal);
}

void evloop_on_hup(struct evloop *l, void (*on_hup)(void *arg), void *arg)
{
	l->on_hup = on_hup;
	l->hup_arg = arg;
	watch(l, SIG_HUP, on_hup_signal);
}

struct evloop_lag evloop_lag(const struct evloop *l)
{
	return l->lag;
}

int evloop_run(struct evloop *l, struct err *e)
{
	const struct timeval every = {0, TICK_NS / NS_PER_US};

	l->last_tick_ns = clock_mono_ns();
	if (event_add(l->tick, &every) != 0)
		return err_set(e, ERR_INTERNAL, "the event loop has no timer");
	if (event_base_dispatch(l->base) < 0)
		return err_set_errno(e, errno, "the event loop failed");
	event_del(l->tick);
	return 0;
}

void evloop_break(struct evloop *l)
{
	event_base_loopbreak(l->base);
}
