/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clock.h - clocks in integer nanoseconds. Libraries that decide take times as arguments
 * instead. */
#ifndef WL_BASE_CLOCK_H
#define WL_BASE_CLOCK_H

#include "base/base.h"

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

int64_t clock_mono_ns(void); /* CLOCK_MONOTONIC */
int64_t clock_real_ns(void); /* CLOCK_REALTIME, since 1970 */
int64_t clock_cpu_ns(void);  /* CLOCK_PROCESS_CPUTIME_ID */
/* "2026-12-01T23:14:19Z"; buf holds at least 21 bytes. Returns buf. */
char *clock_format_utc(int64_t epoch_s, char *buf, size_t size);

#endif
