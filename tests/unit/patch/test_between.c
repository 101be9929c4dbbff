// SPDX-License-Identifier: GPL-2.0-or-later
/* Two commits compared: paths, renames and hunks as git shows them. */
#include "base/base.h"

#include "patch/between.h"
#include "tests/unit/patch/git.h"
#include <sys/stat.h>
#include <unistd.h>

static void write_at(const char *dir, const char *name, const char *text)
{
	char path[600];
	struct err e;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	*strrchr(path, '/') = '\0';
	assert_ok(file_mkdir_p(path, 0755, &e), &e);
	git_file(dir, name, text);
}

static const struct diff_file *file_of(const struct diff *d, const char *path)
{
	for (size_t i = 0; i < d->n_files; i++)
		if (!strcmp(diff_file_path(&d->files[i]), path))
			return &d->files[i];
	fail_msg("%s is not in the diff", path);
	return NULL;
}

#define LONG "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

static void as_git_shows_it(void **state)
{
	static const char *const odd[] = {"sp ace", "qu\"ote", "ta\tb", "new\nline",
		"\xc3\xa4", "\xff", "a/b/deep", "back\\slash"};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	const char *dir = *state, *base, *patched;
	const struct diff_file *f;
	struct diff *d;
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		write_at(dir, odd[i], "one\ntwo\n");
	write_at(dir, "moves", LONG);
	write_at(dir, "goes", "x\n");
	write_at(dir, "same", "x\n");
	base = git_commit_all(a, dir);
	for (size_t i = 0; i < ARRAY_LEN(odd); i++)
		write_at(dir, odd[i], "one\n2");
	git(dir, NULL, NULL, "mv", "moves", "moved");
	write_at(dir, "moved", LONG "11\n");
	git(dir, NULL, NULL, "rm", "-q", "goes");
	write_at(dir, "comes", "y\n");
	patched = git_commit_all(a, dir);

	assert_ok(repo_open(dir, &r, &e), &e);
	assert_ok(repo_diff(r, base, patched, a, &d, &e), &e);
	assert_int_equal(d->n_files, ARRAY_LEN(odd) + 3);
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		f = file_of(d, odd[i]);
		assert_string_equal(diff_file_status(f), "modified");
		assert_int_equal(f->n_hunks, 1);
		assert_int_equal(f->n_added, 1);
		assert_int_equal(f->n_removed, 1);
	}
	f = file_of(d, "moved");
	assert_string_equal(diff_file_status(f), "renamed");
	assert_string_equal(f->old_path, "moves");
	assert_int_equal(f->hunks[0].new_start, 8);
	assert_int_equal(f->hunks[0].new_n, 4);
	assert_string_equal(diff_file_status(file_of(d, "goes")), "deleted");
	assert_string_equal(diff_file_status(file_of(d, "comes")), "added");
	/* nothing between a commit and itself; backwards it is the reverse */
	assert_ok(repo_diff(r, base, base, a, &d, &e), &e);
	assert_int_equal(d->n_files, 0);
	assert_ok(repo_diff(r, patched, base, a, &d, &e), &e);
	assert_string_equal(diff_file_status(file_of(d, "goes")), "added");
	assert_err(
		repo_diff(r, base, "1111111111111111111111111111111111111111", a, &d, &e),
		ERR_NOT_FOUND, &e, "cannot read commit 1111");
}

/* Bytes that are no text, modes, links. */
static void what_has_no_lines(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	const char *dir = *state, *base, *patched;
	char path[600];
	struct diff *d;
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	write_at(dir, "mode", "x\n");
	snprintf(path, sizeof(path), "%s/bytes", dir);
	assert_ok(file_write_atomic(path, "a\0b", 3, 0644, &e), &e);
	base = git_commit_all(a, dir);
	assert_ok(file_write_atomic(path, "a\0c", 3, 0644, &e), &e);
	git(dir, NULL, NULL, "update-index", "--chmod=+x", "mode");
	snprintf(path, sizeof(path), "%s/mode", dir);
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/link", dir);
	assert_int_equal(symlink("mode", path), 0);
	patched = git_commit_all(a, dir);
	assert_ok(repo_open(dir, &r, &e), &e);
	assert_ok(repo_diff(r, base, patched, a, &d, &e), &e);
	assert_int_equal(d->n_files, 3);
	assert_int_equal(file_of(d, "bytes")->binary, DIFF_BINARY_ABSENT);
	assert_string_equal(diff_file_status(file_of(d, "mode")), "mode");
	assert_int_equal(file_of(d, "link")->new_mode, 0120000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(as_git_shows_it),
		unit_folder_test(what_has_no_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
