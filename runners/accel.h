/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * accel.h - how QEMU runs guests here: KVM only where a tiny guest was seen to run with
 * it inside the sandbox, within a bound; else TCG. A device node that exists and a QEMU
 * that accepts "-accel kvm" prove nothing.
 */
#ifndef WL_RUNNERS_ACCEL_H
#define WL_RUNNERS_ACCEL_H

#include "runners/sandbox.h"

#define ACCEL_PROBE_MS 15000

struct accel {
	const char *name;    /* "kvm" or "tcg" */
	const char *why;     /* one clause */
	const char *qemu;    /* "7.2.22"; NULL: no emulator for this architecture */
	const char *program; /* "qemu-system-x86_64" */
};

/* arch: "x86_64" or "aarch64". dir: scratch folder of the caller's, where the answer is
 * also kept (accel-<arch>.json) for as long as this boot of the machine and this version
 * of QEMU last. Never fails: without an emulator qemu is NULL and why says so. */
void accel_probe(struct arena *a, const struct sandbox *s, const char *arch,
	const char *dir, struct accel *ret);
/* The probe itself: true when the tiny guest wrote its word and ended with the
 * accelerator in time; else why. */
bool accel_guest_speaks(struct arena *a, const struct sandbox *s, const char *arch,
	const char *name, const char *dir, const char **ret_why);

#endif
