/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * initramfs.h - the user space of a test guest as one cpio archive: busybox-static, our
 * init (guest/init), hackbench with its libraries, and the list of what to run. Built
 * without root; same programs and list, same bytes.
 */
#ifndef WL_RUNNERS_INITRAMFS_H
#define WL_RUNNERS_INITRAMFS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/sbuf.h"

#define INITRAMFS_BENCHES_MAX 64
#define INITRAMFS_RUNS_MAX    1000 /* of each load in one boot, warm-ups included */
#define INITRAMFS_WORDS_MAX   32   /* of one load */

struct initramfs_load {
	const char *const *argv; /* NULL ended; words of [A-Za-z0-9._/=,:+-] only */
	int n_warmup, n_runs;
	int timeout_s; /* of one run */
};

struct initramfs_spec {
	const char *arch; /* "x86_64", "aarch64" */
	const char *root; /* where the guest's programs lie: "" for this machine's own */
	const struct initramfs_load *loads;
	size_t n_loads; /* runs take turns: first all loads once, then again */
};

/* NOT_FOUND: a program is missing; INVALID: a word that may not be; TOO_BIG. */
int initramfs_build(
	const struct initramfs_spec *s, struct sbuf *ret, struct err *e) MUST_CHECK;
/* The lines of /wl/runs alone (pure; part of the above). */
int initramfs_runs(
	const struct initramfs_spec *s, struct sbuf *ret, struct err *e) MUST_CHECK;

#endif
