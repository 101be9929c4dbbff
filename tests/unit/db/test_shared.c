/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A build and a boot that the plans of two series share, and what is done to both at one
 * instant. */
#include "story.h"

#define PLAN                                                                             \
	"{\"why\": \"\", \"boot_benches\": [], \"plan\": {\"seed\": "                    \
	"\"0000000000000000\", \"k_blocks\": 1, \"cells\": [], \"benches\": [], "        \
	"\"builds\": [{\"key\": \"k\", \"side\": \"base\"}], \"runs\": [{\"key\": "      \
	"\"b\", \"side\": \"base\", \"build_key\": \"k\", \"topology\": \"t\", "         \
	"\"block\": 0, \"seq\": 0}]}}"
#define STORE_SECOND                                                                     \
	"SELECT work_store(id, fence, '" PLAN "') FROM job WHERE key = 'plan:2'"
#define END_BOOT                                                                         \
	"SELECT job_finish(id, fence, 'done', '', '{\"status\": \"ok\"}', NULL) FROM "   \
	"job WHERE key = 'b'"
#define SUPERSEDE_FIRST "SELECT series_supersede(1, 3, 'a newer version')"
#define BOOT_JOB        "SELECT state FROM job WHERE key = 'b'"

static void claim(const char *pool, const char *kind, const char *caps)
{
	testdb_run(s, arena_printf(a,
			      "SELECT count(*) FROM job_claim('%s', '{\"%s\"}', '{%s}', "
			      "'me', NULL, 60000, 9)",
			      pool, kind, caps));
}

/* Three series are applied, the plan of the first is there and its boot runs; that of the
 * second is being made. */
static void begin(void)
{
	testdb_run(s,
		"SELECT api_setting_set('plan_profile', 'null');"
		"INSERT INTO series (root_message_id, title, author_name, author_email, "
		"received, content, facts, first_time, last_time) SELECT 'r' || n, '', "
		"'', '', 0, 'c', '{}', now(), now() FROM generate_series(1, 3) n;"
		"UPDATE series SET state = 'complete'; UPDATE series SET state = "
		"'applied';"
		"INSERT INTO application (series_id, content, result, why, base_commit, "
		"base_tree, detail) SELECT id, 'c', 'applied', '', repeat('0', 40), "
		"repeat('0', 40), '{}' FROM series;"
		"SELECT job_enqueue('plan', 'worker', 'plan:' || id, "
		"jsonb_build_object('series_id', id), '{}', 0, id) FROM series WHERE id "
		"< 3");
	claim("worker", "plan", "");
	testdb_run(s,
		"SELECT work_store(id, fence, '" PLAN "') FROM job WHERE key = 'plan:1'");
	claim("runner", "null", "kind:null");
	testdb_run(s, "SELECT job_finish(id, fence, 'done', '', '{\"status\": \"ok\"}', "
		      "NULL) FROM job WHERE key = 'k'");
	claim("runner", "null", "kind:null");
	ASSERT_VAL("leased", BOOT_JOB);
	ASSERT_VAL("leased", "SELECT state FROM job WHERE key = 'plan:2'");
}

/* The second waits for the first, which is not committed yet. */
static void meet(const char *first, const char *second)
{
	pid_t other;

	begin();
	testdb_run(s, "BEGIN");
	testdb_run(s, first);
	other = story_start(second);
	story_until_blocked(1);
	testdb_run(s, "COMMIT");
	story_end(other);
}

#define BOTH_ARE_ANALYSED                                                                \
	ASSERT_VAL("2", "SELECT count(*) FROM job WHERE kind = 'analyse' AND state = "   \
			"'ready'")

static void test_plan_meets_end(void **state)
{
	(void)state;
	meet(STORE_SECOND, END_BOOT);
	BOTH_ARE_ANALYSED;
}

static void test_end_meets_plan(void **state)
{
	(void)state;
	meet(END_BOOT, STORE_SECOND);
	BOTH_ARE_ANALYSED;
}

static void test_plan_meets_cancel(void **state)
{
	(void)state;
	meet(STORE_SECOND, SUPERSEDE_FIRST);
	ASSERT_VAL("leased", BOOT_JOB);
	ASSERT_VAL("superseded", "SELECT state FROM series WHERE id = 1");
}

static void test_cancel_meets_plan(void **state)
{
	(void)state;
	meet(SUPERSEDE_FIRST, STORE_SECOND);
	ASSERT_VAL("ready", BOOT_JOB);
	ASSERT_VAL("queued", "SELECT state FROM run");
}

/* Nobody else wants it: it ends. */
static void test_cancel_alone(void **state)
{
	(void)state;
	begin();
	testdb_run(s, SUPERSEDE_FIRST);
	ASSERT_VAL("cancelled", BOOT_JOB);
	ASSERT_VAL("ok", "SELECT state FROM build");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		T(test_plan_meets_end),
		T(test_end_meets_plan),
		T(test_plan_meets_cancel),
		T(test_cancel_meets_plan),
		T(test_cancel_alone),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
