/* SPDX-License-Identifier: GPL-2.0-or-later */
/* proc_start.h - private to lib/base: fork and exec for proc_run and proc_spawn. */
#ifndef WL_BASE_PROC_START_H
#define WL_BASE_PROC_START_H

#include "base/proc.h"

/* Starts spec->argv with exactly fds (spec->fds is not read; a later row for one
 * child_fd wins). Descriptors 0 to 2 that no row names are inherited. Returns once the
 * exec succeeded, or with the reason why it did not. */
int proc_start(const struct proc_spec *spec, const struct proc_fd *fds, size_t n_fds,
	pid_t *ret_pid, struct err *e) MUST_CHECK;

#endif
