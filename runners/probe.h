/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probe.h - what this machine can do, as the server's queue matches it: capabilities
 * ("kind:build", "arch:x86_64", "build:x86_64", "emu:x86_64", "topo:guest-1l8"), topology
 * and the tools found with their versions. Only what was found here is claimed.
 */
#ifndef WL_RUNNERS_PROBE_H
#define WL_RUNNERS_PROBE_H

#include "base/jx.h"
#include "runners/sandbox.h"

struct probe {
	const char *arch; /* of this machine, as uname says */
	json_t *caps;     /* list of text */
	json_t *topology; /* null when hwloc cannot tell */
	json_t *tools;    /* {"gcc":"12.2.0", ...} */
	bool test_only;   /* has kind:null */
};

/* kinds: "build,boot,null", any order. cache: folder for the accelerator's answer.
 * INVALID: an unknown kind. The JSON is the caller's: probe_release(). */
int probe_machine(struct arena *a, const char *kinds, const char *cache,
	struct probe *ret, struct err *e) MUST_CHECK;
void probe_release(struct probe *p);

#endif
