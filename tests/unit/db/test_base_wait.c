/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Series whose base is not there: when they are tried again, what a fetch for a
 * base-commit leads to, and the end. Times are those of the rows, moved; the rule itself
 * is asked with a clock that stands still. */
#include "story.h"

#define APPLY_JOB "SELECT state FROM job WHERE kind = 'apply'"
#define TRIES                                                                            \
	"SELECT count(*) FROM job_fence f JOIN job j ON j.id = f.job_id WHERE j.kind = " \
	"'apply'"
#define SERIES "SELECT state FROM series"
#define FETCHES                                                                          \
	"SELECT count(*) FROM job WHERE payload->>'op' = 'fetch' AND state = 'ready'"

#define NO_BASE "'no_base', 'no commit of linux is as this was made for: x', NULL, NULL"
#define APPLIED "'applied', 'applies to linux', repeat('1', 40), repeat('2', 40)"

/* One git tree, fetched an hour ago, and one series for it with its job; no list. */
static void begin(void)
{
	testdb_run(s,
		"INSERT INTO tree (name, kind, source, branch, commit_id, fetched_at) "
		"VALUES ('linux', 'git', 'file:///x', 'main', repeat('1', 40), now() - "
		"interval '1 hour');"
		"UPDATE tree SET state = 'ready';"
		"INSERT INTO tree_branch (tree_id, name, commit_id, label, behind) "
		"VALUES (1, 'main', repeat('1', 40), '6.12.0', 0);"
		"INSERT INTO mail (message_id, blob, received_at, order_time, kind, "
		"subject, author_name, author_email, facts) VALUES ('r', repeat('0', "
		"64), now(), now(), 'patch', 's', 'a', 'a@x', '{}');"
		"INSERT INTO series (root_message_id, title, author_name, author_email, "
		"received, content, facts, first_time, last_time) VALUES ('r', 't', 'a', "
		"'a@x', 1, 'c', '{\"complete_why\": \"all is here\"}', now(), now());"
		"INSERT INTO series_part VALUES (1, '1', 1);"
		"UPDATE series SET state = 'complete';"
		"SELECT series_enqueue_apply(1)");
	ASSERT_VAL("ready", APPLY_JOB);
}

/* A worker takes the apply job and gives this answer; attempts as JSON. */
static void answer(const char *result, const char *attempts)
{
	testdb_run(s, "SELECT count(*) FROM job_claim('worker', '{apply}', '{}', 'me', "
		      "NULL, 60000, 1)");
	ASSERT_VAL("leased", APPLY_JOB);
	testdb_run(
		s, arena_printf(a,
			   "SELECT work_store(j.id, j.fence, jsonb_build_object("
			   "'tree_name', 'linux', 'result', r.result, 'why', r.why, "
			   "'base_commit', r.c, 'base_tree', r.c, 'patched_commit', "
			   "r.p, 'patched_tree', r.p, 'files', '[]'::jsonb, 'detail', "
			   "jsonb_build_object('patches', '[]'::jsonb, 'prerequisites', "
			   "'[]'::jsonb, 'attempts', '%s'::jsonb))) FROM job j, (VALUES "
			   "(%s)) r(result, why, c, p) WHERE j.kind = 'apply'",
			   attempts, result));
	ASSERT_VAL("done", APPLY_JOB);
}

/* The tree's fetch ends; it has one branch. */
static void fetched(const char *commit_digit)
{
	testdb_run(s, "SELECT tree_fetch_enqueue(1); SELECT count(*) FROM "
		      "job_claim('worker', '{tree}', '{}', 'me', NULL, 60000, 1)");
	testdb_run(s,
		arena_printf(a,
			"SELECT work_store(id, fence, jsonb_build_object('tree', "
			"repeat('3', "
			"40), 'missing', '[]'::jsonb, 'branches', jsonb_build_array("
			"jsonb_build_object('name', 'main', 'commit', repeat('%s', 40), "
			"'label', '6.12.0', 'behind', 0)))) FROM job WHERE "
			"payload->>'op' = "
			"'fetch'",
			commit_digit));
}

/* Hours go by for the waiting series. */
static void pass(int hours)
{
	testdb_run(
		s, arena_printf(a,
			   "UPDATE base_wait SET since = since - interval '%d h', "
			   "again_at = again_at - interval '%d h', asked_at = asked_at - "
			   "interval '%d h'; SELECT chain_tick()",
			   hours, hours, hours));
}

#define NOON "timestamptz '2026-12-03 12:00+00'"
#define NONE 0 /* no such time */

static void test_rule(void **state)
{
	static const struct {
		int since_s, again_s, asked_s; /* how long before noon */
		const char *wanted, *fetching, *due;
	} rows[] = {
		/* nothing new */
		{7200, NONE, NONE, "f", "f", "f"},
		{259199, 200000, NONE, "f", "f", "f"},
		/* new commits: at once, then each six hours */
		{7200, NONE, NONE, "t", "f", "t"},
		{30000, 21599, NONE, "t", "f", "f"},
		{30000, 21600, NONE, "t", "f", "t"},
		{30000, 21600, NONE, "f", "f", "f"},
		/* three days: once more, whatever came */
		{259199, 7200, NONE, "t", "f", "f"},
		{259200, 60, NONE, "f", "f", "t"},
		/* a fetch for it is on its way */
		{1800, NONE, 1800, "t", "t", "f"},
		{300000, NONE, 3599, "t", "t", "f"},
		{3600, NONE, 3600, "f", "t", "t"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		ASSERT_VAL(rows[i].due,
			"SELECT base_wait_due(ROW(1, 1, " NOON
			" - '%d s'::interval, CASE "
			"WHEN %d > 0 THEN " NOON " - '%d s'::interval END, '%s', CASE "
			"WHEN %d > 0 THEN " NOON " - '%d s'::interval END, "
			"'%s')::base_wait, " NOON ")",
			rows[i].since_s, rows[i].again_s, rows[i].again_s, rows[i].wanted,
			rows[i].asked_s, rows[i].asked_s, rows[i].fetching);
}

static void test_three_days(void **state)
{
	(void)state;
	begin();
	answer(NO_BASE, "[]");
	ASSERT_VAL("complete", SERIES);
	ASSERT_VAL("t",
		"SELECT why ~ '^no commit of linux .*; tried again when linux has "
		"new commits, until 20' FROM series");
	ASSERT_VAL("no_base", "SELECT result FROM application");
	/* a fetch that brings nothing */
	fetched("1");
	ASSERT_VAL("done", APPLY_JOB);
	/* one that does */
	fetched("2");
	ASSERT_VAL("ready", APPLY_JOB);
	answer(NO_BASE, "[]");
	/* and another, too soon; it is not forgotten */
	fetched("4");
	ASSERT_VAL("done", APPLY_JOB);
	pass(5);
	ASSERT_VAL("done", APPLY_JOB);
	pass(1);
	ASSERT_VAL("ready", APPLY_JOB);
	answer(NO_BASE, "[]");
	/* nothing new for long */
	pass(60);
	ASSERT_VAL("done", APPLY_JOB);
	ASSERT_VAL("complete", SERIES);
	ASSERT_VAL("3", TRIES);
	/* the end: tried once more, refused, and the author is told */
	pass(6);
	ASSERT_VAL("ready", APPLY_JOB);
	answer(NO_BASE, "[]");
	ASSERT_VAL("refused", SERIES);
	ASSERT_VAL("no commit of linux is as this was made for: x",
		"SELECT why FROM series");
	ASSERT_VAL("0", "SELECT count(*) FROM base_wait");
	ASSERT_VAL("ready", "SELECT state FROM job WHERE key = 'compose:1'");
	/* what the author reads says so, though no hunk is to blame */
	ASSERT_VAL("no commit of linux is as this was made for: x",
		"SELECT report_input(1)->'conflict'->>'reason'");
	ASSERT_VAL("does_not_apply", "SELECT report_input(1)->>'kind'");
	testdb_run(s,
		"UPDATE application SET result = 'already', why = "
		"'is already in linux (6.12, 333333333333): f: hunk 1 of 1 is there'");
	ASSERT_VAL("in_base f: hunk 1 of 1 is there",
		"SELECT concat_ws(' ', x->>'kind', x->>'applied', x->>'conflict') "
		"FROM report_input(1) x");
	pass(100);
	ASSERT_VAL("4", TRIES);
}

/* Results have the time of a list also when the base came late. */
static void test_deadline(void **state)
{
	(void)state;
	begin();
	answer(NO_BASE, "[]");
	testdb_run(s, "UPDATE series SET deadline_at = now() - interval '1 h'");
	fetched("2");
	answer(APPLIED, "[]");
	ASSERT_VAL("applied", SERIES);
	ASSERT_VAL("t", "SELECT deadline_at > now() + interval '23 h' FROM series");
	ASSERT_VAL("0", "SELECT count(*) FROM base_wait");
}

#define UNKNOWN                                                                          \
	"[{\"commit\": \"4444444444444444444444444444444444444444\", \"how\": "          \
	"\"base-commit\", \"result\": \"unknown\", \"why\": \"\"}]"

static void test_targeted_fetch(void **state)
{
	(void)state;
	begin();
	/* it would go elsewhere, but first its own base is looked for */
	answer(APPLIED, UNKNOWN);
	ASSERT_VAL("complete", SERIES);
	ASSERT_VAL("its base-commit 444444444444 is in no tree; linux is fetched",
		"SELECT why FROM series");
	ASSERT_VAL("no_base", "SELECT result FROM application");
	ASSERT_VAL("t",
		"SELECT base_commit IS NULL AND patched_commit IS NULL FROM application");
	ASSERT_VAL("1", FETCHES);
	pass(0);
	ASSERT_VAL("done", APPLY_JOB);
	/* the fetch brought nothing: go on, and never ask again */
	fetched("1");
	ASSERT_VAL("ready", APPLY_JOB);
	testdb_run(s, "UPDATE tree SET fetched_at = now() - interval '1 day'");
	answer(APPLIED, UNKNOWN);
	ASSERT_VAL("applied", SERIES);
	ASSERT_VAL("0", FETCHES);
}

static void test_targeted_fetch_fails(void **state)
{
	(void)state;
	begin();
	answer(NO_BASE, UNKNOWN);
	testdb_run(s,
		"SELECT count(*) FROM job_claim('worker', '{tree}', '{}', 'me', NULL, "
		"60000, 1); SELECT work_fail(id, fence, 'failed', 'no route') FROM job "
		"WHERE payload->>'op' = 'fetch'");
	ASSERT_VAL("ready", APPLY_JOB);
	answer(NO_BASE, UNKNOWN);
	/* from here as without a base-commit */
	ASSERT_VAL(
		"t", "SELECT why ~ 'tried again when linux has new commits' FROM series");
	ASSERT_VAL("false|true",
		"SELECT fetching || '|' || (asked_at IS NOT NULL) FROM base_wait");
}

/* Just fetched: no use to do it again. Another tree than the one named: neither. */
static void test_no_targeted_fetch(void **state)
{
	(void)state;
	begin();
	testdb_run(s, "UPDATE tree SET fetched_at = now() - interval '4 min'");
	answer(APPLIED, UNKNOWN);
	ASSERT_VAL("applied", SERIES);
	ASSERT_VAL("0", FETCHES);
	ASSERT_VAL("linux",
		"SELECT (base_wait_ask(1, 'linux', now() + interval '2 min')).name");
	ASSERT_VAL("0",
		"SELECT count(*) FROM base_wait_ask(1, 'tip', now() + interval '1 h') t "
		"WHERE t.id IS NOT NULL");
}

/* A tree that is removed: who waits for its fetch goes on. */
static void test_tree_goes(void **state)
{
	(void)state;
	begin();
	testdb_run(s, "INSERT INTO tree (name, kind, source, branch, fetched_at) VALUES "
		      "('tip', "
		      "'git', 'file:///y', 'm', now() - interval '1 h'); UPDATE tree SET "
		      "state = 'ready'");
	testdb_run(s, "UPDATE tree SET fetched_at = now() WHERE name = 'linux'");
	answer(NO_BASE, UNKNOWN);
	ASSERT_VAL(
		"tip", "SELECT t.name FROM tree t JOIN base_wait w ON w.tree_id = t.id");
	testdb_run(s, "SELECT api_tree_delete('tip')");
	ASSERT_VAL("ready", APPLY_JOB);
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		T(test_rule),
		T(test_three_days),
		T(test_deadline),
		T(test_targeted_fetch),
		T(test_targeted_fetch_fails),
		T(test_no_targeted_fetch),
		T(test_tree_goes),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
