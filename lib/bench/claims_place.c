// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * claims_place.c - what the text around a table says about it: benchmark, unit, direction
 * and headings. One walk from top to bottom; a block keeps what holds at its header.
 */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <strings.h>

struct walk {
	struct cl_doc *d;
	struct cl_place now;
	bool table_seen; /* since the last heading */
};

static bool is_text(const struct cl_doc *d, size_t i)
{
	const struct cl_line *l = &d->lines[i];

	return i < d->n && *l->text && !l->skip && !l->rule && !l->taken;
}

/* "Unit   : MB/sec (higher is better)": the value, when the key is this one. */
static const char *value_of(const char *text, const char *key)
{
	size_t n = strlen(key);

	text += strspn(text, " \t*-");
	if (strncasecmp(text, key, n) != 0)
		return NULL;
	text += n;
	text += *text == 's';
	text += strspn(text, " \t");
	return *text == ':' ? text + 1 + strspn(text + 1, " \t") : NULL;
}

static bool is_key(const char *text)
{
	static const char *const keys[] = {"unit", "benchmark", "test", "interpretation",
		"statistic", "varying parameter", "workload", NULL};

	for (int i = 0; keys[i]; i++) {
		const char *v = value_of(text, keys[i]);

		if (v && *v)
			return true;
	}
	return false;
}

/* "Test : stream-10": what a report says it ran, whether we know the name or not. */
static const char *tested(const char *text)
{
	static const char *const keys[] = {"test", "benchmark", "workload", NULL};

	for (int i = 0; keys[i]; i++) {
		const char *v = value_of(text, keys[i]);

		if (v && *v)
			return v;
	}
	return NULL;
}

static int level_now(const struct walk *w)
{
	return w->now.n ? w->now.levels[w->now.n - 1] : 99;
}

static void set_bench(struct walk *w, const char *bench, bool several)
{
	struct cl_place *p = &w->now;

	if (several)
		bench = NULL;
	if (bench == p->bench || (bench && p->bench && strcmp(bench, p->bench) == 0))
		return;
	p->bench = bench;
	if (w->table_seen || bench) {
		p->unit = NULL;
		p->better = CLAIM_BETTER_UNSAID;
	}
}

static void push(struct walk *w, const char *text, int level)
{
	struct cl_place *p = &w->now;
	const char *words = cl_heading_words(w->d->arena, text, p->bench);

	while (p->n && p->levels[p->n - 1] >= level)
		p->n--;
	if (p->better_level >= level)
		p->better = CLAIM_BETTER_UNSAID;
	if (p->unit_level >= level)
		p->unit = NULL;
	w->table_seen = false;
	if (!*words)
		return;
	if (p->n == CL_LEVELS_MAX) {
		memmove(p->headings, p->headings + 1, sizeof(*p->headings) * (p->n - 1));
		memmove(p->levels, p->levels + 1, sizeof(*p->levels) * (p->n - 1));
		p->n--;
	}
	p->headings[p->n] = words;
	p->levels[p->n++] = level;
}

/* Lines of the paragraph line i is in, and whether i is its last. */
static size_t paragraph(const struct cl_doc *d, size_t i, bool *last)
{
	size_t from = i, to = i;

	while (from > 0 && i - from < 4 && is_text(d, from - 1) &&
		d->lines[from - 1].depth == d->lines[i].depth)
		from--;
	while (to - i < 4 && is_text(d, to + 1) &&
		d->lines[to + 1].depth == d->lines[i].depth)
		to++;
	*last = to == i;
	return to - from + 1;
}

/* "On Monday, Jane Doe wrote:" */
static bool is_attribution(const char *text, size_t len)
{
	return strchr(text, '@') || (len > 6 && strcmp(text + len - 6, "wrote:") == 0);
}

static int heading_level(const struct cl_doc *d, size_t i)
{
	const struct cl_line *l = &d->lines[i];
	size_t len = strlen(l->text), n;
	const char *p = l->text + l->indent;
	bool last, bullet = (strchr("o*+-", p[0]) && p[1] == ' ');
	bool underlined = i + 1 < d->n && d->lines[i + 1].rule &&
			  !strchr("+|", d->lines[i + 1].text[d->lines[i + 1].indent]) &&
			  !d->lines[i + 1].taken;
	char end = len ? l->text[len - 1] : 0;

	if (len > 120 || !len || is_attribution(l->text, len) || is_key(l->text) ||
		strchr("<[^(", *p) || (strchr("$#", *p) && p[1] == ' ') ||
		(cl_direction(l->text) != CLAIM_BETTER_UNSAID && len < 24))
		return -1;
	n = paragraph(d, i, &last);
	if (underlined && n <= 2 && last)
		return 0;
	if (end == ':' && (n <= 3 || last))
		return 2 + l->indent * 2 + bullet;
	/* a short line right above a table is a heading, whatever it ends */
	if (last && len < 60 && i + 1 < d->n && d->lines[i + 1].taken)
		n = 1;
	if (strchr(".,;?!", end) || !last || n > 3 || p[0] == '"')
		return -1;
	return 2 + l->indent * 2 + bullet;
}

static void read_line(struct walk *w, size_t i)
{
	const struct cl_doc *d = w->d;
	const char *text = d->lines[i].text, *v, *test = tested(text);
	int level = heading_level(d, i);
	enum claim_better better = cl_direction(text);
	bool several, heading = level >= 0, key = is_key(text);
	const char *bench = cl_bench(
		d->arena, text, heading || test || strstr(text, "STREAM"), &several);

	if (key || heading) {
		/* the first name counts: "tbench4 (i.e. dbench4 over the network)" */
		char *cut = arena_strdup(d->arena, text);
		bool more;

		cut[strcspn(cut, "(")] = 0;
		if (several && cl_bench(d->arena, cut, true, &more))
			several = more && !key;
	}
	if (bench || test) {
		set_bench(w, bench, several);
		w->now.bench_level = heading ? level : 0;
	} else if (heading && level + 4 <= w->now.bench_level) {
		/* what stood further in was said of that alone */
		set_bench(w, NULL, false);
		w->now.bench_level = 0;
	}
	if (test)
		push(w, test, 1);
	if (heading)
		push(w, text, level);
	if (better != CLAIM_BETTER_UNSAID) {
		w->now.better = better;
		w->now.better_level = heading ? level : level_now(w);
	}
	v = value_of(text, "unit");
	if (v && *v) {
		size_t n = strcspn(v, "(,;");

		while (n && v[n - 1] == ' ')
			n--;
		w->now.unit = n ? arena_strndup(d->arena, v, n) : w->now.unit;
		w->now.unit_level = level_now(w);
	} else if (heading) {
		const char *unit = cl_unit_in(d->arena, text);

		if (unit) {
			w->now.unit = unit;
			w->now.unit_level = level;
		}
	}
	if (!heading && w->table_seen && strchr(".", text[strlen(text) - 1]))
		while (w->now.n && w->now.levels[w->now.n - 1] >= 2)
			w->now.n--;
}

static void read_above(const struct cl_doc *d, struct cl_block *b)
{
	size_t n = 0, at = b->head;

	for (int seen = 0; at-- > 0 && n < 3 && seen < 8; seen++) {
		const struct cl_line *l = &d->lines[at];

		if (l->taken || l->skip)
			break;
		if (*l->text && !l->rule)
			b->above[n++] = l->text;
	}
}

static void keep(struct walk *w, struct cl_block *b)
{
	const struct cl_doc *d = w->d;
	enum claim_better better = CLAIM_BETTER_UNSAID;
	const char *unit = NULL, *bench;
	bool several, in_columns = false;

	/* "P50 latency (larger is worse)" is said of one column */
	for (size_t j = 0; j < b->k; j++)
		in_columns |= cl_direction(b->columns[j].name) != CLAIM_BETTER_UNSAID;
	for (size_t i = b->head; i < b->rows[0].line; i++) {
		const char *text = d->lines[i].text;

		if (better == CLAIM_BETTER_UNSAID && !in_columns)
			better = cl_direction(text);
		bench = cl_bench(d->arena, text, true, &several);
		if (bench && !several && !w->now.bench)
			set_bench(w, bench, false);
	}
	if (*b->label_head)
		unit = cl_unit_in(d->arena, b->label_head);
	b->place = w->now;
	if (better != CLAIM_BETTER_UNSAID)
		b->place.better = better;
	if (unit)
		b->place.unit = unit;
	w->table_seen = true;
}

void cl_find_places(struct cl_doc *d)
{
	struct walk w = {.d = d};
	size_t block = 0;

	w.now.unit_level = w.now.better_level = 99;
	for (size_t i = 0; i < d->n_blocks; i++) {
		struct cl_block *b = &d->blocks[i];

		for (size_t j = b->head; b->n && j <= b->last; j++)
			d->lines[j].taken = true;
	}
	for (size_t i = 0; i < d->n; i++) {
		while (block < d->n_blocks && d->blocks[block].head <= i) {
			struct cl_block *b = &d->blocks[block++];

			if (b->n) {
				read_above(d, b);
				keep(&w, b);
			}
		}
		if (is_text(d, i) && strlen(d->lines[i].text) <= CL_TEXT_MAX)
			read_line(&w, i);
	}
}
