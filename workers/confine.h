/* SPDX-License-Identifier: GPL-2.0-or-later */
/* confine.h - the child gives up what it does not need, before it reads its input. */
#ifndef WL_WORKERS_CONFINE_H
#define WL_WORKERS_CONFINE_H

#include "base/base.h"

#include "base/err.h"

struct confine {
	uid_t uid; /* 0: stay who we are */
	gid_t gid;
	bool unshare; /* no sandbox around us: leave the network by ourselves */
	bool net;     /* keep the network */
	int64_t mem_bytes, file_bytes, cpu_s;
};

/* User, groups, no new privileges, limits (address space, file size, CPU time, open
 * files, processes, no core). Under the address sanitizer the address space is not
 * limited: its shadow needs terabytes. */
int confine_self(const struct confine *c, struct err *e) MUST_CHECK;

#endif
