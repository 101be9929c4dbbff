// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/perf.h"

bool perf_number(const char *p, bool comma, int decimals, double *ret, const char **end)
{
	const char *point;

	p = bench_blanks(p);
	if (*p < '0' || *p > '9' || !bench_number(p, comma, ret, end))
		return false;
	point = memchr(p, comma ? ',' : '.', (size_t)(*end - p));
	if ((point ? *end - point - 1 : 0) != decimals)
		return false;
	return !**end || **end == ' ' || **end == '[';
}

/* What stands behind "Total time:", also on the next line; NULL for another line. */
static const char *total_time(const struct reading *r, size_t i)
{
	const char *rest;

	if (!bench_starts(reading_line(r, i), "Total time:", &rest))
		return NULL;
	rest = bench_blanks(rest);
	return *rest ? rest : reading_line(r, i + 1);
}

bool perf_total_time(const struct reading *r, size_t i, double *ret)
{
	const char *p = total_time(r, i), *end;

	return p && perf_number(p, r->comma, 3, ret, &end);
}

/* "# Running 'sched/pipe' benchmark:" and "# Running sched/pipe benchmark..." */
static bool section_name(const char *line, const char **ret, size_t *ret_len)
{
	const char *p;

	if (!bench_starts(line, "# Running ", &p))
		return false;
	if (*p == '\'')
		p++;
	*ret_len = strcspn(p, "' ");
	*ret = p;
	return strstr(p, "benchmark") != NULL;
}

void perf_begin(struct reading *r)
{
	struct perf *s = (struct perf *)r;
	const char *name;
	size_t n;

	for (size_t i = 0; i < r->lines.n && !s->any_section; i++)
		s->any_section = section_name(r->lines.lines[i], &name, &n);
}

void perf_votes(const struct reading *r, size_t i, size_t *n_comma, size_t *n_point)
{
	const char *p = total_time(r, i), *end;
	double v;

	if (!p)
		p = r->lines.lines[i];
	*n_point += perf_number(p, false, 3, &v, &end);
	*n_comma += perf_number(p, true, 3, &v, &end);
}

static void take_simple(struct reading *r, const char *line)
{
	const char *end;
	double v;

	if (!perf_number(line, r->comma, 3, &v, &end) || *end)
		return;
	reading_cost(r, "time", "s", v)->primary = true;
	reading_keep(r);
}

void perf_end(struct reading *r, size_t need)
{
	if (r->run.n_metrics >= need)
		reading_keep(r);
	reading_drop(r);
}

void perf_line(struct reading *r, size_t i, const char *name, size_t need,
	void (*take)(struct reading *r, size_t i))
{
	struct perf *s = (struct perf *)r;
	const char *line = r->lines.lines[i], *section, *rest;
	size_t n;

	if (!s->any_section) {
		take_simple(r, line);
	} else if (section_name(line, &section, &n)) {
		perf_end(r, need);
		s->inside = bench_starts(section, "sched/", &rest) &&
			    n == strlen("sched/") + strlen(name) &&
			    strncmp(rest, name, strlen(name)) == 0;
	} else if (s->inside) {
		take(r, i);
	}
}

const char *perf_why(const struct reading *r, const char *name)
{
	return ((const struct perf *)r)->any_section
		       ? arena_printf(r->a, "no complete result of sched/%s", name)
		       : "no result of perf bench";
}
