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

/* "[sec]", which is also what was cut or left out behind a whole number; NULL: unknown.
 */
static const char *time_unit(const char *p)
{
	static const struct {
		const char *printed, *unit;
	} units[] = {{"[sec]", "s"}, {"[msec]", "ms"}, {"[usec]", "us"}};
	const char *rest;

	p = bench_blanks(p);
	for (size_t i = 0; i < ARRAY_LEN(units); i++)
		if (bench_starts(p, units[i].printed, &rest))
			return units[i].unit;
	return *p != '[' || strncmp(p, "[sec]", strlen(p)) == 0 ? "s" : NULL;
}

bool perf_total_time(struct reading *r, size_t i, double *ret, const char **unit)
{
	const char *p = total_time(r, i), *end;

	if (!p || !perf_number(p, r->comma, 3, ret, &end))
		return false;
	*unit = time_unit(end);
	end = bench_blanks(end);
	if (*unit && *end == '[' && !strchr(end, ']'))
		reading_note(r, "the unit of the time was cut");
	return *unit != NULL;
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
	struct perf *s = (struct perf *)r;

	if (r->run.n_metrics >= need)
		reading_keep(r);
	else if (s->inside)
		reading_left_out(r, "its section is not complete");
	reading_drop(r);
	s->inside = false;
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
