// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_bench.c - what benchmarks are called, and headings without that name. */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>
#include <strings.h>

#define NAME_MAX_LEN 32 /* of a benchmark we do not know */

/* "tcp_stream" is one word, and no STREAM. */
static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80) || c == '_';
}

static const struct bench_word {
	const char *word, *name;
} benches[] = {
	{"perf bench sched pipe", "perf-sched-pipe"},
	{"perf bench sched messaging", "perf-sched-messaging"},
	{"perf bench sched message", "perf-sched-messaging"},
	{"perf-sched-pipe", "perf-sched-pipe"},
	{"perfpipe", "perf-sched-pipe"},
	{"perf-sched-messaging", "perf-sched-messaging"},
	{"sched-pipe", "perf-sched-pipe"},
	{"sched pipe", "perf-sched-pipe"},
	{"bench sched messaging", "perf-sched-messaging"},
	{"sched messaging", "perf-sched-messaging"},
	{"sched/pipe", "perf-sched-pipe"},
	{"sched/messaging", "perf-sched-messaging"},
	{"perf bench", "perf bench"},
	{"hackbench", "hackbench"},
	{"hachbench", "hackbench"},
	{"schbench", "schbench"},
	{"tbench", "tbench"},
	{"dbench", "dbench"},
	{"netperf", "netperf"},
	{"unixbench", "unixbench"},
	{"unix bench", "unixbench"},
	{"sysbench", "sysbench"},
	{"pgbench", "pgbench"},
	{"kernbench", "kernbench"},
	{"cyclictest", "cyclictest"},
	{"will-it-scale", "will-it-scale"},
	{"stress-ng", "stress-ng"},
	{"stressng", "stress-ng"},
	{"ebizzy", "ebizzy"},
	{"ipistorm", "ipistorm"},
	{"lmbench", "lmbench"},
	{"blogbench", "blogbench"},
	{"phoronix-test-suite", "phoronix-test-suite"},
	{"specjbb2005", "specjbb2005"},
	{"specjbb2015", "specjbb2015"},
	{"specjbb", "specjbb"},
	{"spec-jbb", "specjbb"},
	{"deathstarbench", "deathstarbench"},
	{"adrestia", "adrestia"},
	{"aim7", "aim7"},
	{"aim9", "aim9"},
	{"fio", "fio"},
	{"iperf3", "iperf3"},
	{"iperf", "iperf"},
	{"uperf", "uperf"},
	{"gitsource", "gitsource"},
	{"autonumabench", "autonumabench"},
	{"rt-app", "rt-app"},
	{"geekbench", "geekbench"},
	{"jankbench", "jankbench"},
	{"pcmark", "pcmark"},
	{"speedometer", "speedometer"},
	{"dacapo", "dacapo"},
	{"ycsb", "ycsb"},
	{"memtier", "memtier"},
	{"memcached", "memcached"},
	{"mutilate", "mutilate"},
	{"locktorture", "locktorture"},
	{"volanomark", "volanomark"},
	{"vm-scalability", "vm-scalability"},
	{"nas parallel", "nas"},
	{"bonnie++", "bonnie"},
	{"bonniepp", "bonnie"},
	{"bonnie", "bonnie"},
	{"iozone", "iozone"},
	{"fsmark", "fsmark"},
	{"fs_mark", "fsmark"},
	{"stutterp", "stutterp"},
	{"thpscale", "thpscale"},
	{"usemem", "usemem"},
	{"pft", "pft"},
	{"stream", "stream"},
};

/* Where the word at p ends; a digit may follow a name: tbench4, lmbench3. */
static bool names(const char *text, const char *p, size_t n)
{
	if (p > text &&
		(p[-1] == '_' ? strncasecmp(p, "stream", 6) == 0 : is_name_char(p[-1])))
		return false;
	return !isalpha((unsigned char)p[n]) && !(p[n] & 0x80);
}

static const char *first_at(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = text; (p = strcasestr(p, word)); p++)
		if (names(text, p, n))
			return p;
	return NULL;
}

/* "redis-benchmark", "coremark", "vdbench": the length of a name we do not know, or 0. */
static size_t unknown_len(const char *p)
{
	static const char *const ends[] = {"benchmark", "bench", "mark", NULL};
	static const char *const words[] = {"benchmark", "bench", "mark", "remark",
		"watermark", "bookmark", "landmark", "hallmark", "trademark", "checkmark",
		"earmark", "unmark", "high-mark", "low-mark", "tidemark", "min-mark",
		NULL};
	size_t n = 0, k;

	while (isalnum((unsigned char)p[n]) || (n && p[n] && strchr("-_.", p[n])))
		n++;
	if (is_name_char(p[n]) || p[n] == '/' || p[n] == '(')
		return 0;
	while (n && strchr("-_.", p[n - 1]))
		n--;
	k = n;
	while (k && isdigit((unsigned char)p[k - 1]))
		k--;
	if (n > NAME_MAX_LEN || !isalpha((unsigned char)*p) ||
		strncasecmp(p, "micro", 5) == 0 || strncasecmp(p, "sub-", 4) == 0)
		return 0;
	for (int i = 0; words[i]; i++)
		if (strlen(words[i]) == k && strncasecmp(p, words[i], k) == 0)
			return 0;
	for (int i = 0; ends[i]; i++) {
		size_t len = strlen(ends[i]);

		if (k > len && strncasecmp(p + k - len, ends[i], len) == 0)
			return (i == 2 && memchr(p, '-', k)) ? 0 : n;
	}
	return 0;
}

struct named {
	const char *name; /* NULL: of no row of the table */
	const char *at;
	size_t len;
};

/* "postgres_sysbench" is a sysbench. */
static void known_within(const char *p, struct named *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(benches); i++) {
		const char *at = first_at(p, benches[i].word);

		if (at && at < p + ret->len && strcmp(benches[i].word, "stream") != 0) {
			ret->name = benches[i].name;
			return;
		}
	}
}

/* What is named first in text. One walk, as find_any() of claims_words.c. */
static bool first_bench(const char *text, bool stream, struct named *ret)
{
	for (const char *p = text; *p; p++) {
		char c = (char)tolower((unsigned char)*p);

		if (p > text && is_name_char(p[-1]) && p[-1] != '_')
			continue;
		for (size_t i = 0; i < ARRAY_LEN(benches); i++) {
			const char *word = benches[i].word;
			size_t n;

			if (*word != c || (!stream && strcmp(word, "stream") == 0))
				continue;
			n = strlen(word);
			if (strncasecmp(p, word, n) == 0 && names(text, p, n)) {
				*ret = (struct named){benches[i].name, p, n};
				return true;
			}
		}
		if (!isalpha((unsigned char)*p) || (p > text && strchr("-./_", p[-1])))
			continue;
		ret->len = unknown_len(p);
		if (!ret->len)
			continue;
		*ret = (struct named){NULL, p, ret->len};
		known_within(p, ret);
		return true;
	}
	return false;
}

static bool same_name(const struct named *a, const struct named *b)
{
	if (a->name && b->name)
		return strcmp(a->name, b->name) == 0;
	return !a->name && !b->name && a->len == b->len &&
	       strncasecmp(a->at, b->at, a->len) == 0;
}

const char *cl_bench(struct arena *a, const char *text, bool stream, bool *several)
{
	struct named first, next;
	const char *p;
	char *name;

	*several = false;
	if (!first_bench(text, stream, &first))
		return NULL;
	for (p = first.at + first.len; first_bench(p, stream, &next);
		p = next.at + next.len)
		*several |= !same_name(&first, &next);
	if (first.name)
		return first.name;
	name = arena_strndup(a, first.at, first.len);
	for (char *q = name; *q; q++)
		*q = (char)tolower((unsigned char)*q);
	return name;
}

const char *cl_heading_words(struct arena *a, const char *text, const char *bench)
{
	char *copy = arena_strdup(a, text);
	const char *p;
	size_t n;

	for (size_t i = 0; bench && i < ARRAY_LEN(benches); i++) {
		char *at;

		if (strcmp(benches[i].name, bench) != 0)
			continue;
		at = (char *)first_at(copy, benches[i].word);
		if (at) {
			n = strlen(benches[i].word);
			while (isdigit((unsigned char)at[n]))
				n++;
			if (at[n] == '-')
				n++;
			memset(at, ' ', n);
			break;
		}
	}
	for (char *q = copy; *q; q++)
		if (strchr("()[]{}\"'`~*#|", *q) || (*q == '=' && q[1] == '='))
			*q = ' ';
	p = copy + strspn(copy, " \t=:.");
	if (p[0] && strchr("o+-", p[0]) && (p[1] == ' ' || p[1] == '\t'))
		p += 2;
	n = strlen(p);
	while (n && strchr(" \t:;,.-=", p[n - 1]))
		n--;
	return cl_collapse(a, p, n);
}
