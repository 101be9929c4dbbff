/* SPDX-License-Identifier: GPL-2.0-or-later */
/* buildlog.c - see buildlog.h. */
#include "runners/buildlog.h"
#include "base/base.h"
#include <ctype.h>

struct line {
	const char *p;
	size_t len;
};

static const char *find(struct line l, const char *s)
{
	return memmem(l.p, l.len, s, strlen(s));
}

bool buildlog_is_step(const char *line, size_t len)
{
	size_t i = 2;

	if (len < 5 || line[0] != ' ' || line[1] != ' ' ||
		!isupper((unsigned char)line[2]))
		return false;
	while (i < len &&
		(isupper((unsigned char)line[i]) || isdigit((unsigned char)line[i])))
		i++;
	return i > 3 && i < len && line[i] == ' ';
}

static const char *strip_src(const char *path, const char *src)
{
	size_t n = src ? strlen(src) : 0;

	if (n && !strncmp(path, src, n) && path[n] == '/')
		return path + n + 1;
	while (!strncmp(path, "../", 3) || !strncmp(path, "./", 2))
		path += path[1] == '.' ? 3 : 2;
	return path;
}

static const char *text_of(struct arena *a, struct line l)
{
	size_t n = l.len < BUILDLOG_TEXT_MAX ? l.len : BUILDLOG_TEXT_MAX;

	while (n && (l.p[n - 1] == '\r' || l.p[n - 1] == ' '))
		n--;
	return arena_strndup(a, l.p, n);
}

/* "path:12:3: error: text", "path:12: error: text"; mark is "error: " or "warning: ". */
static bool located(struct arena *a, struct line l, const char *mark, const char *src,
	struct build_issue *ret)
{
	const char *at = find(l, mark);
	const char *colon = memchr(l.p, ':', l.len);
	int line = 0, n = 0;

	if (!at || !colon || colon >= at || colon == l.p || *l.p == ' ')
		return false;
	for (const char *p = colon + 1; p < at && isdigit((unsigned char)*p); p++, n++)
		line = n < 8 ? line * 10 + (*p - '0') : 0;
	ret->path = strip_src(arena_strndup(a, l.p, (size_t)(colon - l.p)), src);
	ret->line = line;
	ret->text = text_of(a, (struct line){at + strlen(mark),
				       l.len - (size_t)(at + strlen(mark) - l.p)});
	return true;
}

/* What the linker, modpost and Kconfig say; none of them says "error:" as gcc does. */
static bool is_other_error(struct line l)
{
	static const char *const marks[] = {"undefined reference to ",
		"multiple definition of ", "ERROR: modpost:", ": syntax error",
		"*** recursive dependency", "error: recursive dependency",
		"No rule to make target", "internal compiler error"};

	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (find(l, marks[i]))
			return true;
	return false;
}

static bool is_starved(struct line l)
{
	return find(l, "No space left on device") ||
	       find(l, "Killed signal terminated") ||
	       find(l, "virtual memory exhausted") ||
	       find(l, "out of memory allocating") || find(l, "Cannot allocate memory") ||
	       find(l, "File size limit exceeded");
}

static void stopped(struct arena *a, struct build_log *b, struct line l)
{
	const char *at = find(l, "*** ");

	if (!b->stopped && at && find(l, "make") &&
		(find(l, "] Error ") || find(l, "Stop.")))
		b->stopped =
			text_of(a, (struct line){at + 4, l.len - (size_t)(at + 4 - l.p)});
}

struct caps {
	size_t errors, warnings;
};

static void line_take(struct arena *a, struct build_log *b, struct caps *cap,
	struct line l, const char *src)
{
	struct build_issue issue = {0};

	if (buildlog_is_step(l.p, l.len)) {
		b->n_steps++;
		if (!memcmp(l.p + 2, "CC ", 3) || !memcmp(l.p + 2, "AS ", 3))
			b->n_compiles++;
		return;
	}
	b->starved = b->starved || is_starved(l);
	if (located(a, l, "error: ", src, &issue)) {
		b->errors_total++;
	} else if (located(a, l, "warning: ", src, &issue)) {
		b->warnings_total++;
		if (b->n_warnings < BUILDLOG_WARNINGS_MAX)
			*ARENA_PUSH(a, b->warnings, b->n_warnings, cap->warnings) = issue;
		return;
	} else if (is_other_error(l)) {
		b->errors_total++;
		if (!located(a, l, ": ", src, &issue) || !issue.line)
			issue = (struct build_issue){.text = text_of(a, l)};
	} else {
		stopped(a, b, l);
		return;
	}
	if (b->n_errors < BUILDLOG_ERRORS_MAX)
		*ARENA_PUSH(a, b->errors, b->n_errors, cap->errors) = issue;
}

struct build_log *buildlog_parse(
	struct arena *a, const char *buf, size_t len, const char *src)
{
	struct build_log *b = ARENA_NEW(a, struct build_log);
	struct caps cap = {0};
	const char *end = buf + len;

	while (buf < end) {
		const char *nl = memchr(buf, '\n', (size_t)(end - buf));
		const char *stop = nl ? nl : end;

		line_take(a, b, &cap, (struct line){buf, (size_t)(stop - buf)}, src);
		buf = nl ? nl + 1 : end;
	}
	return b;
}

static bool same(const struct build_issue *x, const struct build_issue *y)
{
	return !strcmp(x->path ? x->path : "", y->path ? y->path : "") &&
	       !strcmp(x->text, y->text);
}

void buildlog_new_warnings(struct arena *a, const struct build_log *now,
	const struct build_issue *base, size_t n_base, struct build_issue **ret,
	size_t *ret_n)
{
	size_t cap = 0, k;

	*ret = NULL;
	*ret_n = 0;
	for (size_t i = 0; i < now->n_warnings; i++) {
		for (k = 0; k < n_base && !same(&now->warnings[i], &base[k]); k++)
			;
		if (k == n_base)
			*ARENA_PUSH(a, *ret, *ret_n, cap) = now->warnings[i];
	}
}

json_t *buildlog_issues_json(const struct build_issue *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			list, jx_pack("{s:o, s:i, s:o}", "path",
				      v[i].path ? jx_text(v[i].path, strlen(v[i].path))
						: json_null(),
				      "line", v[i].line, "text",
				      jx_text(v[i].text, strlen(v[i].text))));
	return list;
}

int buildlog_issues_from_json(struct arena *a, json_t *j, struct build_issue **ret,
	size_t *ret_n, struct err *e)
{
	size_t n = json_array_size(j), i;
	json_t *item;

	if (!json_is_array(j) || n > BUILDLOG_WARNINGS_MAX)
		return err_set(e, ERR_INVALID, "issues are no list, or too many");
	*ret = ARENA_ARRAY(a, struct build_issue, n + 1);
	json_array_foreach(j, i, item)
	{
		json_t *path = NULL;
		const char *text;
		int line;
		int r = jx_unpack(item, e, "issue", "{s?o, s:i, s:s !}", "path", &path,
			"line", &line, "text", &text);

		if (r)
			return r;
		(*ret)[i] = (struct build_issue){arena_strdup(a, json_string_value(path)),
			line, arena_strdup(a, text)};
	}
	*ret_n = n;
	return 0;
}
