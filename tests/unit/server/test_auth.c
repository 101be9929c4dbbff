/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/unit.h"

#include "base/jx.h"
#include "db/db.h"
#include "server/auth.h"
#include <sodium.h>

/* A database that knows one token, answers when it is told to, and counts. */
struct fake {
	struct db db;
	int n_sent;
	bool known;
	db_cb *cb;
	void *arg;
};

static uint64_t fake_send(struct db *db, const struct sql_query *q UNUSED,
	const struct db_param *params UNUSED, size_t n UNUSED, int64_t deadline_ms UNUSED,
	db_cb *cb, void *arg)
{
	struct fake *f = (struct fake *)db;

	f->n_sent++;
	f->cb = cb;
	f->arg = arg;
	return 1;
}

static const struct db_ops ops = {.send = fake_send};

static void fake_answer(struct fake *f)
{
	static const char *const cols[] = {"id", "name", "role"};
	static const struct db_cell cells[] = {{"7", 1}, {"me", 2}, {"runner", 6}};
	struct db_result r = {.n_rows = f->known ? 1 : 0,
		.n_cols = 3,
		.cols = cols,
		.cells = cells,
		.query = "api_token_find"};

	f->cb(&r, NULL, f->arg);
}

struct said {
	int n;
	enum auth_role role;
	enum err_code code;
};

static void on_said(const struct auth_who *who, const struct err *e, void *arg)
{
	struct said *s = arg;

	s->n++;
	s->role = who ? who->role : AUTH_ROLE_NONE;
	s->code = e ? e->code : ERR_OK;
}

static void test_token(void **state UNUSED)
{
	char a[AUTH_TOKEN_TEXT], b[AUTH_TOKEN_TEXT], back[AUTH_TOKEN_TEXT], header[80];
	unsigned char ha[AUTH_HASH_BYTES], hb[AUTH_HASH_BYTES];
	struct err e = {0};

	auth_token_make(a);
	auth_token_make(b);
	assert_int_equal(strlen(a), 46);
	assert_memory_equal(a, "wl_", 3);
	assert_string_not_equal(a, b);
	auth_token_hash(a, ha);
	auth_token_hash(b, hb);
	assert_memory_not_equal(ha, hb, sizeof(ha));
	snprintf(header, sizeof(header), "bearer  %s", a);
	assert_int_equal(auth_token_of_header(header, back, &e), 0);
	assert_string_equal(a, back);
}

static void test_headers(void **state UNUSED)
{
	static const char *const bad[] = {NULL, "", "Basic x", "Bearer", "Bearer ",
		"Bearer x", "Bearer wl_short",
		"Bearer wl_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=",
		"Bearer wl_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"Bearer xx_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
	char text[AUTH_TOKEN_TEXT];

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct err e = {0};

		assert_int_equal(auth_token_of_header(bad[i], text, &e), ERR_DENIED);
		assert_true(strlen(e.msg) > 10);
	}
}

static void test_cache(void **state UNUSED)
{
	struct fake f = {.db = {.ops = &ops}, .known = true};
	struct auth *a = auth_new(&f.db);
	char text[AUTH_TOKEN_TEXT], header[80];
	struct said s = {0};

	auth_token_make(text);
	snprintf(header, sizeof(header), "Bearer %s", text);
	auth_check(a, header, on_said, &s);
	assert_int_equal(s.n, 0);
	fake_answer(&f);
	assert_int_equal(s.n, 1);
	assert_int_equal(s.role, AUTH_ROLE_RUNNER);
	auth_check(a, header, on_said, &s); /* from the cache, at once */
	assert_int_equal(s.n, 2);
	assert_int_equal(f.n_sent, 1);
	/* revoked: the cache is emptied, the database is asked, and says no */
	auth_flush(a);
	f.known = false;
	auth_check(a, header, on_said, &s);
	assert_int_equal(s.n, 2);
	fake_answer(&f);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.code, ERR_DENIED);
	auth_check(a, header, on_said, &s);
	assert_int_equal(f.n_sent, 2); /* a refusal is kept too */
	assert_int_equal(s.code, ERR_DENIED);
	auth_free(a);
}

/* An answer that was under way while the token was revoked must not be kept. */
static void test_flush_race(void **state UNUSED)
{
	struct fake f = {.db = {.ops = &ops}, .known = true};
	struct auth *a = auth_new(&f.db);
	char text[AUTH_TOKEN_TEXT], header[80];
	struct said s = {0};

	auth_token_make(text);
	snprintf(header, sizeof(header), "Bearer %s", text);
	auth_check(a, header, on_said, &s);
	auth_flush(a);
	fake_answer(&f);
	assert_int_equal(s.role, AUTH_ROLE_RUNNER);
	auth_check(a, header, on_said, &s);
	assert_int_equal(f.n_sent, 2);
	f.known = false;
	fake_answer(&f);
	assert_int_equal(s.code, ERR_DENIED);
	auth_free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_token),
		cmocka_unit_test(test_headers),
		cmocka_unit_test(test_cache),
		cmocka_unit_test(test_flush_race),
	};

	if (sodium_init() < 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
