/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/conf.h"
#include "tests/unit/unit.h"
#include <unistd.h>

struct settings {
	char *listen;
	char *data_dir;
	int64_t n_jobs;
	int64_t wait_ms;
	int64_t cap_bytes;
	bool verbose;
};

#define AT(field) offsetof(struct settings, field)
static const struct conf_entry entries[] = {
	{"listen", CONF_STR, AT(listen), "127.0.0.1:8080", 0, 20, "address to serve on"},
	{"data_dir", CONF_STR, AT(data_dir), NULL, 0, 0, "where state is kept"},
	{"jobs", CONF_INT, AT(n_jobs), "2", 1, 64, "jobs at a time | at most"},
	{"wait", CONF_MS, AT(wait_ms), "3s", 0, 86400000, "patience"},
	{"cap", CONF_BYTES, AT(cap_bytes), "64M", 1, INT64_C(1) << 40, "largest mail"},
	{"verbose", CONF_BOOL, AT(verbose), "no", 0, 0, "say more"},
};
static const struct conf_table table = {"testd", "testd [OPTION]... [OPERAND]...",
	"A program that is configured.", entries, ARRAY_LEN(entries)};

struct loaded {
	struct arena *a;
	struct settings s;
	struct err e;
	char *argv[12], **operands;
	int n_operands;
	bool done;
};

static int load(struct loaded *l, ...)
{
	int argc = 0;
	char *arg;
	va_list ap;

	arena_free(l->a);
	memset(l, 0, sizeof(*l));
	l->a = arena_new();
	l->argv[argc++] = arena_strdup(l->a, "testd");
	va_start(ap, l);
	while ((arg = va_arg(ap, char *)))
		l->argv[argc++] = arena_strdup(l->a, arg);
	va_end(ap);
	return conf_load(&table, l->a, &l->s, argc, l->argv, &l->n_operands, &l->operands,
		&l->done, &l->e);
}

static char *write_conf(void **state, const char *text)
{
	static char path[512];
	struct err e;

	snprintf(path, sizeof(path), "%s/test.conf", (char *)*state);
	assert_ok(file_write_atomic(path, text, strlen(text), 0600, &e), &e);
	return path;
}

static void test_defaults(void **state)
{
	struct loaded l = {.a = NULL};

	(void)state;
	assert_ok(load(&l, NULL), &l.e);
	assert_string_equal(l.s.listen, "127.0.0.1:8080");
	assert_null(l.s.data_dir);
	assert_int_equal(l.s.n_jobs, 2);
	assert_int_equal(l.s.wait_ms, 3000);
	assert_int_equal(l.s.cap_bytes, 64 << 20);
	assert_false(l.s.verbose);
	assert_false(l.done);
	assert_int_equal(l.n_operands, 0);
	arena_free(l.a);
}

static void test_options_and_operands(void **state)
{
	struct loaded l = {.a = NULL};

	(void)state;
	assert_ok(load(&l, "migrate", "--listen", "x:1", "--jobs=7", "--data-dir=/d",
			  "--verbose", "now", "--", "--wait", "-", NULL),
		&l.e);
	assert_string_equal(l.s.listen, "x:1");
	assert_string_equal(l.s.data_dir, "/d");
	assert_int_equal(l.s.n_jobs, 7);
	assert_true(l.s.verbose);
	assert_int_equal(l.s.wait_ms, 3000);
	assert_int_equal(l.n_operands, 4);
	assert_string_equal(l.operands[0], "migrate");
	assert_string_equal(l.operands[1], "now");
	assert_string_equal(l.operands[2], "--wait");
	assert_string_equal(l.operands[3], "-");
	assert_ok(load(&l, "--verbose=no", NULL), &l.e);
	assert_false(l.s.verbose);
	arena_free(l.a);
}

static void test_option_refusals(void **state)
{
	struct loaded l = {.a = NULL};

	(void)state;
	assert_err(load(&l, "--colour=1", NULL), ERR_INVALID, &l.e,
		"unknown option --colour (try testd --help)");
	assert_err(load(&l, "-x", NULL), ERR_INVALID, &l.e, "unknown option -x");
	assert_err(load(&l, "--jobs", NULL), ERR_INVALID, &l.e,
		"option --jobs needs a value");
	assert_err(load(&l, "--jobs=65", NULL), ERR_INVALID, &l.e,
		"jobs: 65 is not between 1 and 64");
	assert_err(load(&l, "--jobs=two", NULL), ERR_INVALID, &l.e,
		"jobs: \"two\" is not a whole number");
	assert_err(load(&l, "--verbose=maybe", NULL), ERR_INVALID, &l.e, "yes or no");
	assert_err(load(&l, "--listen=012345678901234567890", NULL), ERR_INVALID, &l.e,
		"listen: longer than 20 bytes");
	assert_err(load(&l, "--config=/no/such", NULL), ERR_NOT_FOUND, &l.e, "/no/such");
	arena_free(l.a);
}

static void test_file(void **state)
{
	struct loaded l = {.a = NULL};
	char *path = write_conf(state, "# a comment\n\n  jobs = 5\nwait=250ms\r\n"
				       "data-dir = /with = sign \nverbose = yes");

	assert_ok(load(&l, "--config", path, "--jobs=6", NULL), &l.e);
	assert_int_equal(l.s.n_jobs, 6); /* the command line wins */
	assert_int_equal(l.s.wait_ms, 250);
	assert_string_equal(l.s.data_dir, "/with = sign");
	assert_true(l.s.verbose);
	assert_string_equal(l.s.listen, "127.0.0.1:8080");
	arena_free(l.a);
}

static void test_file_refusals_name_the_line(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"jobs = 5\n\ncolour = red\n", "test.conf:3: unknown key \"colour\""},
		{"jobs = 5\njobs = 6\n", "test.conf:2: key \"jobs\" is set twice"},
		{"wait = soon\n", "test.conf:1: wait: \"soon\" is not a time"},
		{"#\njobs 5\n", "test.conf:2: expected \"key = value\""},
		{"jobs = 0\n", "test.conf:1: jobs: 0 is not between 1 and 64"},
	};
	struct loaded l = {.a = NULL};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char *path = write_conf(state, rows[i].text);

		assert_err(load(&l, "--config", path, NULL), ERR_INVALID, &l.e,
			rows[i].want);
	}
	arena_free(l.a);
}

static void test_values(void **state)
{
	static const struct {
		enum conf_type type;
		const char *text;
		int64_t want;
	} good[] = {
		{CONF_BYTES, "64M", 64 << 20},
		{CONF_BYTES, "512", 512},
		{CONF_BYTES, "2G", INT64_C(2) << 30},
		{CONF_MS, "250ms", 250},
		{CONF_MS, "3s", 3000},
		{CONF_MS, "24h", 86400000},
		{CONF_MS, "0", 0},
		{CONF_INT, "-5", -5},
		{CONF_BOOL, "yes", 1},
		{CONF_BOOL, "off", 0},
	};
	static const struct {
		enum conf_type type;
		const char *text;
	} bad[] = {{CONF_BYTES, "64X"}, {CONF_BYTES, "M"}, {CONF_BYTES, ""},
		{CONF_BYTES, "9999999999T"}, {CONF_INT, "99999999999999999999"},
		{CONF_INT, " 1"}, {CONF_INT, "1 "}, {CONF_INT, "-"}, {CONF_INT, "0x10"},
		{CONF_MS, "3 s"}, {CONF_BOOL, "Yes!"}};
	struct err e;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		int64_t v = -99;

		assert_ok(conf_parse_value(good[i].type, good[i].text, &v, &e), &e);
		assert_int_equal(v, good[i].want);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		int64_t v;

		assert_err(conf_parse_value(bad[i].type, bad[i].text, &v, &e),
			ERR_INVALID, &e, "is not");
	}
}

/* What load prints on stdout, as a string in buf. */
static void capture(struct loaded *l, const char *option, char *buf, size_t size)
{
	FILE *tmp = tmpfile();
	int keep = dup(STDOUT_FILENO);
	size_t n;

	assert_non_null(tmp);
	fflush(stdout);
	dup2(fileno(tmp), STDOUT_FILENO);
	assert_ok(load(l, option, NULL), &l->e);
	fflush(stdout);
	dup2(keep, STDOUT_FILENO);
	close(keep);
	assert_true(l->done);
	rewind(tmp);
	n = fread(buf, 1, size - 1, tmp);
	buf[n] = '\0';
	fclose(tmp);
}

static void test_built_in_options(void **state)
{
	struct loaded l = {.a = NULL};
	char out[8192];

	(void)state;
	capture(&l, "--help", out, sizeof(out));
	assert_non_null(strstr(out, "usage: testd [OPTION]"));
	assert_non_null(
		strstr(out, "--jobs N\n      jobs at a time | at most (default 2)"));
	assert_non_null(strstr(out, "--print-config"));
	capture(&l, "--version", out, sizeof(out));
	assert_string_equal(out, "testd " WL_VERSION "\n");
	capture(&l, "--print-config", out, sizeof(out));
	assert_string_equal(out, "listen = 127.0.0.1:8080\n# data_dir = \njobs = 2\n"
				 "wait = 3000ms\ncap = 67108864\nverbose = no\n");
	capture(&l, "--check-config", out, sizeof(out));
	assert_string_equal(out, "testd: the settings are good\n");
	capture(&l, "--print-config-markdown", out, sizeof(out));
	assert_non_null(strstr(out, "| `jobs` | N, 1 to 64 | `2` | "
				    "jobs at a time \\| at most |\n"));
	arena_free(l.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_options_and_operands),
		cmocka_unit_test(test_option_refusals),
		unit_folder_test(test_file),
		unit_folder_test(test_file_refusals_name_the_line),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_built_in_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
