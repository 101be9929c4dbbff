// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/ctags.h"

#define LINE_MAX_BYTES 65536

/* No options file of any user; C whatever the name says; functions, macros, structs,
 * unions, enums, variables; names, kinds, lines and ends. */
const char *const ctags_argv[] = {"ctags", "--options=NONE", "--quiet",
	"--_interactive=sandbox", "--languages=C", "--language-force=C",
	"--kinds-C=fdsugv", "--extras=F", "--fields=NneK", "--sort=no", NULL};

static const struct {
	const char *name;
	enum touch_kind kind;
} kinds[] = {
	{"function", TOUCH_FUNCTION},
	{"macro", TOUCH_MACRO},
	{"struct", TOUCH_TYPE},
	{"union", TOUCH_TYPE},
	{"enum", TOUCH_TYPE},
	{"variable", TOUCH_DATA},
};

bool ctags_reads(const char *path)
{
	size_t n = strlen(path);

	return n > 2 && path[n - 2] == '.' && (path[n - 1] == 'c' || path[n - 1] == 'h');
}

void ctags_ask(struct sbuf *in, const char *text, size_t len)
{
	sbuf_addf(in,
		"{\"command\":\"generate-tags\",\"filename\":\"text.c\",\"size\":%zu}\n",
		len);
	sbuf_add(in, text, len);
}

static bool take_tag(struct arena *a, json_t *tag, struct touch_span *ret)
{
	const char *name, *kind;
	json_int_t line, end = 0;

	if (json_unpack(tag, "{s:s, s:s, s:I, s?I}", "name", &name, "kind", &kind, "line",
		    &line, "end", &end) ||
		line < 1 || line > UINT32_MAX || end < 0 || end > UINT32_MAX ||
		strlen(name) > TOUCH_NAME_MAX || !*name || !strncmp(name, "__anon", 6))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!strcmp(kinds[i].name, kind)) {
			*ret = (struct touch_span){.name = arena_strdup(a, name),
				.kind = kinds[i].kind,
				.line = (uint32_t)line,
				.end = (uint32_t)end};
			return true;
		}
	return false;
}

/* 't' a tag, 'c' completed, 0: neither. */
static char take_line(struct arena *a, const char *p, size_t len, struct touch_span *ret)
{
	json_auto_t *j = NULL;
	const char *type;
	struct err ignored;

	if (len > LINE_MAX_BYTES || jx_load(p, len, &j, &ignored) ||
		json_unpack(j, "{s:s}", "_type", &type))
		return 0;
	if (!strcmp(type, "completed"))
		return 'c';
	return !strcmp(type, "tag") && take_tag(a, j, ret) ? 't' : 0;
}

size_t ctags_parse(struct arena *a, const char *out, size_t len, size_t n_asked,
	struct ctags_answer *ret)
{
	const char *p = out, *end = out + len;
	size_t at = 0, cap = 0;
	bool too_many = false;

	memset(ret, 0, n_asked * sizeof(*ret));
	while (p < end && at < n_asked) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		struct touch_span span;
		char what;

		if (!nl)
			break;
		what = take_line(a, p, (size_t)(nl - p), &span);
		p = nl + 1;
		if (what == 't' && ret[at].n < CTAGS_SPANS_MAX) {
			*ARENA_PUSH(a, ret[at].spans, ret[at].n, cap) = span;
		} else if (what == 't') {
			too_many = true;
		} else if (what == 'c') {
			ret[at++].ok = !too_many;
			too_many = false;
			cap = 0;
		}
	}
	for (size_t i = 0; i < n_asked; i++)
		if (!ret[i].ok)
			ret[i].n = 0;
	return at;
}
