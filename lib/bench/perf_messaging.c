// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_messaging.c - perf bench sched messaging: one total time. */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/perf.h"

static void take(struct reading *r, size_t i)
{
	const char *rest, *end, *p, *unit;
	int64_t n, tasks;
	double v;

	/* "# 20 sender and receiver processes per group", "# 10 groups == 400 processes
	 * run" */
	if (bench_starts(reading_line(r, i), "# ", &rest) &&
		bench_integer(rest, &n, &end)) {
		if (bench_starts(end, " sender and receiver ", &p)) {
			reading_number(r, "senders", (double)n);
			reading_text(r, "mode", *p == 't' ? "thread" : "process");
		} else if (bench_starts(end, " groups == ", &p) &&
			   bench_integer(p, &tasks, &end)) {
			reading_number(r, "groups", (double)n);
			reading_number(r, "tasks", (double)tasks);
		}
	} else if (perf_total_time(r, i, &v, &unit)) {
		reading_cost(r, "time", unit, v)->primary = true;
	}
}

static void take_line(struct reading *r, size_t i)
{
	perf_line(r, i, "messaging", 1, take);
}

static void end(struct reading *r)
{
	perf_end(r, 1);
}

static const char *why(const struct reading *r)
{
	return perf_why(r, "messaging");
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct perf),
	.begin = perf_begin,
	.votes = perf_votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_perf_sched_messaging = {
	.name = "perf-sched-messaging",
	.summary = "groups of tasks that pass messages (perf)",
	.version = 1,
	.rules = &rules,
};
