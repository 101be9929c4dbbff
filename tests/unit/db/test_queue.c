/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The queue's functions, with two sessions where the story needs them. */
#include "story.h"

#include "model/fsm.h"

/* A job of kind 'k' that nothing follows from. Returns its id. */
static int64_t enqueue(
	const char *key, const char *needs, int priority, const char *needs_ids)
{
	return strtoll(
		val("SELECT job_enqueue('k', 'runner', '%s', '{}', '%s', %d, NULL, "
		    "'%s')",
			key, needs, priority, needs_ids),
		NULL, 10);
}

/* "id:fence" of each job claimed. */
static const char *claim(const char *caps, int n)
{
	return val("SELECT coalesce(string_agg(key || ':' || fence, ' '), '') FROM "
		   "job_claim('runner', '{k}', '%s', 'me', NULL, 60000, %d)",
		caps, n);
}

static void test_fsm_tables_are_equal(void **state)
{
	int n_states = 0, n_transitions = 0;

	(void)state;
	for (size_t i = 0; i < fsm_n_all; i++) {
		const struct fsm *f = &fsm_all[i];

		for (size_t k = 0; k < f->n_states; k++, n_states++)
			ASSERT_VAL("1",
				"SELECT count(*) FROM fsm_state WHERE entity = '%s' AND "
				"state = '%s' AND final = %s AND initial = %s",
				f->entity, f->states[k].name,
				f->states[k].final ? "true" : "false",
				f->states[k].initial ? "true" : "false");
		for (size_t k = 0; k < f->n_transitions; k++, n_transitions++)
			ASSERT_VAL("1",
				"SELECT count(*) FROM fsm_transition WHERE entity = '%s' "
				"AND from_state = '%s' AND to_state = '%s' AND why = "
				"$$%s$$",
				f->entity, f->transitions[k].from, f->transitions[k].to,
				f->transitions[k].why);
	}
	ASSERT_VAL(arena_printf(a, "%d", n_states), "SELECT count(*) FROM fsm_state");
	ASSERT_VAL(arena_printf(a, "%d", n_transitions),
		"SELECT count(*) FROM fsm_transition");
}

/* How a row of each entity is made, in its first state. */
static const struct {
	const char *entity, *insert;
} makers[] = {
	{"tree", "INSERT INTO tree (name, kind, source) VALUES ('t', 'dir', '/') "
		 "RETURNING id"},
	{"list", "INSERT INTO list (name, url) VALUES ('l', '/') RETURNING id"},
	{"submission", "INSERT INTO submission (message_id) VALUES ('m') RETURNING id"},
	{"series",
		"INSERT INTO series (root_message_id, title, author_name, author_email, "
		"received, content, facts, first_time, last_time) VALUES ('r', '', '', "
		"'', 0, '', '{}', now(), now()) RETURNING id"},
	{"job", "INSERT INTO job (kind, pool, key, payload) VALUES ('k', 'runner', 'f', "
		"'{}') RETURNING id"},
	{"build",
		"INSERT INTO build (key, tree_oid, commit_id, arch, config, job_id) "
		"VALUES "
		"('b', repeat('0', 40), repeat('0', 40), 'x', 'x', (SELECT max(id) FROM "
		"job)) RETURNING id"},
	{"run", "INSERT INTO run (key, topology, block, job_id) VALUES ('r', 't', 0, "
		"(SELECT "
		"max(id) FROM job)) RETURNING id"},
	{"machine", "INSERT INTO machine (name, token_id, arch, caps, topology, session) "
		    "VALUES ('m', (SELECT max(id) FROM token), 'x', '{}', '{}', 's') "
		    "RETURNING id"},
	{"reply",
		"INSERT INTO reply (series_id, kind, message_id, subject, envelope_from, "
		"envelope_to, text) VALUES ((SELECT max(id) FROM series), 'r', 'x', '', "
		"'', '{}', repeat('0', 64)) RETURNING id"},
};

/* From every state to every other: allowed by the table exactly where the trigger lets
 * it. Triggers of the chain are off: here the guard alone is judged. */
static void check_entity(const struct fsm *f, const char *insert)
{
	const char *id = val("%s", insert);

	assert_non_null(id);
	for (size_t i = 0; i < f->n_states; i++) {
		for (size_t k = 0; k < f->n_states; k++) {
			const char *from = f->states[i].name, *to = f->states[k].name;
			struct err e;
			enum err_code code;

			if (i == k)
				continue;
			testdb_run(
				s, arena_printf(a,
					   "ALTER TABLE %s DISABLE TRIGGER USER; UPDATE "
					   "%s SET state = '%s' WHERE id = %s; ALTER "
					   "TABLE %s ENABLE TRIGGER fsm_guard",
					   f->entity, f->entity, from, id, f->entity));
			code = testdb_fails(s,
				arena_printf(a,
					"UPDATE %s SET state = '%s' WHERE id = %s",
					f->entity, to, id),
				&e);
			if ((code == ERR_OK) != fsm_allows(f, from, to))
				fail_msg("%s: %s -> %s: %s", f->entity, from, to,
					code == ERR_OK ? "let through" : e.msg);
			if (code != ERR_OK && strcmp(e.sqlstate, "23514") != 0)
				fail_msg("%s: %s -> %s: %s", f->entity, from, to, e.msg);
		}
	}
	testdb_run(s, arena_printf(a, "ALTER TABLE %s ENABLE TRIGGER USER", f->entity));
}

static void test_fsm_guards(void **state)
{
	(void)state;
	testdb_run(s, "INSERT INTO token (name, role, hash) VALUES ('t', 'runner', 'x')");
	assert_int_equal(ARRAY_LEN(makers), fsm_n_all);
	for (size_t i = 0; i < ARRAY_LEN(makers); i++) {
		const struct fsm *f = fsm_find(makers[i].entity);

		assert_non_null(f);
		check_entity(f, makers[i].insert);
	}
}

static void test_fsm_beginnings(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(
		testdb_fails(s,
			"INSERT INTO job (kind, pool, key, payload, state) VALUES "
			"('k', 'runner', 'x', '{}', 'done')",
			&e),
		ERR_CONFLICT);
	assert_string_equal(e.msg, "job cannot begin as done");
	assert_int_equal(testdb_fails(s,
				 "INSERT INTO list (name, url, state) VALUES ('x', '/', "
				 "'nonsense')",
				 &e),
		ERR_CONFLICT);
}

static void test_same_key_same_job(void **state)
{
	int64_t one = enqueue("same", "{}", 0, "{}");

	(void)state;
	assert_true(one == enqueue("same", "{x}", 5, "{}"));
	ASSERT_VAL("1", "SELECT count(*) FROM job WHERE key = 'same'");
}

static void test_order_and_caps(void **state)
{
	(void)state;
	enqueue("low", "{}", -1, "{}");
	enqueue("first", "{a}", 0, "{}");
	enqueue("second", "{a,b}", 0, "{}");
	enqueue("high", "{b}", 9, "{}");
	enqueue("never", "{z}", 99, "{}");
	assert_string_equal(claim("{}", 0), "");
	assert_string_equal(claim("{a}", 1), "first:1");
	assert_string_equal(claim("{a,b,c}", 10), "high:1 second:1 low:1");
	assert_string_equal(claim("{a,b,c}", 10), "");
	ASSERT_VAL("ready", "SELECT state FROM job WHERE key = 'never'");
	ASSERT_VAL("0", "SELECT count(*) FROM job_claim('worker', '{k}', '{z}', 'me', "
			"NULL, 1, 1)");
	ASSERT_VAL("0", "SELECT count(*) FROM job_claim('runner', '{q}', '{z}', 'me', "
			"NULL, 1, 1)");
}

static void test_run_after(void **state)
{
	(void)state;
	val("SELECT job_enqueue('k', 'runner', 'later', '{}', '{}', 0, NULL, '{}', "
	    "3600000)");
	assert_string_equal(claim("{}", 1), "");
	testdb_run(s, "UPDATE job SET run_after = now()");
	assert_string_equal(claim("{}", 1), "later:1");
}

/* A late result: its lease ran out, another one did the work. */
static void test_fencing(void **state)
{
	int64_t id = enqueue("fenced", "{}", 0, "{}");

	(void)state;
	assert_string_equal(claim("{}", 1), "fenced:1");
	ASSERT_VAL("t", "SELECT job_renew(%" PRId64 ", 1, 60000, '{\"done\": 1}')", id);
	ASSERT_VAL("f", "SELECT job_renew(%" PRId64 ", 2, 60000, NULL)", id);
	testdb_run(s, "UPDATE job SET lease_until = clock_timestamp()");
	ASSERT_VAL("f", "SELECT job_renew(%" PRId64 ", 1, 60000, NULL)", id);
	ASSERT_VAL("f", "SELECT job_finish(%" PRId64 ", 1, 'done', '', '{}', NULL)", id);
	ASSERT_VAL("1", "SELECT job_reap()");
	ASSERT_VAL("ready", "SELECT state FROM job");
	ASSERT_VAL("me did not answer; attempt 2 of 3 follows", "SELECT why FROM job");
	assert_string_equal(claim("{}", 1), "fenced:2");
	ASSERT_VAL("f",
		"SELECT job_finish(%" PRId64 ", 1, 'done', 'late', '{\"x\": 1}', "
		"NULL)",
		id);
	ASSERT_VAL("leased||", "SELECT concat(state, '|', why, '|', result) FROM job");
	ASSERT_VAL("t",
		"SELECT job_finish(%" PRId64 ", 2, 'done', 'good', '{\"x\": 2}', "
		"NULL)",
		id);
	ASSERT_VAL("f",
		"SELECT job_finish(%" PRId64 ", 2, 'failed', 'twice', NULL, NULL)", id);
	ASSERT_VAL("done|good|{\"x\": 2}",
		"SELECT concat(state, '|', why, '|', result) FROM job");
	ASSERT_VAL("1:expired 2:done",
		"SELECT string_agg(fence || ':' || outcome, ' ' ORDER BY fence) FROM "
		"job_fence");
}

static void test_parked_after_its_attempts(void **state)
{
	(void)state;
	enqueue("killer", "{}", 0, "{}");
	for (int i = 1; i <= 3; i++) {
		assert_string_equal(claim("{}", 1), arena_printf(a, "killer:%d", i));
		testdb_run(s, "UPDATE job SET lease_until = clock_timestamp()");
		ASSERT_VAL("1", "SELECT job_reap()");
	}
	ASSERT_VAL("parked|its lease ran out in attempt 3 of 3, on me",
		"SELECT concat(state, '|', why) FROM job");
	assert_string_equal(claim("{}", 1), "");
	ASSERT_VAL("0", "SELECT job_reap()");
}

static void test_retry(void **state)
{
	int64_t id = enqueue("retried", "{}", 0, "{}");

	(void)state;
	for (int i = 1; i <= 3; i++) {
		assert_string_equal(claim("{}", 1), arena_printf(a, "retried:%d", i));
		ASSERT_VAL("t",
			"SELECT job_finish(%" PRId64
			", %d, 'retry', 'no disk', NULL, NULL)",
			id, i);
		ASSERT_VAL(i < 3 ? "t" : "f", "SELECT state = 'ready' AND run_after > "
					      "clock_timestamp() FROM job");
		testdb_run(s, "UPDATE job SET run_after = now()");
	}
	ASSERT_VAL("parked|tried 3 times: no disk",
		"SELECT concat(state, '|', why) FROM job");
}

static void test_outcomes(void **state)
{
	int64_t id = enqueue("o", "{}", 0, "{}");
	struct err e;

	(void)state;
	claim("{}", 1);
	assert_int_equal(testdb_fails(s,
				 arena_printf(a,
					 "SELECT job_finish(%" PRId64
					 ", 1, 'maybe', '', NULL, NULL)",
					 id),
				 &e),
		ERR_INVALID);
	ASSERT_VAL("t",
		"SELECT job_finish(%" PRId64 ", 1, 'park', 'look', NULL, "
		"repeat('a', 64))",
		id);
	ASSERT_VAL("parked|look|aa",
		"SELECT concat(state, '|', why, '|', left(log, 2)) FROM job");
}

static void test_needs(void **state)
{
	int64_t b1 = enqueue("b1", "{}", 0, "{}"), b2 = enqueue("b2", "{}", 0, "{}"), run,
		run2, late;

	(void)state;
	run = enqueue(
		"run", "{}", 0, arena_printf(a, "{%" PRId64 ",%" PRId64 "}", b1, b2));
	run2 = enqueue("run2", "{}", 0, arena_printf(a, "{%" PRId64 "}", run));
	assert_string_equal(claim("{}", 9), "b1:1 b2:1");
	val("SELECT job_finish(%" PRId64 ", 1, 'done', '', '{}', NULL)", b1);
	ASSERT_VAL("waiting", "SELECT state FROM job WHERE id = %" PRId64, run);
	val("SELECT job_finish(%" PRId64 ", 1, 'failed', 'no compiler', NULL, NULL)", b2);
	ASSERT_VAL("skipped|the k it needs failed: no compiler",
		"SELECT concat(state, '|', why) FROM job WHERE id = %" PRId64, run);
	ASSERT_VAL("skipped", "SELECT state FROM job WHERE id = %" PRId64, run2);
	/* What comes after the end is told at once. */
	late = enqueue("late", "{}", 0, arena_printf(a, "{%" PRId64 "}", b2));
	ASSERT_VAL("skipped", "SELECT state FROM job WHERE id = %" PRId64, late);
	late = enqueue("late2", "{}", 0, arena_printf(a, "{%" PRId64 "}", b1));
	ASSERT_VAL("ready", "SELECT state FROM job WHERE id = %" PRId64, late);
}

static void test_cancel(void **state)
{
	int64_t id = enqueue("c", "{}", 0, "{}"), behind;

	(void)state;
	behind = enqueue("behind", "{}", 0, arena_printf(a, "{%" PRId64 "}", id));
	claim("{}", 1);
	ASSERT_VAL("t", "SELECT job_cancel(%" PRId64 ", 'superseded')", id);
	ASSERT_VAL("f", "SELECT job_cancel(%" PRId64 ", 'again')", id);
	ASSERT_VAL("f", "SELECT job_renew(%" PRId64 ", 1, 1000, NULL)", id);
	ASSERT_VAL("f", "SELECT job_finish(%" PRId64 ", 1, 'done', '', NULL, NULL)", id);
	ASSERT_VAL("cancelled|superseded",
		"SELECT concat(state, '|', why) FROM job WHERE id = %" PRId64, id);
	ASSERT_VAL("skipped", "SELECT state FROM job WHERE id = %" PRId64, behind);
	ASSERT_VAL("cancelled", "SELECT outcome FROM job_fence");
}

static void test_waiting_limit(void **state)
{
	struct err e;

	(void)state;
	testdb_run(s, "UPDATE setting SET value = '3' WHERE name = 'queue_max_waiting'");
	enqueue("1", "{}", 0, "{}");
	enqueue("2", "{}", 0, "{}");
	enqueue("3", "{}", 0, "{}");
	assert_int_equal(testdb_fails(s,
				 "SELECT job_enqueue('k', 'runner', '4', '{}', '{}', 0, "
				 "NULL)",
				 &e),
		ERR_BUSY);
	assert_string_equal(e.msg, "the queue is full: 3 jobs wait, the limit is 3");
	/* One that is known is no new one; one that is taken makes room. */
	enqueue("2", "{}", 0, "{}");
	claim("{}", 1);
	enqueue("4", "{}", 0, "{}");
}

static void test_settings_are_numbers(void **state)
{
	struct err e;

	(void)state;
	assert_int_equal(testdb_fails(s,
				 "UPDATE setting SET value = 'many' WHERE name = "
				 "'queue_max_running'",
				 &e),
		ERR_CONFLICT);
}

/* ---- two sessions ---- */

/* Two builds of one run end at one instant; each alone would leave the run waiting. */
static void test_needs_end_together(void **state)
{
	int64_t b1 = enqueue("b1", "{}", 0, "{}"), b2 = enqueue("b2", "{}", 0, "{}"), run;
	pid_t other;

	(void)state;
	run = enqueue(
		"run", "{}", 0, arena_printf(a, "{%" PRId64 ",%" PRId64 "}", b1, b2));
	claim("{}", 2);
	testdb_run(s, "BEGIN");
	val("SELECT job_finish(%" PRId64 ", 1, 'done', '', '{}', NULL)", b1);
	other = story_start(arena_printf(
		a, "SELECT job_finish(%" PRId64 ", 1, 'done', '', '{}', NULL)", b2));
	story_until_blocked(1);
	testdb_run(s, "COMMIT");
	story_end(other);
	ASSERT_VAL("ready", "SELECT state FROM job WHERE id = %" PRId64, run);
}

/* A job is enqueued behind one that ends before the enqueuer commits. */
static void test_enqueue_meets_end(void **state)
{
	int64_t b = enqueue("b", "{}", 0, "{}"), run;
	pid_t other;

	(void)state;
	claim("{}", 1);
	testdb_run(s, "BEGIN");
	run = enqueue("run", "{}", 0, arena_printf(a, "{%" PRId64 "}", b));
	other = story_start(arena_printf(
		a, "SELECT job_finish(%" PRId64 ", 1, 'done', '', '{}', NULL)", b));
	story_until_blocked(1);
	ASSERT_VAL("waiting", "SELECT state FROM job WHERE id = %" PRId64, run);
	testdb_run(s, "COMMIT");
	story_end(other);
	ASSERT_VAL("ready", "SELECT state FROM job WHERE id = %" PRId64, run);
}

/* The other way round: the end first, the enqueuer waits for it. */
static void test_end_meets_enqueue(void **state)
{
	int64_t b = enqueue("b", "{}", 0, "{}");
	pid_t other;

	(void)state;
	claim("{}", 1);
	testdb_run(s, "BEGIN");
	val("SELECT job_finish(%" PRId64 ", 1, 'failed', 'broken', '{}', NULL)", b);
	other = story_start(arena_printf(a,
		"SELECT job_enqueue('k', 'runner', 'run', '{}', '{}', 0, NULL, "
		"'{%" PRId64 "}')",
		b));
	story_until_blocked(1);
	testdb_run(s, "COMMIT");
	story_end(other);
	ASSERT_VAL("skipped", "SELECT state FROM job WHERE key = 'run'");
}

/* Two claim at once while there is room for one lease. */
static void test_running_limit_is_exact(void **state)
{
	pid_t others[4];

	(void)state;
	testdb_run(s, "UPDATE setting SET value = '3' WHERE name = 'queue_max_running'");
	for (int i = 0; i < 9; i++)
		enqueue(arena_printf(a, "r%d", i), "{}", 0, "{}");
	testdb_run(s, "BEGIN");
	assert_string_equal(claim("{}", 2), "r0:1 r1:1");
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		others[i] = story_start("SELECT count(*) FROM job_claim('runner', '{k}', "
					"'{}', 'other', NULL, 60000, 2)");
	story_until_blocked(4);
	testdb_run(s, "COMMIT");
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		story_end(others[i]);
	ASSERT_VAL("3", "SELECT count(*) FROM job WHERE state = 'leased'");
	ASSERT_VAL("3", "SELECT count(*) FROM job_fence");
}

/* One reaps while the holder renews: the lease that was renewed in time stays. */
static void test_reap_meets_renew(void **state)
{
	int64_t id = enqueue("x", "{}", 0, "{}");

	(void)state;
	claim("{}", 1);
	testdb_run(s, "UPDATE job SET lease_until = clock_timestamp() + interval '1 h'");
	testdb_run(s, "BEGIN");
	ASSERT_VAL("t", "SELECT job_renew(%" PRId64 ", 1, 60000, NULL)", id);
	story_end(story_start("SELECT job_reap()"));
	testdb_run(s, "COMMIT");
	ASSERT_VAL("leased", "SELECT state FROM job");
}

/* Claims, finishes, reaps and cancels of four sessions over one heap of jobs: no
 * deadlock, no fence used twice, nothing left waiting for what has ended. */
static void test_stampede(void **state)
{
	static const char sql[] = "DO $$ DECLARE j record; n int := 0; BEGIN "
				  "PERFORM setseed(%s); WHILE n < 40 "
				  "LOOP n := n + 1; FOR j IN SELECT * FROM "
				  "job_claim('runner', '{k}', '{}', "
				  "'%s', NULL, 60000, 2) LOOP COMMIT; PERFORM "
				  "job_finish(j.id, j.fence, (ARRAY['"
				  "done','done','failed','retry','park'])[1 + "
				  "(random() * 4)::int], 'w', '{}', "
				  "NULL); COMMIT; END LOOP; COMMIT; PERFORM "
				  "job_cancel((SELECT id FROM job WHERE "
				  "state = 'ready' ORDER BY random() LIMIT 1), 'c') "
				  "WHERE random() < 0.1; COMMIT; "
				  "PERFORM job_reap(); COMMIT; END LOOP; END $$";
	pid_t others[4];

	(void)state;
	for (int i = 0; i < 60; i++) {
		int64_t b = enqueue(arena_printf(a, "s%d", i), "{}", 0, "{}");

		for (int k = 0; k < 3; k++)
			enqueue(arena_printf(a, "s%d.%d", i, k), "{}", k,
				arena_printf(a, "{%" PRId64 "%s}", b,
					i ? arena_printf(a, ",%" PRId64, b - 4) : ""));
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		others[i] = story_start(arena_printf(
			a, sql, arena_printf(a, "0.%zu", i), arena_printf(a, "p%zu", i)));
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		story_end(others[i]);
	ASSERT_VAL("0", "SELECT count(*) FROM job j WHERE state = 'waiting' AND NOT "
			"EXISTS (SELECT 1 "
			"FROM job_need n JOIN job d ON d.id = n.needs_id WHERE n.job_id "
			"= j.id AND "
			"d.state IN ('ready', 'leased', 'waiting'))");
	ASSERT_VAL("0", "SELECT count(*) FROM job WHERE state = 'leased'");
	ASSERT_VAL("0", "SELECT count(*) FROM job_fence WHERE ended_at IS NULL");
	ASSERT_VAL("0", "SELECT count(*) FROM job j WHERE fence <> (SELECT count(*) FROM "
			"job_fence f "
			"WHERE f.job_id = j.id)");
	ASSERT_VAL("t", "SELECT count(*) > 5 FROM job WHERE state = 'done'");
}

/* A new state and a new "why" are one event each, the same again is none. A shared build
 * is known to belong to each series that uses it. */
static void test_events(void **state)
{
	int64_t job = enqueue("build", "{}", 0, "{}");

	(void)state;
	testdb_run(s,
		"INSERT INTO series (root_message_id, title, author_name, author_email, "
		"received, content, facts, first_time, last_time) SELECT 'r' || n, '', "
		"'', '', "
		"0, '', '{}', now(), now() FROM generate_series(1, 2) n");
	testdb_run(s, "INSERT INTO application (series_id, content, result, why, detail) "
		      "SELECT id, '', 'applied', '', '{}' FROM series");
	testdb_run(
		s, arena_printf(a,
			   "INSERT INTO build (key, tree_oid, commit_id, arch, config, "
			   "job_id) VALUES ('b', repeat('0', 40), repeat('0', 40), 'x', "
			   "'x', %" PRId64 ")",
			   job));
	testdb_run(s,
		"INSERT INTO plan (series_id, application_id, seed, blocks, profile, "
		"detail, base_build_id) SELECT a.series_id, a.id, repeat('0', 16), 1, "
		"'null', '{}', b.id FROM application a, build b");
	testdb_run(s, "DELETE FROM event");
	claim("{}", 1);
	ASSERT_VAL("ready", "SELECT data->>'from' FROM event WHERE what = 'leased'");
	ASSERT_VAL("2",
		"SELECT cardinality(api_event_series(e)) FROM event e WHERE what = "
		"'leased'");
	val("SELECT job_renew(%" PRId64 ", 1, 60000, '{\"done\": 1}')", job);
	ASSERT_VAL("1", "SELECT data->>'done' FROM event WHERE what = 'progress'");
	testdb_run(s,
		"DELETE FROM event; UPDATE series SET state = state, why = 'part 2 is "
		"missing' WHERE root_message_id = 'r1'; UPDATE series SET state = state");
	ASSERT_VAL("waiting: part 2 is missing",
		"SELECT string_agg(what || ': ' || (data->>'why'), ' ') FROM event");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		T(test_fsm_tables_are_equal),
		T(test_fsm_guards),
		T(test_fsm_beginnings),
		T(test_same_key_same_job),
		T(test_order_and_caps),
		T(test_run_after),
		T(test_fencing),
		T(test_parked_after_its_attempts),
		T(test_retry),
		T(test_outcomes),
		T(test_needs),
		T(test_cancel),
		T(test_waiting_limit),
		T(test_settings_are_numbers),
		T(test_needs_end_together),
		T(test_enqueue_meets_end),
		T(test_end_meets_enqueue),
		T(test_running_limit_is_exact),
		T(test_reap_meets_renew),
		T(test_stampede),
		T(test_events),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
