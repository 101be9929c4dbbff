/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

static int64_t read_ns(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		BUG("clock_gettime(%d) failed", (int)id);
	return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

int64_t clock_real_ns(void)
{
	return read_ns(CLOCK_REALTIME);
}

int64_t clock_cpu_ns(void)
{
	return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

char *clock_format_utc(int64_t epoch_s, char *buf, size_t size)
{
	time_t t = (time_t)epoch_s;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(buf, size, "invalid");
	return buf;
}
