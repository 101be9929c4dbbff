/* SPDX-License-Identifier: GPL-2.0-or-later */
/* date.h - the Date of a mail -> seconds and offset, as git am takes it. */
#ifndef WL_MAIL_DATE_H
#define WL_MAIL_DATE_H

#include "base/base.h"

struct date {
	int64_t time;   /* epoch seconds, UTC */
	int32_t offset; /* minutes east */
	bool zone_odd;  /* beyond 14 hours; used as it is */
	bool zone_bad;  /* no zone at all: "+2500", "+0590"; taken as +0000 */
};

/* RFC 5322 and ISO 8601 forms, years 1970 to 2099. false: it is no date. */
bool date_parse(const char *text, struct date *ret);

#endif
