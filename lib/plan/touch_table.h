/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch_table.h - aspects of the scheduler, and the table that maps files, functions and
 * words to them. lib/plan/aspects.table is compiled in; its head describes the format.
 */
#ifndef WL_PLAN_TOUCH_TABLE_H
#define WL_PLAN_TOUCH_TABLE_H

#include "base/arena.h"
#include "base/err.h"

/* Order of output. Names: wake_path wakelist_ipi idle_scan cluster newidle load_balance
 * topology features fair_class pelt idle_states docs. */
enum touch_aspect_id {
	TOUCH_WAKE_PATH,
	TOUCH_WAKELIST_IPI,
	TOUCH_IDLE_SCAN,
	TOUCH_CLUSTER,
	TOUCH_NEWIDLE,
	TOUCH_LOAD_BALANCE,
	TOUCH_TOPOLOGY,
	TOUCH_FEATURES,
	TOUCH_FAIR_CLASS,
	TOUCH_PELT,
	TOUCH_IDLE_STATES,
	TOUCH_DOCS,
	TOUCH_N_ASPECTS,
};
#define TOUCH_BIT(id) (1u << (id)) /* sets of aspects are such bits */

const char *touch_aspect_name(enum touch_aspect_id id);
/* -1: no such aspect. */
int touch_aspect_parse(const char *name, enum touch_aspect_id *ret);

/* Which kernels a file is built into: of every architecture, of one of them, none. */
enum touch_built {
	TOUCH_BUILT_ALL,
	TOUCH_BUILT_SCHED, /* all, and it is a part of the scheduler */
	TOUCH_BUILT_NONE,
	TOUCH_BUILT_X86_64,
	TOUCH_BUILT_AARCH64,
	TOUCH_BUILT_OTHER, /* an architecture that wakelist does not build */
	TOUCH_N_BUILT,
};
/* "all" "sched" "none" "x86_64" "aarch64" "other" */
const char *touch_built_name(enum touch_built b);

#define TOUCH_TABLE_MAX_BYTES (1u << 20)
#define TOUCH_TABLE_MAX_ROWS  4000
#define TOUCH_TABLE_MAX_PATHS 16 /* of one row */

enum touch_row_kind {
	TOUCH_ROW_FUNCTION,
	TOUCH_ROW_WORD,
	TOUCH_ROW_FILE,
	TOUCH_ROW_BUILD,
};

struct touch_row {
	enum touch_row_kind kind;
	const char **paths; /* globs */
	size_t n_paths;
	const char *pattern;    /* glob; "-" for files and builds */
	unsigned aspects;       /* bits; 0: none, on purpose */
	enum touch_built built; /* of TOUCH_ROW_BUILD */
};

struct touch_table {
	struct touch_row *rows;
	size_t n;
};

extern const char touch_table_text[]; /* lib/plan/aspects.table */

/* INVALID naming the line; TOO_BIG. Arena. */
int touch_table_parse(const char *text, size_t len, struct arena *a,
	struct touch_table **ret, struct err *e) MUST_CHECK;
bool touch_row_has_path(const struct touch_row *row, const char *path);
/* By the first row of builds that has the path; without one: all. */
enum touch_built touch_table_built(const struct touch_table *t, const char *path);
/* The name (function or word, not file) fits the row's pattern. */
bool touch_row_has_name(const struct touch_row *row, const char *name);

#endif
