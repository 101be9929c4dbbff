/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proc.h - programs by argv, never by a shell: deadline, limits, output cap.
 *
 * proc_run blocks (children, tools and tests); proc_spawn only starts, for event
 * loops, which reap by SIGCHLD. Both give the child LC_ALL=C, its own process group,
 * and no inherited descriptors but those named.
 */
#ifndef WL_BASE_PROC_H
#define WL_BASE_PROC_H

#include "base/err.h"
#include "base/sbuf.h"

struct proc_fd {
	int parent_fd; /* ours, stays open here */
	int child_fd;  /* number in the child */
};

struct proc_spec {
	const char *const *argv; /* NULL terminated; argv[0] is looked up in PATH */
	const char *const
		*env;    /* "K=V" to add or replace, NULL terminated; may be NULL */
	bool clear_env;  /* start from PATH, HOME=/nonexistent and LC_ALL only */
	const char *cwd; /* NULL: unchanged */
	const struct proc_fd *fds;
	size_t n_fds;
	const void *in; /* proc_run: bytes for stdin; NULL: /dev/null */
	size_t in_len;
	int64_t deadline_ms;  /* proc_run: kill the group after it; 0: none */
	size_t out_cap_bytes; /* proc_run: stdout kept; more is read and dropped, noted */
	int64_t mem_limit_bytes;  /* RLIMIT_AS, 0: none */
	int64_t cpu_limit_s;      /* RLIMIT_CPU, 0: none */
	int64_t file_limit_bytes; /* RLIMIT_FSIZE, 0: none */
	bool merge_stderr;        /* stderr into the same buffer as stdout */
	bool no_new_privs;
	bool die_with_parent; /* PR_SET_PDEATHSIG SIGKILL */
	uid_t uid;            /* switch when we are root and uid != 0 */
	gid_t gid;
};

struct proc_result {
	int exit_status; /* 0..255, or -1 when ended by a signal */
	int signal;      /* 0, or the signal */
	bool timed_out;
	bool out_cut;
	struct sbuf out; /* stdout */
	struct sbuf err; /* stderr, first 64 KiB */
	int64_t wall_ns;
	int64_t cpu_ns; /* user + system of the child and what it waited for */
	int64_t max_rss_bytes;
};

void proc_result_init(struct proc_result *r);
void proc_result_release(struct proc_result *r);
/* ret must be initialised; what it held is released. When the program ends, what it
 * left running in its process group is killed. A row in fds for 0, 1 or 2 replaces the
 * pipe.
 * 0 whenever the program ran, whatever its status; an error when it could not start. */
int proc_run(
	const struct proc_spec *spec, struct proc_result *ret, struct err *e) MUST_CHECK;
/* stdin /dev/null; stdout and stderr inherited unless named in fds. */
int proc_spawn(const struct proc_spec *spec, pid_t *ret_pid, struct err *e) MUST_CHECK;
/* For what proc_spawn started, outside an evloop. True when it has ended, with the status
 * of waitpid (-1: somebody else reaped it); what it left in its group is killed before.
 */
bool proc_reap(pid_t pid, int *ret_status);
/* Kills it and its group, and waits for its end. */
void proc_kill(pid_t pid, int *ret_status);
/* "exit status 2", "killed by signal 9", "no answer after 30 s". buf returned. */
const char *proc_result_text(const struct proc_result *r, char *buf, size_t size);

#endif
