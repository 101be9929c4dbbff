/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * story.h - tests that are each given a migrated database of their own, and sessions
 * beside the first. A session that must wait for another is a forked child; that it waits
 * is seen in pg_locks.
 */
#ifndef WL_TESTS_STORY_H
#define WL_TESTS_STORY_H

#include "testdb.h"

#include <sys/wait.h>

#define STORY_DB "story"

static struct db_sync *s; /* owner of STORY_DB */
static struct arena *a;

/* The one value that a query gives, in the arena a. */
static inline const char *val(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static inline const char *val(const char *fmt, ...)
{
	char sql[2000];
	va_list ap;

	va_start(ap, fmt);
	assert_true((size_t)vsnprintf(sql, sizeof(sql), fmt, ap) < sizeof(sql));
	va_end(ap);
	return testdb_value(s, a, sql);
}

#define ASSERT_VAL(want, ...)                                                            \
	do {                                                                             \
		const char *got_ = val(__VA_ARGS__);                                     \
                                                                                         \
		if (!got_ || strcmp(got_, (want)) != 0)                                  \
			fail_msg("%s: \"%s\", not \"%s\"", #__VA_ARGS__,                 \
				got_ ? got_ : "NULL", (want));                           \
	} while (0)

static inline int story_setup(void **state)
{
	(void)state;
	testdb_create(STORY_DB);
	s = testdb_open("wakelist_owner", STORY_DB);
	a = arena_new();
	return 0;
}

static inline int story_teardown(void **state)
{
	(void)state;
	db_sync_close(s);
	arena_free(a);
	return 0;
}

#define T(name) cmocka_unit_test_setup_teardown(name, story_setup, story_teardown)

/* ---- two sessions ---- */

/*
 * Starts sql in a session of its own: a forked child, which ends when it is answered.
 * For story_end.
 */
static inline pid_t story_start(const char *sql)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct db_sync *mine = NULL;
		struct err e = {.code = ERR_OK};
		int status = db_sync_open(
			testdb_dsn(a, "wakelist_owner", STORY_DB), &mine, &e);

		if (status == 0)
			status = db_sync_script(mine, sql, &e);
		if (status != 0)
			fprintf(stderr, "%s: %s\n", sql, e.msg);
		_exit(status != 0);
	}
	return pid;
}

/* Waits for its end, which must be a good one. */
static inline void story_end(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Until n sessions wait for a lock. pg_sleep: the database's clock, not ours. */
static inline void story_until_blocked(int n)
{
	for (int i = 0; i < 500; i++) {
		if (atoi(val("SELECT count(DISTINCT pid) FROM pg_locks WHERE NOT "
			     "granted")) >= n)
			return;
		val("SELECT pg_sleep(0.02)");
	}
	fail_msg("no session waits");
}

#endif
