/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of kinds, what children may see, and the checks of what they say. */
#include "tests/unit/unit.h"

#include "workers/ingest/http.h"
#include "workers/kind.h"
#include "workers/reply/reply.h"
#include "workers/sandbox.h"
#include "workers/tree/tree.h"
#include <zlib.h>

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_worker_ops; i++) {
		const struct worker_op *op = &worker_ops[i];

		assert_ptr_equal(worker_op_find(op->kind, op->op), op);
		assert_non_null(op->run);
		assert_non_null(op->check);
		assert_true(op->deadline_ms > 0 && op->mem_bytes > 0 && op->cpu_s > 0);
		assert_false(op->needs & NEED_TRUSTED);
		/* whoever reads hostile patches has no network */
		if (strcmp(op->kind, "apply") == 0 || strcmp(op->kind, "plan") == 0 ||
			strcmp(op->kind, "analyse") == 0)
			assert_false(op->needs & NEED_NET);
	}
	assert_null(worker_op_find("apply", "other"));
	assert_null(worker_op_find("", ""));
}

static void test_label(void **state)
{
	static const struct {
		const char *makefile, *label;
	} rows[] = {
		{"# SPDX\nVERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\nEXTRAVERSION =\n",
			"6.1.192"},
		{"VERSION=7\nPATCHLEVEL=0\nSUBLEVEL=0\nEXTRAVERSION = -rc3\n",
			"7.0.0-rc3"},
		{"VERSION = 6 \r\nPATCHLEVEL = 12\t\n", "6.12.0"},
		{"PATCHLEVEL = 1\nVERSION = 6\nVERSION = 9", "6.1.0"},
		{"VERSION = 6\nPATCHLEVEL = 1\nEXTRAVERSION = $(shell date)\n", "6.1.0"},
		{"VERSION = x\nPATCHLEVEL = 1\n", NULL},
		{"VERSIONS = 6\nPATCHLEVEL = 1\n", NULL},
		{" VERSION = 6\nPATCHLEVEL = 1\n", NULL},
		{"VERSION =\nPATCHLEVEL = 1\n", NULL},
		{"VERSION = 12345678\nPATCHLEVEL = 1\n", NULL},
		{"", NULL},
	};
	CLEANUP(arena_freep) struct arena *a = arena_new();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *label = NULL, *text = rows[i].makefile;
		struct err e;
		int status = tree_label(a, text, strlen(text), &label, &e);

		assert_int_equal(status, rows[i].label ? 0 : ERR_INVALID);
		if (rows[i].label)
			assert_string_equal(label, rows[i].label);
		else
			assert_non_null(strstr(e.msg, "no kernel tree"));
	}
}

static void test_files_check(void **state)
{
	static const struct {
		const char *json;
		bool fine;
	} rows[] = {
		{"{}", true},
		{"{\"files\":[]}", true},
		{"{\"files\":[\"m0\",\"a-b_c.D\"]}", true},
		{"{\"files\":\"m0\"}", false},
		{"{\"files\":[\"../x\"]}", false},
		{"{\"files\":[\".x\"]}", false},
		{"{\"files\":[\"a/b\"]}", false},
		{"{\"files\":[\"\"]}", false},
		{"{\"files\":[1]}", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err e;
		json_t *j;

		assert_int_equal(jx_load(rows[i].json, strlen(rows[i].json), &j, &e), 0);
		assert_int_equal(job_files_check(j, &e), rows[i].fine ? 0 : ERR_INVALID);
		json_decref(j);
	}
}

static bool has(const char *const *argv, const char *a, const char *b)
{
	for (; *argv; argv++)
		if (strcmp(argv[0], a) == 0 &&
			(!b || (argv[1] && strcmp(argv[1], b) == 0)))
			return true;
	return false;
}

static void test_sandbox_argv(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const struct work_paths p = {.data = "/d", .blobs = "/d/blobs"};
	struct sandbox s = {.bwrap = true, .exe = "/opt/wakelist-worker"};
	struct job_binds b = {.arena = a};
	const char *const *argv;
	struct err e;

	(void)state;
	assert_int_equal(job_bind_add(&b, "/src/linux", false, &e), 0);
	assert_int_equal(job_bind_add(&b, "relative", false, &e), ERR_INVALID);
	assert_int_equal(job_bind_add(&b, "/a/../b", false, &e), ERR_INVALID);
	assert_int_equal(job_bind_add(&b, "/a/..", false, &e), ERR_INVALID);
	assert_int_equal(b.n, 1);
	argv = sandbox_argv(
		a, &s, worker_op_find("apply", ""), &p, "/d/scratch/1/2.3", &b);
	assert_string_equal(argv[0], "bwrap");
	assert_true(has(argv, "--unshare-net", NULL));
	assert_true(has(argv, "--ro-bind", "/src/linux"));
	assert_true(has(argv, "--ro-bind", "/d/blobs"));
	assert_true(has(argv, "--bind", "/d/scratch/1/2.3"));
	assert_false(has(argv, "--bind", "/d"));
	assert_false(has(argv, "--ro-bind", "/d"));
	assert_false(has(argv, "--ro-bind", "/"));
	argv = sandbox_argv(
		a, &s, worker_op_find("analyse", ""), &p, "/d/scratch/1/2.3", &b);
	assert_false(has(argv, "--ro-bind", "/d/blobs"));
	argv = sandbox_argv(
		a, &s, worker_op_find("ingest", "thread"), &p, "/d/scratch/1/2.3", &b);
	assert_false(has(argv, "--unshare-net", NULL));
	s.bwrap = false;
	argv = sandbox_argv(
		a, &s, worker_op_find("apply", ""), &p, "/d/scratch/1/2.3", &b);
	assert_string_equal(argv[0], "/opt/wakelist-worker");
	assert_string_equal(argv[1], "--job");
	assert_null(argv[2]);
}

static void test_crlf(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	(void)state;
	reply_crlf("\na\nb\r\n.\n", 8, &s);
	assert_string_equal(s.buf, "\r\na\r\nb\r\n.\r\n");
	reply_crlf("", 0, &s);
	assert_int_equal(s.len, 0);
}

static void gzip(const char *text, struct sbuf *out)
{
	unsigned char buf[4096];
	z_stream z = {.next_in = (Bytef *)text, .avail_in = (uInt)strlen(text)};

	assert_int_equal(
		deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = buf;
	z.avail_out = sizeof(buf);
	assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
	sbuf_add(out, buf, sizeof(buf) - z.avail_out);
	deflateEnd(&z);
}

static void test_gunzip(void **state)
{
	CLEANUP(sbuf_release) struct sbuf gz = SBUF_INIT, out = SBUF_INIT;
	struct err e;

	(void)state;
	gzip("one ", &gz);
	gzip("two", &gz); /* files may stand one behind the other */
	assert_int_equal(http_gunzip(&gz, 100, &out, &e), 0);
	assert_string_equal(out.buf, "one two");
	assert_int_equal(http_gunzip(&gz, 6, &out, &e), ERR_TOO_BIG);
	sbuf_setlen(&gz, gz.len - 9);
	assert_int_equal(http_gunzip(&gz, 100, &out, &e), ERR_INVALID);
	sbuf_reset(&gz);
	sbuf_adds(&gz, "no gzip at all");
	assert_int_equal(http_gunzip(&gz, 100, &out, &e), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_label),
		cmocka_unit_test(test_files_check),
		cmocka_unit_test(test_sandbox_argv),
		cmocka_unit_test(test_crlf),
		cmocka_unit_test(test_gunzip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
