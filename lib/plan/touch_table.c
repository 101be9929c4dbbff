// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "plan/touch_table.h"
#include <fnmatch.h>

static const char *const aspect_names[] = {"wake_path", "wakelist_ipi", "idle_scan",
	"cluster", "newidle", "load_balance", "topology", "features", "fair_class",
	"pelt", "idle_states", "docs"};
_Static_assert(ARRAY_LEN(aspect_names) == TOUCH_N_ASPECTS, "a name for each aspect");

static const char *const kind_names[] = {"function", "word", "file", "build"};

static const char *const built_names[] = {
	"all", "sched", "none", "x86_64", "aarch64", "other"};
_Static_assert(ARRAY_LEN(built_names) == TOUCH_N_BUILT, "a name for each");

const char *touch_built_name(enum touch_built b)
{
	return built_names[b];
}

const char *touch_aspect_name(enum touch_aspect_id id)
{
	return id < TOUCH_N_ASPECTS ? aspect_names[id] : "unknown";
}

int touch_aspect_parse(const char *name, enum touch_aspect_id *ret)
{
	for (size_t i = 0; i < TOUCH_N_ASPECTS; i++)
		if (!strcmp(aspect_names[i], name)) {
			*ret = (enum touch_aspect_id)i;
			return 0;
		}
	return -1;
}

/* A line's words; more than max count as max + 1. */
static size_t split_words(
	struct arena *a, const char *p, const char *end, const char **words, size_t max)
{
	size_t n = 0;

	for (;;) {
		const char *start;

		while (p < end && (*p == ' ' || *p == '\t' || *p == '\r'))
			p++;
		if (p == end)
			return n;
		if (n == max)
			return max + 1;
		start = p;
		while (p < end && *p != ' ' && *p != '\t' && *p != '\r')
			p++;
		words[n++] = arena_strndup(a, start, (size_t)(p - start));
	}
}

static int take_paths(struct arena *a, char *list, struct touch_row *row)
{
	row->paths = ARENA_ARRAY(a, const char *, TOUCH_TABLE_MAX_PATHS);
	for (char *p = list; p;) {
		char *comma = strchr(p, ',');

		if (comma)
			*comma = '\0';
		if (!*p || row->n_paths == TOUCH_TABLE_MAX_PATHS)
			return -1;
		row->paths[row->n_paths++] = p;
		p = comma ? comma + 1 : NULL;
	}
	return 0;
}

/* The name that is no aspect, or NULL. */
static const char *take_aspects(char *list, struct touch_row *row)
{
	if (!strcmp(list, "-"))
		return NULL;
	for (char *p = list; p;) {
		char *comma = strchr(p, ',');
		enum touch_aspect_id id;

		if (comma)
			*comma = '\0';
		if (touch_aspect_parse(p, &id))
			return p;
		row->aspects |= TOUCH_BIT(id);
		p = comma ? comma + 1 : NULL;
	}
	return NULL;
}

static int take_built(const char *name, struct touch_row *row)
{
	for (size_t i = 0; i < TOUCH_N_BUILT; i++)
		if (!strcmp(built_names[i], name)) {
			row->built = (enum touch_built)i;
			return 0;
		}
	return -1;
}

static int take_row(struct arena *a, const char **words, size_t n, size_t line,
	struct touch_row *row, struct err *e)
{
	const char *unknown;
	size_t kind = 0;

	if (n != 4)
		return err_set(e, ERR_INVALID,
			"aspects, line %zu: KIND PATH PATTERN ASPECTS, not %s words",
			line, n < 4 ? "fewer" : "more");
	while (kind < ARRAY_LEN(kind_names) && strcmp(kind_names[kind], words[0]) != 0)
		kind++;
	if (kind == ARRAY_LEN(kind_names))
		return err_set(e, ERR_INVALID,
			"aspects, line %zu: \"%.40s\" is no kind of row", line, words[0]);
	row->kind = (enum touch_row_kind)kind;
	if (take_paths(a, (char *)words[1], row))
		return err_set(e, ERR_INVALID,
			"aspects, line %zu: an empty path, or over %d", line,
			TOUCH_TABLE_MAX_PATHS);
	row->pattern = words[2];
	if ((row->kind >= TOUCH_ROW_FILE) != !strcmp(row->pattern, "-"))
		return err_set(e, ERR_INVALID,
			"aspects, line %zu: the pattern of a file or build is \"-\", of "
			"others not",
			line);
	if (row->kind == TOUCH_ROW_BUILD)
		return take_built(words[3], row) == 0
			       ? 0
			       : err_set(e, ERR_INVALID,
					 "aspects, line %zu: no kernel is called "
					 "\"%.40s\"",
					 line, words[3]);
	unknown = take_aspects((char *)words[3], row);
	if (unknown)
		return err_set(e, ERR_INVALID,
			"aspects, line %zu: \"%.40s\" is no aspect", line, unknown);
	return 0;
}

int touch_table_parse(const char *text, size_t len, struct arena *a,
	struct touch_table **ret, struct err *e)
{
	struct touch_table *t = ARENA_NEW(a, struct touch_table);
	const char *p = text, *end = text + len;
	size_t cap = 0, line = 0;

	if (len > TOUCH_TABLE_MAX_BYTES)
		return err_set(e, ERR_TOO_BIG, "a table of aspects over %u bytes",
			TOUCH_TABLE_MAX_BYTES);
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		const char *stop = nl ? nl : end, *words[4];
		size_t n;
		int rc;

		line++;
		n = *p == '#' ? 0 : split_words(a, p, stop, words, ARRAY_LEN(words));
		p = nl ? nl + 1 : end;
		if (!n)
			continue;
		if (t->n == TOUCH_TABLE_MAX_ROWS)
			return err_set(e, ERR_TOO_BIG, "aspects: over %d rows",
				TOUCH_TABLE_MAX_ROWS);
		rc = take_row(a, words, n, line, ARENA_PUSH(a, t->rows, t->n, cap), e);
		if (rc)
			return rc;
	}
	*ret = t;
	return 0;
}

bool touch_row_has_path(const struct touch_row *row, const char *path)
{
	for (size_t i = 0; i < row->n_paths; i++)
		if (fnmatch(row->paths[i], path, 0) == 0)
			return true;
	return false;
}

enum touch_built touch_table_built(const struct touch_table *t, const char *path)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].kind == TOUCH_ROW_BUILD &&
			touch_row_has_path(&t->rows[i], path))
			return t->rows[i].built;
	return TOUCH_BUILT_ALL;
}

bool touch_row_has_name(const struct touch_row *row, const char *name)
{
	char first = row->pattern[0];

	/* most rows are told apart by the first letter */
	if (first != '*' && first != '?' && first != '[' && first != '\\' &&
		first != name[0])
		return false;
	return fnmatch(row->pattern, name, 0) == 0;
}
