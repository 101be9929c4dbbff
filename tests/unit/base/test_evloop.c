/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/clock.h"
#include "base/evloop.h"
#include "base/log.h"
#include "base/proc.h"
#include "tests/unit/unit.h"
#include <event2/event.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct seen {
	struct evloop *l;
	int n_stops, n_hups, n_children, statuses;
	bool ends_on_stop;
};

static void on_stop(void *arg)
{
	struct seen *s = arg;

	s->n_stops++;
	if (s->ends_on_stop)
		evloop_break(s->l);
	else
		raise(SIGINT); /* the impatient second signal */
}

static void on_hup(void *arg)
{
	struct seen *s = arg;

	s->n_hups++;
	raise(SIGTERM);
}

static void on_child(pid_t pid, int status, void *arg)
{
	struct seen *s = arg;

	assert_true(pid > 0);
	s->n_children++;
	s->statuses += WEXITSTATUS(status);
	if (s->n_children == 3)
		evloop_break(s->l);
}

static void send_signal(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	raise(*(int *)arg);
}

static void soon(struct evloop *l, int *sig)
{
	const struct timeval now = {0, 0};

	assert_int_equal(
		event_base_once(evloop_base(l), -1, EV_TIMEOUT, send_signal, sig, &now),
		0);
}

static void test_stop_once(void **state)
{
	struct seen s = {.l = evloop_new(), .ends_on_stop = true};
	int sig = SIGHUP;
	struct err e;

	(void)state;
	evloop_on_stop(s.l, on_stop, &s);
	evloop_on_hup(s.l, on_hup, &s);
	soon(s.l, &sig);
	assert_ok(evloop_run(s.l, &e), &e);
	assert_int_equal(s.n_hups, 1);
	assert_int_equal(s.n_stops, 1);
	evloop_free(s.l);
}

static void test_second_signal_breaks(void **state)
{
	struct seen s = {.l = evloop_new()};
	int sig = SIGTERM;
	struct err e;

	(void)state;
	evloop_on_stop(s.l, on_stop, &s);
	soon(s.l, &sig);
	assert_ok(evloop_run(s.l, &e), &e);
	assert_int_equal(s.n_stops, 1);
	evloop_free(s.l);
}

static void test_children(void **state)
{
	struct seen s = {.l = evloop_new()};
	struct proc_spec spec = {
		.argv = (const char *const[]){"sh", "-c", "exit 7", NULL},
	};
	struct err e;
	pid_t pid;

	(void)state;
	evloop_on_child(s.l, on_child, &s);
	for (int i = 0; i < 3; i++)
		assert_ok(proc_spawn(&spec, &pid, &e), &e);
	assert_ok(evloop_run(s.l, &e), &e);
	assert_int_equal(s.n_children, 3);
	assert_int_equal(s.statuses, 21);
	evloop_free(s.l);
}

/* What a child leaves in its group goes with it, and lets go of what it holds. */
static void test_group_ends_with_child(void **state)
{
	struct seen s = {.l = evloop_new(), .n_children = 2};
	int held[2];
	struct pollfd end = {.events = POLLIN};
	struct proc_fd fd = {.child_fd = 3};
	struct proc_spec spec = {
		.argv = (const char *const[]){"sh", "-c", "sleep 60 & exit 7", NULL},
		.fds = &fd,
		.n_fds = 1,
	};
	struct err e;
	char c;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(held), 0);
	fd.parent_fd = held[1];
	evloop_on_child(s.l, on_child, &s);
	assert_ok(proc_spawn(&spec, &pid, &e), &e);
	close(held[1]);
	assert_ok(evloop_run(s.l, &e), &e);
	assert_int_equal(s.statuses, 7);
	end.fd = held[0];
	assert_int_equal(poll(&end, 1, 30000), 1);
	assert_int_equal(read(held[0], &c, 1), 0);
	close(held[0]);
	evloop_free(s.l);
}

/* Holds the loop for a while, as a blocking call would. */
static void hog(evutil_socket_t fd, short what, void *arg)
{
	int64_t until = clock_mono_ns() + 260 * NS_PER_MS;

	(void)fd;
	(void)what;
	(void)arg;
	while (clock_mono_ns() < until)
		;
}

static void end_after_late_tick(evutil_socket_t fd, short what, void *arg)
{
	struct evloop *l = arg;

	(void)fd;
	(void)what;
	if (evloop_lag(l).n_late)
		evloop_break(l);
}

static void test_lag_is_measured(void **state)
{
	struct evloop *l = evloop_new();
	const struct timeval now = {0, 0}, often = {0, 5000};
	struct event *watcher =
		event_new(evloop_base(l), -1, EV_PERSIST, end_after_late_tick, l);
	struct evloop_lag lag;
	struct err e;

	(void)state;
	log_set_level(LOG_LEVEL_ERROR);
	event_add(watcher, &often);
	event_base_once(evloop_base(l), -1, EV_TIMEOUT, hog, NULL, &now);
	assert_ok(evloop_run(l, &e), &e);
	lag = evloop_lag(l);
	assert_true(lag.n_ticks >= 1);
	assert_int_equal(lag.n_late, 1);
	assert_true(lag.max_ns >= 150 * NS_PER_MS);
	assert_true(lag.max_ns >= lag.last_ns);
	event_free(watcher);
	evloop_free(l);
	evloop_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop_once),
		cmocka_unit_test(test_second_signal_breaks),
		cmocka_unit_test(test_children),
		cmocka_unit_test(test_group_ends_with_child),
		cmocka_unit_test(test_lag_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
