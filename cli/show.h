/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * show.h - what people read: aligned tables, coloured states, ages, progress on a
 * terminal. Colour only on a terminal and when NO_COLOR is unset; progress only on
 * stderr.
 */
#ifndef WL_CLI_SHOW_H
#define WL_CLI_SHOW_H

#include "base/arena.h"
#include "base/jx.h"

/* A column: JSON path in dots ("author.name"), heading, and how it is shown. */
enum show_as { SHOW_TEXT, SHOW_STATE, SHOW_AGE, SHOW_ID12, SHOW_NUMBER, SHOW_LIST };
struct show_column {
	const char *path; /* NULL ends the table */
	const char *head;
	enum show_as as;
	int max_width; /* 0: no limit; longer text ends in "..." on a terminal */
};

/* rows: a JSON array of objects. empty is printed when there is none. */
void show_table(const json_t *rows, const struct show_column *columns, const char *empty);
/* "name:   value" lines for one object. */
void show_facts(const json_t *object, const struct show_column *columns);
/* Text at a path, "" where there is none. Arena, so numbers and arrays work too. */
const char *show_text(struct arena *a, const json_t *object, const char *path);
const json_t *show_at(
	const json_t *object, const char *path); /* NULL where there is none */
bool show_colour(FILE *out);
/* Control characters of outside text, and those that turn its direction, become '?'.
 * Arena. */
const char *show_clean(struct arena *a, const char *text);

/* A progress line that rewrites itself; where stderr is no terminal, a line each 30 s. */
struct show_progress {
	int64_t started_ns;
	int64_t first_done; /* done when the estimate began */
	char last_text[64];
	bool drawn;
	int64_t said_ns; /* last line on what is no terminal */
};
/* progress: {"done","total","unit","text"} or null. */
void show_progress(struct show_progress *p, const char *title, const json_t *progress);
void show_progress_end(struct show_progress *p);

#endif
