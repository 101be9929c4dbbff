/* SPDX-License-Identifier: GPL-2.0-or-later */
/* failure.h - what boots showed, grouped and compared between the sides. Internal. */
#ifndef WL_REPORT_FAILURE_H
#define WL_REPORT_FAILURE_H

#include "report/report.h"

/* Boots of a side that have a result, and how many of them are all right. */
void failure_count_boots(
	const struct report_input *in, enum report_side side, int *ret_n, int *ret_ok);
/* Failures of patched boots, new ones first; what only base shows becomes a note. */
void failure_collect(struct arena *a, const struct report_input *in, struct report *r);

#endif
