/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch_build.h - the parts of touch_make(): what is being put together. */
#ifndef WL_PLAN_TOUCH_BUILD_H
#define WL_PLAN_TOUCH_BUILD_H

#include "plan/touch_text.h"

#define TOUCH_SLOTS 65536 /* of the hash tables; over four times what is kept */

/* Names met so far, each once. */
struct touch_names {
	const char **v;
	size_t n, cap;
	const char **slots;
	bool full; /* some were left out */
};

struct touch_symbols {
	struct touch_symbol *v;
	size_t n, cap;
	uint32_t *slots; /* index + 1 */
	bool full;
};

struct touch_build {
	struct arena *a;
	struct touch *t;
	const struct touch_table *table;
	struct touch_symbols functions, types;
	struct touch_names configs, features;
	struct touch_aspect aspects[TOUCH_N_ASPECTS];
	size_t cap_why[TOUCH_N_ASPECTS];
	size_t cap_notes, cap_files;
	bool compiled; /* a line was changed that a compiler sees */
};

/* One file while it is read. */
struct touch_place {
	const struct touch_file *f;
	const char *path;
	enum touch_lang lang;
	struct touch_text *side[2];                  /* base, patched */
	const struct touch_row **functions, **words; /* rows for this file */
	size_t n_functions, n_words;
	unsigned file_aspects;
	enum touch_built built;
	unsigned *masks[2];                /* of spans, once known */
	bool *known[2];                    /* the mask is known */
	size_t first_function, first_type; /* of this file, in the lists */
};

/* A symbol of this file, found or made; NULL: the list is full. */
struct touch_symbol *touch_symbol_of(struct touch_build *b, const struct touch_place *p,
	const char *name, enum touch_kind kind);
void touch_name_add(
	struct arena *a, struct touch_names *names, const char *p, size_t len);
void touch_names_sort(struct touch_names *names);
/* Sets change and other of the symbols of this file. */
void touch_judge_symbols(struct touch_build *b, const struct touch_place *p);

#endif
