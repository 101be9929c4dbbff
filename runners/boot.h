/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * boot.h - one boot of one kernel on one QEMU topology: argv, sandbox, bounded wait, the
 * whole serial log, the results channel, and what the log says.
 */
#ifndef WL_RUNNERS_BOOT_H
#define WL_RUNNERS_BOOT_H

#include "runners/accel.h"
#include "runners/logcheck.h"
#include "runners/results.h"
#include "topo/topo.h"

#define BOOT_TIMEOUT_MAX_S 3600
#define BOOT_MEM_MB        1024       /* of a guest whose preset does not say */
#define BOOT_FILE_MAX      (32 << 20) /* bytes of the serial log and of the results */

enum boot_outcome {
	BOOT_OK,         /* all loads ran, the guest switched itself off */
	BOOT_PANICKED,   /* the kernel stopped */
	BOOT_TIMED_OUT,  /* no end within the limit */
	BOOT_NO_RESULTS, /* ended, but user space did not report to the end */
	BOOT_NO_EMULATOR /* QEMU failed or was killed: says nothing of the kernel. Also an
			  * int3 that no part of the kernel claims, without KVM */
};
const char *boot_outcome_name(enum boot_outcome o); /* "ok" "panicked" ... */

struct boot_spec {
	const struct topo_preset *preset; /* must have qemu arguments */
	const char *kernel, *initrd;      /* absolute paths */
	const char *dir; /* absolute; serial.log and results.raw go here */
	const struct sandbox *sandbox;
	const struct accel *accel;
	int timeout_s;       /* of the whole boot, wall time */
	const char *version; /* must be in the guest's `uname -v`; NULL: not checked */
	int n_runs;          /* planned, for progress */
	void (*progress)(void *arg, int done, int total); /* may be NULL */
	void *arg;
};

struct boot_result {
	enum boot_outcome outcome;
	const char *why;         /* NULL when BOOT_OK */
	bool booted;             /* user space was reached */
	const char *const *argv; /* of QEMU, NULL ended */
	int64_t wall_ms;
	const char *serial_path, *raw_path;
	struct log_check *log;
	struct guest_results *results;
};

/* QEMU's arguments, NULL ended; pure. UNSUPPORTED: the preset has none. Arena. */
int boot_argv(struct arena *a, const struct boot_spec *s, const char *const **ret,
	struct err *e) MUST_CHECK;
/* 0 whatever the kernel did; an error when nothing could be tried. Arena. */
int boot_run(struct arena *a, const struct boot_spec *s, struct boot_result *ret,
	struct err *e) MUST_CHECK;

#endif
