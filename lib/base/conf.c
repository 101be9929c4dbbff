/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/conf.h"

#include "base/jx.h"

#include "base/file.h"
#include <errno.h>
#include <inttypes.h>

#define FILE_CAP_BYTES ((size_t)1 << 20)
#define STR_MAX        4096

struct unit {
	const char *name;
	int64_t factor;
};
static const struct unit units_ms[] = {{"", 1}, {"ms", 1}, {"s", 1000}, {"m", 60 * 1000},
	{"min", 60 * 1000}, {"h", 3600 * 1000}, {"d", 24 * 3600 * 1000}, {NULL, 0}};
static const struct unit units_bytes[] = {{"", 1}, {"B", 1}, {"K", 1024}, {"M", 1 << 20},
	{"G", 1 << 30}, {"T", INT64_C(1) << 40}, {NULL, 0}};
static const struct unit units_none[] = {{"", 1}, {NULL, 0}};

static const struct {
	const char *name;
	bool value;
} bools[] = {{"yes", true}, {"true", true}, {"on", true}, {"1", true}, {"no", false},
	{"false", false}, {"off", false}, {"0", false}};

static const struct {
	const char *name; /* in help and docs */
	const struct unit *units;
	const char *wants;
} types[] = {
	[CONF_STR] = {"TEXT", NULL, "a text"},
	[CONF_INT] = {"N", units_none, "a whole number"},
	[CONF_BOOL] = {"yes|no", NULL, "yes or no"},
	[CONF_MS] = {"TIME", units_ms, "a time such as 250ms, 3s, 10m, 24h or 2d"},
	[CONF_BYTES] = {"SIZE", units_bytes, "a size such as 512K, 64M or 2G"},
};

static int bad_value(enum conf_type type, const char *text, struct err *e)
{
	return err_set(e, ERR_INVALID, "\"%.80s\" is not %s", text, types[type].wants);
}

int conf_parse_value(enum conf_type type, const char *text, int64_t *ret, struct err *e)
{
	const struct unit *unit;
	long long v;
	char *end;

	if (type == CONF_STR)
		BUG("conf_parse_value: a text has no number");
	if (type == CONF_BOOL) {
		for (size_t i = 0; i < ARRAY_LEN(bools); i++) {
			if (strcmp(bools[i].name, text) == 0) {
				*ret = bools[i].value;
				return 0;
			}
		}
		return bad_value(type, text, e);
	}
	if (!strchr("-0123456789", text[0]) || !text[0])
		return bad_value(type, text, e);
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || end == text || (end == text + 1 && text[0] == '-'))
		return bad_value(type, text, e);
	for (unit = types[type].units; unit->name; unit++)
		if (strcmp(unit->name, end) == 0)
			break;
	if (!unit->name || __builtin_mul_overflow((int64_t)v, unit->factor, ret))
		return bad_value(type, text, e);
	return 0;
}

/* Everything conf_load carries between its steps. */
struct loader {
	const struct conf_table *t;
	struct arena *a;
	void *target;
	struct err *e;
};

static int set_value(struct loader *l, const struct conf_entry *c, const char *text)
{
	char *at = (char *)l->target + c->offset;
	int64_t v;
	int status;

	if (c->type == CONF_STR) {
		int64_t max = c->max ? c->max : STR_MAX;
		char *copy;

		if ((int64_t)strlen(text) > max)
			return err_set(l->e, ERR_INVALID,
				"%s: longer than %" PRId64 " bytes", c->name, max);
		if (!jx_is_utf8(text, strlen(text)))
			return err_set(l->e, ERR_INVALID, "%s: is not UTF-8", c->name);
		copy = arena_strdup(l->a, text);
		memcpy(at, &copy, sizeof(copy));
		return 0;
	}
	status = conf_parse_value(c->type, text, &v, l->e);
	if (status != 0)
		return err_wrap(l->e, "%s", c->name);
	if (c->type == CONF_BOOL) {
		bool b = v != 0;

		memcpy(at, &b, sizeof(b));
		return 0;
	}
	if ((c->min || c->max) && (v < c->min || v > c->max))
		return err_set(l->e, ERR_INVALID,
			"%s: %s is not between %" PRId64 " and %" PRId64, c->name, text,
			c->min, c->max);
	memcpy(at, &v, sizeof(v));
	return 0;
}

/* "data-dir" and "data_dir" are one name. */
static bool same_name(const char *name, const char *text, size_t len)
{
	if (strlen(name) != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		char a = name[i] == '-' ? '_' : name[i];
		char b = text[i] == '-' ? '_' : text[i];

		if (a != b)
			return false;
	}
	return true;
}

static const struct conf_entry *find_entry(
	const struct conf_table *t, const char *text, size_t len)
{
	for (size_t i = 0; i < t->n_entries; i++)
		if (same_name(t->entries[i].name, text, len))
			return &t->entries[i];
	return NULL;
}

static int load_defaults(struct loader *l)
{
	for (size_t i = 0; i < l->t->n_entries; i++) {
		const struct conf_entry *c = &l->t->entries[i];

		if (c->dflt && set_value(l, c, c->dflt) != 0)
			BUG("conf: default of %s: %s", c->name, l->e ? l->e->msg : "bad");
	}
	return 0;
}

static char *trim(char *s)
{
	char *end;

	s += strspn(s, " \t\r");
	end = s + strlen(s);
	while (end > s && strchr(" \t\r", end[-1]))
		*--end = '\0';
	return s;
}

static int load_line(struct loader *l, char *line, bool *seen)
{
	const struct conf_entry *c;
	char *key, *value, *eq;

	line = trim(line);
	if (!*line || *line == '#')
		return 0;
	eq = strchr(line, '=');
	if (!eq)
		return err_set(l->e, ERR_INVALID, "expected \"key = value\"");
	*eq = '\0';
	key = trim(line);
	value = trim(eq + 1);
	c = find_entry(l->t, key, strlen(key));
	if (!c)
		return err_set(l->e, ERR_INVALID, "unknown key \"%.80s\"", key);
	if (seen[c - l->t->entries])
		return err_set(l->e, ERR_INVALID, "key \"%s\" is set twice", c->name);
	seen[c - l->t->entries] = true;
	return set_value(l, c, value);
}

static int load_file(struct loader *l, const char *path)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	CLEANUP(base_freep) bool *seen = base_zalloc(l->t->n_entries * sizeof(*seen));
	int status = file_read(path, FILE_CAP_BYTES, &s, l->e), number = 0;
	char *line, *rest = s.buf;

	if (status != 0)
		return err_wrap(l->e, "configuration");
	if (strlen(s.buf) != s.len)
		return err_set(l->e, ERR_INVALID, "%s: holds a NUL byte", path);
	while ((line = strsep(&rest, "\n"))) {
		number++;
		status = load_line(l, line, seen);
		if (status != 0)
			return err_wrap(l->e, "%s:%d", path, number);
	}
	return 0;
}

static void print_help(const struct conf_table *t, FILE *out)
{
	fprintf(out, "usage: %s\n\n%s\n\noptions:\n", t->usage, t->summary);
	for (size_t i = 0; i < t->n_entries; i++) {
		const struct conf_entry *c = &t->entries[i];

		fprintf(out, "  --%s %s\n      %s", c->name, types[c->type].name,
			c->help);
		if (c->dflt && *c->dflt)
			fprintf(out, " (default %s)", c->dflt);
		fputc('\n', out);
	}
	fputs("  --config FILE\n      read settings, one \"key = value\" a line\n"
	      "  --check-config\n      check the settings and end\n"
	      "  --print-config\n      print the settings as they would be used and end\n"
	      "  --version\n      print the version and end\n"
	      "  --help\n      print this and end\n",
		out);
}

static void print_markdown_text(const char *s, FILE *out)
{
	for (; *s; s++) {
		if (*s == '|')
			fputc('\\', out);
		fputc(*s == '\n' ? ' ' : *s, out);
	}
}

void conf_print_markdown(const struct conf_table *t, FILE *out)
{
	fprintf(out, "## %s\n\n```text\nusage: %s\n\n%s\n```\n\n", t->program, t->usage,
		t->summary);
	fputs("| key | value | default | meaning |\n| --- | --- | --- | --- |\n", out);
	for (size_t i = 0; i < t->n_entries; i++) {
		const struct conf_entry *c = &t->entries[i];

		fprintf(out, "| `%s` | ", c->name);
		print_markdown_text(types[c->type].name, out);
		if (c->type != CONF_STR && c->type != CONF_BOOL && (c->min || c->max))
			fprintf(out, ", %" PRId64 " to %" PRId64, c->min, c->max);
		fputs(" | ", out);
		if (c->dflt && *c->dflt)
			fprintf(out, "`%s`", c->dflt);
		fputs(" | ", out);
		print_markdown_text(c->help, out);
		fputs(" |\n", out);
	}
}

static void print_config(const struct loader *l, FILE *out)
{
	for (size_t i = 0; i < l->t->n_entries; i++) {
		const struct conf_entry *c = &l->t->entries[i];
		const char *at = (const char *)l->target + c->offset;
		char *text;
		int64_t v;
		bool b;

		switch (c->type) {
		case CONF_STR:
			memcpy(&text, at, sizeof(text));
			fprintf(out, "%s%s = %s\n", text ? "" : "# ", c->name,
				text ? text : "");
			break;
		case CONF_BOOL:
			memcpy(&b, at, sizeof(b));
			fprintf(out, "%s = %s\n", c->name, b ? "yes" : "no");
			break;
		case CONF_INT:
		case CONF_MS:
		case CONF_BYTES:
			memcpy(&v, at, sizeof(v));
			fprintf(out, "%s = %" PRId64 "%s\n", c->name, v,
				c->type == CONF_MS ? "ms" : "");
			break;
		}
	}
}

enum builtin { NONE, HELP, VERSION, PRINT, MARKDOWN, CHECK };
static const struct {
	const char *name;
	enum builtin what;
} builtins[] = {{"--help", HELP}, {"-h", HELP}, {"--version", VERSION},
	{"--print-config", PRINT}, {"--print-config-markdown", MARKDOWN},
	{"--check-config", CHECK}};

static enum builtin find_builtin(const char *arg)
{
	for (size_t i = 0; i < ARRAY_LEN(builtins); i++)
		if (strcmp(builtins[i].name, arg) == 0)
			return builtins[i].what;
	return NONE;
}

/* Reads argv once. With only_config it looks for --config and built-in options, else
 * it sets the values. Operands move to the front of argv. */
struct scan {
	bool only_config;
	const char *config_path;
	enum builtin builtin;
	int n_operands;
};

static int take_option(struct loader *l, struct scan *s, int argc, char **argv, int *i)
{
	const char *arg = argv[*i] + 2, *value = strchr(arg, '=');
	size_t len = value ? (size_t)(value - arg) : strlen(arg);
	const struct conf_entry *c = find_entry(l->t, arg, len);
	bool is_config = same_name("config", arg, len);

	if (!c && !is_config)
		return err_set(l->e, ERR_INVALID, "unknown option --%.*s (try %s --help)",
			(int)len, arg, l->t->program);
	if (value)
		value++;
	else if (c && c->type == CONF_BOOL)
		value = "yes";
	else if (*i + 1 < argc)
		value = argv[++*i];
	else
		return err_set(
			l->e, ERR_INVALID, "option --%.*s needs a value", (int)len, arg);
	if (is_config && s->config_path && s->only_config)
		return err_set(l->e, ERR_INVALID, "option --config is given twice");
	if (is_config)
		s->config_path = value;
	else if (!s->only_config && set_value(l, c, value) != 0)
		return err_wrap(l->e, "option");
	return 0;
}

static int scan_args(struct loader *l, struct scan *s, int argc, char **argv)
{
	bool only_operands = false;

	for (int i = 1; i < argc; i++) {
		enum builtin b = find_builtin(argv[i]);

		if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
			if (!s->only_config)
				argv[1 + s->n_operands] = argv[i];
			s->n_operands++;
		} else if (strcmp(argv[i], "--") == 0) {
			only_operands = true;
		} else if (b != NONE) {
			s->builtin = b;
		} else if (argv[i][1] != '-') {
			return err_set(l->e, ERR_INVALID,
				"unknown option %.80s (try %s --help)", argv[i],
				l->t->program);
		} else {
			int status = take_option(l, s, argc, argv, &i);

			if (status != 0)
				return status;
		}
	}
	return 0;
}

int conf_load(const struct conf_table *t, struct arena *a, void *target, int argc,
	char **argv, int *ret_n_operands, char ***ret_operands, bool *ret_done,
	struct err *e)
{
	struct loader l = {t, a, target, e};
	struct scan look = {.only_config = true}, take = {.only_config = false};
	int status = scan_args(&l, &look, argc, argv);

	if (status == 0)
		status = load_defaults(&l);
	if (status == 0 && look.config_path && look.builtin != HELP &&
		look.builtin != VERSION && look.builtin != MARKDOWN)
		status = load_file(&l, look.config_path);
	if (status == 0)
		status = scan_args(&l, &take, argc, argv);
	if (status != 0)
		return status;
	switch (look.builtin) {
	case HELP:
		print_help(t, stdout);
		break;
	case VERSION:
		printf("%s %s\n", t->program, WL_VERSION);
		break;
	case PRINT:
		print_config(&l, stdout);
		break;
	case MARKDOWN:
		conf_print_markdown(t, stdout);
		break;
	case CHECK:
		printf("%s: the settings are good\n", t->program);
		break;
	case NONE:
		break;
	}
	*ret_done = look.builtin != NONE;
	*ret_n_operands = take.n_operands;
	*ret_operands = argv + 1;
	return 0;
}
