// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_pipe.c - perf bench sched pipe: total time, usecs/op and ops/sec, or none. */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/perf.h"

#define METRICS 3 /* make the run whole */

static void take_executed(struct reading *r, size_t i, const char *rest)
{
	const char *line = reading_line(r, i), *end;
	int64_t loops;

	if (bench_integer(rest, &loops, &end))
		reading_number(r, "loops", (double)loops);
	if (i + 1 < r->lines.n && !strstr(line, "process") && !strstr(line, "thread"))
		rest = reading_line(r, i + 1);
	if (strstr(rest, "process") || strstr(rest, "thread"))
		reading_text(r, "mode", strstr(rest, "thread") ? "thread" : "process");
}

/* "nsecs/op" and the like; nothing and a part of "usecs/op" are none. */
static bool other_unit(const char *p)
{
	size_t n = strcspn(p, " ");

	return strstr(p, "/op") && strncmp(p, "usecs/op", n) != 0;
}

/* The rows seen so far are the run's metrics. */
static void take(struct reading *r, size_t i)
{
	const char *line = reading_line(r, i), *rest, *end, *unit;
	double v;

	if (bench_starts(line, "# Executed ", &rest)) {
		take_executed(r, i, rest);
	} else if (perf_total_time(r, i, &v, &unit) && r->run.n_metrics == 0) {
		reading_cost(r, "time", unit, v);
	} else if (perf_number(line, r->comma, 6, &v, &end) && r->run.n_metrics == 1 &&
		   !other_unit(bench_blanks(end))) {
		reading_cost(r, "usecs_per_op", "us", v)->primary = true;
	} else if (perf_number(line, r->comma, 0, &v, &end) && r->run.n_metrics == 2) {
		end = bench_blanks(end);
		/* without its unit the number may have been cut */
		if (*end == 'o' || (!*end && reading_line(r, i + 1)[0] == 'o'))
			reading_rate(r, "ops_per_sec", "ops/s", v);
	}
}

static void take_line(struct reading *r, size_t i)
{
	perf_line(r, i, "pipe", METRICS, take);
}

static void end(struct reading *r)
{
	perf_end(r, METRICS);
}

static const char *why(const struct reading *r)
{
	return perf_why(r, "pipe");
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct perf),
	.begin = perf_begin,
	.votes = perf_votes,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_perf_sched_pipe = {
	.name = "perf-sched-pipe",
	.summary = "two tasks that wake each other through pipes (perf)",
	.version = 1,
	.rules = &rules,
};
