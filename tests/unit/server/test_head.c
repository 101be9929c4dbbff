/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "server/head.h"

static int parse(struct arena *a, const char *text, struct head *ret, int *ret_status)
{
	struct err e = {0};

	*ret_status = 0;
	return head_parse(a, text, strlen(text), ret, ret_status, &e);
}

static void test_length(void **state UNUSED)
{
	static const char whole[] = "GET / HTTP/1.1\r\nA: b\r\n\r\nbody";

	assert_int_equal(head_length(whole, sizeof(whole) - 1), sizeof(whole) - 1 - 4);
	for (size_t i = 0; i < sizeof(whole) - 1 - 4; i++)
		assert_int_equal(head_length(whole, i), 0);
	assert_int_equal(head_length("GET /\n\nx", 8), 7);
	assert_int_equal(head_length("", 0), 0);
	assert_int_equal(head_length("\n\r", 2), 0);
}

static void test_parse(void **state UNUSED)
{
	struct arena *a = arena_new();
	struct head h;
	int status;

	assert_int_equal(
		parse(a,
			"PUT /a?b=c HTTP/1.1\r\nhost: x\r\nCONTENT-LENGTH:  12 \r\n"
			"expect: 100-Continue\r\nauthorization: Bearer y\r\n"
			"Connection: keep-alive, Close\r\n\r\n",
			&h, &status),
		0);
	assert_int_equal(status, 0);
	assert_int_equal(h.method, HTTP_M_PUT);
	assert_string_equal(h.target, "/a?b=c");
	assert_int_equal(h.content_length, 12);
	assert_true(h.expect_continue);
	assert_true(h.close);
	assert_false(h.http10);
	assert_string_equal(h.authorization, "Bearer y");
	assert_int_equal(parse(a, "BREW / HTTP/1.0\r\n\r\n", &h, &status), 0);
	assert_int_equal(h.method, HTTP_M_OTHER);
	assert_true(h.http10);
	assert_int_equal(h.content_length, -1);
	arena_free(a);
}

static void test_refuse(void **state UNUSED)
{
	static const struct {
		const char *text;
		int status;
	} rows[] = {
		{"GET / HTTP/1.1\n\n", 400},
		{"GET\r\n\r\n", 400},
		{" / HTTP/1.1\r\n\r\n", 400},
		{"G(T / HTTP/1.1\r\n\r\n", 400},
		{"GET / HTTP/1.2\r\n\r\n", 505},
		{"GET / HTTP/1.11\r\n\r\n", 505},
		{"GET x HTTP/1.1\r\n\r\n", 400},
		{"GET http://x/ HTTP/1.1\r\n\r\n", 400},
		{"GET /\x7f HTTP/1.1\r\n\r\n", 400},
		{"GET /\xc3\xa9 HTTP/1.1\r\n\r\n", 400},
		{"GET /#x HTTP/1.1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nA : b\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\n: b\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nA\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nContent-Length: 1, 1\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nContent-Length:\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nContent-Length: 9999999999999999\r\n\r\n", 400},
		{"GET / HTTP/1.1\r\nTransfer-Encoding: identity\r\n\r\n", 411},
		{"GET / HTTP/1.1\r\nExpect: x\r\n\r\n", 417},
		{"GET / HTTP/1.1\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400},
	};
	struct arena *a = arena_new();
	struct head h;
	int status;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (parse(a, rows[i].text, &h, &status) >= 0)
			fail_msg("taken: %s", rows[i].text);
		if (status != rows[i].status)
			fail_msg("%d, not %d: %s", status, rows[i].status, rows[i].text);
	}
	arena_free(a);
}

static void test_nul(void **state UNUSED)
{
	static const char text[] = "GET / HTTP/1.1\r\nA: \0\r\n\r\n";
	struct arena *a = arena_new();
	struct head h;
	struct err e = {0};
	int status = 0;

	assert_true(head_parse(a, text, sizeof(text) - 1, &h, &status, &e) < 0);
	assert_int_equal(status, 400);
	arena_free(a);
}

static void test_clean(void **state UNUSED)
{
	static const char text[] = "PUT /x HTTP/1.1\r\nHost: a\r\ncontent-length: "
				   "9\r\nEXPECT: 100-continue\r\n\r\n";
	struct sbuf s = SBUF_INIT;

	head_clean(text, sizeof(text) - 1, false, &s);
	assert_string_equal(
		s.buf, "PUT /x HTTP/1.1\r\nHost: a\r\ncontent-length: 9\r\n\r\n");
	sbuf_reset(&s);
	head_clean(text, sizeof(text) - 1, true, &s);
	assert_string_equal(
		s.buf, "PUT /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
	sbuf_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_refuse),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_clean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
