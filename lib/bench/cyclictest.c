// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cyclictest.c - cyclictest of rt-tests: the thread lines of -q and of the live display
 * (the last whole line of each thread counts), and the summary of a histogram. A run ends
 * where another thread appears under the same number, or the count of cycles falls.
 */
#include "base/base.h"

#include "bench/parsers.h"
#include "bench/reading.h"

#define THREADS_MAX 4096
/* field widths of the tool; a shorter number at the text's end was cut */
#define MAX_WIDTH  8
#define MIN_WIDTH  7
#define HIST_WIDTH 5

struct thread {
	int64_t index, tid, cycles; /* tid 0: not known yet; cycles -1: not printed */
	int64_t min, avg, max, overflows;
	bool has_avg, has_overflows;
};

enum hist_row { HIST_MIN, HIST_AVG, HIST_MAX, HIST_OVERFLOWS, N_HIST };

struct hist {
	bool seen;
	bool cut; /* the last number of Max Latencies */
	int64_t *row[N_HIST];
	size_t n[N_HIST];
};

struct state {
	struct reading r;
	struct thread *threads; /* of the run, in the order they appeared */
	size_t n, cap;
	bool live; /* some thread was shown twice */
	bool cut;  /* a thread of which no whole line was seen */
	struct hist hist;
};

static struct thread *find_thread(struct state *s, int64_t index)
{
	if (index < (int64_t)s->n && s->threads[index].index == index)
		return &s->threads[index];
	for (size_t i = 0; i < s->n; i++)
		if (s->threads[i].index == index)
			return &s->threads[i];
	return NULL;
}

/* ---- the end of a run ---- */

static struct thread *add_thread(struct state *s, int64_t index)
{
	struct thread *t = ARENA_PUSH(s->r.a, s->threads, s->n, s->cap);

	t->index = index;
	t->cycles = -1;
	return t;
}

/* The histogram's summary is the last word about its threads. False: it was cut. */
static bool take_hist(struct state *s)
{
	const struct hist *h = &s->hist;
	size_t n = h->n[HIST_MIN]   ? h->n[HIST_MIN]
		   : h->n[HIST_AVG] ? h->n[HIST_AVG]
				    : h->n[HIST_MAX];

	if (h->cut || h->n[HIST_MAX] == 0 || h->n[HIST_MAX] < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct thread *t = find_thread(s, (int64_t)i);

		if (!t)
			t = add_thread(s, (int64_t)i);
		t->min = i < h->n[HIST_MIN] ? h->row[HIST_MIN][i] : -1;
		t->has_avg = i < h->n[HIST_AVG];
		t->avg = t->has_avg ? h->row[HIST_AVG][i] : 0;
		t->max = h->row[HIST_MAX][i];
		t->has_overflows = i < h->n[HIST_OVERFLOWS];
		t->overflows = t->has_overflows ? h->row[HIST_OVERFLOWS][i] : 0;
	}
	return true;
}

static bool measured(const struct thread *t)
{
	return t->cycles != 0 && t->min <= t->max && t->max >= 0;
}

static void add_metric(
	struct state *s, const struct thread *t, const char *what, int64_t v)
{
	const char *name =
		arena_printf(s->r.a, "thread%lld_%s", (long long)t->index, what);

	reading_cost(&s->r, name, "us", (double)v)->samples = t->cycles;
}

/* The tool numbers its threads from 0: are all there below the highest? */
static void note_missing(struct state *s)
{
	int64_t last = -1, n = (int64_t)s->n;

	for (size_t i = 0; i < s->n; i++)
		if (s->threads[i].index > last)
			last = s->threads[i].index;
	if (n == last)
		for (int64_t i = 0; i < last; i++) {
			if (find_thread(s, i))
				continue;
			reading_note(&s->r, arena_printf(s->r.a, "thread %lld is missing",
						    (long long)i));
			return;
		}
	if (n < last)
		reading_note(
			&s->r, arena_printf(s->r.a, "%lld of %lld threads are missing",
				       (long long)(last + 1 - n), (long long)(last + 1)));
}

static void keep_run(struct state *s)
{
	bool any = false;
	int64_t max = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (!measured(&s->threads[i]))
			continue;
		if (!any || s->threads[i].max > max)
			max = s->threads[i].max;
		any = true;
	}
	if (!any) {
		reading_left_out(&s->r, "no thread measured anything");
		return;
	}
	note_missing(s);
	reading_number(&s->r, "threads", (double)s->n);
	reading_metric(&s->r, "max", "us", BENCH_LOWER, (double)max)->primary = true;
	for (size_t i = 0; i < s->n; i++) {
		const struct thread *t = &s->threads[i];

		if (!measured(t)) {
			reading_note(&s->r,
				arena_printf(s->r.a, "thread %lld measured nothing",
					(long long)t->index));
			continue;
		}
		if (!s->hist.seen || s->hist.n[HIST_MIN])
			add_metric(s, t, "min", t->min);
		if (t->has_avg)
			add_metric(s, t, "avg", t->avg);
		add_metric(s, t, "max", t->max);
		if (t->has_overflows)
			reading_metric(&s->r,
				arena_printf(s->r.a, "thread%lld_overflows",
					(long long)t->index),
				"count", BENCH_LOWER, (double)t->overflows);
	}
	reading_keep(&s->r);
}

static void finish(struct state *s)
{
	if (s->cut || (s->hist.seen && !take_hist(s)))
		reading_left_out(&s->r, "the output was cut");
	else if (s->n)
		keep_run(s);
	s->n = 0;
	s->live = s->cut = false;
	s->hist = (struct hist){0};
}

/* ---- thread lines ---- */

/* "Min:     34"; *width counts what lies between label and the number's end. */
static bool take_field(const char **p, const char *label, int64_t *ret, size_t *width)
{
	const char *at, *rest, *start;
	struct bench_decimal num;

	if (!bench_words(*p, label, &rest))
		return false;
	start = strstr(*p, label);
	if (!start || !bench_decimal(rest, false, &num) || num.decimals >= 0 ||
		num.value < -1e15 || num.value > 1e15)
		return false;
	at = start + strlen(label);
	*ret = (int64_t)num.value;
	*width = (size_t)(num.end - at);
	*p = num.end;
	return true;
}

enum line_kind { LINE_OTHER, LINE_PART, LINE_WHOLE };

/* "T: 0 (20194) P:80 I:1000 C:    500 Min:     34 Act:   62 Avg:  130 Max:    1967";
 * a part has the thread's number, or -1. *cut_max: the last number ends the text and is
 * narrower than the tool prints it. */
static enum line_kind read_thread(const char *p, struct thread *t, bool *cut_max)
{
	size_t width, min_width = 0;
	const char *rest;
	int64_t skip;

	*t = (struct thread){.index = -1, .cycles = -1};
	*cut_max = false;
	if (!bench_starts(p, "T:", &rest))
		return LINE_OTHER;
	if (!take_field(&p, "T:", &t->index, &width))
		return *rest && rest[strspn(rest, " ")] ? LINE_OTHER : LINE_PART;
	if (t->index < 0)
		return LINE_OTHER;
	if (take_field(&p, "(", &t->tid, &width)) {
		if (!bench_words(p, ")", &rest))
			return LINE_PART;
		p = rest;
	}
	(void)take_field(&p, "P:", &skip, &width);
	(void)take_field(&p, "I:", &skip, &width);
	if (!take_field(&p, "C:", &t->cycles, &width) ||
		!take_field(&p, "Min:", &t->min, &min_width))
		return LINE_PART;
	(void)take_field(&p, "Act:", &skip, &width);
	t->has_avg = take_field(&p, "Avg:", &t->avg, &width);
	if (!take_field(&p, "Max:", &t->max, &width))
		return LINE_PART;
	*cut_max = !*p && min_width >= MIN_WIDTH && width < MAX_WIDTH;
	return LINE_WHOLE;
}

static void take_whole(struct state *s, const struct thread *t)
{
	struct thread *old = find_thread(s, t->index);

	if (t->index >= THREADS_MAX)
		return;
	if (s->hist.seen || (old && ((old->tid && t->tid && old->tid != t->tid) ||
					    t->cycles < old->cycles))) {
		finish(s);
		old = NULL;
	}
	if (old)
		s->live = true;
	else
		old = add_thread(s, t->index);
	*old = *t;
}

/* The text ends in line i, which may therefore be cut. */
static bool is_open(const struct state *s, size_t i)
{
	return s->r.open_end && i + 1 == s->r.lines.n;
}

/* A wrapped line goes on with a number or another label. */
static bool goes_on(const char *line)
{
	const char *rest;

	if (*line == '-' || *line == '(' || (*line >= '0' && *line <= '9'))
		return true;
	return bench_starts(line, "P:", &rest) || bench_starts(line, "I:", &rest) ||
	       bench_starts(line, "C:", &rest) || bench_starts(line, "Min:", &rest) ||
	       bench_starts(line, "Act:", &rest) || bench_starts(line, "Avg:", &rest) ||
	       bench_starts(line, "Max:", &rest);
}

static void take_thread(struct state *s, size_t i)
{
	bool cut_max;
	struct thread t;
	enum line_kind kind = read_thread(reading_line(&s->r, i), &t, &cut_max);
	size_t n = 0;

	while (kind == LINE_PART && n < 4 && goes_on(reading_line(&s->r, i + n + 1))) {
		n++;
		kind = read_thread(reading_join(&s->r, i, n), &t, &cut_max);
	}
	if (kind == LINE_WHOLE && !(cut_max && n == 0 && is_open(s, i)))
		take_whole(s, &t);
	/* another number of cycles or thread: the line is another run's */
	else if (kind != LINE_OTHER &&
		 !(t.index < 0 ? s->live : !!find_thread(s, t.index)))
		s->cut = true;
}

/* ---- histogram ---- */

/* The numbers of a summary row, also of the lines a mail program made of it. */
static void take_hist_row(struct state *s, size_t i, const char *p, enum hist_row row)
{
	struct hist *h = &s->hist;
	size_t cap = 0;

	h->n[row] = 0;
	h->row[row] = NULL;
	for (;;) {
		const char *end, *next = reading_line(&s->r, i + 1);
		int64_t v;

		p = bench_blanks(p);
		if (!*p && *next >= '0' && *next <= '9') {
			p = next;
			i++;
			continue;
		}
		if (h->n[row] > THREADS_MAX || !bench_integer(p, &v, &end) ||
			(*end && *end != ' '))
			return;
		if (!*end && is_open(s, i) && end - p < HIST_WIDTH) {
			h->cut = row == HIST_MAX;
			return;
		}
		*ARENA_PUSH(s->r.a, h->row[row], h->n[row], cap) = v;
		p = end;
	}
}

static void take_comment(struct state *s, size_t i)
{
	static const char *const heads[N_HIST] = {
		"# Min Latencies:",
		"# Avg Latencies:",
		"# Max Latencies:",
		"# Histogram Overflows:",
	};
	const char *line = reading_line(&s->r, i), *rest;

	if (bench_words(line, "# /dev/cpu_dma_latency set", &rest)) {
		finish(s);
		return;
	}
	if (bench_words(line, "# Histogram", &rest) && !*rest) {
		if (s->hist.seen)
			finish(s);
		s->hist.seen = true;
		return;
	}
	for (int k = 0; k < N_HIST; k++) {
		if (!bench_words(line, heads[k], &rest))
			continue;
		if (k != HIST_OVERFLOWS) {
			if (s->hist.n[k] || s->hist.n[HIST_MAX])
				finish(s);
			s->hist.seen = true;
		}
		if (s->hist.seen)
			take_hist_row(s, i, rest, k);
	}
}

/* Without the cursor codes whose escape byte some program ate: "[4A", "^[[4A". */
static const char *skip_cursor(const char *line)
{
	const char *p = line;

	if (p[0] == '^' && p[1] == '[')
		p += 2;
	if (*p != '[' || p[1] < '0' || p[1] > '9')
		return line;
	p++;
	p += strspn(p, "0123456789");
	return *p == 'A' ? p + 1 : line;
}

static void begin(struct reading *r)
{
	for (size_t i = 0; i < r->lines.n; i++)
		r->lines.lines[i] = skip_cursor(r->lines.lines[i]);
}

static void take_line(struct reading *r, size_t i)
{
	struct state *s = (struct state *)r;
	const char *line = reading_line(r, i), *rest;

	if (bench_starts(line, "cyclictest V ", &rest))
		r->out->version = arena_strndup(r->a, rest, strcspn(rest, " "));
	else if (line[0] == '#')
		take_comment(s, i);
	else
		take_thread(s, i);
}

static void end(struct reading *r)
{
	finish((struct state *)r);
}

static const char *why(const struct reading *r)
{
	(void)r;
	return "no thread lines";
}

static const struct reading_rules rules = {
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.line = take_line,
	.end = end,
	.why = why,
};

const struct bench_parser bench_cyclictest = {
	.name = "cyclictest",
	.summary = "latency of timers as threads see it (rt-tests)",
	.version = 1,
	.rules = &rules,
};
