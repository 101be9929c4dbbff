/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handlers without a socket and without a database: what they refuse, what they ask,
 * and how an answer becomes a status. */
#include "tests/unit/unit.h"

#include "base/jx.h"
#include "db/db.h"
#include "server/api.h"
#include "server/server.h"

struct fake {
	struct db db;
	int n_sent;
	char query[64];
	char first[128]; /* text of the first parameter */
	db_cb *cb;
	void *arg;
};

static uint64_t fake_send(struct db *db, const struct sql_query *q,
	const struct db_param *params, size_t n, int64_t deadline_ms UNUSED, db_cb *cb,
	void *arg)
{
	struct fake *f = (struct fake *)db;

	f->n_sent++;
	snprintf(f->query, sizeof(f->query), "%s", q->name);
	f->first[0] = '\0';
	if (n && params[0].kind == DB_PARAM_TEXT)
		snprintf(f->first, sizeof(f->first), "%s", (const char *)params[0].p);
	f->cb = cb;
	f->arg = arg;
	return 1;
}

static const struct db_ops ops = {.send = fake_send};

struct call {
	struct fake f;
	struct server srv;
	struct http_loop loop;
	struct http_ctx *ctx;
};

static void call_init(
	struct call *c, const char *param, const char *value, const char *body)
{
	struct err e = {0};

	memset(c, 0, sizeof(*c));
	c->f.db.ops = &ops;
	c->srv.db = &c->f.db;
	c->ctx = http_ctx_new_loop(&c->srv, &c->loop);
	c->ctx->path = "/the/path";
	if (param)
		c->ctx->match.params[c->ctx->match.n_params++] =
			(struct route_param){param, value, strlen(value)};
	if (body)
		assert_int_equal(jx_load(body, strlen(body), &c->ctx->body, &e), 0);
}

static void body_answer(struct call *c, const char *json)
{
	static const char *const cols[] = {"body"};
	struct db_cell cell = {json, json ? strlen(json) : 0};
	struct db_result r = {.n_rows = json ? 1 : 0,
		.n_cols = 1,
		.cols = cols,
		.cells = &cell,
		.query = c->f.query};

	c->f.cb(&r, NULL, c->f.arg);
}

static void error_answer(struct call *c, enum err_code code, const char *text)
{
	struct err e = {0};

	err_set(&e, code, "%s", text);
	c->f.cb(NULL, &e, c->f.arg);
}

static void call_end(struct call *c)
{
	free(c->loop.body);
}

static void test_answers(void **state UNUSED)
{
	struct call c;

	call_init(&c, "name", "x", NULL);
	api_lists_get(c.ctx);
	assert_string_equal(c.f.query, "api_list_get");
	assert_string_equal(c.f.first, "x");
	body_answer(&c, "{\"v\":1}");
	assert_int_equal(c.loop.status, 200);
	assert_string_equal(c.loop.body, "{\"v\":1}\n");
	assert_string_equal(c.loop.content_type, "application/json");
	call_end(&c);

	call_init(&c, "name", "x", NULL);
	api_lists_get(c.ctx);
	body_answer(&c, NULL);
	assert_int_equal(c.loop.status, 404);
	assert_non_null(strstr(c.loop.body, "/the/path"));
	call_end(&c);
}

static void test_codes(void **state UNUSED)
{
	static const struct {
		enum err_code code;
		int status;
		const char *name;
	} rows[] = {
		{ERR_NOT_FOUND, 404, "not_found"},
		{ERR_INVALID, 400, "invalid"},
		{ERR_CONFLICT, 409, "conflict"},
		{ERR_DENIED, 403, "denied"},
		{ERR_TOO_BIG, 413, "too_big"},
		{ERR_BUSY, 503, "busy"},
		{ERR_UNAVAILABLE, 503, "unavailable"},
		{ERR_TIMEOUT, 504, "timeout"},
		{ERR_CANCELLED, 409, "cancelled"},
		{ERR_UNSUPPORTED, 501, "unsupported"},
		{ERR_INTERNAL, 500, "internal"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct call c;
		json_auto_t *j = NULL;
		struct err e = {0};
		const char *code, *message;

		call_init(&c, NULL, NULL, NULL);
		api_trees_all(c.ctx);
		error_answer(&c, rows[i].code, "secret \xff detail");
		assert_int_equal(c.loop.status, rows[i].status);
		assert_int_equal(jx_load(c.loop.body, c.loop.len, &j, &e), 0);
		assert_int_equal(
			jx_unpack(j, &e, "answer", "{s:i, s:{s:s, s:s !} !}", "v",
				&(int){0}, "error", "code", &code, "message", &message),
			0);
		assert_string_equal(code, rows[i].name);
		/* our faults are not told to strangers */
		if (rows[i].code == ERR_INTERNAL)
			assert_null(strstr(message, "secret"));
		else
			assert_non_null(strstr(message, "secret"));
		call_end(&c);
	}
}

static void test_refused(void **state UNUSED)
{
	static const struct {
		void (*handle)(struct http_ctx *ctx);
		const char *param, *value, *body, *words;
	} rows[] = {
		{api_series_get, "id", "x", NULL, "not an id"},
		{api_series_get, "id", "99999999999999999999", NULL, "not an id"},
		{api_lists_create, NULL, NULL, "{\"v\":1}", "name"},
		{api_lists_create, NULL, NULL, "{\"v\":3,\"name\":\"a\",\"url\":\"/x\"}",
			"\\\"v\\\" is 3"},
		{api_lists_create, NULL, NULL,
			"{\"v\":1,\"name\":\"a\",\"url\":\"/x\",\"poll_ms\":1}",
			"poll_ms"},
		{api_trees_create, NULL, NULL,
			"{\"v\":1,\"name\":\"a\",\"kind\":\"dir\",\"source\":\"rel\"}",
			"absolute"},
		{api_tokens_create, NULL, NULL,
			"{\"v\":1,\"name\":\"a\",\"role\":\"king\"}", "role"},
		{api_replies_approve, "id", "1", "{\"v\":1,\"sha256\":\"x\"}", "sha256"},
		{api_replies_resolve, "id", "1", "{\"v\":1,\"outcome\":\"x\"}",
			"outcome"},
		{api_runner_finish, "id", "1",
			"{\"v\":1,\"fence\":1,\"outcome\":\"done\",\"log\":\"x\"}",
			"log"},
		{api_runner_renew, "id", "1",
			"{\"v\":1,\"fence\":1,\"progress\":{\"done\":1,\"colour\":2}}",
			"colour"},
		{api_runner_register, NULL, NULL,
			"{\"v\":1,\"name\":\"m\",\"arch\":\"x\",\"caps\":[1],"
			"\"topology\":{},"
			"\"session\":\"s\"}",
			"caps[0]"},
		{api_submissions_create, NULL, NULL,
			"{\"v\":1,\"message_id\":\"a@b\",\"url\":\"ftp://x\"}", "http"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct call c;

		call_init(&c, rows[i].param, rows[i].value, rows[i].body);
		rows[i].handle(c.ctx);
		assert_int_equal(c.f.n_sent, 0);
		assert_int_equal(c.loop.status, 400);
		if (!strstr(c.loop.body, rows[i].words))
			fail_msg("row %zu says %s", i, c.loop.body);
		call_end(&c);
	}
}

static void test_submission(void **state UNUSED)
{
	struct call c;

	call_init(&c, NULL, NULL,
		"{\"v\":1,\"message_id\":\" <a/b@c> \",\"list\":\"\",\"tree\":\"\"}");
	api_submissions_create(c.ctx);
	assert_string_equal(c.f.query, "api_submission_create");
	assert_string_equal(c.f.first, "a/b@c");
	body_answer(&c, "{\"v\":1,\"id\":\"1\"}");
	assert_int_equal(c.loop.status, 202);
	call_end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_submission),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
