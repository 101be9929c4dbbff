// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects in files of their own: as git wrote them, and cut short at every length. */
#include "base/base.h"

#include "base/file.h"
#include "patch/repo.h"
#include "tests/unit/patch/git.h"

#include <unistd.h>

#define SMALL   90 /* sizes around that of what is inflated first */
#define LARGE   300000
#define CUT_MAX 400

/* That zlib does not make much shorter. */
static char letter(size_t i)
{
	return (char)('a' + (uint32_t)(i * 2654435761u) / 256 % 23);
}

static void put(const char *dir, const char *name, size_t len)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	for (size_t i = 0; i < len; i++)
		sbuf_addc(&s, letter(i));
	sbuf_addc(&s, 0);
	git_file(dir, name, s.buf);
}

static void check(
	struct git_repository *r, const char *commit, const char *name, size_t len)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct err e;

	assert_ok(repo_read_file(r, commit, name, LARGE, &s, NULL, &e), &e);
	assert_int_equal(s.len, len);
	for (size_t i = 0; i < len; i++)
		assert_int_equal(s.buf[i], letter(i));
}

/* With and without compression, which leaves other pieces for the end. */
static void every_size(void **state)
{
	const char *dir = *state;
	static const char *const levels[] = {"0", "1", "9"};

	git(dir, NULL, NULL, "init", "-q", "-b", "master");
	for (size_t l = 0; l < ARRAY_LEN(levels); l++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		CLEANUP(repo_closep) struct git_repository *r = NULL;
		struct err e;
		const char *commit;

		git(dir, NULL, NULL, "config", "core.looseCompression", levels[l]);
		/* other bytes for each level, so that git writes them again */
		for (size_t i = l; i <= SMALL; i += ARRAY_LEN(levels))
			put(dir, arena_printf(a, "f%zu", i), i);
		put(dir, "large", LARGE - l);
		commit = git_commit_all(a, dir);
		assert_ok(repo_open(dir, &r, &e), &e);
		for (size_t i = l; i <= SMALL; i += ARRAY_LEN(levels))
			check(r, commit, arena_printf(a, "f%zu", i), i);
		check(r, commit, "large", LARGE - l);
	}
}

static void cut_short(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf id = SBUF_INIT, whole = SBUF_INIT;
	const char *commit, *path;
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master");
	put(dir, "f", CUT_MAX);
	commit = git_commit_all(a, dir);
	git(dir, NULL, &id, "rev-parse", "HEAD:f");
	path = arena_printf(a, "%s/.git/objects/%.2s/%s", dir, id.buf, id.buf + 2);
	assert_ok(file_read(path, LARGE, &whole, &e), &e);
	assert_true(whole.len > 50);
	assert_int_equal(unlink(path), 0);
	for (size_t len = 0; len <= whole.len; len++) {
		CLEANUP(repo_closep) struct git_repository *r = NULL;
		CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
		int rc;

		assert_ok(file_write_atomic(path, whole.buf, len, 0644, &e), &e);
		assert_ok(repo_open(dir, &r, &e), &e);
		rc = repo_read_file(r, commit, "f", LARGE, &s, NULL, &e);
		assert_int_equal(rc, len < whole.len ? ERR_INTERNAL : 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(every_size),
		unit_folder_test(cut_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
