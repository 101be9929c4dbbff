// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/sbuf.h"
#include "topo/cpuset.h"

void cpuset_clear(struct cpuset *s)
{
	memset(s, 0, sizeof(*s));
}

void cpuset_add(struct cpuset *s, int cpu)
{
	if (cpu < 0 || cpu >= CPUSET_MAX)
		BUG("cpu %d out of range", cpu);
	s->w[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

void cpuset_remove(struct cpuset *s, int cpu)
{
	if (cpu >= 0 && cpu < CPUSET_MAX)
		s->w[cpu / 64] &= ~(UINT64_C(1) << (cpu % 64));
}

bool cpuset_has(const struct cpuset *s, int cpu)
{
	if (cpu < 0 || cpu >= CPUSET_MAX)
		return false;
	return (s->w[cpu / 64] >> (cpu % 64)) & 1;
}

int cpuset_count(const struct cpuset *s)
{
	int n = 0;

	for (int i = 0; i < CPUSET_WORDS; i++)
		n += __builtin_popcountll(s->w[i]);
	return n;
}

int cpuset_next(const struct cpuset *s, int from)
{
	if (from < 0)
		from = 0;
	for (int i = from / 64; i < CPUSET_WORDS; i++) {
		uint64_t w = s->w[i];

		if (i == from / 64)
			w &= ~UINT64_C(0) << (from % 64);
		if (w)
			return i * 64 + __builtin_ctzll(w);
	}
	return -1;
}

bool cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

bool cpuset_subset(const struct cpuset *inner, const struct cpuset *outer)
{
	for (int i = 0; i < CPUSET_WORDS; i++)
		if (inner->w[i] & ~outer->w[i])
			return false;
	return true;
}

void cpuset_or(struct cpuset *s, const struct cpuset *o)
{
	for (int i = 0; i < CPUSET_WORDS; i++)
		s->w[i] |= o->w[i];
}

void cpuset_and(struct cpuset *s, const struct cpuset *o)
{
	for (int i = 0; i < CPUSET_WORDS; i++)
		s->w[i] &= o->w[i];
}

/* Decimal number at *p, at most CPUSET_MAX - 1; -1 when there is none. */
static int parse_cpu(const char **p)
{
	int v = 0;

	if (**p < '0' || **p > '9')
		return -1;
	while (**p >= '0' && **p <= '9') {
		v = v * 10 + (**p - '0');
		if (v >= CPUSET_MAX)
			return -1;
		(*p)++;
	}
	return v;
}

int cpuset_parse(const char *text, struct cpuset *ret, struct err *e)
{
	struct cpuset s;
	const char *p = text;

	cpuset_clear(&s);
	while (*p && *p != '\n') {
		int lo = parse_cpu(&p), hi = lo;

		if (lo >= 0 && *p == '-') {
			p++;
			hi = parse_cpu(&p);
		}
		if (lo < 0 || hi < lo || (*p && *p != ',' && *p != '\n'))
			return err_set(e, ERR_INVALID,
				"'%.60s' is no CPU list such as 0-3,8 (CPUs below %d)",
				text, CPUSET_MAX);
		for (int c = lo; c <= hi; c++)
			cpuset_add(&s, c);
		if (*p == ',' && (p[1] < '0' || p[1] > '9'))
			return err_set(e, ERR_INVALID,
				"'%.60s' is no CPU list: a number must follow ','", text);
		if (*p == ',')
			p++;
	}
	*ret = s;
	return 0;
}

const char *cpuset_format(struct arena *a, const struct cpuset *s)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	int lo = cpuset_next(s, 0);

	while (lo >= 0) {
		int hi = lo;

		while (cpuset_has(s, hi + 1))
			hi++;
		sbuf_addf(&b, "%s%d", b.len ? "," : "", lo);
		if (hi > lo)
			sbuf_addf(&b, "-%d", hi);
		lo = cpuset_next(s, hi + 1);
	}
	return arena_strndup(a, b.buf, b.len);
}
