// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/rows.h"
#include <math.h>

#define JOIN_MAX_BYTES 2000 /* of one line */

struct bench_metric *rows_metric(struct rows *r, const char *name, const char *unit,
	enum bench_better better, double value)
{
	struct bench_metric *m;

	if (r->run.n_metrics >= ROWS_METRICS_MAX)
		return ARENA_NEW(r->a, struct bench_metric);
	m = ARENA_PUSH(r->a, r->run.metrics, r->run.n_metrics, r->cap_metrics);
	*m = (struct bench_metric){
		.name = name,
		.unit = unit,
		.better = better,
		.value = value,
		.percentile = NAN,
		.samples = -1,
	};
	return m;
}

bool rows_has(const struct rows *r, const char *name)
{
	for (size_t i = 0; i < r->run.n_metrics; i++)
		if (strcmp(r->run.metrics[i].name, name) == 0)
			return true;
	return false;
}

void rows_param(struct rows *r, const char *name, const char *text, int64_t number)
{
	*ARENA_PUSH(r->a, r->run.params, r->run.n_params, r->cap_params) =
		(struct bench_param){name, text, number};
}

void rows_note(struct rows *r, const char *text)
{
	*ARENA_PUSH(r->a, r->run.notes, r->run.n_notes, r->cap_notes) = text;
}

int rows_keep(struct rows *r, struct err *e)
{
	if (r->out->n_runs >= BENCH_RUNS_MAX)
		return err_set(e, ERR_TOO_BIG, "more than %d runs", BENCH_RUNS_MAX);
	*ARENA_PUSH(r->a, r->out->runs, r->out->n_runs, r->cap_runs) = r->run;
	rows_drop(r);
	return 0;
}

void rows_drop(struct rows *r)
{
	r->run = (struct bench_run){0};
	r->cap_metrics = r->cap_params = r->cap_notes = 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static const char *skip_blanks(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

bool rows_number(const char *p, bool comma, struct rows_number *ret)
{
	char copy[80], point = comma ? ',' : '.';
	size_t n = 0;

	*ret = (struct rows_number){.decimals = -1};
	p = skip_blanks(p);
	if (*p == '-' || *p == '+')
		copy[n++] = *p++;
	if (!is_digit(*p))
		return false;
	for (; is_digit(*p) || (*p == point && ret->decimals < 0); p++) {
		if (n > sizeof(copy) - 10)
			return false;
		if (*p == point)
			ret->decimals = 0;
		else if (ret->decimals >= 0)
			ret->decimals++;
		copy[n++] = *p == point ? '.' : *p;
	}
	if ((*p == 'e' || *p == 'E') && (p[1] == '+' || p[1] == '-') && is_digit(p[2])) {
		ret->exponent = true;
		copy[n++] = *p++;
		copy[n++] = *p++;
		for (int i = 0; i < 3 && is_digit(*p); i++)
			copy[n++] = *p++;
	}
	if (is_digit(*p) || ((*p == '.' || *p == ',') && is_digit(p[1])))
		return false;
	copy[n] = 0;
	ret->value = strtod(copy, NULL);
	ret->end = p;
	return isfinite(ret->value);
}

bool rows_words(const char *p, const char *words, const char **rest)
{
	p = skip_blanks(p);
	for (; *words; words++) {
		if (*words == ' ') {
			if (*p != ' ')
				return false;
			p = skip_blanks(p);
		} else if (*p++ != *words) {
			return false;
		}
	}
	*rest = skip_blanks(p);
	return true;
}

const char *rows_word(struct arena *a, const char *p, const char **rest)
{
	size_t n;

	p = skip_blanks(p);
	n = strcspn(p, " ");
	*rest = skip_blanks(p + n);
	return arena_strndup(a, p, n);
}

const char *rows_joined(struct arena *a, const struct bench_lines *l, size_t i, size_t n)
{
	size_t len = 0;
	char *to;

	n = n < l->n - i ? n + 1 : l->n - i;
	for (size_t k = 0; k < n; k++)
		len += strnlen(l->lines[i + k], JOIN_MAX_BYTES) + 1;
	to = arena_alloc(a, len + 1);
	len = 0;
	for (size_t k = 0; k < n; k++) {
		size_t part = strnlen(l->lines[i + k], JOIN_MAX_BYTES);

		if (k)
			to[len++] = ' ';
		memcpy(to + len, l->lines[i + k], part);
		len += part;
	}
	to[len] = 0;
	return to;
}

bool rows_open_end(const char *buf, size_t len)
{
	return len && buf[len - 1] != '\n' && buf[len - 1] != '\r';
}
