// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees into packs, packs into repositories, trees onto disk. */
#include "base/base.h"

#include "patch/checkout.h"
#include "patch/pack.h"
#include "tests/unit/patch/git.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct tree_import_meta meta = {
	.author_name = "wakelist",
	.author_email = "wakelist@invalid",
	.time_s = 1700000000,
	.message = "import of a tree\n",
};

struct member {
	const char *path;
	unsigned mode; /* 0: link */
	const char *bytes;
};

static const struct member members[] = {
	{"Makefile", 0644, "all:\n"},
	{"scripts/run.sh", 0755, "#!/bin/sh\n"},
	{"lib", 0, "arch/x86/lib"},
	{"lib.c", 0644, "a\n"},
	{"lib-x/a", 0644, "a\n"},
	{"arch/x86/lib/a.c", 0644, "int a;\n"},
	{"arch/x86/lib.h", 0644, "int a;\n"},
	{"arch/x86-64", 0644, ""},
};

static const char *in(struct arena *a, void **state, const char *name)
{
	return arena_printf(a, "%s/%s", (const char *)*state, name);
}

static int import(
	const char *pack, bool backwards, struct tree_import_result *ret, struct err *e)
{
	struct tree_import *t;
	int rc = tree_import_begin(pack, &t, e);

	for (size_t i = 0; i < ARRAY_LEN(members) && !rc; i++) {
		const struct member *m =
			&members[backwards ? ARRAY_LEN(members) - 1 - i : i];

		rc = m->mode ? tree_import_file(
				       t, m->path, m->mode, m->bytes, strlen(m->bytes), e)
			     : tree_import_link(t, m->path, m->bytes, e);
	}
	return rc ? rc : tree_import_finish(t, &meta, ret, e);
}

static void import_is_what_git_makes(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT, x = SBUF_INIT, y = SBUF_INIT;
	const char *one = in(a, state, "one.pack"), *two = in(a, state, "two.pack");
	const char *bare = in(a, state, "deep/er.git"), *work = in(a, state, "work");
	struct tree_import_result r, again;
	struct checkout_stats stats;
	struct err e;

	assert_ok(import(one, false, &r, &e), &e);
	assert_ok(import(two, true, &again, &e), &e);
	assert_string_equal(r.commit, again.commit);
	assert_int_equal(r.n_files, 8);
	/* two pairs of files share a blob; 6 folders with the root; 1 commit */
	assert_int_equal(r.n_objects, 6 + 6 + 1);
	assert_ok(repo_create(bare, &repo, &e), &e);
	assert_ok(pack_ingest(repo, one, &e), &e);
	assert_ok(pack_ingest(repo, one, &e), &e); /* twice is harmless */
	assert_ok(repo_set_branch(repo, "master", r.commit, &e), &e);
	git(bare, NULL, NULL, "fsck", "--strict", "--full");
	git(bare, NULL, &out, "log", "--format=%T %an <%ae> %at %cn %B", "master");
	assert_string_equal(out.buf,
		arena_printf(a,
			"%s wakelist <wakelist@invalid> 1700000000 wakelist import of a "
			"tree\n",
			r.tree));
	/* git, given the files, makes the same tree */
	assert_ok(checkout_move(repo, NULL, r.tree, work, &stats, &e), &e);
	assert_int_equal(stats.n_written, 8);
	git(work, NULL, NULL, "init", "-q", ".");
	git(work, NULL, NULL, "add", "-A", "-f", ".");
	git(work, NULL, &out, "write-tree");
	assert_string_equal(out.buf, r.tree);
	/* the other order of entries makes the same objects, in another order */
	assert_ok(file_read(one, 1 << 20, &x, &e), &e);
	assert_ok(file_read(two, 1 << 20, &y, &e), &e);
	assert_int_equal(x.len, y.len);
}

static void import_refuses(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	static const char *const bad[] = {
		"", "/x", "a/", "a//b", "./a", "a/..", ".git/x", "a/.GIT"};
	const char *pack = in(a, state, "bad.pack");
	struct tree_import_result r;
	struct tree_import *t;
	struct err e;

	assert_ok(tree_import_begin(pack, &t, &e), &e);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_err(tree_import_file(t, bad[i], 0644, "x", 1, &e), ERR_INVALID, &e,
			"cannot be in a tree");
	assert_err(tree_import_finish(t, &meta, &r, &e), ERR_INVALID, &e, "no files");
	assert_int_equal(access(pack, F_OK), -1);
	assert_ok(tree_import_begin(pack, &t, &e), &e);
	assert_ok(tree_import_file(t, "a", 0644, "x", 1, &e), &e);
	assert_ok(tree_import_file(t, "a/b", 0644, "x", 1, &e), &e);
	assert_err(tree_import_finish(t, &meta, &r, &e), ERR_CONFLICT, &e,
		"file and folder");
	assert_ok(tree_import_begin(pack, &t, &e), &e);
	assert_ok(tree_import_file(t, "a", 0644, "x", 1, &e), &e);
	assert_ok(tree_import_file(t, "a", 0644, "y", 1, &e), &e);
	assert_err(tree_import_finish(t, &meta, &r, &e), ERR_CONFLICT, &e, "twice");
	assert_err(tree_import_begin("/nonexistent/x.pack", &t, &e), ERR_NOT_FOUND, &e,
		"cannot make");
}

static void damaged_packs(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	const char *pack = in(a, state, "one.pack"), *cut = in(a, state, "cut.pack");
	struct tree_import_result r;
	struct err e;

	assert_ok(import(pack, false, &r, &e), &e);
	assert_ok(repo_create(in(a, state, "x.git"), &repo, &e), &e);
	assert_ok(file_read(pack, 1 << 20, &s, &e), &e);
	assert_ok(file_write_atomic(cut, s.buf, s.len - 30, 0644, &e), &e);
	assert_err(pack_ingest(repo, cut, &e), ERR_INVALID, &e, "damaged or cut off");
	s.buf[s.len / 2] ^= 1;
	assert_ok(file_write_atomic(cut, s.buf, s.len, 0644, &e), &e);
	assert_err(pack_ingest(repo, cut, &e), ERR_INVALID, &e, "damaged or cut off");
	assert_err(pack_ingest(repo, in(a, state, "none.pack"), &e), ERR_NOT_FOUND, &e,
		"cannot open");
	assert_false(repo_has(repo, r.commit));
}

static void git_pack_thin(
	const char *dir, const char *base, const char *tip, const char *path)
{
	CLEANUP(sbuf_release) struct sbuf revs = SBUF_INIT, pack = SBUF_INIT;
	struct err e;

	sbuf_addf(&revs, "%s\n^%s\n", tip, base);
	git(dir, revs.buf, &pack, "pack-objects", "-q", "--thin", "--stdout", "--revs");
	assert_ok(file_write_atomic(path, pack.buf, pack.len, 0644, &e), &e);
}

/* A runner's two packs: base, then base..patched; trees as in the repository they are of.
 */
static void base_and_thin(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *from = NULL, *to = NULL;
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	const char *dir = in(a, state, "repo"), *bare = in(a, state, "runner.git");
	const char *pack = in(a, state, "base.pack"), *thin = in(a, state, "thin.pack");
	const char *base, *tip;
	int64_t n_base, n_thin;
	char tree[REPO_HEX];
	struct err e;

	assert_ok(file_mkdir_p(in(a, state, "repo/d/e"), 0755, &e), &e);
	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	git_file(dir, "a", "1\n");
	git_file(dir, "d/b", "1\n");
	git_file(dir, "d/e/c", "1\n");
	git_commit_all(a, dir);
	git_file(dir, "a", "2\n");
	base = git_commit_all(a, dir);
	git_file(dir, "d/e/c", "3\n");
	git_commit_all(a, dir);
	git_file(dir, "d/b", "4\n");
	tip = git_commit_all(a, dir);
	assert_ok(repo_open(dir, &from, &e), &e);
	assert_ok(pack_base(from, base, pack, &n_base, &e), &e);
	/* commit; root, d, e; a; b and c are one blob */
	assert_int_equal(n_base, 1 + 3 + 2);
	assert_ok(pack_thin(from, base, tip, thin, &n_thin, &e), &e);
	/* 2 commits; root d e and root d; 2 blobs */
	assert_int_equal(n_thin, 2 + 5 + 2);
	assert_err(pack_thin(from, tip, base, thin, NULL, &e), ERR_INVALID, &e,
		"no first-parent ancestor");
	assert_ok(repo_create(bare, &to, &e), &e);
	assert_ok(pack_ingest(to, pack, &e), &e);
	assert_ok(pack_ingest(to, thin, &e), &e);
	assert_true(repo_has(to, tip));
	assert_ok(repo_commit_tree(to, tip, tree, &e), &e);
	git(bare, NULL, &out, "ls-tree", "-r", "--name-only", tree);
	assert_string_equal(out.buf, "a\nd/b\nd/e/c");
	/* a pack that git made thin is completed from what is there */
	CLEANUP(sbuf_release) struct sbuf big = SBUF_INIT;

	for (int i = 0; i < 2000; i++)
		sbuf_addf(&big, "line %d of a file that deltas well\n", i * 7919 % 2000);
	git_file(dir, "a", big.buf);
	base = git_commit_all(a, dir);
	sbuf_adds(&big, "one line more\n");
	git_file(dir, "a", big.buf);
	tip = git_commit_all(a, dir);
	git_pack_thin(dir, base, tip, thin);
	assert_err(pack_ingest(to, thin, &e), ERR_INVALID, &e, "damaged");
	assert_ok(pack_base(from, base, pack, NULL, &e), &e);
	assert_ok(pack_ingest(to, pack, &e), &e);
	assert_ok(pack_ingest(to, thin, &e), &e);
	sbuf_reset(&out);
	assert_ok(repo_read_file(to, tip, "a", 1 << 20, &out, NULL, &e), &e);
	assert_string_equal(out.buf, big.buf);
	assert_err(repo_read_file(to, tip, "a", 10, &out, NULL, &e), ERR_TOO_BIG, &e,
		"limit");
	assert_err(repo_read_file(to, tip, "d", 10, &out, NULL, &e), ERR_INVALID, &e,
		"no file");
	assert_err(repo_read_file(to, tip, "n", 10, &out, NULL, &e), ERR_NOT_FOUND, &e,
		"find");
}

/* Of the versions of one file a runner gets one whole, and what the others have not. */
static void thin_has_differences(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *from = NULL, *to = NULL;
	CLEANUP(sbuf_release) struct sbuf big = SBUF_INIT, out = SBUF_INIT;
	const char *dir = in(a, state, "repo"), *bare = in(a, state, "runner.git");
	const char *pack = in(a, state, "base.pack"), *thin = in(a, state, "thin.pack");
	const char *base, *tip = NULL;
	struct stat one, all;
	struct err e;

	git(*state, NULL, NULL, "init", "-q", "-b", "master", "repo");
	git_file(dir, "a", "1\n");
	base = git_commit_all(a, dir);
	assert_ok(repo_open(dir, &from, &e), &e);
	for (int i = 0; i < 3000; i++)
		sbuf_addf(&big, "line %d of a file\n", i * 7919 % 3001);
	for (int i = 0; i < 60; i++) { /* more than a chain is long */
		sbuf_addf(&big, "version %d\n", i);
		git_file(dir, "a", big.buf);
		tip = git_commit_all(a, dir);
		if (!i)
			assert_ok(pack_thin(from, base, tip, thin, NULL, &e), &e);
		if (!i)
			assert_int_equal(stat(thin, &one), 0);
	}
	assert_ok(pack_base(from, base, pack, NULL, &e), &e);
	assert_ok(pack_thin(from, base, tip, thin, NULL, &e), &e);
	assert_int_equal(stat(thin, &all), 0);
	assert_in_range(all.st_size, one.st_size, 4 * one.st_size); /* not 60 */
	assert_ok(repo_create(bare, &to, &e), &e);
	assert_ok(pack_ingest(to, pack, &e), &e);
	assert_ok(pack_ingest(to, thin, &e), &e);
	git(bare, NULL, NULL, "update-ref", "refs/heads/tip", tip);
	assert_ok(repo_read_file(to, tip, "a", 1 << 20, &out, NULL, &e), &e);
	assert_string_equal(out.buf, big.buf);
	git(bare, NULL, NULL, "rev-list", "--objects", arena_printf(a, "%s..tip", base));
}

static void read_back(struct arena *a, const char *path, const char *want)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct err e;

	assert_ok(file_read(path, 1 << 20, &s, &e), &e);
	assert_string_equal(s.buf, want);
	(void)a;
}

static struct timespec mtime(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mtim;
}

/* Only what differs is touched; foreign files stay; nothing outside is written. */
static void checkout_touches_what_differs(void **state)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	const char *dir = in(a, state, "repo"), *work = in(a, state, "work");
	const char *outside = in(a, state, "outside"), *one, *two;
	struct checkout_stats stats;
	struct timespec old = {.tv_sec = 1000000000}, times[2] = {old, old};
	struct err e;
	char path[600];

	assert_ok(file_mkdir_p(in(a, state, "repo/d/e"), 0755, &e), &e);
	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	git_file(dir, "kept", "1\n");
	git_file(dir, "edited", "1\n");
	git_file(dir, "d/removed", "1\n");
	git_file(dir, "d/e/gone", "1\n");
	git_file(dir, "becomes", "1\n");
	one = git_commit_all(a, dir);
	git(dir, NULL, NULL, "rm", "-q", "-r", "d", "becomes");
	assert_ok(file_mkdir_p(in(a, state, "repo/becomes"), 0755, &e), &e);
	git_file(dir, "becomes/folder", "2\n");
	git_file(dir, "edited", "2\n");
	git_file(dir, "added", "2\n");
	snprintf(path, sizeof(path), "%s/tool", dir);
	git_file(dir, "tool", "2\n");
	assert_int_equal(chmod(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/sym", dir);
	assert_int_equal(symlink("kept", path), 0);
	two = git_commit_all(a, dir);

	assert_ok(repo_open(dir, &repo, &e), &e);
	assert_ok(checkout_move(repo, NULL, one, work, &stats, &e), &e);
	assert_int_equal(stats.n_written, 5);
	git_file(work, "kept.o", "built\n");
	git_file(work, "d/removed.o", "built\n");
	const char *const touched[] = {"kept", "edited", "kept.o"};

	for (size_t i = 0; i < ARRAY_LEN(touched); i++) {
		snprintf(path, sizeof(path), "%s/%s", work, touched[i]);
		assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	}
	assert_ok(checkout_move(repo, one, two, work, &stats, &e), &e);
	assert_int_equal(stats.n_written, 5); /* becomes/folder edited added tool sym */
	assert_int_equal(stats.n_removed, 2); /* d/removed d/e/gone */
	assert_int_equal(stats.n_kept, 1);
	assert_int_equal(mtime(in(a, state, "work/kept")).tv_sec, old.tv_sec);
	assert_int_equal(mtime(in(a, state, "work/kept.o")).tv_sec, old.tv_sec);
	assert_true(mtime(in(a, state, "work/edited")).tv_sec > old.tv_sec);
	read_back(a, in(a, state, "work/edited"), "2\n");
	read_back(a, in(a, state, "work/becomes/folder"), "2\n");
	read_back(a, in(a, state, "work/d/removed.o"), "built\n");
	assert_int_equal(access(in(a, state, "work/d/e"), F_OK), -1);
	assert_int_equal(access(in(a, state, "work/d/removed"), F_OK), -1);
	assert_int_equal(access(in(a, state, "work/tool"), X_OK), 0);
	char target[10] = "";

	assert_int_equal(readlink(in(a, state, "work/sym"), target, 9), 4);
	assert_string_equal(target, "kept");
	/* a link where a folder goes is replaced, never followed */
	assert_ok(file_mkdir_p(outside, 0755, &e), &e);
	assert_ok(file_rm_rf(in(a, state, "work/becomes"), &e), &e);
	assert_int_equal(symlink(outside, in(a, state, "work/becomes")), 0);
	assert_int_equal(unlink(in(a, state, "work/edited")), 0);
	assert_int_equal(
		symlink(in(a, state, "outside/edited"), in(a, state, "work/edited")), 0);
	assert_ok(checkout_move(repo, NULL, two, work, NULL, &e), &e);
	assert_int_equal(access(in(a, state, "outside/folder"), F_OK), -1);
	assert_int_equal(access(in(a, state, "outside/edited"), F_OK), -1);
	read_back(a, in(a, state, "work/becomes/folder"), "2\n");
	/* and back; d keeps the foreign file */
	assert_ok(checkout_move(repo, two, one, work, &stats, &e), &e);
	read_back(a, in(a, state, "work/becomes"), "1\n");
	read_back(a, in(a, state, "work/d/e/gone"), "1\n");
	assert_err(checkout_move(repo, NULL, "0123456789012345678901234567890123456789",
			   work, NULL, &e),
		ERR_NOT_FOUND, &e, "no tree");
	/* a folder with foreign files does not give way to a file */
	assert_ok(checkout_move(repo, one, two, work, NULL, &e), &e);
	git_file(work, "becomes/foreign", "x\n");
	assert_err(checkout_move(repo, two, one, work, NULL, &e), ERR_CONFLICT, &e,
		"becomes");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(import_is_what_git_makes),
		unit_folder_test(import_refuses),
		unit_folder_test(damaged_packs),
		unit_folder_test(base_and_thin),
		unit_folder_test(thin_has_differences),
		unit_folder_test(checkout_touches_what_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
