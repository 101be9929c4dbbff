/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conf.h - settings: one const table per program, a "key = value" file, the
 * command line, --help made from the same table. docs/config.md is generated from it.
 */
#ifndef WL_BASE_CONF_H
#define WL_BASE_CONF_H

#include "base/arena.h"
#include "base/err.h"

enum conf_type { CONF_STR, CONF_INT, CONF_BOOL, CONF_MS, CONF_BYTES };

/* One row: where the value goes (char *, int64_t or bool at offset) and its bounds. */
struct conf_entry {
	/* "listen"; also --listen VALUE or --listen=VALUE; CONF_BOOL: --name or
	 * --name=no. "-" and "_" are one. */
	const char *name;
	enum conf_type type;
	size_t offset;
	const char *dflt; /* text form, NULL for none */
	int64_t min, max; /* numbers, both 0: no bound; CONF_STR: max is the length, 0 =
			     4096 */
	const char *help;
};

struct conf_table {
	const char *program; /* "wakelistd" */
	const char *usage;   /* "wakelistd [OPTION]... [migrate]" */
	const char *summary; /* sentences under the usage line */
	const struct conf_entry *entries;
	size_t n_entries;
};

/* Fills defaults, then --config FILE, then options; what is left in argv are operands.
 * Handles --help, --version, --print-config, --print-config-markdown and --check-config
 * itself: *ret_done true, caller exits 0. Unknown key or option, bad number: ERR_INVALID
 * naming file and line or option. Strings live in the arena. */
int conf_load(const struct conf_table *t, struct arena *a, void *target, int argc,
	char **argv, int *ret_n_operands, char ***ret_operands, bool *ret_done,
	struct err *e) MUST_CHECK;
/* Markdown table of one program, for docs/config.md. */
void conf_print_markdown(const struct conf_table *t, FILE *out);
/* "64M", "3s", "250ms", "yes" as the types read them. */
int conf_parse_value(
	enum conf_type type, const char *text, int64_t *ret, struct err *e) MUST_CHECK;

#endif
