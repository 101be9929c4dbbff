/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sql/schema.txt is what the migrations come to, for diffs. WL_UPDATE=1 writes it. */
#include "testdb.h"

#include "base/file.h"
#include "base/sbuf.h"

/* One line per thing, sorted; what makes a table follows it, indented. */
static const char snapshot_sql[] =
	"SELECT string_agg(line, E'\\n' ORDER BY rank, owner COLLATE \"C\", part, n, "
	"line "
	"COLLATE \"C\") || E'\\n' AS text FROM ("
	/* domains */
	"SELECT 0 AS rank, typname::text AS owner, 0 AS part, 0 AS n, 'domain ' || "
	"typname || "
	"' ' || format_type(typbasetype, NULL) || coalesce(' ' || (SELECT string_agg("
	"pg_get_constraintdef(c.oid), ' ') FROM pg_constraint c WHERE contypid = t.oid), "
	"'') "
	"AS line FROM pg_type t WHERE typnamespace = 'public'::regnamespace AND typtype "
	"= 'd' "
	/* tables */
	"UNION ALL SELECT 1, relname, 0, 0, CASE relkind WHEN 'v' THEN 'view ' ELSE "
	"'table ' "
	"END || relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND "
	"relkind "
	"IN ('r', 'v') "
	"UNION ALL SELECT 1, c.relname, 1, a.attnum, '  ' || a.attname || ' ' || "
	"format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' "
	"ELSE "
	"'' END || CASE a.attidentity WHEN '' THEN '' ELSE ' IDENTITY' END || coalesce(' "
	"DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') FROM pg_class c JOIN "
	"pg_attribute a "
	"ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped LEFT JOIN "
	"pg_attrdef d "
	"ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relnamespace = "
	"'public'::regnamespace AND c.relkind IN ('r', 'v') "
	"UNION ALL SELECT 1, c.relname, 2, 0, '  ' || k.conname || ' ' || "
	"pg_get_constraintdef(k.oid) FROM pg_constraint k JOIN pg_class c ON c.oid = "
	"k.conrelid WHERE c.relnamespace = 'public'::regnamespace AND k.contype <> 't' "
	"UNION ALL SELECT 1, tablename, 3, 0, '  ' || regexp_replace(indexdef, "
	"'^CREATE (UNIQUE )?INDEX (\\w+) ON public\\.\\w+ USING', '\\1index \\2') FROM "
	"pg_indexes WHERE schemaname = 'public' "
	"UNION ALL SELECT 1, c.relname, 4, 0, '  ' || "
	"regexp_replace(pg_get_triggerdef(t.oid), "
	"'^CREATE TRIGGER (\\w+) (.*) ON public\\.\\w+ FOR EACH ROW ', 'trigger \\1 \\2 "
	"') "
	"FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE NOT tgisinternal "
	"AND "
	"c.relnamespace = 'public'::regnamespace "
	/* functions */
	"UNION ALL SELECT 2, proname, 0, 0, 'function ' || proname || '(' || "
	"pg_get_function_identity_arguments(oid) || ') -> ' || "
	"pg_get_function_result(oid) "
	"FROM pg_proc WHERE pronamespace = 'public'::regnamespace) x";

static void test_snapshot(void **state)
{
	const char *path = WL_SOURCE_DIR "/sql/schema.txt";
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(db_sync_closep) struct db_sync *s = NULL;
	CLEANUP(sbuf_release) struct sbuf committed = SBUF_INIT;
	const char *fresh;
	struct err e = {.code = ERR_OK};

	(void)state;
	testdb_create("schema");
	s = testdb_open("postgres", "schema");
	fresh = testdb_value(s, a, snapshot_sql);
	assert_non_null(fresh);
	if (getenv("WL_UPDATE"))
		OK(&e, file_write_atomic(path, fresh, strlen(fresh), 0644, &e));
	OK(&e, file_read(path, 1 << 20, &committed, &e));
	if (strcmp(committed.buf, fresh) != 0)
		fail_msg("sql/schema.txt is not what the migrations make: look at the "
			 "difference after WL_UPDATE=1 db_test_schema");
}

int main(int argc, char **argv)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_snapshot),
	};

	(void)argc;
	testdb_need_server(argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
