// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_pipe.c - perf bench sched pipe: total time, usecs/op and ops/sec, or none. */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/perf.h"

/* Rows seen so far are the run's metrics: three make it whole. */
static void take(struct perf_state *s, const char *line, const char *next)
{
	const char *rest, *end;
	int64_t loops;
	double v;

	if (!line) {
		perf_run_end(s, s->run.n_metrics == 3);
		return;
	}
	if (bench_starts(line, "# Executed ", &rest)) {
		if (bench_integer(rest, &loops, &end))
			perf_param(s, "loops", NULL, loops);
		if (next && !strstr(line, "process") && !strstr(line, "thread"))
			rest = next;
		if (strstr(rest, "process") || strstr(rest, "thread"))
			perf_param(s, "mode",
				strstr(rest, "thread") ? "thread" : "process", -1);
		return;
	}
	if (perf_total_time(s, line, next, &v) && s->run.n_metrics == 0) {
		perf_metric(s, "time", "s", BENCH_LOWER, v, false);
	} else if (perf_number(line, s->comma, 6, &v, &end) && s->run.n_metrics == 1) {
		perf_metric(s, "usecs_per_op", "us", BENCH_LOWER, v, true);
	} else if (perf_number(line, s->comma, 0, &v, &end) && s->run.n_metrics == 2) {
		while (*end == ' ')
			end++;
		/* without its unit the number may have been cut */
		if (v > 0 && (*end == 'o' || (!*end && next && *next == 'o')))
			perf_metric(s, "ops_per_sec", "ops/s", BENCH_HIGHER, v, false);
	}
}

static int perf_pipe_parse(struct arena *a, const char *buf, size_t len,
	struct bench_output *ret, struct err *e)
{
	struct perf_state s = {.a = a, .out = ret, .name = "pipe"};

	return perf_parse(&s, buf, len, take, e);
}

const struct bench_parser bench_perf_sched_pipe = {
	.name = "perf-sched-pipe",
	.summary = "two tasks that wake each other through pipes (perf)",
	.version = 1,
	.parse = perf_pipe_parse,
};
