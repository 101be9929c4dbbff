/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "model/job.h"

#include "base/jx.h"
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OID "0123456789abcdef0123456789abcdef01234567"

/* One row per object: parse and pack it again. */
static int again_build(struct arena *a, json_t *j, json_t **ret, struct err *e)
{
	struct job_build p;
	int status = job_build_parse(a, j, &p, e);

	if (status == 0)
		*ret = job_build_pack(&p);
	return status;
}

static int again_build_result(struct arena *a, json_t *j, json_t **ret, struct err *e)
{
	struct job_build_result p;
	int status = job_build_result_parse(a, j, &p, e);

	if (status == 0)
		*ret = job_build_result_pack(&p);
	return status;
}

static int again_boot(struct arena *a, json_t *j, json_t **ret, struct err *e)
{
	struct job_boot p;
	int status = job_boot_parse(a, j, &p, e);

	if (status == 0)
		*ret = job_boot_pack(&p);
	return status;
}

static int again_boot_result(struct arena *a, json_t *j, json_t **ret, struct err *e)
{
	struct job_boot_result p;
	int status = job_boot_result_parse(a, j, &p, e);

	if (status == 0)
		*ret = job_boot_result_pack(&p);
	return status;
}

static int again_null(struct arena *a, json_t *j, json_t **ret, struct err *e)
{
	struct job_null p;
	int status = job_null_parse(a, j, &p, e);

	if (status == 0)
		*ret = job_null_pack(&p);
	return status;
}

static int again_progress(struct arena *a, json_t *j, json_t **ret, struct err *e)
{
	struct job_progress p;
	int status = job_progress_parse(a, j, &p, e);

	if (status == 0)
		*ret = job_progress_pack(&p);
	return status;
}

static const struct {
	const char *name;
	int (*again)(struct arena *a, json_t *j, json_t **ret, struct err *e);
	const char *text;
} objects[] = {
	{"build", again_build,
		"{\"v\":1,\"arch\":\"x86_64\",\"config\":\"x86_64\",\"tree_name\":"
		"\"linux\","
		"\"label\":\"6.1.1\",\"base_commit\":\"" OID "\",\"base_tree\":\"" OID
		"\","
		"\"base_pack\":\"" SHA "\",\"commit\":\"" OID "\",\"tree\":\"" OID "\","
		"\"patch_pack\":\"" SHA "\"}"},
	{"build on others' patches", again_build,
		"{\"v\":1,\"arch\":\"x86_64\",\"config\":\"x86_64\",\"tree_name\":"
		"\"linux\","
		"\"label\":\"6.1.1\",\"base_commit\":\"" OID "\",\"base_tree\":\"" OID
		"\","
		"\"base_pack\":\"" SHA "\",\"commit\":\"" OID "\",\"tree\":\"" OID "\","
		"\"patch_pack\":\"" SHA "\",\"before_tree\":\"" OID "\"}"},
	{"build of a base", again_build,
		"{\"v\":1,\"arch\":\"x86_64\",\"config\":\"x86_64\",\"tree_name\":"
		"\"linux\","
		"\"label\":\"6.1.1\",\"base_commit\":\"" OID "\",\"base_tree\":\"" OID
		"\","
		"\"base_pack\":\"" SHA "\",\"commit\":\"" OID "\",\"tree\":\"" OID "\","
		"\"patch_pack\":null}"},
	{"build result", again_build_result,
		"{\"v\":1,\"status\":\"ok\",\"kernel\":\"" SHA "\",\"release\":\"6.1.1\","
		"\"errors\":[],\"warnings\":[{\"path\":\"kernel/sched/"
		"fair.c\",\"line\":7,"
		"\"text\":\"unused variable\"}],\"compiles\":3,\"wall_ms\":81234,\"cc\":"
		"\"gcc 12\",\"sandbox\":\"bwrap\"}"},
	{"broken build", again_build_result,
		"{\"v\":1,\"status\":\"broken\",\"kernel\":null,\"release\":\"\","
		"\"errors\":[{"
		"\"path\":\"a.c\",\"line\":0,\"text\":\"\xc3\xa4\"}],\"warnings\":[],"
		"\"compiles\":0,\"wall_ms\":0,\"cc\":\"\",\"sandbox\":\"\"}"},
	{"boot", again_boot,
		"{\"v\":1,\"arch\":\"x86_64\",\"topology\":\"guest-1l8\",\"block\":0,"
		"\"runs\":3,\"timeout_s\":300,\"config\":\"x86_64\",\"benches\":[{"
		"\"bench\":"
		"\"hackbench\",\"load\":\"pipe/4\",\"argv\":[\"hackbench\",\"-p\"]}],"
		"\"kernel\":\"" SHA "\"}"},
	{"boot result", again_boot_result,
		"{\"v\":1,\"status\":\"broken\",\"booted\":true,\"release\":\"6.1.1\","
		"\"accel\":"
		"\"tcg\",\"accel_why\":\"no "
		"/dev/kvm\",\"qemu\":\"7.2\",\"argv\":[\"qemu\"],"
		"\"serial\":\"" SHA
		"\",\"raw\":null,\"events\":[{\"kind\":\"panic\",\"line\":"
		"812,\"text\":\"Kernel "
		"panic\",\"function\":null,\"stack\":[\"a+0x1/0x2\"]}],"
		"\"samples\":[{\"bench\":\"hackbench\",\"load\":\"pipe/"
		"4\",\"metric\":\"time\","
		"\"n\":0,\"value\":0.125,\"unit\":\"s\",\"better\":\"lower\"}],\"wall_"
		"ms\":5,"
		"\"sandbox\":\"bwrap\"}"},
	{"null", again_null,
		"{\"v\":1,\"role\":\"boot\",\"side\":\"patched\",\"seed\":"
		"\"00000000deadbeef\","
		"\"topology\":\"guest-1l8\",\"block\":1,\"runs\":3,\"benches\":[],"
		"\"mean\":10.0,"
		"\"boot_sd_pct\":1.0,\"run_sd_pct\":2.0,\"effect_pct\":-3.5,\"fail\":"
		"null}"},
	{"null that fails", again_null,
		"{\"v\":1,\"role\":\"build\",\"side\":\"base\",\"seed\":"
		"\"ffffffffffffffff\","
		"\"topology\":\"\",\"block\":0,\"runs\":0,\"benches\":[],\"mean\":0.0,"
		"\"boot_sd_pct\":0.0,\"run_sd_pct\":0.0,\"effect_pct\":0.0,\"fail\":"
		"\"panic\"}"},
	{"progress", again_progress,
		"{\"done\":3,\"total\":0,\"unit\":\"files\",\"text\":\"CC fair.o\"}"},
};

static void test_round_trip(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct err e = {.code = ERR_OK};
		json_t *j, *back;
		char *text;

		assert_int_equal(
			jx_load(objects[i].text, strlen(objects[i].text), &j, &e), 0);
		if (objects[i].again(a, j, &back, &e) != 0)
			fail_msg("%s: %s", objects[i].name, e.msg);
		/* Strings must be copies. */
		json_decref(j);
		text = jx_dump(back);
		assert_string_equal(text, objects[i].text);
		free(text);
		json_decref(back);
	}
}

/* Without any one key, with one too many, or with one of a wrong type: refused. */
static void test_strict(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(objects); i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		struct err e = {.code = ERR_OK};
		json_t *whole, *j, *back, *value;
		const char *key;

		assert_int_equal(
			jx_load(objects[i].text, strlen(objects[i].text), &whole, &e), 0);
		json_object_foreach(whole, key, value)
		{
			/* The kernel is filled in when a boot is leased; few builds are
			 * on others' patches. */
			bool optional = (objects[i].again == again_boot &&
						!strcmp(key, "kernel")) ||
					!strcmp(key, "before_tree");

			j = json_copy(whole);
			json_object_del(j, key);
			e.code = ERR_OK;
			if (objects[i].again(a, j, &back, &e) == 0) {
				json_decref(back);
				if (!optional)
					fail_msg("%s without %s", objects[i].name, key);
			} else {
				assert_int_equal(e.code, ERR_INVALID);
			}
			json_object_set_new(j, key, json_pack("{s:i}", "x", 1));
			if (objects[i].again(a, j, &back, &e) == 0)
				fail_msg("%s with an object as %s", objects[i].name, key);
			json_decref(j);
		}
		j = json_copy(whole);
		json_object_set_new(j, "extra", json_true());
		assert_int_equal(objects[i].again(a, j, &back, &e), ERR_INVALID);
		json_decref(j);
		json_decref(whole);
		assert_int_equal(
			objects[i].again(a, json_null(), &back, &e), ERR_INVALID);
	}
}

/* Sets one key of an object and expects it to be refused with a code. */
static void refuse(size_t i, const char *key, json_t *value, enum err_code want)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct err e = {.code = ERR_OK};
	json_t *j, *back;

	assert_int_equal(jx_load(objects[i].text, strlen(objects[i].text), &j, &e), 0);
	json_object_set_new(j, key, value);
	if (objects[i].again(a, j, &back, &e) == 0)
		fail_msg("%s: a wrong %s was taken", objects[i].name, key);
	if (e.code != want)
		fail_msg("%s: %s: %s", objects[i].name, key, e.msg);
	json_decref(j);
}

static json_t *long_text(size_t n)
{
	char *text = base_alloc(n + 1);
	json_t *j;

	memset(text, 'x', n);
	text[n] = '\0';
	j = json_string(text);
	free(text);
	return j;
}

static json_t *many(json_t *one, size_t n)
{
	json_t *j = json_array();

	while (n--)
		json_array_append(j, one);
	json_decref(one);
	return j;
}

static void test_limits(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(objects) - 1; i++)
		refuse(i, "v", json_integer(2), ERR_INVALID);
	refuse(0, "commit", json_string("HEAD"), ERR_INVALID);
	refuse(0, "base_pack", json_string(OID), ERR_INVALID);
	refuse(0, "patch_pack", json_string("../../etc"), ERR_INVALID);
	refuse(1, "before_tree", json_string("HEAD"), ERR_INVALID);
	refuse(0, "label", long_text(JOB_NAME_MAX + 1), ERR_TOO_BIG);
	refuse(3, "status", json_string("fine"), ERR_INVALID);
	refuse(3, "wall_ms", json_integer(-1), ERR_INVALID);
	refuse(3, "warnings",
		many(json_pack("{s:s, s:i, s:s}", "path", "", "line", 1, "text", ""),
			JOB_NOTES_MAX + 1),
		ERR_TOO_BIG);
	refuse(4, "kernel", json_string(SHA), ERR_INVALID);
	refuse(5, "timeout_s", json_integer(0), ERR_INVALID);
	refuse(5, "benches", many(json_object(), JOB_BENCHES_MAX + 1), ERR_TOO_BIG);
	refuse(5, "benches", many(json_object(), 1), ERR_INVALID);
	refuse(5, "kernel", json_string("x"), ERR_INVALID);
	refuse(6, "argv", many(json_string(""), JOB_ARGV_MAX + 1), ERR_TOO_BIG);
	refuse(6, "argv", many(json_integer(1), 1), ERR_INVALID);
	refuse(6, "samples", many(json_object(), JOB_SAMPLES_MAX + 1), ERR_TOO_BIG);
	refuse(6, "events", many(json_integer(1), 1), ERR_INVALID);
	refuse(7, "seed", json_string("1"), ERR_INVALID);
	refuse(7, "role", json_string("bench"), ERR_INVALID);
	refuse(7, "side", json_string("left"), ERR_INVALID);
	refuse(7, "fail", json_string("later"), ERR_INVALID);
	refuse(7, "runs", json_integer(1001), ERR_INVALID);
	refuse(9, "done", json_integer(-1), ERR_INVALID);
	refuse(9, "text", long_text(JOB_TEXT_MAX + 1), ERR_TOO_BIG);
}

static void test_outcomes(void **state)
{
	enum job_outcome o;
	struct err e;

	(void)state;
	for (int i = JOB_DONE; i <= JOB_PARK; i++) {
		assert_int_equal(
			job_outcome_parse(job_outcome_name((enum job_outcome)i), &o, &e),
			0);
		assert_int_equal(o, i);
	}
	assert_int_equal(job_outcome_parse("ready", &o, &e), ERR_INVALID);
	assert_int_equal(job_outcome_of(ERR_UNAVAILABLE), JOB_RETRY);
	assert_int_equal(job_outcome_of(ERR_INVALID), JOB_FAILED);
	assert_int_equal(job_outcome_of(ERR_INTERNAL), JOB_PARK);
}

static void test_kinds(void **state)
{
	(void)state;
	assert_string_equal(job_kind_find("boot")->pool, "runner");
	assert_string_equal(job_kind_find("apply")->pool, "worker");
	assert_null(job_kind_find("bench"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_strict),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_outcomes),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
