/* SPDX-License-Identifier: GPL-2.0-or-later */
/* touch_text.h - reading source text for touch.c: lines, comments, words, owners. Pure.
 */
#ifndef WL_PLAN_TOUCH_TEXT_H
#define WL_PLAN_TOUCH_TEXT_H

#include "plan/touch.h"

enum touch_lang { TOUCH_C, TOUCH_KCONFIG, TOUCH_HASH, TOUCH_OTHER };
/* By name: .c .h .S .dts...; Kconfig*; Makefile* and Kbuild; the rest. */
enum touch_lang touch_lang_of(const char *path);

#define TOUCH_NOBODY UINT32_MAX

/* A side, line by line; arrays are indexed by line number, [0] is not used. */
struct touch_text {
	uint32_t n_lines;   /* 0: no text */
	const char **start; /* n_lines + 2 entries; the last one is the end */
	bool *has_code;     /* something that is neither blank nor comment */
	uint32_t *owner;    /* index of a span, or TOUCH_NOBODY */
	uint32_t *entry;    /* Kconfig: line of the entry's head, 0: none */
	const char **names; /* of spans: as people say them, "sys_nice" */
	uint32_t *first;    /* of spans: first line, with the return type's */
	uint32_t *last;     /* of spans */
};

struct touch_text *touch_text_make(
	struct arena *a, const struct touch_side *side, enum touch_lang lang);
/* CONFIG_ name of the Kconfig entry that the line is in, or NULL. Arena. */
const char *touch_kconfig_entry(
	struct arena *a, const struct touch_text *t, uint32_t line);
/* Of one line: "config SCHED_MC" -> "CONFIG_SCHED_MC", else NULL. Arena. */
const char *touch_kconfig_name(struct arena *a, const char *p, size_t len);

/* The next identifier at or after *p, before end; false at the end. *p moves behind it.
 */
bool touch_next_word(
	const char **p, const char *end, const char **ret_word, size_t *ret_len);
/* A lone line: blank, or looks like comment from its first characters. */
bool touch_line_is_idle(const char *p, size_t len, enum touch_lang lang);
/* Name of the function that a line at column 0 begins ("static int f(int a)"), or NULL:
 * the line begins none. Arena. */
const char *touch_line_function(struct arena *a, const char *p, size_t len);

#endif
