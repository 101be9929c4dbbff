/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc.c - start of a program: what happens between fork and exec. */
#include "base/proc.h"

#include "base/proc_start.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define N_FDS_MAX     64
#define EXEC_FAILED   127
#define FD_FALLBACK   65536
#define CLOEXEC_RANGE 4u /* CLOSE_RANGE_CLOEXEC */

enum stage { STAGE_CWD, STAGE_FDS, STAGE_LIMITS, STAGE_USER, STAGE_EXEC };
static const char *const stage_text[] = {"entering the folder for",
	"passing descriptors to", "setting limits for", "changing the user for",
	"running"};

struct report {
	enum stage stage;
	int errnum;
};

/* True when setting a replaces setting b ("K=..." with the same K). */
static bool same_key(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return strncmp(a, b, n) == 0 && (b[n] == '=' || b[n] == '\0');
}

static void env_put(char **env, size_t *n, char *setting)
{
	for (size_t i = 0; i < *n; i++) {
		if (same_key(setting, env[i])) {
			env[i] = setting;
			return;
		}
	}
	env[(*n)++] = setting;
}

/* Owner: caller, free(); the strings are borrowed. */
static char **make_env(const struct proc_spec *spec, char **path_setting)
{
	size_t n_old = 0, n_add = 0, n = 0;
	const char *path = getenv("PATH");
	char **env;

	while (environ && environ[n_old])
		n_old++;
	while (spec->env && spec->env[n_add])
		n_add++;
	env = base_alloc((n_old + n_add + 5) * sizeof(*env));
	if (spec->clear_env) {
		if (!path)
			path = "/usr/local/bin:/usr/bin:/bin";
		*path_setting = base_alloc(strlen(path) + 6);
		memcpy(*path_setting, "PATH=", 5);
		memcpy(*path_setting + 5, path, strlen(path) + 1);
		env_put(env, &n, *path_setting);
		env_put(env, &n, (char *)(uintptr_t) "HOME=/nonexistent");
	} else {
		for (size_t i = 0; i < n_old; i++)
			env[n++] = environ[i];
	}
	env_put(env, &n, (char *)(uintptr_t) "LC_ALL=C");
	for (size_t i = 0; i < n_add; i++)
		env_put(env, &n, (char *)(uintptr_t)spec->env[i]);
	env[n] = NULL;
	return env;
}

static void close_on_exec_from(unsigned first)
{
#ifdef SYS_close_range
	if (syscall(SYS_close_range, first, ~0u, CLOEXEC_RANGE) == 0)
		return;
#endif
	for (int fd = (int)first; fd < FD_FALLBACK; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0)
			(void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
	}
}

/* All sources go above the highest target first, so that no dup2 hits a source still
 * needed, nor the report pipe. */
static int place_fds(const struct proc_fd *fds, size_t n_fds, int *report_fd)
{
	int high = 3, moved[N_FDS_MAX];

	for (size_t i = 0; i < n_fds; i++)
		if (fds[i].child_fd >= high)
			high = fds[i].child_fd + 1;
	*report_fd = fcntl(*report_fd, F_DUPFD_CLOEXEC, high);
	if (*report_fd < 0)
		return -1;
	for (size_t i = 0; i < n_fds; i++) {
		moved[i] = fcntl(fds[i].parent_fd, F_DUPFD_CLOEXEC, high);
		if (moved[i] < 0)
			return -1;
	}
	close_on_exec_from(3);
	for (size_t i = 0; i < n_fds; i++)
		if (dup2(moved[i], fds[i].child_fd) < 0)
			return -1;
	return 0;
}

static int set_limit(__rlimit_resource_t what, int64_t value)
{
	struct rlimit r = {(rlim_t)value, (rlim_t)value};

	if (value <= 0)
		return 0;
	/* One second between SIGXCPU and SIGKILL. */
	if (what == RLIMIT_CPU)
		r.rlim_max++;
	return setrlimit(what, &r);
}

static int set_limits(const struct proc_spec *spec)
{
	struct rlimit none = {0, 0};

	if (setrlimit(RLIMIT_CORE, &none) != 0)
		return -1;
	if (set_limit(RLIMIT_CPU, spec->cpu_limit_s) != 0 ||
		set_limit(RLIMIT_FSIZE, spec->file_limit_bytes) != 0)
		return -1;
	return set_limit(RLIMIT_AS, spec->mem_limit_bytes);
}

static int set_user(const struct proc_spec *spec)
{
	if (spec->uid == 0 || geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) != 0 || setresgid(spec->gid, spec->gid, spec->gid) != 0)
		return -1;
	return setresuid(spec->uid, spec->uid, spec->uid);
}

static void reset_signals(void)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		(void)sigaction(sig, &dfl, NULL); /* KILL, STOP and libc's own refuse */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* In the child: only calls that are safe after fork in a threaded program. */
static void become(const struct proc_spec *spec, const struct proc_fd *fds, size_t n_fds,
	char **env, int report_fd, pid_t parent) NORETURN;
static void become(const struct proc_spec *spec, const struct proc_fd *fds, size_t n_fds,
	char **env, int report_fd, pid_t parent)
{
	struct report report = {.stage = STAGE_FDS};

	reset_signals();
	setpgid(0, 0);
	if (place_fds(fds, n_fds, &report_fd) != 0)
		goto failed;
	report.stage = STAGE_USER;
	if (set_user(spec) != 0)
		goto failed;
	if (spec->die_with_parent) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
			goto failed;
		if (getppid() != parent)
			_exit(EXEC_FAILED); /* it died before the prctl */
	}
	if (spec->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		goto failed;
	report.stage = STAGE_CWD;
	if (spec->cwd && chdir(spec->cwd) != 0)
		goto failed;
	report.stage = STAGE_LIMITS;
	if (set_limits(spec) != 0)
		goto failed;
	report.stage = STAGE_EXEC;
	execvpe(spec->argv[0], (char *const *)(uintptr_t)spec->argv, env);
failed:
	report.errnum = errno;
	(void)!write(report_fd, &report, sizeof(report));
	_exit(EXEC_FAILED);
}

/* Waits for the exec: the pipe closes by it, or carries why it failed. */
static int hear_report(int fd, struct report *ret)
{
	ssize_t n;

	do {
		n = read(fd, ret, sizeof(*ret));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*ret) ? -1 : 0;
}

int proc_start(const struct proc_spec *spec, const struct proc_fd *fds, size_t n_fds,
	pid_t *ret_pid, struct err *e)
{
	CLEANUP(base_freep) char *path_setting = NULL;
	CLEANUP(base_freep) char **env = NULL;
	CLEANUP(base_closep) int report_in = -1;
	struct report report;
	pid_t parent = getpid(), pid;
	int pipe_fds[2];

	if (!spec->argv || !spec->argv[0])
		BUG("proc: empty argv");
	if (n_fds > N_FDS_MAX)
		BUG("proc: %zu descriptors to pass", n_fds);
	if (pipe2(pipe_fds, O_CLOEXEC) != 0)
		return err_set_errno(e, errno, "starting %s", spec->argv[0]);
	report_in = pipe_fds[0];
	env = make_env(spec, &path_setting);
	pid = fork();
	if (pid == 0)
		become(spec, fds, n_fds, env, pipe_fds[1], parent);
	close(pipe_fds[1]);
	if (pid < 0)
		return err_set_errno(e, errno, "starting %s", spec->argv[0]);
	(void)setpgid(pid, pid); /* whoever is first; the loser fails harmlessly */
	if (hear_report(report_in, &report) != 0) {
		const char *what = report.stage == STAGE_CWD ? spec->cwd : NULL;

		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
		return err_set_errno(e, report.errnum, "%s %s%s%s",
			stage_text[report.stage], spec->argv[0], what ? ": " : "",
			what ? what : "");
	}
	*ret_pid = pid;
	return 0;
}

int proc_spawn(const struct proc_spec *spec, pid_t *ret_pid, struct err *e)
{
	struct proc_fd fds[N_FDS_MAX];
	CLEANUP(base_closep) int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (null_fd < 0)
		return err_set_errno(e, errno, "/dev/null");
	if (spec->n_fds >= N_FDS_MAX)
		BUG("proc: %zu descriptors to pass", spec->n_fds);
	/* First, so that a row of the caller for descriptor 0 wins. */
	fds[0] = (struct proc_fd){null_fd, STDIN_FILENO};
	if (spec->n_fds)
		memcpy(fds + 1, spec->fds, spec->n_fds * sizeof(*fds));
	return proc_start(spec, fds, spec->n_fds + 1, ret_pid, e);
}

void proc_kill(pid_t pid, int *ret_status)
{
	pid_t got;

	(void)kill(-pid, SIGKILL);
	do {
		got = waitpid(pid, ret_status, 0);
	} while (got < 0 && errno == EINTR);
	if (got != pid)
		*ret_status = -1;
}

bool proc_reap(pid_t pid, int *ret_status)
{
	siginfo_t info = {.si_pid = 0};

	/* WNOWAIT: while it is a zombie its group number cannot be taken by another. */
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid != pid)
		return false;
	proc_kill(pid, ret_status);
	return true;
}
