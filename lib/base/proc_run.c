/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_run.c - the blocking half: feeds stdin, drains stdout and stderr, reaps. */
#include "base/proc.h"

#include "base/clock.h"
#include "base/proc_start.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_FDS_MAX     64
#define ERR_CAP_BYTES ((size_t)64 << 10)
#define READ_BYTES    ((size_t)64 << 10)
#define POLL_NO_PIDFD 20   /* ms between looks where the kernel has no pidfd */
#define DRAIN_ROUNDS  1024 /* reads of one pipe after the end; a pipe holds less */

/* Our ends of the pipes (-1: none or done) and the child's state. */
struct run {
	const struct proc_spec *spec;
	struct proc_result *res;
	pid_t pid;
	int pid_fd;
	int in_fd, out_fd, err_fd;
	size_t in_done;
	int64_t start_ns;
};

void proc_result_init(struct proc_result *r)
{
	*r = (struct proc_result){.out = SBUF_INIT, .err = SBUF_INIT};
}

void proc_result_release(struct proc_result *r)
{
	sbuf_release(&r->out);
	sbuf_release(&r->err);
}

const char *proc_result_text(const struct proc_result *r, char *buf, size_t size)
{
	if (r->timed_out)
		snprintf(buf, size, "no answer after %lld s",
			(long long)((r->wall_ns + NS_PER_S / 2) / NS_PER_S));
	else if (r->signal)
		snprintf(buf, size, "killed by signal %d", r->signal);
	else
		snprintf(buf, size, "exit status %d", r->exit_status);
	return buf;
}

static void close_end(int *fd)
{
	base_closep(fd);
}

static void feed(struct run *r)
{
	const char *in = r->spec->in;
	ssize_t n = write(r->in_fd, in + r->in_done, r->spec->in_len - r->in_done);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		r->in_done += (size_t)n;
	/* EPIPE: the program does not read all of it, which is its right. */
	if (n < 0 || r->in_done == r->spec->in_len)
		close_end(&r->in_fd);
}

/* One read. False when there is nothing more for now; closes at the end. */
static bool drain(int *fd, struct sbuf *s, size_t cap, bool *cut)
{
	char buf[READ_BYTES];
	ssize_t n = read(*fd, buf, sizeof(buf));
	size_t keep;

	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 && errno == EAGAIN)
		return false;
	if (n <= 0) {
		close_end(fd);
		return false;
	}
	keep = (size_t)n < cap - s->len ? (size_t)n : cap - s->len;
	sbuf_add(s, buf, keep);
	if (keep < (size_t)n)
		*cut = true;
	return true;
}

static bool drain_out(struct run *r)
{
	return drain(&r->out_fd, &r->res->out, r->spec->out_cap_bytes, &r->res->out_cut);
}

static bool drain_err(struct run *r)
{
	bool ignored;

	return drain(&r->err_fd, &r->res->err, ERR_CAP_BYTES, &ignored);
}

static bool is_over(const struct run *r)
{
	siginfo_t info = {.si_pid = 0};

	/* WNOWAIT: while it is a zombie its group number cannot be taken by another. */
	return waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid == r->pid;
}

static int64_t left_ms(const struct run *r)
{
	int64_t spent = (clock_mono_ns() - r->start_ns) / NS_PER_MS;

	return r->spec->deadline_ms > spent ? r->spec->deadline_ms - spent : 0;
}

/* Until the program ends by itself or by its deadline. */
static void serve(struct run *r)
{
	while (!is_over(r)) {
		struct pollfd p[4] = {
			{.fd = r->in_fd, .events = POLLOUT},
			{.fd = r->out_fd, .events = POLLIN},
			{.fd = r->err_fd, .events = POLLIN},
			{.fd = r->pid_fd, .events = POLLIN},
		};
		int64_t wait_ms = r->pid_fd >= 0 ? -1 : POLL_NO_PIDFD;

		if (r->spec->deadline_ms > 0) {
			int64_t left = left_ms(r);

			if (left == 0) {
				r->res->timed_out = true;
				return;
			}
			if (wait_ms < 0 || left < wait_ms)
				wait_ms = left < INT32_MAX ? left : INT32_MAX;
		}
		if (poll(p, ARRAY_LEN(p), (int)wait_ms) <= 0)
			continue;
		if (p[0].revents)
			feed(r);
		if (p[1].revents)
			drain_out(r);
		if (p[2].revents)
			drain_err(r);
	}
}

static void finish(struct run *r)
{
	struct rusage ru = {.ru_maxrss = 0};
	int status = 0, rounds = DRAIN_ROUNDS;
	pid_t got;

	/* The leader is a zombie or over its time; what it left behind goes too. */
	(void)kill(-r->pid, SIGKILL);
	do {
		got = wait4(r->pid, &status, 0, &ru);
	} while (got < 0 && errno == EINTR);
	while (r->out_fd >= 0 && rounds-- > 0 && drain_out(r))
		;
	for (rounds = DRAIN_ROUNDS; r->err_fd >= 0 && rounds-- > 0 && drain_err(r);)
		;
	r->res->wall_ns = clock_mono_ns() - r->start_ns;
	r->res->exit_status =
		got == r->pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	r->res->signal = got == r->pid && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	r->res->cpu_ns = ((int64_t)ru.ru_utime.tv_sec + ru.ru_stime.tv_sec) * NS_PER_S +
			 ((int64_t)ru.ru_utime.tv_usec + ru.ru_stime.tv_usec) * NS_PER_US;
	r->res->max_rss_bytes = (int64_t)ru.ru_maxrss * 1024;
}

/* A pipe whose ours end does not block; both ends close on exec. */
static int make_pipe(int *ours, int *theirs, int theirs_index, struct err *e)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return err_set_errno(e, errno, "making a pipe");
	*theirs = p[theirs_index];
	*ours = p[!theirs_index];
	if (fcntl(*ours, F_SETFL, O_NONBLOCK) != 0)
		return err_set_errno(e, errno, "making a pipe");
	return 0;
}

static int start(struct run *r, struct err *e)
{
	const struct proc_spec *spec = r->spec;
	CLEANUP(base_closep) int in = -1;
	CLEANUP(base_closep) int out = -1;
	CLEANUP(base_closep) int err = -1;
	struct proc_fd fds[N_FDS_MAX];
	size_t n = 0;
	int status = 0;

	if (spec->n_fds + 3 > N_FDS_MAX)
		BUG("proc: %zu descriptors to pass", spec->n_fds);
	if (spec->in && spec->in_len) {
		status = make_pipe(&r->in_fd, &in, 0, e);
	} else {
		in = open("/dev/null", O_RDONLY | O_CLOEXEC);
		if (in < 0)
			status = err_set_errno(e, errno, "/dev/null");
	}
	if (status == 0)
		status = make_pipe(&r->out_fd, &out, 1, e);
	if (status == 0 && !spec->merge_stderr)
		status = make_pipe(&r->err_fd, &err, 1, e);
	if (status != 0)
		return status;
	fds[n++] = (struct proc_fd){in, STDIN_FILENO};
	fds[n++] = (struct proc_fd){out, STDOUT_FILENO};
	fds[n++] = (struct proc_fd){spec->merge_stderr ? out : err, STDERR_FILENO};
	for (size_t i = 0; i < spec->n_fds; i++)
		fds[n++] = spec->fds[i];
	return proc_start(spec, fds, n, &r->pid, e);
}

int proc_run(const struct proc_spec *spec, struct proc_result *ret, struct err *e)
{
	struct run r = {.spec = spec,
		.res = ret,
		.pid_fd = -1,
		.in_fd = -1,
		.out_fd = -1,
		.err_fd = -1,
		.start_ns = clock_mono_ns()};
	const struct timespec at_once = {0, 0};
	sigset_t pipe_set, old_set, pending;
	int status;

	proc_result_release(ret);
	proc_result_init(ret);
	/* A program that stops reading must not kill us: SIGPIPE is held back here and
	 * taken out again, unless somebody else's was waiting already. */
	sigemptyset(&pipe_set);
	sigaddset(&pipe_set, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_set, &old_set);
	status = start(&r, e);
	if (status == 0) {
#ifdef SYS_pidfd_open
		r.pid_fd = (int)syscall(SYS_pidfd_open, r.pid, 0);
#endif
		serve(&r);
		finish(&r);
	}
	base_closep(&r.pid_fd);
	base_closep(&r.in_fd);
	base_closep(&r.out_fd);
	base_closep(&r.err_fd);
	if (!sigismember(&pending, SIGPIPE))
		(void)sigtimedwait(&pipe_set, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &old_set, NULL);
	return status;
}
