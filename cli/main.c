/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "cli/cli.h"
#include "cli/show.h"

#include <stdarg.h>

#define MAX_NEAR 3

int cli_usage(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	fputs("wakelist: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	return CLI_USAGE;
}

int cli_failed(const struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	fprintf(stderr, "wakelist: %s\n", show_clean(a, e->msg));
	return CLI_FAILED;
}

int cli_fail(const struct err *e)
{
	cli_failed(e);
	return e->code == ERR_INVALID || e->code == ERR_TOO_BIG ? CLI_NO : CLI_FAILED;
}

int cli_fail_read(const struct err *e)
{
	cli_failed(e);
	return e->code == ERR_TOO_BIG ? CLI_NO : CLI_FAILED;
}

bool cli_is_help(const char *arg)
{
	return !strcmp(arg, "-h") || !strcmp(arg, "--help") || !strcmp(arg, "help");
}

bool cli_asks_help(int argc, char **argv)
{
	if (argc == 2 && cli_is_help(argv[1]))
		return true;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return true;
	return false;
}

/* Arguments that are gone through, and which options with a value there were. */
struct taking {
	const struct cli_arguments *c;
	char **next, **end;
	const char **seen;
	size_t n_seen;
};

static int take_value(struct taking *t, const char *name, const char *value)
{
	int rc = t->c->option(t->c->arg, name, value ? value : "");

	if (rc)
		return rc;
	if (!value || !*value)
		return cli_usage("%s %s needs a value", t->c->command, name);
	for (size_t i = 0; i < t->n_seen; i++)
		if (!strcmp(t->seen[i], name))
			return cli_usage("%s: %s is given twice", t->c->command, name);
	t->seen[t->n_seen++] = name;
	return 0;
}

/* --NAME, --NAME=VALUE, or --NAME and the value in the next argument. */
static int take_one(struct taking *t, const char *word)
{
	const struct cli_arguments *c = t->c;
	const char *eq = strchr(word, '='), *name = word, *value = eq ? eq + 1 : NULL;
	int rc;

	if (eq)
		name = arena_strndup(c->a, word, (size_t)(eq - word));
	if (!strcmp(name, "--json") || (c->flag && c->flag(c->arg, name)))
		return eq ? cli_usage("%s %s takes no value", c->command, name) : 0;
	if (!eq && t->next < t->end && strncmp(*t->next, "--", 2) != 0)
		value = *t->next++;
	rc = strncmp(word, "--", 2) != 0 ? -1 : take_value(t, name, value);
	if (rc < 0)
		return cli_usage("%s has no option %s (wakelist %s --help)", c->command,
			name, c->command);
	return rc;
}

int cli_take_arguments(const struct cli_arguments *c, int argc, char **argv, char **files,
	size_t *ret_n_files)
{
	struct taking t = {.c = c,
		.next = argv + 1,
		.end = argv + argc,
		.seen = ARENA_ARRAY(c->a, const char *, (size_t)argc + 1)};
	bool options = true;
	int rc = 0;

	while (t.next < t.end && !rc) {
		char *word = *t.next++;

		if (!options || word[0] != '-' || !word[1])
			files[(*ret_n_files)++] = word;
		else if (!strcmp(word, "--"))
			options = false;
		else
			rc = take_one(&t, word);
	}
	return rc;
}

static int no_option(void *arg, const char *name, const char *value)
{
	(void)arg;
	(void)name;
	(void)value;
	return -1;
}

int cli_take_files(const char *command, const char *what, int argc, char **argv,
	char **ret, size_t n)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct cli_arguments args = {.command = command, .a = a, .option = no_option};
	char **files = ARENA_ARRAY(a, char *, (size_t)argc + 1);
	size_t n_files = 0;
	int rc = cli_take_arguments(&args, argc, argv, files, &n_files);

	if (rc)
		return rc;
	if (n_files != n)
		return cli_usage("%s takes %s", command, what);
	memcpy(ret, files, n * sizeof(*ret));
	return 0;
}

int cli_print_json(json_t *j)
{
	/* 15 digits: what was read as 0.071 is printed so */
	char *text =
		json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

	if (!text)
		BUG("cli_print_json: not a JSON value");
	json_decref(j);
	bool ok = puts(text) >= 0 && fflush(stdout) == 0;
	free(text);
	if (ok)
		return CLI_OK;
	fputs("wakelist: cannot write to stdout\n", stderr);
	return CLI_FAILED;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to insert, drop or change to get from a to b (Levenshtein), at most 32 each. */
static size_t distance(const char *a, const char *b)
{
	size_t row[33];
	size_t n = least(strlen(b), 32);
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i] && i < 32; i++) {
		size_t diagonal = row[0];
		row[0] = i + 1;
		for (size_t k = 1; k <= n; k++) {
			size_t above = row[k];
			size_t best = least(above, row[k - 1]) + 1;
			row[k] = least(best, diagonal + (a[i] != b[k - 1]));
			diagonal = above;
		}
	}
	return row[n];
}

int cli_unknown(const char *what, const char *word, const char *const *names)
{
	const char *near[MAX_NEAR];
	size_t n = 0;
	/* Nearest first; a name that shares less than half of its letters is not near. */
	for (size_t d = 0; d <= 8 && n < MAX_NEAR; d++) {
		for (const char *const *p = names; *p && n < MAX_NEAR; p++) {
			bool head = d == 1 && !strncmp(*p, word, strlen(word)) && *word;
			size_t dist = distance(word, *p);
			bool already = false;
			for (size_t i = 0; i < n; i++)
				already = already || near[i] == *p;
			if (!already &&
				(head || (dist == d && dist * 2 <= strlen(*p) + 1)))
				near[n++] = *p;
		}
	}
	fprintf(stderr, "wakelist: no %s \"%s\"", what, word);
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%s%s", i ? ", " : "; did you mean ", near[i]);
	fputs(n ? "?\n" : "\n", stderr);
	return CLI_USAGE;
}

static void print_help(void)
{
	puts("usage: wakelist COMMAND [ARGUMENT]...\n"
	     "       wakelist COMMAND --help\n"
	     "\n"
	     "Watches kernel mailing lists for scheduler patches and says what they "
	     "do.\n");
	for (const struct cli_command *c = cli_commands; c->name; c++)
		printf("  %-8s %s\n", c->name, c->summary);
	puts("\nExit status: 0 ok, 1 the answer is no, 2 called wrongly, 3 failed.");
}

static int unknown_command(const char *word)
{
	size_t n = 0;
	while (cli_commands[n].name)
		n++;
	CLEANUP(base_freep) const char **names = base_zalloc((n + 1) * sizeof(*names));
	for (size_t i = 0; i < n; i++)
		names[i] = cli_commands[i].name;
	return cli_unknown("command", word, names);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fputs("usage: wakelist COMMAND [ARGUMENT]...; wakelist --help lists "
		      "them\n",
			stderr);
		return CLI_USAGE;
	}
	if (cli_is_help(argv[1])) {
		print_help();
		return CLI_OK;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("wakelist " WL_VERSION);
		return CLI_OK;
	}
	for (const struct cli_command *c = cli_commands; c->name; c++) {
		if (!strcmp(c->name, argv[1]))
			return c->run(argc - 1, argv + 1);
	}
	return unknown_command(argv[1]);
}
