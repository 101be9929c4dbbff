/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.h - the smallest experiment that can answer for a series: cells that say why they
 * are there, and an interleaved, randomised schedule of boots.
 *
 * Design: per topology K blocks; a block is one boot of base and one of patched, next to
 * each other, their order by a coin drawn from the seed; topologies take turns, so that
 * no topology has all its boots at one end. The seed is printed and comes from the mail.
 * Keys: runs with equal keys are the same experiment. A base run's key names nothing of
 * the series, so that another series on the same base reuses the boot of that block.
 */
#ifndef WL_PLAN_PLAN_H
#define WL_PLAN_PLAN_H

#include "base/arena.h"
#include "base/jx.h"
#include "plan/touch.h"

#define PLAN_VERSION        1
#define PLAN_BLOCKS_DEFAULT 4
#define PLAN_BLOCKS_MAX     12
#define PLAN_TOPOS_MAX      32
#define PLAN_BENCHES_MAX    64
#define PLAN_SEED_HEX       17 /* 16 hex digits and the NUL */

enum plan_side { PLAN_BASE, PLAN_PATCHED };
enum plan_tier { PLAN_MODEL, PLAN_EMULATED, PLAN_METAL };
enum plan_action { PLAN_BUILD, PLAN_BOOT, PLAN_BENCH };
const char *plan_side_name(enum plan_side s);     /* "base", "patched" */
const char *plan_tier_name(enum plan_tier t);     /* "model", "emulated", "metal" */
const char *plan_action_name(enum plan_action k); /* "build", "boot", "bench" */
/* 0, or -1 when the name is unknown. */
int plan_side_parse(const char *name, enum plan_side *ret);
int plan_tier_parse(const char *name, enum plan_tier *ret);
int plan_action_parse(const char *name, enum plan_action *ret);

/* One load that runs inside every boot. */
struct plan_bench {
	const char *bench;    /* parser name: "hackbench" */
	const char *case_;    /* "process-pipe"; no blank */
	const char *load;     /* "1-groups"; no blank */
	const char *command;  /* "hackbench -p -g 1 -l 200": words, single blanks */
	int n_warmup, n_runs; /* per boot */
};

struct plan_input {
	const char *root_msgid; /* of the series, bare */
	int series_version;
	const char *base_tree;     /* git tree id of the base, hex */
	const char *patched_tree;  /* git tree id of the result, hex */
	const struct touch *touch; /* what differs between the two */
	const char *spans_why;     /* why functions were not scanned for; may be NULL */
	const char *arch;          /* "x86_64" */
	const char *config_id;     /* names architecture, config and compiler: a word */
	const char *const *topologies; /* presets that some runner can boot */
	size_t n_topologies;
	enum plan_tier tier; /* of the boots: emulated, later metal */
	int k_blocks;        /* 1..PLAN_BLOCKS_MAX */
	const struct plan_bench *benches;
	size_t n_benches; /* 0: boots only */
};

/* What is asked, and why. Every run and build serves at least one cell. */
struct plan_cell {
	int id; /* index in the plan, from 0 */
	enum plan_action action;
	enum plan_tier tier;
	const char *topology; /* NULL for builds */
	int bench;            /* index into benches, -1 for builds and boots */
	const char *why;      /* one sentence */
};

struct plan_build {
	enum plan_side side;
	const char *tree; /* git tree id */
	const char *key;  /* "build:<tree>:<arch>:<config id>" */
};

/* One boot. It carries every load of the plan. */
struct plan_run {
	int seq; /* position in the schedule, from 0 */
	const char *topology;
	int block; /* from 0, per topology */
	enum plan_side side;
	int order;       /* 0: first boot of its block, 1: second */
	const char *key; /* "boot:<tree>:<config id>:<topology>:<block>:<load id>" */
	const char *build_key;
};

struct plan {
	char seed[PLAN_SEED_HEX];
	int k_blocks;
	const char *arch, *config_id;
	const char *load_id; /* 12 hex digits over the benches */
	struct plan_bench *benches;
	size_t n_benches;
	struct plan_cell *cells;
	size_t n_cells;
	struct plan_build *builds; /* base, patched; none when nothing is to be run */
	size_t n_builds;
	struct plan_run *runs;
	size_t n_runs;
	const char **aspects; /* names of touch_table.h that the series touches */
	size_t n_aspects;
	const char **notes; /* what is left out, and why */
	size_t n_notes;
};

/* First 8 bytes of SHA-256 over "<root-msgid> v<version>"; ret_hex is how it is printed.
 */
uint64_t plan_seed(
	const char *root_msgid, int series_version, char ret_hex[PLAN_SEED_HEX]);
/* Pure: same input and seed, same plan. ERR_INVALID names what is wrong with the input
 * (unknown topology, K out of range, tree that is no id ...). A series that touches
 * nothing that is compiled gets no builds and no runs, and a note that says so. */
int plan_make(struct arena *a, const struct plan_input *in, uint64_t seed,
	struct plan **ret, struct err *e) MUST_CHECK;

/* JSON, strict: {"v":1,"seed","k_blocks","arch","config_id","load_id","benches":[..],
 * "cells":[..],"builds":[..],"runs":[..],"aspects":[..],"notes":[..]} with the field
 * names of the structs ("case" for case_). */
json_t *plan_to_json(const struct plan *p); /* owner: caller */
int plan_from_json(
	struct arena *a, json_t *j, struct plan **ret, struct err *e) MUST_CHECK;

#endif
