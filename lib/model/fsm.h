/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fsm.h - state machines of the entities, as tables. The database has the same tables
 * (sql/migrations/0002_fsm.sql) and is what refuses a wrong step; here they serve
 * decisions, messages and docs/states.md.
 */
#ifndef WL_MODEL_FSM_H
#define WL_MODEL_FSM_H

#include "base/base.h"

struct fsm_state {
	const char *name;
	bool final;   /* nothing leaves it by itself */
	bool initial; /* a row may begin in it */
};

struct fsm_transition {
	const char *from, *to;
	const char *why; /* in general; a row's own "why" says more */
};

struct fsm {
	const char *entity; /* "series"; the table's name */
	const char *about;  /* one sentence */
	const struct fsm_state *states;
	size_t n_states;
	const struct fsm_transition *transitions;
	size_t n_transitions;
};

extern const struct fsm fsm_all[];
extern const size_t fsm_n_all;

const struct fsm *fsm_find(const char *entity); /* NULL: there is no such entity */
const struct fsm_state *fsm_find_state(const struct fsm *f, const char *state);
bool fsm_allows(const struct fsm *f, const char *from, const char *to);
/* The whole of docs/states.md. */
void fsm_print_markdown(FILE *out);

#endif
