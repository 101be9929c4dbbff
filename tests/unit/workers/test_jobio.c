/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "workers/jobio.h"
#include <sys/socket.h>
#include <unistd.h>

static void encode(struct sbuf *s, const char *text)
{
	struct err e;
	json_t *j;

	assert_int_equal(jx_load(text, strlen(text), &j, &e), 0);
	assert_int_equal(jobio_encode(s, j, &e), 0);
	json_decref(j);
}

static void test_round_trip(void **state)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	size_t used = 0;
	struct err e;
	json_t *j;

	(void)state;
	encode(&s, "{\"a\":1}");
	encode(&s, "{\"b\":\"\\u00e4\"}");
	/* every cut: never a frame too early */
	for (size_t n = 0; n < JOBIO_HEAD + 7; n++)
		assert_int_equal(jobio_decode(s.buf, n, &j, &used, &e), 0);
	assert_int_equal(jobio_decode(s.buf, s.len, &j, &used, &e), 1);
	assert_int_equal(used, JOBIO_HEAD + 7);
	assert_int_equal(json_integer_value(json_object_get(j, "a")), 1);
	json_decref(j);
	assert_int_equal(jobio_decode(s.buf + used, s.len - used, &j, &used, &e), 1);
	assert_string_equal(json_string_value(json_object_get(j, "b")), "\xc3\xa4");
	json_decref(j);
}

static void test_nonsense(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
		const char *why;
	} rows[] = {
		{"\0\0\0\0", 4, "an empty frame"},
		{"\xff\xff\xff\xff", 4, "a frame of 4294967295 bytes"},
		{"\x04\0\0\x01", 4, "a frame of 67108865 bytes"},
		{"\0\0\0\x01x", 5, "frame: JSON"},
		{"\0\0\0\x02[]", 6, "a frame that is no object"},
		{"\0\0\0\x0d{\"a\":1,\"a\":2}", 17, "frame: JSON"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		size_t used = 77;
		struct err e;
		json_t *j = NULL;

		assert_int_equal(jobio_decode(rows[i].bytes, rows[i].len, &j, &used, &e),
			ERR_INVALID);
		assert_null(j);
		assert_int_equal(used, 77);
		assert_ptr_equal(strstr(e.msg, rows[i].why), e.msg);
	}
}

static void test_blocking(void **state)
{
	json_t *j = json_pack("{s:i}", "n", 7), *got = NULL;
	struct err e;
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	assert_int_equal(jobio_write(pair[0], j, &e), 0);
	assert_int_equal(jobio_read(pair[1], &got, &e), 0);
	assert_true(json_equal(j, got));
	json_decref(got);
	close(pair[0]);
	assert_int_equal(jobio_read(pair[1], &got, &e), ERR_UNAVAILABLE);
	assert_string_equal(e.msg, "the peer is gone");
	close(pair[1]);
	json_decref(j);
}

static int parse(const char *text, struct jobio_msg *m, json_t **frame)
{
	struct err e;

	assert_int_equal(jx_load(text, strlen(text), frame, &e), 0);
	return jobio_msg_parse(*frame, m, &e);
}

static void test_messages(void **state)
{
	static const char *const wrong[] = {
		"{\"v\":2,\"t\":\"result\",\"result\":{}}",
		"{\"v\":1,\"t\":\"other\"}",
		"{\"v\":1,\"t\":\"result\",\"result\":[]}",
		"{\"v\":1,\"t\":\"result\",\"result\":{},\"more\":1}",
		"{\"v\":1,\"t\":\"error\",\"code\":\"ok\",\"msg\":\"x\"}",
		"{\"v\":1,\"t\":\"error\",\"code\":\"odd\",\"msg\":\"x\"}",
		"{\"v\":1,\"t\":\"progress\",\"done\":-1,\"total\":0,\"unit\":\"u\","
		"\"text\":"
		"\"t\"}",
		"{\"v\":1,\"t\":\"progress\",\"done\":1,\"total\":0,\"unit\":\"u\"}",
	};
	struct jobio_msg m;
	json_t *frame;

	(void)state;
	assert_int_equal(
		parse("{\"v\":1,\"t\":\"error\",\"code\":\"too_big\",\"msg\":\"why\"}",
			&m, &frame),
		0);
	assert_int_equal(m.type, JOBIO_ERROR);
	assert_int_equal(m.code, ERR_TOO_BIG);
	assert_string_equal(m.text, "why");
	json_decref(frame);
	assert_int_equal(
		parse("{\"v\":1,\"t\":\"result\",\"result\":{\"x\":1}}", &m, &frame), 0);
	assert_int_equal(json_object_size(m.result), 1);
	json_decref(frame);
	assert_int_equal(
		parse("{\"v\":1,\"t\":\"progress\",\"done\":3,\"total\":9,\"unit\":"
		      "\"files\",\"text\":\"a\"}",
			&m, &frame),
		0);
	assert_int_equal(json_object_size(m.progress), 4);
	json_decref(m.progress);
	json_decref(frame);
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		assert_int_equal(parse(wrong[i], &m, &frame), ERR_INVALID);
		json_decref(frame);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_blocking),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
