/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * touch.h - what a series touches: functions, kernel configs, features of the scheduler,
 * and aspects with the lines that are the reason. Pure: parsed patches, texts and spans
 * in, lists out; same input, same output.
 *
 * A changed line belongs to the function (macro, type, table) whose span holds it, on its
 * own side: an added line in the patched file, a removed one in the base. Without spans
 * (no text, a file that could not be scanned) the function is read from the hunk itself:
 * the text after "@@" and function lines among the hunk's lines; a note says so.
 *
 * A line that is blank or only comment is no reason for an aspect of code. A series whose
 * changed lines are all such, or in documentation, has aspect docs and no other.
 */
#ifndef WL_PLAN_TOUCH_H
#define WL_PLAN_TOUCH_H

#include "base/jx.h"
#include "patch/diff.h"
#include "plan/touch_table.h"

#define TOUCH_TEXT_MAX_BYTES (8u << 20) /* of one side; longer counts as no text */
#define TOUCH_NAME_MAX       200        /* bytes; a longer name is cut */
#define TOUCH_LINES_MAX      100        /* reasons kept of one aspect */
#define TOUCH_NAMES_MAX      5000 /* functions, types; each of configs and features */

enum touch_kind { TOUCH_FUNCTION, TOUCH_MACRO, TOUCH_TYPE, TOUCH_DATA };
const char *touch_kind_name(enum touch_kind k); /* "function" "macro" "type" "data" */

struct touch_span {
	const char *name;
	enum touch_kind kind;
	uint32_t line; /* of the name, from 1 */
	uint32_t end;  /* last line; 0: not known */
};

/* One side of a file. text NULL: there is none, or it is not at hand. */
struct touch_side {
	const char *text;
	size_t len;
	const struct touch_span *spans;
	size_t n_spans;
	bool has_spans; /* they were looked for, and that worked */
};

struct touch_file {
	const struct diff_file *diff; /* line numbers as in the texts */
	struct touch_side base, patched;
};

struct touch_input {
	const struct touch_file *files;
	size_t n_files;
	const struct touch_table *table;
};

struct touch_path {
	const char *path;
	enum touch_built built;
};

/* changed: there before and after. renamed: the same body under another name (two rows,
 * one for each name, each naming the other). */
enum touch_change { TOUCH_CHANGED, TOUCH_ADDED, TOUCH_REMOVED, TOUCH_RENAMED };
const char *touch_change_name(enum touch_change c);

struct touch_symbol {
	const char *path; /* new name of the file; old one of a deletion */
	const char *name;
	enum touch_kind kind;
	enum touch_change change;
	const char *other;           /* TOUCH_RENAMED: the other name, else NULL */
	uint32_t n_added, n_removed; /* lines */
};

/* A run of changed lines. */
struct touch_line {
	const char *path;
	uint32_t line;          /* first, from 1; 0: the file as a whole */
	uint32_t n_lines;       /* 0 with line 0 */
	bool in_base;           /* removed lines: line counts in the base */
	const char *function;   /* or macro, type, table; NULL: between them */
	enum touch_built built; /* the file */
};

struct touch_aspect {
	enum touch_aspect_id id;
	struct touch_line *why;
	size_t n_why;
	size_t n_more; /* reasons over TOUCH_LINES_MAX */
};

struct touch_note {
	const char *code; /* "no_spans" "too_many" */
	const char *detail;
};

struct touch {
	struct touch_path *files; /* in order of the patch; old names too */
	size_t n_files;
	struct touch_aspect *aspects; /* in the order of their ids */
	size_t n_aspects;
	unsigned aspect_bits;           /* the same as a set */
	struct touch_symbol *functions; /* functions and macros, in order of the patch */
	size_t n_functions;
	struct touch_symbol *types; /* structs, unions, enums; tables and variables */
	size_t n_types;
	const char **configs; /* "CONFIG_SMP", sorted */
	size_t n_configs;
	const char **features; /* "TTWU_QUEUE", sorted */
	size_t n_features;
	struct touch_note *notes;
	size_t n_notes;
};

/* Arena; strings of the input are borrowed. Never fails: what goes over a limit is left
 * out, with a note. */
struct touch *touch_make(struct arena *a, const struct touch_input *in);

/* {"v":1,"files":[{"path","built"}],
 * "aspects":[{"id","why":[{"path","line","function","side","lines"}],"more"}],
 * "functions":[{"path","name","kind","change","other","added","removed"}],"types":[same],
 * "configs":[..],"features":[..],"notes":[{"code","detail"}]}. Owner: caller. */
json_t *touch_to_json(const struct touch *t);

#endif
