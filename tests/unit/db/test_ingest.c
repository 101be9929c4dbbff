/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What jobs of the ingest stage store while another one is being stored: nothing is lost.
 */
#include "story.h"

/* work_store of the leased job with that key. */
static const char *store(const char *key, const char *result)
{
	return arena_printf(a,
		"SELECT work_store(id, fence, '%s') FROM job WHERE key LIKE '%s' "
		"AND state = 'leased'",
		result, key);
}

static void lease(void)
{
	testdb_run(s,
		"SELECT count(*) FROM job_claim('worker', '{ingest}', '{}', 'me', NULL, "
		"60000, 9)");
}

/* A mail of no series is known; its submission and its assembly are both leased. */
static void begin(void)
{
	testdb_run(s, "INSERT INTO mail (message_id, blob, received_at, order_time, "
		      "kind, subject, "
		      "author_name, author_email, facts) VALUES ('m@example.org', "
		      "repeat('0', 64), "
		      "now(), now(), 'other', 's', 'n', 'e@example.org', '{}');"
		      "SELECT api_submission_create('m@example.org', NULL, NULL, NULL, "
		      "NULL, NULL);"
		      "SELECT assemble_enqueue()");
	lease();
	ASSERT_VAL("2", "SELECT count(*) FROM job WHERE state = 'leased'");
}

/* Each alone has not yet what ends the submission; the second one must see the first. */
static void thread_and_assembly(const char *first, const char *second)
{
	pid_t other;

	begin();
	testdb_run(s, "BEGIN");
	testdb_run(s, first);
	other = story_start(second);
	story_until_blocked(1);
	testdb_run(s, "COMMIT");
	story_end(other);
	ASSERT_VAL("failed: that mail holds no patch",
		"SELECT state || ': ' || why FROM submission");
}

#define THREAD store("thread:%", "{\"mails\": [], \"files\": []}")
#define ASSEMBLY                                                                         \
	store("assemble:%",                                                              \
		"{\"series\": [], \"near\": [], \"core\": [\"1\"], \"files\": []}")

static void test_thread_meets_assembly(void **state)
{
	(void)state;
	thread_and_assembly(ASSEMBLY, THREAD);
}

static void test_assembly_meets_thread(void **state)
{
	(void)state;
	thread_and_assembly(THREAD, ASSEMBLY);
}

/*
 * A mail with a lower id is stored later than the one an assembly is for, and enqueues
 * that same assembly while its end is being stored.
 */
static void test_list_meets_assembly(void **state)
{
	pid_t other;

	(void)state;
	testdb_run(s, "SELECT setval(pg_get_serial_sequence('mail', 'id'), 5)");
	begin();
	testdb_run(s,
		"SELECT setval(pg_get_serial_sequence('mail', 'id'), 1);"
		"INSERT INTO list (name, url) VALUES ('l', 'http://lists.example.org/l');"
		"SELECT list_poll(id) FROM list");
	lease();
	testdb_run(s, "BEGIN");
	testdb_run(s,
		store("assemble:%", "{\"series\": [], \"near\": [], \"core\": [\"6\"], "
				    "\"files\": []}"));
	other = story_start(store("poll:%",
		"{\"epochs\": [], \"withdrawn\": [], \"more\": false, \"mails\": "
		"[{"
		"\"epoch\": 0, \"commit\": \"c\", \"received_at\": 1, "
		"\"order_time\": 1, "
		"\"message_id\": \"late@example.org\", \"kind\": \"other\", "
		"\"robot\": false, \"subject\": \"s\", \"author_name\": \"n\", "
		"\"author_email\": \"e@example.org\", \"facts\": {}, \"keys\": "
		"[], "
		"\"file\": \"1\"}], \"files\": [{\"name\": \"1\", \"bytes\": 1, "
		"\"sha256\": "
		"\"00000000000000000000000000000000000000000000000000000000000000"
		"00\"}]}"));
	story_until_blocked(1);
	testdb_run(s, "COMMIT");
	story_end(other);
	ASSERT_VAL("2", "SELECT id FROM mail WHERE NOT assembled");
	ASSERT_VAL("1",
		"SELECT count(*) FROM job WHERE key LIKE 'assemble:%%' AND state = "
		"'ready'");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		T(test_thread_meets_assembly),
		T(test_assembly_meets_thread),
		T(test_list_meets_assembly),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
