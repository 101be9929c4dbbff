/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpuset.h - a set of CPU numbers 0..CPUSET_MAX-1 by value, and its list form "0-3,8".
 */
#ifndef WL_TOPO_CPUSET_H
#define WL_TOPO_CPUSET_H

#include "base/arena.h"
#include "base/err.h"

#define CPUSET_MAX   1024
#define CPUSET_WORDS (CPUSET_MAX / 64)

struct cpuset {
	uint64_t w[CPUSET_WORDS];
};

void cpuset_clear(struct cpuset *s);
void cpuset_add(struct cpuset *s, int cpu); /* a number out of range is a bug */
void cpuset_remove(struct cpuset *s, int cpu);
bool cpuset_has(const struct cpuset *s, int cpu); /* false out of range */
int cpuset_count(const struct cpuset *s);
/* Lowest member that is >= from, or -1. */
int cpuset_next(const struct cpuset *s, int from);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer);
void cpuset_or(struct cpuset *s, const struct cpuset *o);
void cpuset_and(struct cpuset *s, const struct cpuset *o);

/* The kernel's list form: "0-3,8", "" is empty. ERR_INVALID says what is wrong. */
int cpuset_parse(const char *text, struct cpuset *ret, struct err *e) MUST_CHECK;
const char *cpuset_format(struct arena *a, const struct cpuset *s); /* arena */

#define CPUSET_EACH(cpu, s)                                                              \
	for (int cpu = cpuset_next((s), 0); cpu >= 0; cpu = cpuset_next((s), cpu + 1))

#endif
