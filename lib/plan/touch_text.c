// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/touch_text.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (c >= '0' && c <= '9');
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

enum touch_lang touch_lang_of(const char *path)
{
	static const char *const c_ends[] = {
		".c", ".h", ".S", ".dts", ".dtsi", ".lds", ".rs"};
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_LEN(c_ends); i++)
		if (ends_with(name, c_ends[i]))
			return TOUCH_C;
	if (!strncmp(name, "Kconfig", 7))
		return TOUCH_KCONFIG;
	if (!strncmp(name, "Makefile", 8) || !strncmp(name, "Kbuild", 6))
		return TOUCH_HASH;
	return TOUCH_OTHER;
}

bool touch_next_word(
	const char **p, const char *end, const char **ret_word, size_t *ret_len)
{
	const char *at = *p;

	while (at < end && !is_word(*at))
		at++;
	*ret_word = at;
	while (at < end && is_word(*at))
		at++;
	*ret_len = (size_t)(at - *ret_word);
	*p = at;
	return *ret_len > 0;
}

bool touch_line_is_idle(const char *p, size_t len, enum touch_lang lang)
{
	const char *end = p + len;

	while (p < end && is_blank(*p))
		p++;
	if (p == end)
		return true;
	if (lang == TOUCH_KCONFIG || lang == TOUCH_HASH)
		return *p == '#';
	if (lang != TOUCH_C || end - p < 2)
		return lang == TOUCH_C && *p == '*';
	/* "*p = 1" is code, "* text" and the end of a comment are not */
	return !memcmp(p, "//", 2) || !memcmp(p, "/*", 2) || !memcmp(p, "*/", 2) ||
	       (*p == '*' && is_blank(p[1]));
}

/* Keywords that stand before "(" without naming a function. */
static bool is_no_function(const char *p, size_t len)
{
	static const char *const words[] = {"if", "for", "while", "switch", "return",
		"sizeof", "defined", "__attribute__", "typeof", "do", "else"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (strlen(words[i]) == len && !memcmp(words[i], p, len))
			return true;
	return false;
}

static const char *name_dup(struct arena *a, const char *p, size_t len)
{
	return arena_strndup(a, p, len < TOUCH_NAME_MAX ? len : TOUCH_NAME_MAX);
}

/* "SYSCALL_DEFINE3(nice, ..." -> "sys_nice"; other capitals -> "TRACE_EVENT(name)";
 * NULL: the name is no such macro. p is behind the name. */
static const char *macro_made_name(struct arena *a, const char *name, size_t name_len,
	const char *p, const char *end)
{
	const char *word;
	size_t len;

	for (size_t i = 0; i < name_len; i++)
		if (name[i] >= 'a' && name[i] <= 'z')
			return NULL;
	while (p < end && is_blank(*p))
		p++;
	if (p == end || *p != '(' || !touch_next_word(&p, end, &word, &len))
		return NULL;
	if (len > TOUCH_NAME_MAX - 60)
		len = TOUCH_NAME_MAX - 60;
	if (name_len > 50)
		name_len = 50;
	if (memmem(name, name_len, "SYSCALL_DEFINE", 14))
		return arena_printf(a, "sys_%.*s", (int)len, word);
	return arena_printf(a, "%.*s(%.*s)", (int)name_len, name, (int)len, word);
}

const char *touch_line_function(struct arena *a, const char *p, size_t len)
{
	const char *end = p + len, *word, *made;
	size_t n;

	if (!len || !is_word(*p) || (*p >= '0' && *p <= '9'))
		return NULL;
	while (end > p && is_blank(end[-1]))
		end--;
	if (end > p && end[-1] == ';')
		return NULL;
	while (touch_next_word(&p, end, &word, &n)) {
		const char *q = p;

		while (q < end && is_blank(*q))
			q++;
		if (q == end || *q != '(' || is_no_function(word, n))
			continue;
		made = macro_made_name(a, word, n, p, end);
		/* of macros without a body in braces, most are no functions */
		if (made && strncmp(made, "sys_", 4) != 0 &&
			strncmp(made, "TRACE_EVENT", 11) != 0)
			return NULL;
		return made ? made : name_dup(a, word, n);
	}
	return NULL;
}

static void split_lines(struct arena *a, const char *p, size_t len, struct touch_text *t)
{
	const char *end = p + len;
	uint32_t n = 0;

	for (const char *q = p; q < end; n++) {
		const char *nl = memchr(q, '\n', (size_t)(end - q));

		q = nl ? nl + 1 : end;
	}
	t->n_lines = n;
	t->start = ARENA_ARRAY(a, const char *, (size_t)n + 2);
	t->has_code = ARENA_ARRAY(a, bool, (size_t)n + 2);
	t->owner = arena_alloc(a, ((size_t)n + 2) * sizeof(*t->owner));
	memset(t->owner, 0xff, ((size_t)n + 2) * sizeof(*t->owner));
	for (uint32_t i = 1; i <= n; i++) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));

		t->start[i] = p;
		p = nl ? nl + 1 : end;
	}
	t->start[n + 1] = end;
}

/* Marks lines of C that hold more than blanks and comments. */
static void find_code(struct touch_text *t)
{
	bool comment = false;

	for (uint32_t i = 1; i <= t->n_lines; i++) {
		const char *p = t->start[i], *end = t->start[i + 1];

		while (p < end) {
			if (comment) {
				comment = !(end - p >= 2 && p[0] == '*' && p[1] == '/');
				p += comment ? 1 : 2;
			} else if (is_blank(*p)) {
				p++;
			} else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
				break;
			} else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
				comment = true;
				p += 2;
			} else if (*p == '"' || *p == '\'') {
				/* a literal ends on its line, whatever is in it */
				char quote = *p++;

				t->has_code[i] = true;
				while (p < end && *p != quote && *p != '\n')
					p += *p == '\\' && end - p > 1 ? 2 : 1;
				p += p < end;
			} else {
				t->has_code[i] = true;
				p++;
			}
		}
	}
}

static bool line_begins(const struct touch_text *t, uint32_t line, char c)
{
	return t->start[line] < t->start[line + 1] && t->start[line][0] == c;
}

/* A function's first line, when its type stands above its name. */
static uint32_t with_type(const struct touch_text *t, uint32_t line)
{
	for (uint32_t up = 0; line > 1 && up < 3; up++) {
		const char *p = t->start[line - 1], *end = t->start[line];

		while (end > p && is_blank(end[-1]))
			end--;
		if (p == end || !is_word(*p) || !t->has_code[line - 1] ||
			!(is_word(end[-1]) || end[-1] == '*' || end[-1] == ')'))
			break;
		if (end[-1] == ')' && memchr(p, '(', (size_t)(end - p)) &&
			strncmp(p, "static", 6) != 0 && strncmp(p, "__", 2) != 0)
			break; /* EXPORT_SYMBOL(x) without its semicolon, and such */
		line--;
	}
	return line;
}

/* A line that begins with "}" ends a function of the kernel. */
static uint32_t find_end(const struct touch_text *t, uint32_t line)
{
	for (uint32_t i = line; i <= t->n_lines; i++)
		if (line_begins(t, i, '}'))
			return i;
	return line;
}

static bool at_column_0(const struct touch_text *t, uint32_t line)
{
	return t->start[line] < t->start[line + 1] && is_word(t->start[line][0]);
}

static void set_span(struct arena *a, struct touch_text *t, const struct touch_side *side,
	size_t i, uint32_t next_function)
{
	const struct touch_span *s = &side->spans[i];
	const char *p = t->start[s->line], *end = t->start[s->line + 1], *made = NULL;
	size_t len = strlen(s->name);
	const char *at = len ? memmem(p, (size_t)(end - p), s->name, len) : NULL;
	uint32_t last = s->end;

	if (s->kind == TOUCH_FUNCTION && at)
		made = macro_made_name(a, s->name, len, at + len, end);
	t->names[i] = made ? made : name_dup(a, s->name, len);
	t->first[i] = s->kind == TOUCH_FUNCTION ? with_type(t, s->line) : s->line;
	if (last < s->line)
		last = s->kind == TOUCH_FUNCTION ? find_end(t, s->line) : s->line;
	/* braces in both branches of an #ifdef make a function seem to go on */
	if (s->kind == TOUCH_FUNCTION && next_function && last >= next_function &&
		at_column_0(t, next_function))
		last = next_function - 1;
	t->last[i] = last < t->n_lines ? last : t->n_lines;
}

static void paint(struct touch_text *t, const struct touch_side *side, bool functions)
{
	for (size_t i = 0; i < side->n_spans; i++)
		if (t->names[i] && functions == (side->spans[i].kind == TOUCH_FUNCTION))
			for (uint32_t k = t->first[i]; k <= t->last[i]; k++)
				t->owner[k] = (uint32_t)i;
}

/* Line of the first function after each, 0: none. Spans may come in any order. */
static uint32_t *next_functions(
	struct arena *a, const struct touch_text *t, const struct touch_side *side)
{
	uint32_t *next = ARENA_ARRAY(a, uint32_t, (size_t)t->n_lines + 2), seen = 0;
	bool *begins = ARENA_ARRAY(a, bool, (size_t)t->n_lines + 2);

	for (size_t i = 0; i < side->n_spans; i++)
		if (side->spans[i].kind == TOUCH_FUNCTION && side->spans[i].line &&
			side->spans[i].line <= t->n_lines)
			begins[side->spans[i].line] = true;
	for (uint32_t k = t->n_lines; k; k--) {
		next[k] = seen;
		if (begins[k])
			seen = k;
	}
	return next;
}

static void find_owners(
	struct arena *a, struct touch_text *t, const struct touch_side *side)
{
	uint32_t *next = next_functions(a, t, side);
	uint64_t painted = 0;

	t->names = ARENA_ARRAY(a, const char *, side->n_spans + 1);
	t->first = ARENA_ARRAY(a, uint32_t, side->n_spans + 1);
	t->last = ARENA_ARRAY(a, uint32_t, side->n_spans + 1);
	for (size_t i = 0; i < side->n_spans; i++) {
		uint32_t line = side->spans[i].line;

		if (!line || line > t->n_lines)
			continue;
		set_span(a, t, side, i, next[line]);
		/* spans that all lie over one another are no answer of a scanner */
		painted += t->last[i] - t->first[i] + 1;
		if (painted > 64 * (uint64_t)t->n_lines)
			t->names[i] = NULL;
	}
	paint(t, side, false);
	paint(t, side, true);
}

/* Every word at column 0 begins an entry or ends one. */
static void find_entries(struct arena *a, struct touch_text *t)
{
	uint32_t at = 0;

	t->entry = ARENA_ARRAY(a, uint32_t, (size_t)t->n_lines + 2);
	for (uint32_t i = 1; i <= t->n_lines; i++) {
		if (at_column_0(t, i))
			at = i;
		t->entry[i] = at;
	}
}

struct touch_text *touch_text_make(
	struct arena *a, const struct touch_side *side, enum touch_lang lang)
{
	struct touch_text *t = ARENA_NEW(a, struct touch_text);

	if (!side->text || side->len > TOUCH_TEXT_MAX_BYTES)
		return t;
	split_lines(a, side->text, side->len, t);
	if (lang == TOUCH_C)
		find_code(t);
	for (uint32_t i = 1; lang != TOUCH_C && i <= t->n_lines; i++)
		t->has_code[i] = !touch_line_is_idle(
			t->start[i], (size_t)(t->start[i + 1] - t->start[i]), lang);
	if (lang == TOUCH_KCONFIG)
		find_entries(a, t);
	if (side->n_spans)
		find_owners(a, t, side);
	return t;
}

const char *touch_kconfig_name(struct arena *a, const char *p, size_t len)
{
	const char *end = p + len, *word;
	size_t n;

	if (!len || !is_word(*p) || !touch_next_word(&p, end, &word, &n) ||
		!((n == 6 && !memcmp(word, "config", 6)) ||
			(n == 10 && !memcmp(word, "menuconfig", 10))) ||
		!touch_next_word(&p, end, &word, &n) || n > TOUCH_NAME_MAX)
		return NULL;
	return arena_printf(a, "CONFIG_%.*s", (int)n, word);
}

const char *touch_kconfig_entry(
	struct arena *a, const struct touch_text *t, uint32_t line)
{
	uint32_t at = line <= t->n_lines && t->entry ? t->entry[line] : 0;

	return at ? touch_kconfig_name(
			    a, t->start[at], (size_t)(t->start[at + 1] - t->start[at]))
		  : NULL;
}
