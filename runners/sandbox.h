/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sandbox.h - runs what a patch may have written (kernel makefiles, host tools, guests)
 * without network, in its own pid, ipc and mount namespaces, with only the named folders
 * writable, never as root, and with limits on memory, files, processes and time.
 *
 * By bubblewrap: as the caller's own user in a user namespace; where the caller is root,
 * bubblewrap sets up the mounts and the program then runs as "nobody" without any
 * capability. Where bubblewrap cannot run the limits stay (and the switch of user, when
 * root), and the note says what is missing. Paths are the same inside and outside.
 */
#ifndef WL_RUNNERS_SANDBOX_H
#define WL_RUNNERS_SANDBOX_H

#include "base/arena.h"
#include "base/proc.h"

#define SANDBOX_MOUNTS_MAX 16
#define SANDBOX_UID        65534 /* nobody: who runs the program when we are root */

struct sandbox {
	bool bwrap;      /* false: limits only */
	bool root;       /* we are root: drop to SANDBOX_UID */
	const char *why; /* bwrap false: why. Arena */
};

struct sandbox_mount {
	const char *path;
	bool writable;
};

struct sandbox_spec {
	const char *const *argv; /* NULL ended */
	const char *const
		*env; /* "K=V", NULL ended; nothing else but PATH, LC_ALL, HOME */
	const char *cwd;
	struct sandbox_mount mounts[SANDBOX_MOUNTS_MAX]; /* path NULL ends */
	bool kvm;                                        /* pass /dev/kvm in */
	int64_t mem_limit_bytes; /* address space of one process; 0: none */
	int64_t file_limit_bytes;
	int64_t cpu_limit_s; /* of one process */
	int n_procs_max;     /* of the user; 0: none */
};

/* Tries bubblewrap once (bounded); never fails. */
void sandbox_probe(struct arena *a, struct sandbox *ret);
/* Fills a proc_spec that runs spec inside; deadline, output and fds are the caller's. All
 * in the arena. INVALID: a path that is not absolute. */
int sandbox_command(struct arena *a, const struct sandbox *s,
	const struct sandbox_spec *spec, struct proc_spec *ret, struct err *e) MUST_CHECK;
/* Makes dir (if absent) a folder that the sandboxed program may write to. */
int sandbox_own_dir(const struct sandbox *s, const char *dir, struct err *e) MUST_CHECK;
/* "bubblewrap, no network, uid 65534" or "limits only: <why>". Arena. */
const char *sandbox_text(struct arena *a, const struct sandbox *s);

#endif
