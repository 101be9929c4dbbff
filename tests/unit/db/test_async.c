/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pool and LISTEN against a server that is stopped, killed and read-only. */
#include "testdb.h"

#include "base/clock.h"
#include <errno.h>
#include <event2/event.h>
#include <signal.h>

#define LIMIT_MS 20000 /* no test waits longer for anything */

static const struct sql_query q_echo = {.name = "echo",
	.text = "SELECT $1::int8 AS n",
	.index = -1,
	.n_params = 1,
	.rows_min = 1,
	.rows_max = 1};
/* Takes two locks, the second one second later than the first. */
static const struct sql_query q_locks = {.name = "locks",
	.text = "SELECT $1::int8 AS n FROM (SELECT pg_advisory_xact_lock($1::int8), "
		"pg_sleep(1), pg_advisory_xact_lock(3 - $1::int8) OFFSET 0) l",
	.index = -1,
	.n_params = 1,
	.rows_min = 1,
	.rows_max = 1};
static const struct sql_query q_slow = {.name = "slow",
	.text = "SELECT $1::int8 AS n FROM pg_sleep(30)",
	.index = -1,
	.n_params = 1,
	.rows_min = 1,
	.rows_max = 1};
static const struct sql_query q_write = {.name = "write",
	.text = "INSERT INTO note (n) VALUES ($1::int8)",
	.index = -1,
	.n_params = 1,
	.rows_min = 0,
	.rows_max = 0};

/* What became of the requests of a test. */
struct tally {
	int64_t sum;
	int n_done, n_ok, n_by_code[16];
	struct err last;
};

static struct event_base *base;

static void on_answer(const struct db_result *r, const struct err *e, void *arg)
{
	struct tally *t = arg;

	assert_true(!r != !e);
	t->n_done++;
	if (r) {
		t->n_ok++;
		if (r->n_rows)
			t->sum += db_row_i64(db_result_row(r, 0), "n");
	} else {
		t->n_by_code[-e->code]++;
		t->last = *e;
	}
}

static void on_limit(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	*(bool *)arg = true;
}

/* Turns the loop until what is not 0. */
#define TURN_UNTIL(what)                                                                 \
	do {                                                                             \
		bool late_ = false;                                                      \
		struct event *limit_ = evtimer_new(base, on_limit, &late_);              \
		struct timeval tv_ = {.tv_sec = LIMIT_MS / 1000};                        \
                                                                                         \
		evtimer_add(limit_, &tv_);                                               \
		while (!(what) && !late_)                                                \
			event_base_loop(base, EVLOOP_ONCE);                              \
		event_free(limit_);                                                      \
		if (late_)                                                               \
			fail_msg("waited too long for %s", #what);                       \
	} while (0)

static pid_t server_pid(void)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *path =
		arena_printf(a, "%s/data/postmaster.pid", getenv("WL_TEST_PG"));
	CLEANUP(base_fclosep) FILE *f = fopen(path, "r");
	long pid = 0;

	if (f && fscanf(f, "%ld", &pid) != 1)
		pid = 0;
	return (pid_t)pid;
}

/* pg-start starts it again. */
static void kill_server(int signo)
{
	pid_t pid = server_pid();

	assert_true(pid > 0);
	assert_int_equal(kill(pid, signo), 0);
}

static struct db *new_pool(int n)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	return db_new(base, testdb_dsn(a, "wakelist_owner", "async"), n);
}

static void test_many(void **state)
{
	struct db *db = new_pool(4);
	struct tally t = {.sum = 0};

	(void)state;
	for (int i = 0; i < 200; i++)
		assert_true(db_send(db, &q_echo, DB_ARGS(db_i64(i)), 0, on_answer, &t));
	assert_int_equal(t.n_done, 0);
	TURN_UNTIL(t.n_done == 200);
	assert_int_equal(t.n_ok, 200);
	assert_int_equal(t.sum, 199 * 200 / 2);
	assert_true(db_stats(db).n_up >= 1);
	assert_int_equal(db_stats(db).n_queued + db_stats(db).n_running, 0);
	db_free(db);
}

/* Answers of sql_migration_list carry one row a migration. */
static void on_versions(const struct db_result *r, const struct err *e, void *arg)
{
	struct tally *t = arg;

	t->n_done++;
	if (e)
		t->last = *e;
	else
		t->n_ok += r->n_rows == sql_n_migrations;
}

static void test_lazily_prepared(void **state)
{
	struct db *db = new_pool(2);
	struct tally t = {.sum = 0};

	(void)state;
	for (int i = 0; i < 20; i++)
		db_send(db, &sql_migration_list, DB_NO_ARGS, 0, on_versions, &t);
	TURN_UNTIL(t.n_done == 20);
	assert_int_equal(t.n_ok, 20);
	db_free(db);
}

static void test_errors_have_codes(void **state)
{
	static const struct sql_query q_bad = {.name = "bad",
		.text = "SELECT 1/(1 - $1::int8) AS n",
		.index = -1,
		.n_params = 1,
		.rows_min = 1,
		.rows_max = 1};
	struct db *db = new_pool(1);
	struct tally t = {.sum = 0};

	(void)state;
	db_send(db, &q_bad, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	db_send(db, &q_echo, DB_ARGS(db_i64(5)), 0, on_answer, &t);
	TURN_UNTIL(t.n_done == 2);
	assert_int_equal(t.n_by_code[-ERR_INVALID], 1);
	assert_string_equal(t.last.sqlstate, "22012");
	assert_string_equal(t.last.msg, "division by zero");
	assert_int_equal(t.sum, 5);
	db_free(db);
}

/* Two statements that want each other's lock: the database ends one of them, and the pool
 * sends it again, so that neither caller hears of it. */
static void test_deadlock_gives_way(void **state)
{
	struct db *db = new_pool(2);
	struct tally t = {.sum = 0};

	(void)state;
	db_send(db, &q_locks, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	db_send(db, &q_locks, DB_ARGS(db_i64(2)), 0, on_answer, &t);
	TURN_UNTIL(t.n_done == 2);
	assert_int_equal(t.n_ok, 2);
	assert_int_equal(t.sum, 3);
	db_free(db);
}

static void test_deadline(void **state)
{
	struct db *db = new_pool(1);
	struct tally slow = {.sum = 0}, waits = {.sum = 0}, next = {.sum = 0};

	(void)state;
	db_send(db, &q_slow, DB_ARGS(db_i64(1)), 300, on_answer, &slow);
	db_send(db, &q_echo, DB_ARGS(db_i64(1)), 200, on_answer, &waits);
	db_send(db, &q_echo, DB_ARGS(db_i64(7)), 0, on_answer, &next);
	TURN_UNTIL(slow.n_done && waits.n_done && next.n_done);
	assert_int_equal(slow.n_by_code[-ERR_TIMEOUT], 1);
	assert_string_equal(slow.last.msg, "slow ran over its deadline");
	assert_int_equal(waits.n_by_code[-ERR_TIMEOUT], 1);
	assert_int_equal(next.sum, 7);
	db_free(db);
}

static void test_forget_and_free(void **state)
{
	struct db *db = new_pool(1);
	struct tally t = {.sum = 0}, forgotten = {.sum = 0};
	uint64_t running, queued;

	(void)state;
	db_send(db, &q_echo, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	TURN_UNTIL(t.n_done == 1);
	running = db_send(db, &q_slow, DB_ARGS(db_i64(1)), 0, on_answer, &forgotten);
	queued = db_send(db, &q_echo, DB_ARGS(db_i64(1)), 0, on_answer, &forgotten);
	TURN_UNTIL(db_stats(db).n_running == 1);
	db_forget(db, running);
	db_forget(db, queued);
	db_forget(db, 123456);
	db_send(db, &q_echo, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	assert_int_equal(db_stats(db).n_queued, 1);
	db_free(db);
	assert_int_equal(forgotten.n_done, 0);
	assert_int_equal(t.n_done, 2);
	assert_int_equal(t.n_by_code[-ERR_CANCELLED], 1);
}

static void test_queue_is_bounded(void **state)
{
	struct db *db = db_new(base, "host=/nonexistent dbname=x", 1);
	struct tally t = {.sum = 0};

	(void)state;
	for (int i = 0; i < DB_QUEUE_MAX + 3; i++)
		db_send(db, &q_echo, DB_ARGS(db_i64(i)), 60000, on_answer, &t);
	assert_int_equal(t.n_done, 0);
	TURN_UNTIL(t.n_done == 3);
	assert_int_equal(t.n_by_code[-ERR_UNAVAILABLE], 3);
	assert_string_equal(t.last.msg, "too many requests wait for the database");
	db_free(db);
	assert_int_equal(t.n_by_code[-ERR_CANCELLED], DB_QUEUE_MAX);
}

static void test_away(void **state)
{
	struct db *db = db_new(base, "host=/nonexistent dbname=x", 2);
	struct tally t = {.sum = 0};

	(void)state;
	db_send(db, &q_echo, DB_ARGS(db_i64(1)), 500, on_answer, &t);
	TURN_UNTIL(t.n_done == 1);
	assert_int_equal(t.n_by_code[-ERR_UNAVAILABLE], 1);
	assert_non_null(strstr(t.last.msg, "the database is away: "));
	assert_non_null(strstr(t.last.msg, "/nonexistent"));
	assert_int_equal(db_stats(db).n_up, 0);
	db_free(db);
}

/* Stops the server in the middle of 200: what is queued waits, nothing is lost or done
 * twice, and what ran gets UNAVAILABLE. */
static void check_restart(int signo)
{
	struct db *db = new_pool(4);
	struct tally first = {.sum = 0}, t = {.sum = 0};

	db_send(db, &q_echo, DB_ARGS(db_i64(1)), 0, on_answer, &first);
	TURN_UNTIL(first.n_done == 1);
	for (int i = 0; i < 200; i++)
		db_send(db, &q_echo, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	TURN_UNTIL(t.n_done >= 20);
	kill_server(signo);
	TURN_UNTIL(t.n_done == 200);
	assert_true(t.n_ok >= 200 - 2 * 4);
	assert_int_equal(t.n_ok + t.n_by_code[-ERR_UNAVAILABLE], 200);
	assert_int_equal(t.sum, t.n_ok);
	db_free(db);
}

static void test_restart(void **state)
{
	(void)state;
	check_restart(SIGINT);
}

static void test_kill(void **state)
{
	(void)state;
	check_restart(SIGKILL);
}

static void test_running_at_restart(void **state)
{
	struct db *db = new_pool(1);
	struct tally t = {.sum = 0}, next = {.sum = 0};

	(void)state;
	db_send(db, &q_slow, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	TURN_UNTIL(db_stats(db).n_running == 1 && db_stats(db).n_up == 1);
	kill_server(SIGINT);
	db_send(db, &q_echo, DB_ARGS(db_i64(7)), 0, on_answer, &next);
	TURN_UNTIL(t.n_done && next.n_done);
	assert_int_equal(t.n_by_code[-ERR_UNAVAILABLE], 1);
	assert_int_equal(next.sum, 7);
	db_free(db);
}

/* Writes are refused while the database is read-only, reads go on, and writes come back.
 */
static void test_read_only(void **state)
{
	struct db_sync *s = testdb_open("postgres", "postgres");
	struct db *db = new_pool(2);
	struct tally t = {.sum = 0}, reads = {.sum = 0}, again = {.sum = 0};

	(void)state;
	testdb_run(s, "ALTER DATABASE async SET default_transaction_read_only = on");
	db_send(db, &q_write, DB_ARGS(db_i64(1)), 0, on_answer, &t);
	db_send(db, &q_echo, DB_ARGS(db_i64(3)), 0, on_answer, &reads);
	TURN_UNTIL(t.n_done && reads.n_done);
	assert_int_equal(t.n_by_code[-ERR_UNAVAILABLE], 1);
	assert_string_equal(t.last.sqlstate, "25006");
	assert_int_equal(reads.sum, 3);
	testdb_run(s, "ALTER DATABASE async RESET default_transaction_read_only");
	db_free(db);
	db = new_pool(2);
	db_send(db, &q_write, DB_ARGS(db_i64(1)), 0, on_answer, &again);
	TURN_UNTIL(again.n_done);
	assert_int_equal(again.n_ok, 1);
	db_free(db);
	db_sync_close(s);
}

/* ---- LISTEN ---- */

struct heard {
	int n_up, n_down, n_notes;
	char channel[64], payload[64];
};

static void on_notify(const char *channel, const char *payload, void *arg)
{
	struct heard *h = arg;

	h->n_notes++;
	snprintf(h->channel, sizeof(h->channel), "%s", channel);
	snprintf(h->payload, sizeof(h->payload), "%s", payload);
}

static void on_up(void *arg)
{
	((struct heard *)arg)->n_up++;
}

static void on_down(const char *why, void *arg)
{
	assert_true(*why);
	((struct heard *)arg)->n_down++;
}

static void notify(const char *channel, const char *payload)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep)
	struct db_sync *s = testdb_open("wakelist_owner", "async");

	testdb_run(s, arena_printf(a, "SELECT pg_notify('%s', '%s')", channel, payload));
}

static void test_listen(void **state)
{
	static const struct db_listen_ops ops = {
		.on_notify = on_notify, .on_up = on_up, .on_down = on_down};
	static const char *const channels[] = {"wl_event", "wl_cancel"};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct heard h = {.n_up = 0};
	struct db_listen *l =
		db_listen_new(base, testdb_dsn(a, "wakelist_owner", "async"), channels,
			ARRAY_LEN(channels), &ops, &h);

	(void)state;
	TURN_UNTIL(h.n_up == 1);
	notify("wl_event", "17");
	TURN_UNTIL(h.n_notes == 1);
	assert_string_equal(h.channel, "wl_event");
	assert_string_equal(h.payload, "17");
	kill_server(SIGINT);
	TURN_UNTIL(h.n_down >= 1);
	TURN_UNTIL(h.n_up == 2);
	notify("wl_cancel", "18");
	TURN_UNTIL(h.n_notes == 2);
	assert_string_equal(h.channel, "wl_cancel");
	assert_string_equal(h.payload, "18");
	db_listen_free(l);
}

static int setup(void **state)
{
	struct db_sync *s;

	(void)state;
	testdb_create("async");
	s = testdb_open("wakelist_owner", "async");
	testdb_run(s, "CREATE TABLE note (n int8)");
	db_sync_close(s);
	base = event_base_new();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	event_base_free(base);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_lazily_prepared),
		cmocka_unit_test(test_errors_have_codes),
		cmocka_unit_test(test_deadlock_gives_way),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_forget_and_free),
		cmocka_unit_test(test_queue_is_bounded),
		cmocka_unit_test(test_away),
		cmocka_unit_test(test_restart),
		cmocka_unit_test(test_kill),
		cmocka_unit_test(test_running_at_restart),
		cmocka_unit_test(test_read_only),
		cmocka_unit_test(test_listen),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, setup, teardown);
}
