/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supervisor's side of analyse: what the child may say. */
#include "workers/analyse/analyse.h"

#include "stats/compare.h"

int analyse_check(json_t *out, struct err *e)
{
	const char *verdict;
	json_t *rows, *report, *row;
	size_t i;
	int status = jx_unpack(out, e, "analyse", "{s:s, s:o, s:o !}", "verdict",
		&verdict, "rows", &rows, "report", &report);

	if (status == 0 && (!json_is_array(rows) || !json_is_object(report)))
		status = err_set(e, ERR_INVALID, "analyse: no rows");
	json_array_foreach(rows, i, row)
	{
		const char *tier, *topology, *bench, *load, *metric, *mark, *why;
		enum stats_mark m;
		json_t *detail;

		if (status == 0)
			status = jx_unpack(row, e, "row",
				"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o !}", "tier",
				&tier, "topology", &topology, "bench", &bench, "load",
				&load, "metric", &metric, "mark", &mark, "why", &why,
				"detail", &detail);
		if (status == 0 &&
			(strlen(mark) != 1 || stats_mark_parse(mark[0], &m) != 0))
			status = err_set(e, ERR_INVALID, "row: no such mark");
	}
	return status;
}
