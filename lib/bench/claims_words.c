// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_words.c - the vocabulary: what columns, rows and notes are called. */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>
#include <strings.h>

static bool is_word_char(char c)
{
	return isalnum((unsigned char)c) || (c & 0x80);
}

/* word, whose letters are small, stands at p, where a word begins: no letter or digit is
 * on its other side. */
static bool stands(const char *p, const char *word)
{
	size_t n = strlen(word);

	return *word == tolower((unsigned char)*p) && strncasecmp(p, word, n) == 0 &&
	       (!is_word_char(p[n]) || !is_word_char(p[n - 1]));
}

/* The first place in text of any of these words as a whole, NULL for none. One walk, as
 * this is asked of every line. */
static const char *find_any(const char *text, const char *const *words)
{
	for (const char *p = text; *p; p++) {
		if (p > text && is_word_char(p[-1]) && is_word_char(p[0]))
			continue;
		for (const char *const *w = words; *w; w++)
			if (stands(p, *w))
				return p;
	}
	return NULL;
}

static const char *find_word(const char *text, const char *word)
{
	const char *const words[] = {word, NULL};

	return find_any(text, words);
}

bool cl_has(const char *text, const char *word)
{
	return find_word(text, word) != NULL;
}

static bool has_any(const char *text, const char *const *words)
{
	return find_any(text, words) != NULL;
}

/* "tip + v3"; "baseline (6.1+)" adds nothing. */
static bool adds(const char *text)
{
	int depth = 0;

	for (const char *p = text; *p; p++) {
		depth += (*p == '(') - (*p == ')');
		if (*p == '+' && depth <= 0)
			return true;
	}
	return false;
}

bool cl_is_base(const char *text)
{
	static const char *const without[] = {"w/o", "without", "unpatched", "no patch",
		"not patched", "wo/", "wo", "before", NULL};
	static const char *const words[] = {"base", "baseline", "vanilla", "mainline",
		"tip", "orig", "original", "old", "stock", "upstream", "reference",
		"tip/sched/core", "nopatch", "unmodified", "without-patch", "control",
		"base1", NULL};

	if (has_any(text, without))
		return true;
	return has_any(text, words) && !adds(text) && !cl_is_patched(text);
}

bool cl_is_patched(const char *text)
{
	static const char *const words[] = {"patch", "patched", "patches", "patchset",
		"w/", "with", "after", "new", "series", "applied", "this_patch", "fix",
		"reverted", "revert", "modified", NULL};
	static const char *const without[] = {
		"w/o", "without", "unpatched", "no patch", "not patched", "before", NULL};

	return !has_any(text, without) && has_any(text, words);
}

bool cl_is_spread(const char *text)
{
	static const char *const words[] = {"stddev", "std", "stdev", "coeffvar",
		"coefvar", "cv", "std dev", "std.dev", "std deviation",
		"standard deviation", "variance", "var", "rsd", "std%", "%std", "stderr",
		NULL};

	if (strstr(text, "±") || strstr(text, "+/-") || strstr(text, "+-"))
		return true;
	return strcasestr(text, "%stddev") || has_any(text, words);
}

bool cl_is_change(const char *text)
{
	static const char *const words[] = {"change", "diff", "delta", "improvement",
		"improve", "imp", "impr", "compare", "gain", "speedup", "difference",
		"improv", "perc_diff", "regression", "improved", NULL};
	const char *p = text;

	if (has_any(text, words))
		return true;
	while (*p == ' ' || *p == '(' || *p == '[')
		p++;
	return (p[0] == '%' && strspn(p + 1, " )]") == strlen(p + 1)) ||
	       strcasecmp(p, "pct") == 0;
}

bool cl_has_pct(const char *text)
{
	return strchr(text, '%') || cl_has(text, "pct") || cl_has(text, "percent") ||
	       cl_has(text, "perc_diff");
}

bool cl_is_kernel(const char *text)
{
	for (const char *p = text; *p; p++) {
		const char *q = p + (*p == 'v');
		bool v = *p == 'v';

		if ((p > text && is_word_char(p[-1])) || !isdigit((unsigned char)*q))
			continue;
		q += strspn(q, "0123456789");
		if (*q != '.' || !isdigit((unsigned char)q[1]))
			continue;
		q += 1 + strspn(q + 1, "0123456789");
		if (v || (*q == '.' && isdigit((unsigned char)q[1])) ||
			strncmp(q, "-rc", 3) == 0)
			return true;
	}
	return false;
}

bool cl_is_statistic(const char *text)
{
	static const char *const words[] = {"min", "minimum", "max", "maximum", "avg",
		"average", "mean", "median", "mode", NULL};

	return has_any(text, words);
}

bool cl_is_aside(const char *text, bool of_row)
{
	static const struct aside {
		const char *word;
		bool of_row; /* no result as a row's label either */
	} asides[] = {
		/* how sure a result is */
		{"p", true},
		{"p-value", true},
		{"p value", true},
		{"pvalue", true},
		{"p-val", true},
		{"n", true},
		{"runs", true},
		{"samples", true},
		{"sample size", true},
		{"sigma", true},
		{"error", false},
		{"err", false},
		{"noise", false},
		{"sem", false},
		{"confidence", true},
		{"signif", true},
		{"significance", true},
		{"significant", true},
		{"t-test", true},
		{"z-score", true},
		{"rank", true},
		{"min", false},
		{"max", false},
		{"avg", false},
		{"total", false},
		/* how much better it is */
		{"speedup", false},
		{"speed-up", false},
		{"gain", false},
		{"loss", false},
		{"cost", false},
		/* what else was measured, or looked up */
		{"power", false},
		{"watts", false},
		{"temp", false},
		{"temperature", false},
		{"link", true},
		/* what it should be */
		{"target", false},
		{"expected", false},
		{"goal", false},
		{"limit", false},
		{"theory", false},
		{"theoretical", false},
		{"ideal", false},
		/* other systems */
		{"windows", false},
		{"freebsd", false},
		{"openbsd", false},
		{"netbsd", false},
		{"macos", false},
		{"solaris", false},
		/* what was set */
		{"hz", true},
		{"config_hz", true},
		{"kernel", true},
		{"cpus", true},
		{"cpu count", true},
		{"nr_cpus", true},
		{"cores", true},
		{"sockets", true},
		{"nodes", true},
		{"numa nodes", true},
		{"size", false},
		{"loops", true},
		{"iterations", false},
		{"ram", true},
		{"memory", true},
	};

	text += strspn(text, " #");
	for (size_t i = 0; i < ARRAY_LEN(asides); i++)
		if (strcasecmp(text, asides[i].word) == 0)
			return asides[i].of_row || !of_row;
	return false;
}

enum claim_better cl_direction(const char *text)
{
	static const char *const lower[] = {"lower", "smaller", "less", "fewer", NULL};
	static const char *const higher[] = {
		"higher", "larger", "bigger", "greater", "more", NULL};
	static const char *const behind[] = {" is better", " the better", " better",
		" result is better", " results are better", " numbers are better",
		" values are better", " value is better", " are better",
		" number is better", " score is better", "==better", " = better", NULL};

	if (!strcasestr(text, "better") && !strcasestr(text, "is worse"))
		return CLAIM_BETTER_UNSAID;
	for (int up = 0; up < 2; up++)
		for (const char *const *w = up ? higher : lower; *w; w++) {
			const char *p = find_word(text, *w);

			if (p && strncasecmp(p + strlen(*w), " is worse", 9) == 0)
				return up ? CLAIM_LOWER : CLAIM_HIGHER;
		}
	for (int up = 0; up < 2; up++)
		for (const char *const *w = up ? higher : lower; *w; w++)
			for (const char *p = text; (p = find_word(p, *w)); p++)
				for (int i = 0; behind[i]; i++)
					if (strncasecmp(p + strlen(*w), behind[i],
						    strlen(behind[i])) == 0)
						return up ? CLAIM_HIGHER : CLAIM_LOWER;
	return CLAIM_BETTER_UNSAID;
}

/* Longer names first where one begins another. */
static const char *const units[] = {"microseconds", "milliseconds", "nanoseconds",
	"seconds", "second", "usecs/op", "usec/op", "usecs", "usec", "msecs", "msec",
	"nsecs", "nsec", "secs", "sec", "Transactions/sec", "transactions/sec",
	"trans/sec", "MBytes/sec", "MBytes/s", "Mbits/sec", "Mbit/s", "Mb/s", "Mbps",
	"mbps", "kbps", "gbps", "MB/sec", "MB/s", "MiB/sec", "MiB/s", "GB/sec", "GB/s",
	"GiB/s", "Gb/s", "Gbps", "KB/sec", "KB/s", "KiB/s", "kB/s", "kb/s", "10^6bits/s",
	"ops/sec", "ops/s", "ops/usec", "ops_per_sec", "op/s", "req/sec", "req/s",
	"requests/sec", "requests/s", "events/s", "events/sec", "loops/sec", "loops/s",
	"messages/sec", "iterations/sec", "iter/s", "records/s", "lps", "lpm", "tps",
	"tpmC", "IOPS", "iops", "jOPS", "us", "ms", "ns", "µs", "μs", "µ", "μ", "s",
	"watts", "Watts", "Watt", "mW", "uW", "W", "Joules", "joules", "mJ", "uJ", "J",
	"GHz", "MHz", "kHz", "KHz", "cycles", "fps", "FPS", "bogo ops/s", "Mop/s", "Mops",
	"Kops", "RPS", "rps", "QPS", "qps", "Mpps", "kpps", "pps", "TPS", "MiB", "KiB",
	"GiB", "MB", "KB", "GB", "kB", NULL};

/* "B/sec", "Mpps/s", "/sec", "txns/min": something a time. */
static size_t rate_len(const char *p)
{
	static const char *const per[] = {
		"sec", "second", "s", "min", "op", "ops", "iter", "hour", NULL};
	size_t n = 0, k;

	while (isalpha((unsigned char)p[n]) || (n && isdigit((unsigned char)p[n])))
		n++;
	if (p[n] != '/' || n > 16)
		return 0;
	for (int i = 0; per[i]; i++) {
		const char *end = p + n + 1 + (k = strlen(per[i]));

		if (strncasecmp(p + n + 1, per[i], k) == 0 && !is_word_char(*end) &&
			(!*end || !strchr("/_-.", *end)))
			return n + 1 + k;
	}
	return 0;
}

size_t cl_unit_len(const char *p)
{
	size_t best = rate_len(p);

	for (int i = 0; units[i]; i++) {
		size_t n;

		if (units[i][0] != *p)
			continue;
		n = strlen(units[i]);
		if (n > best && strncmp(p, units[i], n) == 0 && !is_word_char(p[n]) &&
			p[n] != '/' && p[n] != '_' && p[n] != '-')
			best = n;
	}
	return best;
}

char *cl_collapse(struct arena *a, const char *p, size_t len)
{
	char *to = arena_alloc(a, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		bool blank = p[i] == ' ' || p[i] == '\t';

		if (!blank)
			to[n++] = p[i];
		else if (n && to[n - 1] != ' ')
			to[n++] = ' ';
	}
	while (n && to[n - 1] == ' ')
		n--;
	to[n] = 0;
	return to;
}

const char *cl_unit_in(struct arena *a, const char *text)
{
	/* "(usec)", "[ms]", "(in seconds)", "(lower is better, ms)" */
	for (const char *p = text; (p = strpbrk(p, "([,;")); p++) {
		const char *q = p + 1;
		size_t n;

		q += strspn(q, " ");
		if (strncasecmp(q, "in ", 3) == 0)
			q += 3;
		n = cl_unit_len(q);
		if (n && strchr(")],;", q[n + strspn(q + n, " ")]))
			return arena_strndup(a, q, n);
	}
	/* "Time in seconds", "netperf latency usecs:" */
	for (const char *p = text; *p; p++) {
		size_t n = p > text && p[-1] == ' ' ? cl_unit_len(p) : 0;
		bool in = p - text >= 4 && strncasecmp(p - 4, " in ", 4) == 0;
		bool counted = p - text >= 2 && isdigit((unsigned char)p[-2]);
		bool per = p - text >= 4 && strncasecmp(p - 4, "per ", 4) == 0;

		if (n && !per && (in || (n >= 4 && strchr("ums", p[0]) && !counted)))
			return arena_strndup(a, p, n);
	}
	return NULL;
}
