// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "report/table.h"
#include "report/words.h"
#include <math.h>

#define PCT_MAX 999999.0

enum { BASE, BASE_STD, COMPARE, PATCHED_STD, LOW, HIGH, N_NUMBERS };

const char *table_pct(struct arena *a, double pct)
{
	if (pct > PCT_MAX)
		pct = PCT_MAX;
	if (pct < -PCT_MAX)
		pct = -PCT_MAX;
	if (fabs(pct) < 0.005)
		pct = 0; /* and no -0.00 */
	return arena_printf(a, fabs(pct) < 9999.5 ? "%+.2f" : "%+.0f", pct);
}

static const char *std_text(struct arena *a, double pct)
{
	if (!(pct >= 0.005))
		pct = 0;
	if (pct > PCT_MAX)
		pct = PCT_MAX;
	return arena_printf(a, pct < 9999.5 ? "%.2f" : "%.0f", pct);
}

static const char *value_text(struct arena *a, double v)
{
	int digits = v >= 9999.5 ? 0 : v >= 99.995 ? 1 : v >= 0.01 || v == 0 ? 3 : 6;

	return arena_printf(a, "%.*f", digits, v);
}

struct line {
	const char *case_, *load;
	const char *numbers[N_NUMBERS];
	char mark;
};

static struct line line_of(struct arena *a, const struct report_row *row)
{
	const struct stats_row *s = &row->stats;
	struct line l = {.case_ = row->case_, .load = row->load ? row->load : ""};

	l.numbers[BASE] = value_text(a, s->base);
	l.numbers[BASE_STD] = std_text(a, s->base_std_pct);
	l.numbers[COMPARE] = table_pct(a, s->effect_pct);
	l.numbers[PATCHED_STD] = std_text(a, s->patched_std_pct);
	l.numbers[LOW] = table_pct(a, s->ci95_pct[0]);
	l.numbers[HIGH] = table_pct(a, s->ci95_pct[1]);
	l.mark = stats_mark_char(s->mark);
	return l;
}

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

/* Names give way where a line would be too long; numbers never. */
static void fit_names(int *w_case, int *w_load, int numbers)
{
	int room = REPORT_WIDTH - numbers;

	while (*w_case + *w_load + 1 > room && (*w_case > 6 || *w_load > 6)) {
		if (*w_case >= *w_load)
			(*w_case)--;
		else
			(*w_load)--;
	}
}

static void print_head(struct arena *a, struct sbuf *b, const struct report_section *s)
{
	const char *unit =
		s->unit ? arena_printf(a, " in %s", words_clean(a, s->unit, 20)) : "";
	size_t from = b->len;

	sbuf_addf(b, "%s on %s (%s)", words_clean(a, s->bench, 24),
		words_clean(a, s->topology, 24), report_tier_name(s->tier));
	from = b->len - from;
	sbuf_addf(b, ": %s%s, %s is better\n", words_clean(a, s->metric, 24), unit,
		bench_better_name(s->better));
	for (size_t i = 0; i < from; i++)
		sbuf_addc(b, '=');
	sbuf_addc(b, '\n');
}

void table_print(struct arena *a, struct sbuf *b, const struct report_section *s)
{
	struct line *lines = ARENA_ARRAY(a, struct line, s->n_rows + 1);
	int w_case = 4, w_load = 0, w[N_NUMBERS] = {8, 5, 7, 5, 6, 6}, numbers, tail;
	const char *head;

	print_head(a, b, s);
	for (size_t i = 0; i < s->n_rows; i++) {
		lines[i] = line_of(a, &s->rows[i]);
		w_case = max_int(w_case, (int)strlen(lines[i].case_));
		w_load = max_int(w_load, (int)strlen(lines[i].load));
		for (int k = 0; k < N_NUMBERS; k++)
			w[k] = max_int(w[k], (int)strlen(lines[i].numbers[k]));
	}
	if (w_load && w_load < 4)
		w_load = 4;
	/* " base(std)  compare(std) [low, high] m" */
	numbers = 1 + w[BASE] + 1 + w[BASE_STD] + 1 + 1 + w[COMPARE] + 1 +
		  w[PATCHED_STD] + 1;
	tail = 2 + w[LOW] + 1 + w[HIGH] + 1 + 2;
	fit_names(&w_case, &w_load, numbers + tail);
	/* the head's words end where the columns end; the spaces follow from the data */
	head = arena_printf(a, "%-*s %-*s", w_case, "case", w_load, w_load ? "load" : "");
	sbuf_addf(b, "%s%*s", head, 1 + w[BASE] + 1 + w[BASE_STD] + 1, "base(std%)");
	sbuf_addf(b, "%*s", 1 + w[COMPARE] + 1 + w[PATCHED_STD] + 1, "compare%(std%)");
	sbuf_addf(b, "%*s\n", tail - 2, "95% CI");
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct line *l = &lines[i];

		sbuf_addf(b, "%-*.*s %-*.*s %*s(%*s) %*s(%*s) [%*s,%*s] %c\n", w_case,
			w_case, l->case_, w_load, w_load, l->load, w[BASE],
			l->numbers[BASE], w[BASE_STD], l->numbers[BASE_STD], w[COMPARE],
			l->numbers[COMPARE], w[PATCHED_STD], l->numbers[PATCHED_STD],
			w[LOW], l->numbers[LOW], w[HIGH], l->numbers[HIGH], l->mark);
	}
	sbuf_addc(b, '\n');
}
