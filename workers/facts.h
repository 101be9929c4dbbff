/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts.h - a report's facts as the database has them -> struct report, for analyse and
 * reply alike. */
#ifndef WL_WORKERS_FACTS_H
#define WL_WORKERS_FACTS_H

#include "report/report.h"
#include "workers/kind.h"

/* facts: report_input as JSON, but "topologies" a list of names. Changed in place. */
int facts_report(
	struct arena *a, json_t *facts, struct report **ret, struct err *e) MUST_CHECK;

#endif
