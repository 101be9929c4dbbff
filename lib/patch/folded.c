// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/folded.h"
#include "patch/mend_text.h"

#define NEAR_LINES 200 /* behind the definition, of which lines are compared */
#define HEAD_WORDS 5   /* between two parts of a file's header: a time stamp */
#define NAME_WORDS 24  /* of a hunk, in which its function is named */
#define LINE_WORDS 100 /* of a line of the file that are read */
#define MARKS_MAX  2000

struct reader {
	struct arena *a;
	struct folded_word *words;
	size_t n, cap;
};

static bool is(const struct folded_word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->p, text, w->len);
}

static bool begins(const struct folded_word *w, const char *text)
{
	size_t n = strlen(text);

	return w->len >= n && !memcmp(w->p, text, n);
}

static bool is_ident(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z');
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* --- text to words --- */

/* A soft break is "=" and the blank that was the line's end; "=" itself is "=3D". */
static struct mend_text decode(const char *p, size_t len, struct arena *a)
{
	char *copy = arena_strndup(a, p, len);
	struct mend_text ret = {p, len, 1, 0};

	if (!memmem(p, len, "=3D", 3) && !memmem(p, len, "=20", 3))
		return ret;
	for (size_t i = 0; i + 1 < len; i++) {
		if (copy[i] == '=' && copy[i + 1] == ' ')
			copy[i + 1] = '\n';
	}
	mend_qp_decode(copy, len, a, &ret);
	return ret;
}

static void split(struct reader *r, const char *p, size_t len, size_t max)
{
	const char *end = p + len;

	while (p < end && r->n < max) {
		const char *from;

		while (p < end && is_blank(*p))
			p++;
		from = p;
		while (p < end && !is_blank(*p))
			p++;
		if (p > from)
			*ARENA_PUSH(r->a, r->words, r->n, r->cap) =
				(struct folded_word){from, (uint32_t)(p - from)};
	}
}

/* --- words to files and hunks --- */

/* "-12,3" or "+12" */
static bool range(const struct folded_word *w, char sign, uint32_t *ret_n)
{
	uint32_t v[2] = {0, 1};
	size_t i = 1, k = 0;

	if (w->len < 2 || *w->p != sign)
		return false;
	for (; k < 2; k++) {
		size_t from = i;

		v[k] = 0;
		while (i < w->len && w->p[i] >= '0' && w->p[i] <= '9' && i < from + 9)
			v[k] = v[k] * 10 + (uint32_t)(w->p[i++] - '0');
		if (i == from)
			return false;
		if (i == w->len || w->p[i] != ',')
			break;
		i++;
	}
	*ret_n = k ? v[1] : 1;
	return i == w->len;
}

static bool hunk_at(const struct reader *r, size_t i, struct folded_hunk *ret)
{
	*ret = (struct folded_hunk){0};
	return r->n - i > 3 && is(&r->words[i], "@@") &&
	       range(&r->words[i + 1], '-', &ret->old_n) &&
	       range(&r->words[i + 2], '+', &ret->new_n) && is(&r->words[i + 3], "@@");
}

/* "--- OLD +++ NEW @@"; *ret_next: of the "@@". */
static bool file_at(const struct reader *r, size_t i, const struct folded_word **ret_old,
	const struct folded_word **ret_new, size_t *ret_next)
{
	struct folded_hunk dummy;
	size_t plus, at;

	if (r->n - i < 3 || !is(&r->words[i], "---"))
		return false;
	for (plus = i + 2; plus < r->n && plus <= i + 1 + HEAD_WORDS; plus++) {
		if (is(&r->words[plus], "+++"))
			break;
	}
	if (plus + 1 >= r->n || !is(&r->words[plus], "+++"))
		return false;
	for (at = plus + 2; at < r->n && at <= plus + 1 + HEAD_WORDS; at++) {
		if (!hunk_at(r, at, &dummy))
			continue;
		*ret_old = &r->words[i + 1];
		*ret_new = &r->words[plus + 1];
		*ret_next = at;
		return true;
	}
	return false;
}

static const char *path_of(const struct folded_word *w, struct arena *a)
{
	const char *slash = memchr(w->p, '/', w->len);

	return slash ? arena_strndup(a, slash + 1, w->len - (size_t)(slash + 1 - w->p))
		     : arena_strndup(a, w->p, w->len);
}

/* A line of the diff seems to begin here: '+', '-' or 0. */
static char mark_of(const struct folded_word *w)
{
	char c = w->len ? *w->p : 0, next = w->len > 1 ? w->p[1] : 0;

	if (c != '+' && c != '-')
		return 0;
	if (w->len == 1)
		return c;
	/* -1, ->x, --n, -EINVAL */
	if (!is_ident(next) && !strchr("#{}/*", next))
		return 0;
	return (next >= '0' && next <= '9') || (c == '-' && next == 'E') ? 0 : c;
}

static bool is_keyword(const char *p, size_t n)
{
	static const char *const words[] = {"if", "for", "while", "switch", "return",
		"sizeof", "do", "else", "typeof", "defined"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (n == strlen(words[i]) && !memcmp(p, words[i], n))
			return true;
	}
	return false;
}

/* "ttwu_queue_cond(int": the name before the first bracket. */
static const char *called(const struct folded_word *w, struct arena *a)
{
	const char *open = memchr(w->p, '(', w->len);
	size_t n = open ? (size_t)(open - w->p) : 0, from = n;

	while (from && is_ident(w->p[from - 1]))
		from--;
	if (from == n || (w->p[from] >= '0' && w->p[from] <= '9') ||
		is_keyword(w->p + from, n - from))
		return NULL;
	return arena_strndup(a, w->p + from, n - from);
}

/* The function text behind "@@" comes first, with no end of its own. */
static void find_name(struct folded_hunk *h, struct arena *a)
{
	static const char *const kinds[] = {"struct", "union", "enum"};

	for (size_t i = 0; i < h->n_words && i < NAME_WORDS && !h->name; i++) {
		const struct folded_word *w = &h->words[i];

		if (mark_of(w))
			return;
		h->name = called(w, a);
		for (size_t k = 0; k < ARRAY_LEN(kinds) && !h->name; k++) {
			if (i + 2 >= h->n_words || !is(w, kinds[k]) || !is(w + 2, "{"))
				continue;
			h->name = arena_strndup(a, w[1].p, w[1].len);
			h->is_type = true;
		}
	}
}

static bool ends_hunk(const struct reader *r, size_t i)
{
	const struct folded_word *w = &r->words[i], *old, *new;
	struct folded_hunk dummy;
	size_t next;

	return (is(w, "diff") && i + 1 < r->n && is(w + 1, "--git")) ||
	       (is(w, "Index:") && i + 2 < r->n && begins(w + 2, "=====")) ||
	       (is(w, "--") && i + 3 >= r->n) || /* signature */
	       hunk_at(r, i, &dummy) || file_at(r, i, &old, &new, &next);
}

void folded_read(const char *p, size_t len, struct arena *a, struct folded *ret)
{
	struct mend_text t = decode(p, len, a);
	struct reader r = {.a = a};
	struct folded_file *f = NULL;

	*ret = (struct folded){0};
	split(&r, t.p, t.len, FOLDED_WORDS_MAX);
	for (size_t i = 0; i < r.n;) {
		const struct folded_word *old, *new;
		struct folded_hunk h;
		size_t next;

		if (file_at(&r, i, &old, &new, &next)) {
			f = ARENA_PUSH(a, ret->files, ret->n_files, ret->cap);
			f->path = path_of(is(old, "/dev/null") ? new : old, a);
			i = next;
			continue;
		}
		if (!f || !hunk_at(&r, i, &h)) {
			i++;
			continue;
		}
		i += 4;
		h.words = r.words + i;
		while (i < r.n && !ends_hunk(&r, i))
			i++;
		h.n_words = (size_t)(r.words + i - h.words);
		find_name(&h, a);
		*ARENA_PUSH(a, f->hunks, f->n_hunks, f->cap) = h;
	}
}

/* --- a hunk beside a version of its file --- */

static const char *find_word(
	const char *text, const char *from, const char *end, const char *word)
{
	size_t n = strlen(word);

	while (n && (from = memmem(from, (size_t)(end - from), word, n)) != NULL) {
		if ((from == text || !is_ident(from[-1])) &&
			(from + n == end || !is_ident(from[n])))
			return from;
		from += n;
	}
	return NULL;
}

bool folded_has_word(const char *text, size_t len, const char *word)
{
	return find_word(text, text, text + len, word) != NULL;
}

static const char *line_start(const char *text, const char *p)
{
	while (p > text && p[-1] != '\n')
		p--;
	return p;
}

/* The line that begins the definition of a function or type. */
static const char *find_definition(const char *text, size_t len, const char *name)
{
	const char *end = text + len, *p = text;

	while ((p = find_word(text, p, end, name)) != NULL) {
		const char *line = line_start(text, p);

		p += strlen(name);
		if (!is_ident(*line))
			continue;
		for (const char *q = p; q < end && q < p + 1000; q++) {
			if (*q == ';')
				break;
			if (*q == '{')
				return line;
		}
	}
	return NULL;
}

bool folded_defines(const char *text, size_t len, const char *name)
{
	return find_definition(text, len, name) != NULL;
}

struct nearby {
	struct folded_word line;
	struct folded_word *words;
	size_t n;
};

static struct nearby *nearby_lines(
	const char *p, const char *end, struct arena *a, size_t *ret_n)
{
	struct nearby *v = ARENA_ARRAY(a, struct nearby, NEAR_LINES);
	size_t n = 0;

	while (p < end && n < NEAR_LINES) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t l = nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
		struct reader r = {.a = a};

		split(&r, p, l, LINE_WORDS);
		if (r.n)
			v[n++] = (struct nearby){{p, (uint32_t)l}, r.words, r.n};
		p += l;
	}
	*ret_n = n;
	return v;
}

/* The longest of the lines that the words begin with. */
static const struct nearby *match(
	const struct nearby *v, size_t n, const struct folded_word *words, size_t n_words)
{
	const struct nearby *best = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		if (v[i].n > n_words || (best && v[i].n <= best->n))
			continue;
		while (k < v[i].n && v[i].words[k].len == words[k].len &&
			!memcmp(v[i].words[k].p, words[k].p, words[k].len))
			k++;
		if (k == v[i].n)
			best = &v[i];
	}
	return best;
}

/* "a + b", which a line nearby has too: no mark. */
static bool is_operator(
	const struct nearby *v, size_t n, const struct folded_hunk *h, size_t at)
{
	if (!at || at + 1 >= h->n_words)
		return false;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 1; k + 1 < v[i].n; k++) {
			bool same = true;

			for (size_t j = 0; j < 3 && same; j++) {
				const struct folded_word *w = &v[i].words[k - 1 + j],
							 *x = &h->words[at - 1 + j];

				same = w->len == x->len && !memcmp(w->p, x->p, w->len);
			}
			if (same)
				return true;
		}
	}
	return false;
}

/* Comments, and what stands in every function, tell nothing. */
static bool tells(const struct folded_word *words, size_t n)
{
	static const char *const idle[] = {"*", "/*", "*/", "//", "{", "}", "};", "else",
		"return", "return;", "break;", "continue;", "goto", "#else", "#endif"};

	for (size_t i = 0; i < ARRAY_LEN(idle) && n; i++) {
		if (is(&words[0], idle[i]))
			return false;
	}
	return n > 0 && !begins(&words[0], "/*") && !begins(&words[0], "//");
}

/* A line begins with the mark at i: its words, up to the next mark. */
static size_t words_of_line(const struct folded_hunk *h, const bool *marks, size_t i,
	struct folded_word *first)
{
	size_t n = 1;

	*first = h->words[i];
	while (i + n < h->n_words && !marks[i + n])
		n++;
	if (first->len == 1)
		return n - 1;
	first->p++;
	first->len--;
	return n;
}

static bool is_last(const struct folded_hunk *h, const bool *marks, size_t i)
{
	for (i++; i < h->n_words; i++) {
		if (marks[i])
			return false;
	}
	return true;
}

enum folded_state folded_compare(const struct folded_hunk *h, const char *name,
	const char *text, size_t len, struct arena *scratch, struct folded_word *ret_line)
{
	const char *from = name ? find_definition(text, len, name) : NULL;
	bool *marks = ARENA_ARRAY(scratch, bool, h->n_words + 1);
	struct folded_word *line =
		ARENA_ARRAY(scratch, struct folded_word, h->n_words + 1);
	size_t n_near, n[2] = {0}, n_all[2] = {0}, n_here[2] = {0}, n_before[2] = {0};
	struct nearby *near;

	if (ret_line)
		*ret_line = (struct folded_word){NULL, 0};
	if (!from)
		return FOLDED_UNKNOWN;
	near = nearby_lines(from, text + len, scratch, &n_near);
	for (size_t i = 0; i < h->n_words && n[0] + n[1] < MARKS_MAX; i++) {
		marks[i] = mark_of(&h->words[i]) && !is_operator(near, n_near, h, i);
		n[0] += marks[i] && *h->words[i].p == '-';
		n[1] += marks[i] && *h->words[i].p == '+';
	}
	/* else some of them are no marks */
	if (n[1] + h->old_n != n[0] + h->new_n || n[0] + n[1] == MARKS_MAX)
		return FOLDED_UNKNOWN;
	for (size_t i = 0; i < h->n_words; i++) {
		bool added = *h->words[i].p == '+';
		const struct nearby *here;
		size_t k, before;

		if (!marks[i])
			continue;
		before = n_before[added]++;
		k = words_of_line(h, marks, i, &line[0]);
		if (h->words[i].len == 1)
			memcpy(line, h->words + i + 1, k * sizeof(*line));
		else
			memcpy(line + 1, h->words + i + 1, (k - 1) * sizeof(*line));
		if (!tells(line, k))
			continue;
		here = match(near, n_near, line, k);
		/* a blank line and then context, or this line and then context? */
		if (here && before && (here->n < k || is_last(h, marks, i)))
			continue;
		n_all[added]++;
		n_here[added] += here != NULL;
		if (here && added && ret_line && !ret_line->len)
			*ret_line = here->line;
	}
	if (!n_all[0] && !n_all[1])
		return FOLDED_UNKNOWN;
	if (n_here[1] == n_all[1] && !n_here[0])
		return FOLDED_PRESENT;
	return !n_here[1] && n_here[0] == n_all[0] ? FOLDED_ABSENT : FOLDED_PARTLY;
}
