// SPDX-License-Identifier: GPL-2.0-or-later
/* claims_cells.c - a line as a label and cells, a cell with what is written behind it. */
#include "base/base.h"

#include "bench/claims_doc.h"
#include <ctype.h>
#include <strings.h>

struct cl_cell cl_no_cell(void)
{
	return (struct cl_cell){
		.value = NAN, .change = NAN, .spread = NAN, .paren = NAN, .bracket = NAN};
}

static const char *blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* A word of a line ends here. */
static bool ends(char c)
{
	return c == 0 || c == ' ' || c == '\t';
}

/* "%", " %", " pct", "percent" at p: behind it, else NULL. */
static const char *percent_sign(const char *p)
{
	const char *q = p + strspn(p, " ");

	if (*q == '%')
		return q + 1;
	if (strncasecmp(q, "percent", 7) == 0 && !isalnum((unsigned char)q[7]))
		return q + 7;
	if (strncasecmp(q, "pct", 3) == 0 && !isalnum((unsigned char)q[3]))
		return q + 3;
	return NULL;
}

/* "+-", "+/-", "±" at p: behind it, else NULL. */
static const char *plus_minus(const char *p)
{
	if (strncmp(p, "+-", 2) == 0)
		return p + 2;
	if (strncmp(p, "+/-", 3) == 0 || strncmp(p, "-/+", 3) == 0)
		return p + 3;
	if (strncmp(p, "\xc2\xb1", 2) == 0) /* ± */
		return p + 2;
	if (strncmp(p, "\xb1", 1) == 0)
		return p + 1;
	return NULL;
}

static void direction_word(const char *p, struct cl_cell *c)
{
	c->worse |= strncasecmp(p, "regress", 7) == 0;
	c->improved |= strncasecmp(p, "improve", 7) == 0;
}

static void note_percent(struct cl_cell *c, double v, bool sign, bool spread)
{
	if (spread)
		c->spread = v;
	else if (isnan(c->change)) {
		c->change = v;
		c->signed_change = sign;
	} else if (sign && isnan(c->spread)) {
		c->spread = c->change; /* (1.2%) (+3.4%) */
		c->change = v;
		c->signed_change = true;
	}
}

/* What stands in brackets behind a value; end is the closing one. False: a remark. */
static bool read_note(const char *p, const char *end, bool comma, struct cl_cell *c)
{
	bool square = p[-1] == '[', spread = false, whole;
	const char *q, *after;
	char word[32];
	double v;

	p = blanks(p);
	if (p >= end) {
		c->blank = true;
		return true;
	}
	/* "var: ", "%diff: ", "diff=", "CV " */
	for (q = p; q < end && !isdigit((unsigned char)*q) && *q != '+' && *q != '-';)
		q++;
	if (q > p && !plus_minus(p)) {
		size_t n = (size_t)(q - p);

		if (n >= sizeof(word))
			return false;
		snprintf(word, sizeof(word), "%.*s", (int)n, p);
		if (q >= end) { /* "[sec]", "[baseline]" */
			n = cl_unit_len(p);
			if (n && !c->unit && !isnan(c->value) &&
				p + n + strspn(p + n, " ") == end) {
				c->unit = p;
				return true;
			}
			c->blank = cl_is_base(word);
			return c->blank;
		}
		if (cl_is_spread(word))
			spread = true;
		else if (!cl_is_change(word) && strspn(word, " ~.") != n)
			return false;
		p = q;
	}
	q = plus_minus(p);
	if (q) {
		spread = true;
		p = blanks(q);
	}
	if (*p == '-' || *p == '+') /* "- 1.2 %" */
		p += p[1] == ' ' && isdigit((unsigned char)p[2]) && *p == '+';
	q = cl_number(p, comma, &v, &whole);
	if (!q || q > end)
		return false;
	after = percent_sign(q);
	if (after && after <= end) {
		after = blanks(after);
		direction_word(after, c);
		/* more than "faster", "better"; "(-15% / +125%)" */
		if (end - after > 12 ||
			strcspn(after, "0123456789") < (size_t)(end - after))
			return false;
		note_percent(c, v, *p == '+' || *p == '-', spread);
		return true;
	}
	q = blanks(q);
	if (q < end && !(*q == 'x' && q + 1 == end) && cl_unit_len(q) == 0)
		return false;
	if (spread)
		return true; /* an absolute spread is none of ours */
	if (square && isnan(c->bracket))
		c->bracket = v;
	else if (!square && isnan(c->paren))
		c->paren = v;
	return true;
}

/* One thing written behind a value at p: behind it, else NULL. */
static const char *read_suffix(const char *p, bool comma, struct cl_cell *c)
{
	const char *q = plus_minus(p), *end;
	bool whole;
	double v;

	if (q) {
		end = cl_number(blanks(q), comma, &v, &whole);
		if (!end)
			return NULL;
		if (percent_sign(end)) {
			c->spread = v;
			return percent_sign(end);
		}
		if (cl_unit_len(end))
			end += cl_unit_len(end);
		return ends(*end) || *end == '(' || *end == '|' ? end : NULL;
	}
	if (*p == '(' || *p == '[') {
		end = strchr(p, *p == '(' ? ')' : ']');
		if (end && end - p < 48 && read_note(p + 1, end, comma, c))
			return end + 1;
		return NULL;
	}
	if (*p == '*') {
		q = cl_number(blanks(p + 1), comma, &v, &whole);
		q = q ? percent_sign(q) : NULL;
		if (q && *blanks(q) == '*') {
			note_percent(c, v, true, false);
			return blanks(q) + 1;
		}
	}
	return NULL;
}

#define UP    "\xe2\x86\x91"
#define DOWN  "\xe2\x86\x93"
#define RIGHT "\xe2\x86\x92"

/* "↓3.8%": behind the arrow at p, else NULL. */
static const char *arrow(const char *p)
{
	return strncmp(p, UP, 3) == 0 || strncmp(p, DOWN, 3) == 0 ? p + 3 : NULL;
}

/* "+ 3%", "- 1.5 %": a sign that stands apart, only before a percentage. */
static const char *signed_percent(const char *p, bool comma, double *ret)
{
	const char *q;
	bool whole;

	if (p[1] != ' ' || !isdigit((unsigned char)p[2]))
		return NULL;
	q = cl_number(p + 2, comma, ret, &whole);
	if (!q || !percent_sign(q))
		return NULL;
	*ret = *p == '-' ? -*ret : *ret;
	return q;
}

/* "OOM", "timed out", "?" at p in place of a value, with nothing but blanks on both
 * sides: behind it, else NULL. */
static const char *no_value(const char *p)
{
	static const char *const words[] = {"?", "??", "x", "oom", "oom-killed", "fail",
		"fails", "failed", "failure", "killed", "kill", "timeout", "timedout",
		"timed", "out", "inf", "-inf", "nan", "-nan", "n.a.", "skip", "skipped",
		"crash", "crashed", "crashes", "hang", "hangs", "hung", "deadlock",
		"lockup", "panic", "oops", "abort", "aborted", "error", "err", "dnf",
		"none", "null", "tbd", "broken", "stall", "stalled", "segfault",
		"missing", "unstable", NULL};
	size_t len;

	for (;; p += len + 1) {
		bool known = false;

		len = strcspn(p, " \t|");
		for (int i = 0; words[i] && !known; i++)
			known = strlen(words[i]) == len &&
				strncasecmp(p, words[i], len) == 0;
		if (!known)
			return NULL;
		if (p[len] != ' ' || ends(p[len + 1]))
			return p + len;
	}
}

/* A cell at p, with all behind it: behind it, else NULL. */
static const char *read_cell(const char *p, bool comma, struct cl_cell *c)
{
	const char *q, *next;

	*c = cl_no_cell();
	if ((p[0] == '~' || p[0] == '-') && ends(p[1]) &&
		(p[0] == '~' || !signed_percent(p, comma, &c->value)))
		return p + 1;
	if (p[0] == '-' && p[1] == '-' && ends(p[2]))
		return p + 2;
	if (strncasecmp(p, "n/a", 3) == 0 && ends(p[3]))
		return p + 3;
	if (*p == '(' || *p == '[') { /* "( 13.8%)" alone in its column */
		return NULL;
	}
	p += *p == '~' && isdigit((unsigned char)p[1]);
	next = arrow(p);
	if (next) {
		q = cl_number(blanks(next), comma, &c->value, &c->whole);
		if (!q || !isdigit((unsigned char)*blanks(next)) || !percent_sign(q))
			return NULL;
		c->value = strncmp(p, DOWN, 3) == 0 ? -c->value : c->value;
		c->step = cl_step(blanks(next), q);
		c->sign = c->pct = true;
		c->whole = false;
		q = percent_sign(q);
		return ends(*q) || *q == '|' ? q : NULL;
	}
	c->sign = *p == '+' || *p == '-';
	q = c->sign ? signed_percent(p, comma, &c->value) : NULL;
	if (q)
		c->whole = false;
	else
		q = cl_number(p, comma, &c->value, &c->whole);
	if (!q)
		return NULL;
	c->step = cl_step(p, q);
	next = percent_sign(q);
	if (next && (*q == '%' || !isalpha((unsigned char)*next))) {
		c->pct = true;
		c->whole = false;
		q = next;
	} else {
		const char *u = q + strspn(q, " ");
		size_t n = u - q <= 1 ? cl_unit_len(u) : 0;

		if (n) {
			c->unit = u;
			c->whole = false;
			q = u + n;
		}
	}
	for (;;) {
		next = read_suffix(blanks(q), comma, c);
		if (!next)
			break;
		c->noted = true;
		q = next;
	}
	if (*q == '*' && ends(q[1]))
		q++;
	if (!ends(*q) && *q != '|' && *q != ',' && *q != ';')
		return NULL;
	if (*q == ',' || *q == ';')
		q++;
	return ends(*q) || *q == '|' ? q : NULL;
}

static void finish_unit(struct arena *a, struct cl_cell *c)
{
	if (c->unit)
		c->unit = arena_strndup(a, c->unit, cl_unit_len(c->unit));
}

bool cl_read_cell(struct arena *a, const char *text, bool comma, struct cl_cell *ret)
{
	const char *p = blanks(text), *q;

	q = read_cell(p, comma, ret);
	if (!q && *p == '(') { /* "(13.8%)" */
		const char *end = strchr(p, ')');

		*ret = cl_no_cell();
		if (end && !*blanks(end + 1) && read_note(p + 1, end, comma, ret) &&
			!isnan(ret->change)) {
			ret->value = ret->change;
			ret->change = NAN;
			ret->pct = true;
			ret->sign = p[1 + strspn(p + 1, " ")] == '-' ||
				    p[1 + strspn(p + 1, " ")] == '+';
			return true;
		}
		return false;
	}
	if (!q || *blanks(q))
		return false;
	finish_unit(a, ret);
	return true;
}

/* The end of the word at p; brackets hold together what they hold. */
static const char *word_end(const char *p)
{
	while (!ends(*p))
		p++;
	return p;
}

static bool tail_is_remark(const char *before, const char *tail)
{
	if (!*tail || strchr("*<#(|;!^", *tail) || strncmp(tail, "--", 2) == 0)
		return true;
	return tail - before >= 2 || *before == '\t' ||
	       strncasecmp(tail, "regression", 10) == 0 ||
	       strncasecmp(tail, "improvement", 11) == 0;
}

/* A label stands apart from its cells: by a colon, two blanks or a tab. */
static bool stands_apart(const char *text, const char *label_end, const struct cl_row *r)
{
	const char *first = text + r->cells[0].x0;

	if (label_end == text || label_end[-1] == ':' || label_end[-1] == '|' ||
		label_end[-1] == '=')
		return true;
	if (first - label_end >= 2 || *label_end == '\t')
		return true;
	for (size_t i = 0; i < r->n; i++)
		if (r->cells[i].noted && r->cells[i].x0 &&
			text[r->cells[i].x0 - 1] != '(')
			return true;
	for (size_t i = 1; i < r->n; i++)
		if (r->cells[i].x0 - r->cells[i - 1].x1 >= 3)
			return true;
	return r->n >= 3;
}

/* "->", "-->", "=>", "→" between two values: behind it, else NULL. */
static const char *leads_to(const char *p)
{
	static const char *const arrows[] = {
		"->", "-->", "--->", "=>", "==>", RIGHT, NULL};

	for (int i = 0; arrows[i]; i++) {
		size_t n = strlen(arrows[i]);

		if (strncmp(p, arrows[i], n) == 0 && ends(p[n]))
			return p + n;
	}
	return NULL;
}

/* "130.9 s -> 125.1 s (-4.4%)": two values, and something says that they are measured. */
static bool is_from_to(const struct cl_cell *cells, size_t n)
{
	return n == 2 && !cells[0].pct && !cells[1].pct && !isnan(cells[0].value) &&
	       !isnan(cells[1].value) && !cells[0].noted &&
	       (cells[1].unit || !isnan(cells[1].change));
}

bool cl_read_row(struct arena *a, const char *text, bool comma, struct cl_row *ret)
{
	struct cl_cell cells[CL_CELLS_MAX];
	const char *p = blanks(text), *label_end, *after, *tail = NULL, *tail_end = p;
	size_t n = 0, n_read = 0, len;
	bool from_to = false, words = false, numbers = false;

	if (strlen(text) > CL_LINE_MAX)
		return false;
	for (label_end = after = p; *p; p = blanks(p)) {
		struct cl_cell c;
		const char *q;

		if (*p == '|' && n) {
			p++;
			continue;
		}
		q = n == 1 && !tail ? leads_to(p) : NULL;
		if (q) {
			from_to = true;
			p = q;
			continue;
		}
		q = n < CL_CELLS_MAX ? read_cell(p, comma, &c) : NULL;
		if (!q && n < CL_CELLS_MAX && !tail && p > text + 1 &&
			(p[-1] == '\t' || (p[-1] == ' ' && p[-2] == ' ')) &&
			strspn(text, " \t") < (size_t)(p - text)) {
			q = no_value(p);
			words |= q != NULL;
			c = cl_no_cell();
		}
		if (q && *blanks(q) == ':') /* "1 :" is a label */
			q = NULL;
		if (q && tail && strchr("*<#;!^-", *tail)) /* part of a remark */
			q = NULL;
		if (q) {
			if (++n_read > 2 * CL_CELLS_MAX)
				return false;
			if (tail && *tail != '(') { /* what came before was label */
				n = 0;
				label_end = tail_end;
				from_to = false;
			}
			c.x0 = (int)(p - text);
			c.x1 = (int)(q - text);
			cells[n++] = c;
			after = q;
			tail = NULL;
			p = q;
			continue;
		}
		if (n && !tail && tail_is_remark(after, p))
			tail = p;
		p = word_end(p);
		tail_end = p;
		if (!tail) {
			n = 0;
			label_end = p;
			from_to = false;
		}
	}
	if (!n || (from_to && !is_from_to(cells, n)))
		return false;
	for (size_t i = 0; i < n; i++)
		numbers |= !isnan(cells[i].value);
	if (words && !numbers)
		return false;
	len = (size_t)(label_end - text);
	if (label_end > text + cells[0].x0)
		return false;
	*ret = (struct cl_row){.n = n,
		.text = text,
		.from_to = from_to,
		.comma = cl_comma_is_point(text)};
	ret->cells = arena_memdup(a, cells, n * sizeof(*cells));
	for (size_t i = 0; i < n; i++)
		finish_unit(a, &ret->cells[i]);
	if (!stands_apart(text, label_end, ret))
		return false;
	while (len && strchr(" \t:=|", text[len - 1]))
		len--;
	ret->label = cl_collapse(a, text, len);
	if (ret->label[0] == '*' && isalnum((unsigned char)ret->label[1]))
		ret->label++; /* "*99.0000th": a mark of schbench */
	ret->tail = tail ? arena_strdup(a, tail) : "";
	if (tail) {
		direction_word(tail, &ret->cells[n - 1]);
	}
	return true;
}
