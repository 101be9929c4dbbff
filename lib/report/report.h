/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h - one series' results as the body of one mail.
 *
 * report_input holds facts (no judgement): what was applied, built, booted and measured.
 * report_build() judges them into a struct report (counts, failures, tables, what is
 * missing), report_text() prints it: ASCII, at most 75 columns except lines to copy, LF,
 * ends in LF. Same input, same bytes. What a tier cannot claim is not claimed: times of
 * emulated boots get the mark '.', their builds, boots, panics and warnings are judged.
 *
 * Text from outside (file names, log lines, reasons) may hold any bytes; it is cleaned
 * and cut here. Strings are borrowed until the text is made. Caps: REPORT_*_MAX, above
 * them ERR_TOO_BIG.
 */
#ifndef WL_REPORT_REPORT_H
#define WL_REPORT_REPORT_H

#include "base/arena.h"
#include "base/jx.h"
#include "bench/bench.h"
#include "stats/compare.h"

#define REPORT_WIDTH     75
#define REPORT_BOOTS_MAX 4096
#define REPORT_ROWS_MAX  1024
#define REPORT_LINES_MAX 256 /* of any list of text lines */

enum report_kind {
	REPORT_RESULT, /* built, booted, measured */
	REPORT_DOES_NOT_APPLY,
	REPORT_DOES_NOT_BUILD, /* patched only; base builds */
	REPORT_IN_BASE         /* all of it, before; applied says since when */
};
enum report_tier { REPORT_MODEL, REPORT_EMULATED, REPORT_METAL };
enum report_side { REPORT_BASE, REPORT_PATCHED };
const char *report_kind_name(enum report_kind k); /* "result" "does_not_apply" ... */
const char *report_tier_name(enum report_tier t); /* "model" "emulated" "metal" */
const char *report_side_name(enum report_side s); /* "base" "patched" */

/* ---- facts ---- */

struct report_attempt {            /* a base that was tried */
	const char *tree, *commit; /* commit: hex, NULL if unknown */
	const char *how;           /* "base-commit trailer of the cover" */
	const char *why;           /* why it was not taken; NULL: it was */
};

struct report_conflict {        /* where the series stops to apply */
	int patch_n, n_patches; /* patch_n 0: one that the series builds on */
	const char *title;      /* of that patch */
	const char *file;
	int hunk, n_hunks;          /* 0: the whole file or patch */
	const char *header;         /* "@@ -1,2 +1,3 @@ func", may be NULL */
	const char *reason;         /* one line of spec words, without the file */
	const char *const *closest; /* up to 12 lines of a small diff; printed quoted */
	size_t n_closest;
};

struct report_machine {
	const char *name;
	enum report_tier tier;
	const char *text; /* "QEMU 7.2 (TCG) on a 2-CPU x86_64 host, ..." */
};

struct report_topology {
	const char *name;    /* "guest-2l4" */
	const char *text;    /* "8 CPUs, two LLCs of 4" */
	const char *command; /* that boots it, whole, as run; NULL: not shown */
};

struct report_kernel {
	enum report_side side;
	bool done, ok; /* done false: no result, why says so */
	const char *why;
	const char *const *errors; /* the compiler's first errors, as printed */
	size_t n_errors;
	int n_errors_total;
};

struct report_event {             /* as `log check` prints them */
	const char *kind;         /* "panic", "warn", ... */
	const char *text;         /* the console line */
	const char *function;     /* NULL: unknown */
	int64_t line;             /* in the log, from 1; 0: unknown */
	const char *const *stack; /* lines of its trace; may be none */
	size_t n_stack;
};

enum report_outcome {
	REPORT_BOOT_OK,          /* reached user space, ran the loads, powered off */
	REPORT_BOOT_PANIC,       /* the kernel stopped: panic, oops that ends it */
	REPORT_BOOT_HANG,        /* no end before the deadline */
	REPORT_BOOT_LOAD_FAILED, /* booted, a load did not finish */
	REPORT_BOOT_NONE         /* no result, nothing about the kernel; why says so */
};
const char *report_outcome_name(enum report_outcome o); /* ok panic hang ... */
int report_outcome_parse(const char *name, enum report_outcome *ret); /* 0, or -1 */

struct report_boot {
	const char *topology;
	int block;
	enum report_side side;
	enum report_outcome outcome;
	const char *why; /* of hang, load_failed, none */
	bool shared;     /* taken from another series on the same base */
	const struct report_event *events;
	size_t n_events;
	const char *log_url; /* NULL: none */
};

struct report_samples { /* runs of one boot */
	enum report_side side;
	int block;
	const double *values;
	size_t n_values;
};

struct report_measure { /* one row of a table */
	enum report_tier tier;
	const char *topology; /* or the machine's name on metal */
	const char *bench, *case_;
	const char *load;          /* NULL or "": the case says all */
	const char *metric, *unit; /* unit NULL: unknown */
	enum bench_better better;
	const char *command; /* as run in the guest; NULL: not shown */
	const struct report_samples *samples;
	size_t n_samples;
};

struct report_missing { /* a planned cell without result */
	const char *what, *why;
};

struct report_design {
	int k_blocks;
	const char *seed;     /* hex as plan.h prints it */
	int n_warmup, n_runs; /* of each row per boot; 0: no loads */
};

struct report_input {
	enum report_kind kind;
	const char *title;      /* of the series, for "does not apply" */
	const char *message_id; /* answered mail, bare */
	int n_patches;
	const char *applied; /* "3 hunks at an offset"; NULL: all exact */
	const char *base_tree, *base_commit, *base_how; /* NULL: no base */
	const struct report_attempt *attempts;
	size_t n_attempts;
	const struct report_conflict *conflict; /* DOES_NOT_APPLY only */
	const char *config;                     /* "tinyconfig + 58 options"; NULL */
	const char *config_url;
	const char *arch;     /* of `make ARCH=`: "x86_64" */
	const char *compiler; /* "gcc 12.2.0"; NULL */
	const struct report_machine *machines;
	size_t n_machines;
	const struct report_topology *topologies;
	size_t n_topologies;
	const struct report_design *design; /* NULL: nothing planned */
	const struct report_kernel *builds;
	size_t n_builds;
	const struct report_boot
		*boots; /* every planned boot, also those without result */
	size_t n_boots;
	const struct report_measure *measures;
	size_t n_measures;
	const struct report_missing *missing;
	size_t n_missing;
	const char *const
		*repeat; /* commands, one a line, that fetch and make the kernels */
	size_t n_repeat;
	const char *url;     /* page with raw data; NULL: none */
	const char *contact; /* "mail lab@example.org"; NULL: not printed */
	bool can_opt_out;    /* print how to stop these mails */
};

/* ---- the model ---- */

struct report_row {
	enum report_tier tier;
	const char *topology, *bench, *case_, *load;
	struct stats_row stats; /* numbers and mark; reason when there are no numbers */
};

struct report_section { /* one table */
	enum report_tier tier;
	const char *bench, *topology, *metric, *unit;
	enum bench_better better;
	const struct report_row *rows;
	size_t n_rows;
};

struct report_failure { /* a thing that patched shows and base does not, or both */
	bool is_new;    /* false: base shows it too; told, not held against the series */
	const char *kind;     /* "panic", "warn", "hang", "load", "build" */
	const char *function; /* NULL: unknown */
	int n_patched, of_patched, n_base, of_base; /* boots that show it */
	const char **topologies;
	size_t n_topologies;
	const char **lines; /* from the log, cleaned */
	size_t n_lines;
	const char *log_url;
};

struct report_list_item {
	const char *what, *why;
};

struct report {
	const struct report_input *in; /* borrowed */
	enum report_kind kind;         /* as judged: a build may have failed */
	int counts[STATS_N_MARKS];     /* rows by mark; broken counts new failures */
	const struct report_section *sections;
	size_t n_sections;
	struct report_failure *failures;
	size_t n_failures;
	struct report_list_item *missing; /* cells without result, grouped */
	size_t n_missing;
	const char **notes;
	size_t n_notes;
	const char *verdict; /* "broken" "worse" "better" "no-change" "inconclusive"
				"ok" (built and booted, nothing judged) "in-base"
				"does-not-apply" "does-not-build" "no-result" */
};

/* ERR_INVALID or ERR_TOO_BIG for input that contradicts itself or a cap. */
int report_build(struct arena *a, const struct report_input *in, struct report **ret,
	struct err *e) MUST_CHECK;
/* The body. Arena. */
const char *report_text(struct arena *a, const struct report *r);
/* For pages and stored verdicts: {"v":1,"verdict","counts":{..},"sections":[..],
 * "failures":[..],"missing":[..],"notes":[..]}. Owner: caller. */
json_t *report_to_json(const struct report *r);

/* report_input as JSON, strict, with the field names of the structs ("case" for case_,
 * enums by name) and "v":1; NULL fields may be null or absent, empty arrays absent. What
 * a worker's child is given. Strings live in the arena. */
int report_input_from_json(
	struct arena *a, json_t *j, struct report_input **ret, struct err *e) MUST_CHECK;

#endif
