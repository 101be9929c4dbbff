/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats_input.h - samples for `wakelist stats compare`, from JSON or CSV.
 *
 * JSON:
 * {"format":"wakelist-sim/1","tables":[{"id","rows":[{"id","direction","a","a_boot",
 * "a_block","b","b_boot","b_block","history"}]}]}: a base, b patched; *_boot numbers the
 * boots of a side, *_block pairs boots that ran next to each other, history holds earlier
 * base boots, oldest first. Without *_boot every value is a boot of its own.
 * CSV: a head line with the columns row, side (base or patched), value and, as wanted,
 * table, direction (lower or higher), boot, block; one value a line; no quoting.
 */
#ifndef WL_CLI_STATS_INPUT_H
#define WL_CLI_STATS_INPUT_H

#include "base/err.h"
#include "base/jx.h"
#include "stats/compare.h"

#define STATS_INPUT_MAX (256 << 20) /* bytes */

struct stats_input_table {
	const char *id;
	const char **row_ids;
	struct stats_row_in *rows;
	size_t n_rows;
};

struct stats_input {
	struct stats_input_table *tables;
	size_t n_tables;
};

/* JSON when the first character is '{'. ERR_INVALID names table and row, or the line. */
int stats_input_parse(struct arena *a, const char *buf, size_t len,
	struct stats_input *ret, struct err *e) MUST_CHECK;

#endif
