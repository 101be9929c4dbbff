// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "bench/word.h"
#include <math.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* ---- words ---- */

const char *bench_blanks(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

bool bench_starts(const char *p, const char *word, const char **rest)
{
	size_t n = strlen(word);

	if (strncmp(p, word, n) != 0)
		return false;
	*rest = p + n;
	return true;
}

bool bench_words(const char *p, const char *words, const char **rest)
{
	p = bench_blanks(p);
	for (; *words; words++) {
		if (*words == ' ') {
			if (*p != ' ')
				return false;
			p = bench_blanks(p);
		} else if (*p++ != *words) {
			return false;
		}
	}
	*rest = bench_blanks(p);
	return true;
}

const char *bench_word(struct arena *a, const char *p, const char **rest)
{
	size_t n;

	p = bench_blanks(p);
	n = strcspn(p, " ");
	*rest = bench_blanks(p + n);
	return arena_strndup(a, p, n);
}

uint32_t bench_hash(const char *name)
{
	uint32_t h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return h;
}

/* ---- numbers ---- */

/* The value of digits with at most one point, as strtod() has it: where both whole
 * numbers of the fraction are exact, its division rounds right. False when it is not
 * sure. */
static bool exact_value(const char *p, double *ret)
{
	static const double powers[] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
	bool minus = *p == '-';
	int64_t v = 0;
	size_t digits = 0, decimals = 0;
	bool point = false;

	for (p += minus || *p == '+'; *p; p++) {
		if (*p == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*p) || ++digits > 15)
			return false;
		v = v * 10 + (*p - '0');
		decimals += point;
	}
	if (decimals >= ARRAY_LEN(powers))
		return false;
	*ret = (double)v / powers[decimals];
	if (minus)
		*ret = -*ret;
	return true;
}

bool bench_number(const char *p, bool comma, double *ret, const char **end)
{
	char copy[64], *stop, point = comma ? ',' : '.';
	size_t n = 0;
	double v;

	if (*p == '+' || *p == '-')
		copy[n++] = *p++;
	if (!is_digit(*p))
		return false;
	while ((is_digit(*p) || *p == point) && n + 1 < sizeof(copy)) {
		copy[n++] = *p == point ? '.' : *p;
		p++;
	}
	copy[n] = 0;
	if (!exact_value(copy, &v)) {
		v = strtod(copy, &stop);
		if (*stop || !isfinite(v))
			return false;
	}
	*ret = v;
	*end = p;
	return true;
}

bool bench_integer(const char *p, int64_t *ret, const char **end)
{
	int64_t v = 0;

	if (!is_digit(*p))
		return false;
	for (; is_digit(*p); p++) {
		if (v > (INT64_MAX - 9) / 10)
			return false;
		v = v * 10 + (*p - '0');
	}
	*ret = v;
	*end = p;
	return true;
}

bool bench_fixed(const char *p, bool comma, int decimals, double *ret, const char **end)
{
	const char *point, *stop;
	double v;

	if (!bench_number(p, comma, &v, &stop))
		return false;
	point = memchr(p, comma ? ',' : '.', (size_t)(stop - p));
	if ((point ? stop - point - 1 : 0) != decimals)
		return false;
	if ((*stop == '.' || *stop == ',') && is_digit(stop[1]))
		return false;
	*ret = v;
	*end = stop + (*stop == BENCH_CUT);
	return true;
}

bool bench_whole(const char *p, int64_t *ret, const char **end)
{
	const char *stop;
	int64_t v;

	if (!bench_integer(p, &v, &stop) || *stop == BENCH_CUT || is_letter(*stop))
		return false;
	if ((*stop == '.' || *stop == ',') && (is_digit(stop[1]) || stop[1] == BENCH_CUT))
		return false;
	*ret = v;
	*end = stop;
	return true;
}

bool bench_decimal(const char *p, bool comma, struct bench_decimal *ret)
{
	char copy[80], point = comma ? ',' : '.';
	size_t n = 0;

	*ret = (struct bench_decimal){.decimals = -1};
	p = bench_blanks(p);
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
		copy[n++] = *p++;
		copy[n++] = *p++;
		for (int i = 0; i < 3 && is_digit(*p); i++)
			copy[n++] = *p++;
	}
	if (is_digit(*p) || ((*p == '.' || *p == ',') && is_digit(p[1])))
		return false;
	copy[n] = 0;
	if (!exact_value(copy, &ret->value))
		ret->value = strtod(copy, NULL);
	ret->end = p;
	return isfinite(ret->value);
}

void bench_votes(const char *p, size_t *n_comma, size_t *n_point)
{
	for (const char *word = p; *word; word++) {
		const char *q = word;
		char point;

		if (word > p && word[-1] != ' ')
			continue;
		while (is_digit(*q))
			q++;
		point = *q;
		if (q == word || (point != '.' && point != ',') || !is_digit(q[1]))
			continue;
		for (q++; is_digit(*q);)
			q++;
		if (*q == '.' || *q == ',')
			continue;
		*(point == ',' ? n_comma : n_point) += 1;
	}
}
