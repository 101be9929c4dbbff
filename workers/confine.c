/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/confine.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#define FILES_MAX     256
#define PROCESSES_MAX 64 /* threads of our own user: name lookups, inflaters */

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED true
#else
#define SANITIZED false
#endif

static int set_limit(
	__rlimit_resource_t what, const char *name, int64_t value, struct err *e)
{
	struct rlimit now, want;

	if (getrlimit(what, &now) != 0)
		return err_set_errno(e, errno, "limit of %s", name);
	want.rlim_cur = (rlim_t)value;
	if (now.rlim_max != RLIM_INFINITY && want.rlim_cur > now.rlim_max)
		want.rlim_cur = now.rlim_max;
	want.rlim_max = want.rlim_cur;
	if (setrlimit(what, &want) != 0)
		return err_set_errno(e, errno, "limit of %s", name);
	return 0;
}

static int become_user(const struct confine *c, struct err *e)
{
	if (c->uid == 0 || geteuid() != 0)
		return 0;
	if (setgroups(0, NULL) != 0 || setresgid(c->gid, c->gid, c->gid) != 0 ||
		setresuid(c->uid, c->uid, c->uid) != 0)
		return err_set_errno(e, errno, "becoming user %ld", (long)c->uid);
	/* The leak checker looks at its own process. */
	if (SANITIZED && prctl(PR_SET_DUMPABLE, 1) != 0)
		return err_set_errno(e, errno, "PR_SET_DUMPABLE");
	return 0;
}

int confine_self(const struct confine *c, struct err *e)
{
	int status = 0;

	/* Best effort where the supervisor found no sandbox; it has said so. */
	if (c->unshare && !c->net && geteuid() == 0)
		(void)unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS);
	else if (c->unshare && !c->net)
		(void)unshare(CLONE_NEWUSER | CLONE_NEWNET);
	if (c->uid && geteuid() == 0)
		status = set_limit(RLIMIT_NPROC, "processes", PROCESSES_MAX, e);
	if (status == 0)
		status = become_user(c, e);
	if (status == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		status = err_set_errno(e, errno, "PR_SET_NO_NEW_PRIVS");
	if (status == 0)
		status = set_limit(RLIMIT_CORE, "core", 0, e);
	if (status == 0)
		status = set_limit(RLIMIT_NOFILE, "open files", FILES_MAX, e);
	if (status == 0)
		status = set_limit(RLIMIT_FSIZE, "file size", c->file_bytes, e);
	if (status == 0)
		status = set_limit(RLIMIT_CPU, "CPU time", c->cpu_s, e);
	if (status == 0 && !SANITIZED)
		status = set_limit(RLIMIT_AS, "address space", c->mem_bytes, e);
	return status;
}
