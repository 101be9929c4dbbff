// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_lines.c - a mail's text as lines, with what can hold no claim marked. */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>

#define TAB_STOP 8

/* "**-10%**" at p, a figure in bold as Markdown has it. */
static bool begins_bold(const char *p, size_t len)
{
	const char *end;

	if (len < 5 || memcmp(p, "**", 2) != 0 || !strchr("+-~(.0123456789\xe2", p[2]))
		return false;
	end = memmem(p + 2, len - 2 < 48 ? len - 2 : 48, "**", 2);
	for (const char *q = p + 2; end && q < end; q++)
		if (isdigit((unsigned char)*q))
			return end[-1] != ' ';
	return false;
}

/* A minus sign (U+2212), or an en dash (U+2013) that stands for one before a number: its
 * bytes, else 0. */
static size_t minus_len(const char *line, const char *p, size_t len)
{
	if (len < 3 || memcmp(p, "\xe2", 1) != 0)
		return 0;
	if (memcmp(p, "\xe2\x88\x92", 3) == 0)
		return 3;
	return memcmp(p, "\xe2\x80\x93", 3) == 0 && len > 3 &&
			       isdigit((unsigned char)p[3]) &&
			       (p == line || strchr(" \t(|*[", p[-1]))
		       ? 3
		       : 0;
}

/* Copies one line: tabs become '\t' and blanks, control codes, no-break spaces and bold
 * figures' marks go, a minus sign is '-'. */
static char *expand(struct arena *a, const char *p, size_t len)
{
	size_t n = 0, cap = len, column = 0;
	bool in_bold = false;
	char *to;

	for (size_t i = 0; i < len; i++)
		cap += p[i] == '\t' ? TAB_STOP - 1 : 0;
	to = arena_alloc(a, cap + 1);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];

		if (c == '\t') {
			to[n++] = '\t';
			for (column++; column % TAB_STOP; column++)
				to[n++] = ' ';
			continue;
		}
		if (c == 0x1b && i + 1 < len && p[i + 1] == '[') { /* a colour */
			for (i += 2;
				i < len && (isdigit((unsigned char)p[i]) || p[i] == ';');)
				i++;
			continue;
		}
		if (in_bold ? c == '*' && i + 1 < len && p[i + 1] == '*'
			    : begins_bold(p + i, len - i)) {
			in_bold = !in_bold;
			i++;
			continue;
		}
		if (minus_len(p, p + i, len - i)) {
			c = '-';
			i += 2;
		}
		if (c == 0xc2 && i + 1 < len && (unsigned char)p[i + 1] == 0xa0) {
			c = ' ';
			i++;
		}
		if (c < 0x20 || c == 0x7f)
			continue;
		to[n++] = (char)c;
		column += (c & 0xc0) != 0x80;
	}
	while (n && (to[n - 1] == ' ' || to[n - 1] == '\t'))
		n--;
	to[n] = 0;
	return to;
}

/* Behind the quoting: "> > ", ">> ", "> |" keeps its bar. */
static const char *unquote(const char *p, const char *end, int *depth)
{
	for (;;) {
		const char *q = p;

		while (q < end && *q == ' ' && q - p < 3)
			q++;
		if (q >= end || *q != '>')
			break;
		p = q + 1;
		++*depth;
	}
	if (*depth && p < end && *p == ' ')
		p++;
	return p;
}

static bool starts(const char *p, const char *word)
{
	return strncmp(p, word, strlen(word)) == 0;
}

/* "---", "= = =", "+-----+", "|----+" and underlines */
static bool is_rule(const char *p)
{
	size_t n = 0, marks = 0;

	for (; p[n]; n++) {
		if (!strchr("-=~_*+|: \t", p[n]))
			return false;
		marks += strchr("-=~_*", p[n]) != NULL;
	}
	return marks >= 3;
}

/* "[   12.345678] ", "<4>[ 12.3", "kernel: [ 12.3" */
static bool is_kernel_log(const char *p)
{
	const char *at = strstr(p, "kernel: [");

	p += strspn(p, " ");
	if (*p == '<' && isdigit((unsigned char)p[1]))
		p += strcspn(p, "[");
	if (at)
		p = at + 8;
	if (*p++ != '[')
		return false;
	p += strspn(p, " ");
	if (!isdigit((unsigned char)*p))
		return false;
	p += strspn(p, "0123456789");
	return *p == '.' && strspn(p + 1, "0123456789") >= 4;
}

/* " kernel/sched/fair.c | 13 +++--", " 2 files changed, 28 insertions(+)" */
static bool is_diffstat(const char *p)
{
	const char *bar = strstr(p, " | ");

	if (strstr(p, " changed, ") && (strstr(p, "insertion") || strstr(p, "deletion")))
		return true;
	if (!bar || !strchr(p, '/') || strchr(p, '/') > bar)
		return false;
	bar += 3;
	bar += strspn(bar, " ");
	if (starts(bar, "Bin "))
		return true;
	if (!isdigit((unsigned char)*bar))
		return false;
	bar += strspn(bar, "0123456789 ");
	return strspn(bar, "+-") == strlen(bar);
}

/* " 12.61%  swapper  [kernel.vmlinux]  [k] native_queued_spin_lock_slowpath" */
static bool is_profile(const char *p)
{
	return strchr(p, '%') && (strstr(p, "[k]") || strstr(p, "[.]") ||
					 strstr(p, "[kernel.") || strstr(p, "vmlinux"));
}

/* "  27,817,487.14 msec task-clock     #   15.015 CPUs utilized" */
static bool is_counter(const char *p)
{
	const char *mark;

	p += strspn(p, " \t");
	if (!isdigit((unsigned char)*p))
		return false;
	p += strspn(p, "0123456789,.");
	mark = strstr(p, " # ");
	return (*p == ' ' || *p == '\t') && mark && mark - p > 4 &&
	       isdigit((unsigned char)mark[3 + strspn(mark + 3, " ")]);
}

static bool begins_diff(const char *p)
{
	return starts(p, "diff --git ") || starts(p, "diff -") || starts(p, "@@ -") ||
	       starts(p, "Index: ") ||
	       (starts(p, "--- a/") || starts(p, "--- /dev/null"));
}

/* A line inside a diff. */
static bool is_diff(const char *p)
{
	static const char *const heads[] = {"diff -", "index ", "@@ ", "new file mode",
		"deleted file mode", "old mode", "new mode", "similarity index",
		"rename from", "rename to", "copy from", "copy to", "Binary files",
		"GIT binary patch", NULL};

	if (*p == 0 || strchr("+-\\ \t", *p))
		return true;
	for (int i = 0; heads[i]; i++)
		if (starts(p, heads[i]))
			return true;
	return false;
}

/* "-12.3%" of a table is none, though it begins like a line of a diff. */
static void mark_diffs(struct cl_doc *d)
{
	int in = -1; /* depth of the diff we are in */

	for (size_t i = 0; i < d->n; i++) {
		struct cl_line *l = &d->lines[i];

		if (begins_diff(l->text))
			in = l->depth;
		if (in < 0 || l->depth != in)
			continue; /* a remark between quoted hunks */
		if (!is_diff(l->text) || starts(l->text, "-- ") ||
			strcmp(l->text, "--") == 0) {
			in = -1;
			continue;
		}
		l->skip = true;
	}
}

/* "| a | b |" wrapped by a mail program: joined to as many columns as the rule has. */
static void join_pipes(struct cl_doc *d)
{
	for (size_t i = 0; i + 1 < d->n; i++) {
		struct cl_line *l = &d->lines[i], *next = &d->lines[i + 1];
		size_t want = 0, have = 0, more = 0, len = strlen(l->text);

		if (*l->text != '|' || l->rule || !len || l->text[len - 1] != '|' ||
			next->depth != l->depth || *next->text == '|' || !*next->text ||
			next->text[strlen(next->text) - 1] != '|' || next->rule)
			continue;
		for (size_t j = i > 4 ? i - 4 : 0; j < i + 5 && j < d->n; j++)
			if (d->lines[j].rule && *d->lines[j].text == '|' && !want)
				for (const char *p = d->lines[j].text; *p; p++)
					want += *p == '|' || *p == '+';
		for (const char *p = l->text; *p; p++)
			have += *p == '|';
		for (const char *p = next->text; *p; p++)
			more += *p == '|';
		if (have + more > (want ? want : have + more) || len > CL_LINE_MAX)
			continue;
		if (want && have >= want)
			continue;
		l->text = arena_printf(d->arena, "%s %s", l->text, next->text);
		next->text = arena_strdup(d->arena, "");
		next->skip = true;
	}
}

/* "a | b" and "| c |" below: a row without a bar at its left that a mail program broke at
 * a bar. A row whose label is empty begins with blanks. */
static void join_bars(struct cl_doc *d)
{
	for (size_t i = 0; i + 1 < d->n; i++) {
		struct cl_line *l = &d->lines[i], *next = l + 1;
		size_t len = strlen(l->text);
		const char *bar = strchr(l->text, '|');
		const struct cl_line *before = i ? l - 1 : NULL;

		/* "c |" below "| a | b |" is the rest of a row that has its bar */
		if (before && !before->skip && before->text[before->indent] == '|')
			continue;
		if (!bar || bar - l->text < 2 || l->rule || l->skip ||
			len > CL_LINE_MAX || next->depth != l->depth || next->rule ||
			next->indent > 1 || next->text[next->indent] != '|' ||
			strlen(next->text) > CL_LINE_MAX)
			continue;
		l->text = arena_printf(d->arena, "%s %s", l->text, next->text);
		next->text = arena_strdup(d->arena, "");
		next->skip = true;
	}
}

/* Is line i of a table drawn with bars, or what join_bars() left of one? */
static bool has_bars(const struct cl_doc *d, size_t i)
{
	const struct cl_line *l = &d->lines[i];

	return strchr(l->text, '|') || strstr(l->text, "-+-") || strstr(l->text, "=+=") ||
	       (l->skip && !*l->text);
}

/* "6.8 | -6.9%" below "----+----": tables drawn without bars at their sides get them. */
static void frame_bars(struct cl_doc *d)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct cl_line *l = &d->lines[i];
		const char *p = l->text + l->indent;
		size_t from = i, to = i;

		if (!l->rule || !((*p == '-' && strstr(p, "-+-")) ||
					(*p == '=' && strstr(p, "=+="))))
			continue;
		while (from > 0 && i - from < 4 && has_bars(d, from - 1))
			from--;
		while (to + 1 < d->n && to - i < 500 && has_bars(d, to + 1))
			to++;
		for (size_t j = from; j <= to; j++) {
			struct cl_line *row = &d->lines[j];
			size_t len = strlen(row->text);

			if (row->depth != l->depth || row->skip || len > CL_LINE_MAX ||
				!len || row->text[row->indent] == '+')
				continue;
			row->text = arena_printf(d->arena, "|%s |", row->text);
			row->indent = 0;
		}
		i = to;
	}
}

void cl_read_lines(struct cl_doc *d, const char *text, size_t len)
{
	size_t cap = 0;

	while (len && d->n < CLAIMS_LINES) {
		const char *end = memchr(text, '\n', len), *p;
		size_t n = end ? (size_t)(end - text) : len, used = n + (end != NULL);
		struct cl_line *l = ARENA_PUSH(d->arena, d->lines, d->n, cap);

		p = unquote(text, text + n, &l->depth);
		n -= (size_t)(p - text);
		l->text = expand(d->arena, p, n > CL_TEXT_MAX ? CL_TEXT_MAX + 1 : n);
		l->indent = (int)strspn(l->text, " \t");
		l->rule = is_rule(l->text);
		l->skip = is_kernel_log(l->text) || is_diffstat(l->text) ||
			  is_profile(l->text) || is_counter(l->text);
		text += used;
		len -= used;
	}
	d->out->cut |= len > 0;
	mark_diffs(d);
	join_bars(d);
	frame_bars(d);
	join_pipes(d);
}
