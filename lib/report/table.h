/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - the tables of a mail, in the columns kernel people post. Internal. */
#ifndef WL_REPORT_TABLE_H
#define WL_REPORT_TABLE_H

#include "base/sbuf.h"
#include "report/report.h"

void table_print(struct arena *a, struct sbuf *b, const struct report_section *s);
/* "+1.23", never "-0.00"; at most 8 bytes wide. */
const char *table_pct(struct arena *a, double pct);

#endif
