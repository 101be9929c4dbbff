/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noun.h - commands of the form "wakelist NOUN VERB [OPERAND]... [OPTION]..." that talk
 * to a server. A noun is a table of verbs, a verb a table of options; help, usage errors,
 * --json and the connection are made here once.
 */
#ifndef WL_CLI_NOUN_H
#define WL_CLI_NOUN_H

#include "cli/cli.h"
#include "cli/client.h"

#define NOUN_MAX_VALUES 64

struct noun_option {
	const char *name;       /* "reply"; NULL ends the table */
	const char *value_name; /* "POLICY"; NULL: a switch */
	const char *help;
	bool repeated; /* every value counts, not only the last */
	char letter;   /* 'v': -v is the same; 0: none. Not h, which is --help */
};

/* What a verb gets: parsed options, operands, an open connection, an arena. */
struct noun_call {
	struct arena *arena;
	struct client *client;
	bool json; /* print the server's answer as it is */
	int n_operands;
	char **operands;
	const struct noun_option *options;
	const char *values[NOUN_MAX_VALUES];
	size_t n_values;
	int value_option[NOUN_MAX_VALUES]; /* index in options */
	struct err err;
};

struct noun_verb {
	const char
		*name; /* NULL ends the table; "" is the noun itself (submit, doctor) */
	const char *operands;
	const char *summary;
	int min_operands, max_operands;
	const struct noun_option *options; /* may be NULL */
	int (*run)(struct noun_call
			*call); /* an enum cli_exit, or negative: call->err says why */
};

int noun_run(const char *noun, const char *summary, const struct noun_verb *verbs,
	int argc, char **argv);

/* Last value of an option, or NULL. A switch that was given has the value "". */
const char *noun_value(const struct noun_call *call, const char *name);
/* All values of a repeated option as a JSON array, or NULL when it was not given. */
json_t *noun_values(const struct noun_call *call, const char *name);

/* client_call on "/path" + "?"; with --json the answer is printed and *ret stays NULL. */
int noun_get(struct noun_call *call, const char *path, json_t **ret) MUST_CHECK;
int noun_send(struct noun_call *call, const char *method, const char *path, json_t *body,
	json_t **ret) MUST_CHECK;

#endif
