// SPDX-License-Identifier: GPL-2.0-or-later
/* What a patch touches. Input in parts between lines "====": the patch, the base text,
 * the patched text, the scanner's answers to both, a table of aspects (the tree's own
 * when absent). Counts of lines must agree with the patch's, and names of lists be
 * sorted. */
#include "base/base.h"

#include "plan/ctags.h"
#include "plan/touch.h"
#include "plan/touch_load.h"

#define MARK  "====\n"
#define PARTS 5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct part {
	const char *p;
	size_t len;
};

static size_t split(const char *p, size_t len, struct part *parts)
{
	const char *end = p + len;
	size_t n = 0;

	while (n < PARTS) {
		const char *hit = n + 1 < PARTS && p < end
					  ? memmem(p, (size_t)(end - p), MARK, 5)
					  : NULL;

		parts[n++] = (struct part){p, (size_t)((hit ? hit : end) - p)};
		if (!hit)
			break;
		p = hit + 5;
	}
	return n;
}

static void check(const struct touch *t, const struct diff *d)
{
	uint64_t n_added = 0, n_removed = 0;

	for (size_t i = 0; i < d->n_files; i++) {
		n_added += d->files[i].n_added;
		n_removed += d->files[i].n_removed;
	}
	for (size_t i = 0; i < t->n_functions; i++) {
		if (!t->functions[i].n_added && !t->functions[i].n_removed)
			abort();
		n_added -= t->functions[i].n_added;
		n_removed -= t->functions[i].n_removed;
	}
	if (n_added > d->n_lines || n_removed > d->n_lines)
		abort(); /* a line was counted twice */
	for (size_t i = 1; i < t->n_configs; i++)
		if (strcmp(t->configs[i - 1], t->configs[i]) >= 0)
			abort();
	for (size_t i = 1; i < t->n_features; i++)
		if (strcmp(t->features[i - 1], t->features[i]) >= 0)
			abort();
	for (size_t i = 0; i < t->n_aspects; i++)
		if (!t->aspects[i].n_why || t->aspects[i].n_why > TOUCH_LINES_MAX)
			abort();
}

static void give(
	struct touch_side *s, const struct part *text, struct ctags_answer *answer)
{
	s->text = text->p;
	s->len = text->len;
	s->spans = answer->spans;
	s->n_spans = answer->n;
	s->has_spans = answer->ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct part parts[PARTS] = {0};
	struct ctags_answer answers[2] = {0};
	struct touch_file *files = NULL;
	struct touch_table *table;
	struct touch_input in;
	size_t n_parts = split((const char *)data, size, parts), n = 0, cap = 0;
	json_t *j;
	struct diff *d;
	struct err e;

	if (diff_parse(parts[0].p, parts[0].len, a, &d, &e))
		return 0;
	if (n_parts < PARTS)
		parts[4] = (struct part){touch_table_text, strlen(touch_table_text)};
	if (touch_table_parse(parts[4].p, parts[4].len, a, &table, &e))
		return 0;
	/* a pattern of many stars is its author's own trouble, and slow to no end */
	for (size_t i = 0; n_parts == PARTS && i < table->n; i++)
		table->rows[i].n_paths = 0;
	if (n_parts > 3)
		ctags_parse(a, parts[3].p, parts[3].len, 2, answers);
	touch_load_diff(a, d, &files, &n, &cap);
	if (n && n_parts > 2) {
		give(&files[0].base, &parts[1], &answers[0]);
		give(&files[0].patched, &parts[2], &answers[1]);
	}
	in = (struct touch_input){files, n, table};
	struct touch *t = touch_make(a, &in);

	check(t, d);
	j = touch_to_json(t);
	json_decref(j);
	return 0;
}
