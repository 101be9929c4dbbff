// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_prose.c - "an improvement of 27.47%" in a sentence, where no table holds it.
 */
#include "base/base.h"

#include "base/sbuf.h"
#include "bench/claims_doc.h"
#include <ctype.h>
#include <strings.h>

#define WORDS_MAX 400

struct word {
	const char *p;
	size_t len;
};

struct prose {
	struct cl_doc *d;
	size_t n_tables; /* claims of tables */
	const char *bench;
	size_t n_figures;
};

static bool is(const struct word *w, const char *text)
{
	return w->len == strlen(text) && strncasecmp(w->p, text, w->len) == 0;
}

static bool begins(const struct word *w, const char *text)
{
	size_t n = strlen(text);

	return w->len >= n && strncasecmp(w->p, text, n) == 0;
}

/* Words that say what became better or worse. */
static bool is_verdict(const struct word *w)
{
	static const char *const stems[] = {"improv", "regress", "gain", "speedup",
		"speed-up", "faster", "slower", "worse", "better", "degrad", "increas",
		"decreas", "reduc", "drop", "loss", "overhead", "slowdown", "boost",
		"enhanc", "uplift", NULL};

	for (int i = 0; stems[i]; i++)
		if (begins(w, stems[i]))
			return true;
	return false;
}

/* The figure before is a level, a share or a limit, not a change. */
static bool is_level(const struct word *w)
{
	static const char *const words[] = {"to", "at", "above", "below", "than", "from",
		"when", "is", "was", "are", "exceeds", "under", "hits", "reaches", "and",
		"=", ">", "<", ">=", "<=", "==", "until", "between", "for", "uses", "-",
		"~", "->", "=>", "-->", "vs", "versus", "stdev", "%stdev", "stddev",
		"%stddev", "std", "cv", "var", "+-", "+/-", "\xc2\xb1", "deviation",
		NULL};

	for (int i = 0; words[i]; i++)
		if (is(w, words[i]))
			return true;
	return false;
}

static bool is_hypothetical(const char *sentence)
{
	static const char *const words[] = {"would", "could", "might", "should",
		"let's say", "suppose", "for example", "e.g", "assume", "assuming",
		"expected", "if", "imagine", "theoretical", NULL};

	for (int i = 0; words[i]; i++)
		if (cl_has(sentence, words[i]))
			return true;
	return false;
}

static bool in_table(const struct prose *p, double v, bool about)
{
	const struct claims *c = p->d->out;

	for (size_t i = 0; i < p->n_tables; i++) {
		double t = fabs(c->list[i].change_pct), diff = fabs(t - fabs(v));

		if (isnan(t))
			continue;
		/* a row of 29.79 is "almost 30%", and "30%" as well */
		if (diff < 1e-9 || (v == rint(v) && diff <= 0.5 + 1e-9) ||
			(about && diff <= 0.05 * t))
			return true;
	}
	return false;
}

static size_t split(const char *s, struct word *words)
{
	size_t n = 0;

	while (n < WORDS_MAX) {
		s += strspn(s, " \t(\"'`*");
		if (!*s)
			break;
		words[n].p = s;
		words[n].len = strcspn(s, " \t)\"`*");
		s += words[n].len + (s[words[n].len] == ')');
		while (words[n].len > 1 &&
			strchr(",.;:!?'", words[n].p[words[n].len - 1]))
			words[n].len--;
		if (words[n].len)
			n++;
	}
	return n;
}

/* "27.47%", "~15%", "-19.0%", "8%+", "15 percent" at word i; *used words. */
static bool read_figure(const struct word *w, size_t n, size_t i, double *v, bool *sign,
	bool *about, size_t *used)
{
	const char *p = w[i].p, *end = p + w[i].len, *q;
	bool whole;

	*about = *p == '~';
	p += *p == '~' || *p == '<' || *p == '>';
	*sign = *p == '-' || *p == '+';
	q = cl_number(p, false, v, &whole);
	*used = 1;
	if (!q || q > end)
		return false;
	if (*q == '%' && q < end)
		return q + 1 == end || (q + 2 == end && q[1] == '+');
	if (q == end && i + 1 < n && (is(&w[i + 1], "percent") || is(&w[i + 1], "%"))) {
		*used = 2;
		return true;
	}
	return false;
}

/* "10% of the CPUs", "20% utilization": a share. */
static bool is_share(const struct word *w, size_t n, size_t next)
{
	static const char *const shares[] = {"cpu", "cpus", "util", "utilization",
		"utilisation", "idle", "duty", "load", "quota", "busy", "threshold",
		"margin", "of", "full", "time", "thermal", NULL};

	for (int i = 0; next < n && shares[i]; i++)
		if (is(&w[next], shares[i]))
			return true;
	return false;
}

/* "1% to 3%", "5%~10%", "44.9% -> 0.1%": an end of a range, or a level. */
static bool is_range(const struct word *w, size_t n, size_t next)
{
	static const char *const dashes[] = {"to", "-", "~", "->", "=>", "-->", "vs",
		"vs.", "versus", "\xe2\x80\x93", "\xe2\x86\x92", NULL};

	for (int i = 0; next + 1 < n && dashes[i]; i++)
		if (is(&w[next], dashes[i]) &&
			memchr(w[next + 1].p, '%', w[next + 1].len))
			return true;
	return false;
}

/* Index of a verdict near the figure at words [i, next), or n. */
static size_t near_verdict(const struct word *w, size_t n, size_t i, size_t next)
{
	for (size_t k = next; k < n && k < next + 4; k++)
		if (is_verdict(&w[k]))
			return k;
	for (size_t k = i; k-- > 0 && i - k <= 6;) {
		if (w[k].p[w[k].len] == ',' || w[k].p[w[k].len] == ';')
			break;
		if (is_verdict(&w[k]))
			return k;
	}
	return n;
}

/* "No regression of 5%", "hoped for a 50% improvement": between the clause's start and
 * word i, something says that it was not so. */
static bool is_denied(const struct word *w, size_t i)
{
	static const char *const words[] = {"no", "not", "never", "nor", "neither",
		"cannot", "hope", "hoped", "hoping", "wish", "want", "wanted", "aim",
		"aimed", "goal", "target", "isn't", "wasn't", "aren't", "weren't",
		"don't", "doesn't", "didn't", "hasn't", "haven't", "can't", "couldn't",
		"won't", NULL};

	for (size_t k = i; k-- > 0 && i - k <= 10;) {
		if (strchr(",;:", w[k].p[w[k].len]) && w[k].p[w[k].len])
			return false;
		if (is(&w[k], "but") || is(&w[k], "and"))
			return false;
		for (int j = 0; words[j]; j++)
			if (is(&w[k], words[j]))
				return !is(&w[k + 1], "only") && !is(&w[k + 1], "longer");
	}
	return false;
}

static const char *metric_behind(
	struct arena *a, const struct word *w, size_t n, size_t i)
{
	if (i + 2 < n && is(&w[i + 1], "of") && memchr(w[i + 2].p, '.', w[i + 2].len) &&
		isalpha((unsigned char)*w[i + 2].p))
		return arena_strndup(a, w[i + 2].p, w[i + 2].len);
	return NULL;
}

/* Whose figures are they, in a sentence of several benchmarks? */
struct owner {
	const char *since; /* behind the figure before */
	const char *bench; /* NULL: not told */
	bool asked, leads; /* names stand before their figures */
};

static const char *bench_between(
	struct prose *p, const char *from, const char *to, bool *several)
{
	const char *part = arena_strndup(p->d->arena, from, (size_t)(to - from));

	return cl_bench(p->d->arena, part, false, several);
}

/* The figure at words [i, next): "A got 10% faster and B 5%", or "10% in A and 5% in B".
 */
static void find_owner(struct prose *p, const struct word *w, size_t n, size_t i,
	size_t next, struct owner *o)
{
	bool several, sign, about;
	const char *bench = bench_between(p, o->since, w[i].p, &several), *end;
	size_t k = next, used;
	double v;

	if (!o->asked)
		o->leads = bench != NULL;
	o->asked = true;
	o->since = w[next - 1].p + w[next - 1].len;
	if (o->leads) {
		if (bench)
			o->bench = several ? NULL : bench;
		return;
	}
	while (k < n && !read_figure(w, n, k, &v, &sign, &about, &used))
		k++;
	end = k < n ? w[k].p : w[n - 1].p + w[n - 1].len;
	bench = bench_between(p, o->since, end, &several);
	o->bench = several ? NULL : bench;
}

static void read_sentence(struct prose *p, const char *sentence)
{
	struct word w[WORDS_MAX];
	size_t n, used, verdict;
	const char *bench, *metric;
	bool sign, about, several;
	struct owner owner = {.since = sentence};
	struct claim *c;
	double v;

	bench = cl_bench(p->d->arena, sentence, false, &several);
	if (bench)
		p->bench = several ? NULL : bench;
	if (!strchr(sentence, '%') && !strcasestr(sentence, "percent"))
		return;
	if (is_hypothetical(sentence))
		return;
	n = split(sentence, w);
	for (size_t i = 0; i < n; i++) {
		bool up = i && is(&w[i - 1], "to") && i > 1 && is(&w[i - 2], "up");

		if (!read_figure(w, n, i, &v, &sign, &about, &used) || v == 0)
			continue;
		if (p->n_figures++ >= CL_FIGURES)
			return;
		if (several)
			find_owner(p, w, n, i, i + used, &owner);
		if (i && !up && is_level(&w[i - 1]) && !(i > 1 && is(&w[i - 2], "more")))
			continue;
		if (i && isdigit((unsigned char)w[i - 1].p[0]) &&
			w[i - 1].p[w[i - 1].len - 1] == '%')
			continue; /* "stdev 0.3% 0.4%": one of a list */
		if (is_share(w, n, i + used) || is_range(w, n, i + used))
			continue;
		verdict = near_verdict(w, n, i, i + used);
		if (verdict == n || is_denied(w, i))
			continue;
		about |=
			i &&
			(begins(&w[i - 1], "almost") || begins(&w[i - 1], "about") ||
				begins(&w[i - 1], "nearly") ||
				begins(&w[i - 1], "around") ||
				begins(&w[i - 1], "over") || begins(&w[i - 1], "rough") ||
				begins(&w[i - 1], "approx"));
		if (in_table(p, v, about))
			continue;
		metric = metric_behind(p->d->arena, w, n, verdict);
		c = cl_add(p->d, NULL, metric ? metric : sentence, NULL);
		if (!c)
			return;
		if (several)
			c->bench = owner.bench;
		else if (!c->bench)
			c->bench = p->bench;
		c->change_pct = v;
		if (sign && v != 0 && verdict == i + used &&
			(begins(&w[verdict], "regress") || begins(&w[verdict], "improv")))
			c->better = (v > 0) == (bool)begins(&w[verdict], "improv")
					    ? CLAIM_HIGHER
					    : CLAIM_LOWER;
		i += used - 1;
	}
}

/* Sentences end at ". ", "; " or the paragraph's end. */
static void read_paragraph(struct prose *p, char *text)
{
	for (char *from = text, *s = text; *from; s++) {
		bool end = *s == 0;

		if (!end && (!strchr(".!?;", *s) || (s[1] != ' ' && s[1])))
			continue;
		if (*s)
			*s++ = 0;
		from += strspn(from, " \t-*");
		if (*from)
			read_sentence(p, from);
		if (end)
			break;
		from = s;
		if (!*s)
			break;
	}
}

/* Columns, not prose. */
static bool is_tabular(const struct cl_line *l)
{
	int gaps = 0;

	for (const char *p = l->text + l->indent; *p; p++)
		gaps += p[0] == '\t' || (p[0] == ' ' && p[1] == ' ' && p[2] != ' ' &&
						p > l->text && !strchr(".!?:", p[-1]));
	return gaps >= 2;
}

static bool new_paragraph(const struct cl_line *l)
{
	const char *p = l->text + l->indent;

	return (strchr("*-o+", p[0]) && p[1] == ' ') ||
	       (isdigit((unsigned char)p[0]) && (p[1] == '.' || p[1] == ')') &&
		       p[2] == ' ');
}

void cl_prose(struct cl_doc *d)
{
	struct prose p = {.d = d, .n_tables = d->out->n};
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;

	for (size_t i = 0; i < d->n; i++) {
		size_t j = i, total = 0;

		sbuf_reset(&text);
		for (; j < d->n && j < i + 40 && total < 8000; j++) {
			const struct cl_line *l = &d->lines[j];

			if (l->skip || l->rule || l->taken || !*l->text ||
				is_tabular(l) || l->depth != d->lines[i].depth ||
				(j > i && new_paragraph(l)))
				break;
			total += strlen(l->text) + 1;
			if (total < 16000) {
				sbuf_adds(&text, j == i ? "" : " ");
				sbuf_adds(&text, l->text);
			}
		}
		if (j == i)
			continue;
		if (total < 16000)
			read_paragraph(&p, cl_collapse(d->arena, text.buf, text.len));
		i = j - 1;
	}
}
