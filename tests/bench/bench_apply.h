/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench_apply.h - what bench_apply.c times and bench_apply_pick.c chooses.
 */
#ifndef WL_TESTS_BENCH_APPLY_H
#define WL_TESTS_BENCH_APPLY_H

#include "base/base.h"

#include "base/proc.h"
#include "patch/apply.h"

#define SPREAD 100 /* made-up patches, each of another folder; no series has more */

/* A file that git am takes: one patch mail, or an mbox of a series. */
struct input {
	const char *path, *p;
	size_t len, n_patches;
	size_t n_sched; /* patches of kernel/sched/fair.c or core.c */
};

enum set_id { SET_ALONE, SET_STACK, SET_SPREAD, N_SETS };

struct set {
	struct input *v;
	size_t n, n_patches, n_sched;
};

struct bench {
	struct arena *a;
	const char *scratch, *wakelist;
	const char *am;    /* a work tree */
	const char *clean; /* a bare repository that is not written to */
	char base[REPO_HEX];
	size_t want; /* patches */
	size_t fits; /* patches of the epochs that apply alone */
	struct set sets[N_SETS];
	struct proc_result *epochs; /* their bytes; inputs borrow them */
	size_t n_epochs;
	size_t n_wrong;
};

/* How a series went in this process. */
struct went {
	int64_t cpu_ns;
	char tree[REPO_HEX], commit[REPO_HEX]; /* the last; "" when it did not apply */
	bool clean;                            /* every patch exact or offset */
};

/* Ends the program; e may be NULL. */
_Noreturn void bench_die(const char *what, const struct err *e);
/* A program that must start; r is the caller's. */
void bench_run(
	const char *const *argv, const void *in, size_t len, struct proc_result *r);
/* First line of a program that must succeed; arena. */
const char *bench_ask(struct bench *b, const char *const *argv);
/* From the mails' bytes to what is kept in the repository, which is opened anew, as
 * cmd_apply does it. */
void bench_library(const char *repo, const char *base, enum apply_keep keep, bool no_3way,
	const struct input *in, struct went *ret);

/* Fills the three sets and saves their files. */
void bench_pick(struct bench *b, char **epochs);

#endif
