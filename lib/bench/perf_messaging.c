// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_messaging.c - perf bench sched messaging: one total time. */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/perf.h"

static void take(struct perf_state *s, const char *line, const char *next)
{
	const char *rest, *end, *p;
	int64_t n, tasks;
	double v;

	if (!line) {
		perf_run_end(s, true);
		return;
	}
	/* "# 20 sender and receiver processes per group", "# 10 groups == 400 processes
	 * run" */
	if (bench_starts(line, "# ", &rest) && bench_integer(rest, &n, &end)) {
		if (bench_starts(end, " sender and receiver ", &p)) {
			perf_param(s, "senders", NULL, n);
			perf_param(s, "mode", *p == 't' ? "thread" : "process", -1);
		} else if (bench_starts(end, " groups == ", &p) &&
			   bench_integer(p, &tasks, &end)) {
			perf_param(s, "groups", NULL, n);
			perf_param(s, "tasks", NULL, tasks);
		}
	} else if (perf_total_time(s, line, next, &v) && s->run.n_metrics == 0) {
		perf_metric(s, "time", "s", BENCH_LOWER, v, true);
	}
}

static int perf_messaging_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct perf_state s = {.a = a, .out = ret, .name = "messaging"};

	return perf_parse(&s, buf, len, take, e);
}

const struct bench_parser bench_perf_sched_messaging = {
	.name = "perf-sched-messaging",
	.summary = "groups of tasks that pass messages (perf)",
	.version = 1,
	.parse = perf_messaging_parse,
};
