/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/jx.h"
#include "tests/unit/unit.h"

static int load(const char *text, json_t **ret, struct err *e)
{
	return jx_load(text, strlen(text), ret, e);
}

static void test_load_refusals(void **state)
{
	json_auto_t *j = NULL;
	struct err e;

	(void)state;
	assert_err(load("{\"a\":1,\"a\":2}", &j, &e), ERR_INVALID, &e, "duplicate");
	assert_err(load("{\"a\":", &j, &e), ERR_INVALID, &e, "line 1");
	assert_err(load("", &j, &e), ERR_INVALID, &e, "line");
	assert_err(load("{} {}", &j, &e), ERR_INVALID, &e, "end of file");
	assert_err(load("{\"a\":\"\\u0000\"}", &j, &e), ERR_INVALID, &e, "line");
	assert_err(load("{\"a\":\"\xff\"}", &j, &e), ERR_INVALID, &e, "0xff");
	assert_null(j);
	assert_ok(load("{\"a\":1}", &j, &e), &e);
	assert_int_equal(json_integer_value(json_object_get(j, "a")), 1);
}

static void test_load_deep(void **state)
{
	char *text = base_alloc(200001);
	json_auto_t *j = NULL;
	struct err e;

	(void)state;
	memset(text, '[', 200000);
	text[200000] = '\0';
	assert_err(load(text, &j, &e), ERR_INVALID, &e, "depth");
	free(text);
}

static int unpack(const char *text, struct err *e)
{
	json_auto_t *j = NULL;
	const char *s, *t = "unset";
	json_int_t i;
	int b = 0, status = load(text, &j, e);

	if (status != 0)
		return status;
	status = jx_unpack(j, e, "request", "{s:s, s:I, s?s, s?{s:b !}, s?[s] !}", "name",
		&s, "count", &i, "note", &t, "opt", "on", &b, "list", &t);
	return status;
}

static void test_unpack(void **state)
{
	struct err e;

	(void)state;
	assert_ok(unpack("{\"name\":\"x\",\"count\":3}", &e), &e);
	assert_ok(unpack("{\"name\":\"x\",\"count\":3,\"opt\":{\"on\":true}}", &e), &e);
	assert_err(unpack("{\"count\":3}", &e), ERR_INVALID, &e, "request: ");
	assert_err(unpack("{\"count\":3}", &e), ERR_INVALID, &e, "name");
	assert_err(unpack("{\"name\":\"x\",\"count\":3,\"colour\":1}", &e), ERR_INVALID,
		&e, "request: unknown key \"colour\"");
}

static void test_unpack_names_the_key_of_a_wrong_type(void **state)
{
	struct err e;

	(void)state;
	assert_err(unpack("{\"name\":1,\"count\":3}", &e), ERR_INVALID, &e,
		"request: key \"name\"");
	assert_err(unpack("{\"name\":\"x\",\"count\":\"3\"}", &e), ERR_INVALID, &e,
		"key \"count\"");
	assert_err(unpack("{\"name\":\"x\",\"count\":3,\"opt\":{\"on\":1}}", &e),
		ERR_INVALID, &e, "key \"on\"");
	assert_err(unpack("{\"name\":\"x\",\"count\":3,\"opt\":5}", &e), ERR_INVALID, &e,
		"key \"opt\"");
	assert_err(unpack("{\"name\":\"x\",\"count\":3,\"list\":[5]}", &e), ERR_INVALID,
		&e, "key \"list\"");
	assert_err(unpack("[]", &e), ERR_INVALID, &e, "request: ");
}

static void test_ids(void **state)
{
	json_auto_t *j = jx_id(INT64_C(9007199254740993));
	int64_t id = -7;
	struct err e;

	(void)state;
	assert_string_equal(json_string_value(j), "9007199254740993");
	assert_ok(jx_id_parse("9223372036854775807", &id, &e), &e);
	assert_int_equal(id, INT64_MAX);
	assert_err(jx_id_parse("9223372036854775808", &id, &e), ERR_INVALID, &e, "id");
	assert_err(jx_id_parse("-1", &id, &e), ERR_INVALID, &e, "-1");
	assert_err(jx_id_parse(" 1", &id, &e), ERR_INVALID, &e, "id");
	assert_err(jx_id_parse("", &id, &e), ERR_INVALID, &e, "id");
	assert_err(jx_id_parse(NULL, &id, &e), ERR_INVALID, &e, "id");
	assert_int_equal(id, INT64_MAX);
}

static void check_text(const char *in, size_t len, const char *want)
{
	json_auto_t *j = jx_text(in, len);

	assert_string_equal(json_string_value(j), want);
}

static void test_text_cleans_any_bytes(void **state)
{
#define BAD "\xef\xbf\xbd"
	(void)state;
	check_text("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7", 17,
		"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\xa7");
	check_text("a\0b", 3, "ab");
	check_text("a\xff\xfe", 3, "a" BAD BAD);
	check_text("\xc0\x80", 2, BAD BAD);                 /* overlong */
	check_text("\xed\xa0\x80", 3, BAD BAD BAD);         /* surrogate */
	check_text("\xe2\x82", 2, BAD);                     /* cut at the end */
	check_text("\xe2\x82z", 3, BAD "z");                /* cut in the middle */
	check_text("\xf4\x90\x80\x80", 4, BAD BAD BAD BAD); /* over U+10FFFF */
	check_text("", 0, "");
#undef BAD
}

static void test_pack_and_dump(void **state)
{
	json_auto_t *j = jx_pack("{s:i, s:o, s:o}", "b", 1, "a", jx_str_or_null(NULL),
		"c", jx_str_or_null("x"));
	char *text = jx_dump(j);

	(void)state;
	assert_string_equal(text, "{\"b\":1,\"a\":null,\"c\":\"x\"}");
	free(text);
}

static void test_file(void **state)
{
	char path[300];
	json_auto_t *j = NULL;
	struct err e;

	snprintf(path, sizeof(path), "%s/x.json", (char *)*state);
	assert_err(jx_load_file(path, 10, &j, &e), ERR_NOT_FOUND, &e, "x.json");
	assert_ok(file_write_atomic(path, "{\"a\":[1]}", 9, 0644, &e), &e);
	assert_err(jx_load_file(path, 8, &j, &e), ERR_TOO_BIG, &e, "x.json");
	assert_ok(jx_load_file(path, 9, &j, &e), &e);
	assert_ok(file_write_atomic(path, "{\"a\":[1]", 8, 0644, &e), &e);
	json_decref(j);
	j = NULL;
	assert_err(jx_load_file(path, 9, &j, &e), ERR_INVALID, &e, "x.json");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_load_refusals),
		cmocka_unit_test(test_load_deep),
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_unpack_names_the_key_of_a_wrong_type),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_text_cleans_any_bytes),
		cmocka_unit_test(test_pack_and_dump),
		unit_folder_test(test_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
