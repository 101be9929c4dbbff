// SPDX-License-Identifier: GPL-2.0-or-later
/* What reaches the disk, and in which shape; git is the judge of all that does. */
#include "base/base.h"

#include "base/rng.h"
#include "patch/binary.h"
#include "patch/delta.h"
#include "tests/unit/patch/git.h"

#define LINES   300
#define PATCHES 120 /* more than a chain of deltas may be long */

/* Line 5, and 1 in folder files, is in its i-th version. */
static const char *lines(struct arena *a, const char *name, int version)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	for (int i = 1; i <= LINES; i++) {
		if (i == 5)
			sbuf_addf(&s, "version %d\n", version);
		else
			sbuf_addf(&s, "%s: line %d of many\n", name, i);
	}
	return arena_strdup(a, s.buf);
}

static const char *step(
	struct arena *a, const char *path, const char *name, int from, int to)
{
	return arena_printf(a,
		"diff --git a/%s b/%s\n--- a/%s\n+++ b/%s\n@@ -2,7 +2,7 @@\n"
		" %s: line 2 of many\n %s: line 3 of many\n %s: line 4 of many\n"
		"-version %d\n+version %d\n"
		" %s: line 6 of many\n %s: line 7 of many\n %s: line 8 of many\n",
		path, path, path, path, name, name, name, from, to, name, name, name);
}

static const char *make_base(struct arena *a, const char *dir)
{
	struct err e;

	git(dir, NULL, NULL, "init", "-q", "-b", "master", ".");
	assert_ok(file_mkdir_p(arena_printf(a, "%s/k/s", dir), 0755, &e), &e);
	git_file(dir, "k/s/f", lines(a, "f", 0));
	git_file(dir, "k/a.c", "a\n");
	git_file(dir, "k/a", "a\n");
	git_file(dir, "z", "z\n");
	return git_commit_all(a, dir);
}

static struct apply_patch patch_of(const char *diff)
{
	return (struct apply_patch){.author_name = "A U Thor",
		.author_email = "author@example.org",
		.time_s = 1700000100,
		.message = "title\n",
		.patch = diff,
		.patch_len = strlen(diff)};
}

/* Figures of git count-objects. */
static long count_of(const char *dir, const char *what)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	const char *at;

	git(dir, NULL, &out, "count-objects", "-v");
	at = strstr(out.buf, what);
	assert_non_null(at);
	return strtol(at + strlen(what), NULL, 10);
}

static const char *show(struct arena *a, const char *dir, const char *what)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	git(dir, NULL, &out, "show", what);
	return arena_printf(a, "%s\n", out.buf);
}

static int version_after(int i)
{
	return i % 10 == 9 ? 7 : i + 1; /* some undo others */
}

/* libgit2 reads the same, from the disk. */
static void check_read(const char *dir, const char *commit, const char *want)
{
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct err e;

	assert_ok(repo_open(dir, &repo, &e), &e);
	assert_ok(repo_read_file(repo, commit, "k/s/f", 1 << 20, &text, NULL, &e), &e);
	assert_string_equal(text.buf, want);
}

/* A long series of versions of one file is one pack of deltas, short enough ones. */
static void versions_in_one_pack(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	struct apply_patch *patches = ARENA_ARRAY(a, struct apply_patch, PATCHES);
	struct apply_outcome *o;
	struct err e;
	int now = 0;

	make_base(a, dir);
	long n_before = count_of(dir, "count: ");

	for (int i = 0; i < PATCHES; i++) {
		patches[i] = patch_of(step(a, "k/s/f", "f", now, version_after(i)));
		now = version_after(i);
	}
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = "master"},
		.patches = patches,
		.n_patches = PATCHES,
		.branch = "series"};

	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(count_of(dir, "packs: "), 1);
	assert_int_equal(count_of(dir, "garbage: "), 0);
	assert_int_equal(count_of(dir, "count: "), n_before);
	git(dir, NULL, &out, "fsck", "--full", "--strict", "--no-dangling");
	for (int i = 0; i < PATCHES; i++) {
		const char *want = lines(a, "f", version_after(i));

		assert_string_equal(
			show(a, dir, arena_printf(a, "%s:k/s/f", o->commits[i])), want);
		check_read(dir, o->commits[i], want);
	}
	git(dir, NULL, NULL, "repack", "-adq");
	git(dir, NULL, &out, "fsck", "--full", "--strict");
	/* the same again stores nothing */
	long packed = count_of(dir, "in-pack: ");

	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(count_of(dir, "in-pack: "), packed);
	assert_int_equal(count_of(dir, "count: "), 0);
}

static void chains_are_short(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	struct apply_patch *patches = ARENA_ARRAY(a, struct apply_patch, PATCHES);
	struct apply_outcome *o;
	struct err e;
	unsigned n_whole = 0, n_deltas = 0;

	make_base(a, dir);
	for (int i = 0; i < PATCHES; i++)
		patches[i] = patch_of(step(a, "k/s/f", "f", i, i + 1));
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = "master"},
		.patches = patches,
		.n_patches = PATCHES};

	assert_ok(apply_run(&req, a, &o, &e), &e);
	git(dir, NULL, &out, "rev-list", "--objects", o->commits[PATCHES - 1]);

	for (const char *p = out.buf; p; p = strchr(p, '\n'), p = p ? p + 1 : NULL) {
		CLEANUP(sbuf_release) struct sbuf disk = SBUF_INIT;

		if (!strstr(p, " k/s/f") || strcspn(p, "\n") != 40 + strlen(" k/s/f"))
			continue;
		git(dir, arena_printf(a, "%.40s\n", p), &disk, "cat-file",
			"--batch-check=%(deltabase)");
		n_whole += !strcmp(disk.buf, "0000000000000000000000000000000000000000");
		n_deltas +=
			strcmp(disk.buf, "0000000000000000000000000000000000000000") != 0;
	}
	/* the base's, the last one, and one after each chain */
	assert_int_equal(n_whole, 1 + (PATCHES + 50) / 51);
	assert_int_equal(n_whole + n_deltas, PATCHES + 1);
}

/* The last tree only: what led to it is nowhere, what it needs is. */
static void only_the_tree(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct apply_patch patches[3];
	struct apply_outcome *o, *all;
	struct err e;

	make_base(a, dir);
	for (int i = 0; i < 3; i++)
		patches[i] = patch_of(step(a, "k/s/f", "f", i, i + 1));
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = "master"},
		.patches = patches,
		.n_patches = 3,
		.keep = APPLY_KEEP_TREE};
	long before = count_of(dir, "count: ");

	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(count_of(dir, "count: "), before + 4); /* /, k, k/s, k/s/f */
	assert_string_equal(
		show(a, dir, arena_printf(a, "%s:k/s/f", o->tree)), lines(a, "f", 3));
	git(dir, NULL, NULL, "fsck", "--full", "--strict", "--no-dangling");
	assert_int_not_equal(
		git_status(dir, NULL, NULL, "cat-file", "-e", o->commits[2]), 0);
	req.keep = APPLY_KEEP_ALL;
	assert_ok(apply_run(&req, a, &all, &e), &e);
	assert_string_equal(all->commits[2], o->commits[2]);
	assert_string_equal(all->tree, o->tree);
	git(dir, NULL, NULL, "cat-file", "-e", o->commits[2]);
	git(dir, NULL, NULL, "fsck", "--full", "--strict", "--no-dangling",
		o->commits[2]);
}

/* Of tries that fail nothing is left; and what the one that succeeds makes once more,
 * which libgit2 still knows from the try before, is stored. */
static void failed_tries_leave_nothing(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *old = make_base(a, dir), *fits;
	struct apply_patch patches[2];
	struct apply_outcome *o;
	struct err e;
	long before;

	git_file(dir, "z", "z2\n");
	fits = git_commit_all(a, dir);
	patches[0] = patch_of(step(a, "k/s/f", "f", 0, 1));
	patches[1] = patch_of(arena_printf(a,
		"%sdiff --git a/z b/z\n--- a/z\n+++ b/z\n@@ -1 +1 @@\n-z2\n+z3\n",
		step(a, "k/s/f", "f", 1, 2)));
	struct apply_request req = {.repo = dir,
		.base = {.explicit_rev = old},
		.patches = patches,
		.n_patches = 2};

	before = count_of(dir, "count: ");
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_CONFLICT);
	assert_int_equal(o->patches[0].result, PATCH_EXACT);
	assert_int_equal(count_of(dir, "count: "), before);
	req.base = (struct base_want){.base_commit = old, .previous = fits};
	assert_ok(apply_run(&req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	assert_int_equal(o->n_attempts, 2);
	assert_string_equal(o->base_commit, fits);
	/* each patch: its commit, three folders and f; the second also z */
	assert_int_equal(count_of(dir, "count: "), before + 11);
	git(dir, NULL, NULL, "fsck", "--full", "--strict", "--no-dangling",
		o->commits[1]);
	git(dir, NULL, NULL, "fsck", "--full", "--strict", "--no-dangling",
		o->commits[0]);
}

/* A file becomes a folder and the other way round, beside names that sort around them. */
static void kinds_change_as_in_git(void **state)
{
	const char *dir = *state;
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	struct apply_outcome *o;
	struct git_request r;
	struct err e;
	const char *base = make_base(a, dir);

	git_request_init(&r, dir, base,
		"diff --git a/k/a b/k/a\ndeleted file mode 100644\n--- a/k/a\n"
		"+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
		"diff --git a/k/a/b b/k/a/b\nnew file mode 100755\n--- /dev/null\n"
		"+++ b/k/a/b\n@@ -0,0 +1 @@\n+b\n"
		"diff --git a/k/a-b b/k/a-b\nnew file mode 100644\n--- /dev/null\n"
		"+++ b/k/a-b\n@@ -0,0 +1 @@\n+c\n"
		"diff --git a/z b/z\ndeleted file mode 100644\n--- a/z\n+++ /dev/null\n"
		"@@ -1 +0,0 @@\n-z\n");
	assert_ok(apply_run(&r.req, a, &o, &e), &e);
	assert_int_equal(o->result, APPLY_APPLIED);
	git(dir, NULL, NULL, "fsck", "--full", "--strict", "--no-dangling",
		o->commits[0]);
	git(dir, NULL, &out, "ls-tree", "-r", "--name-only", o->tree);
	assert_string_equal(out.buf, "k/a-b\nk/a.c\nk/a/b\nk/s/f");
	git(dir, r.patch.patch, NULL, "apply", "--cached");
	git(dir, NULL, &out, "write-tree");
	assert_string_equal(out.buf, o->tree);
}

/* --- deltas --- */

/* Takes parts away, puts some in, moves some. */
static void change(struct rng *r, struct sbuf *s)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	size_t at = 0;

	while (at < s->len) {
		size_t n = rng_below(r, 400), from;

		n = n < s->len - at ? n : s->len - at;
		switch (rng_below(r, 8)) {
		case 0:
			break;
		case 1:
			for (size_t i = rng_below(r, 300); i; i--)
				sbuf_addc(&out, (char)rng_below(r, 256));
			break;
		case 2:
			from = rng_below(r, s->len);
			sbuf_add(&out, s->buf + from,
				n < s->len - from ? n : s->len - from);
			break;
		default:
			sbuf_add(&out, s->buf + at, n);
		}
		at += n ? n : 1;
	}
	sbuf_reset(s);
	sbuf_add(s, out.buf, out.len);
}

static void check_delta(struct arena *a, const struct sbuf *x, const struct sbuf *y)
{
	CLEANUP(sbuf_release) struct sbuf delta = SBUF_INIT;
	struct err e;
	char *back;
	size_t len;

	delta_make(x->buf, x->len, y->buf, y->len, &delta);
	assert_ok(binary_delta((const unsigned char *)delta.buf, delta.len, x->buf,
			  x->len, y->len + 1, a, &back, &len, &e),
		&e);
	assert_int_equal(len, y->len);
	assert_memory_equal(back, y->buf, len);
	/* at worst all is new: one byte more for each 127 */
	assert_true(delta.len <= y->len + y->len / 64 + 32);
}

static void deltas_lead_back(void **state)
{
	struct rng r;

	(void)state;
	rng_seed(&r, 11);
	for (int i = 0; i < 300; i++) {
		CLEANUP(arena_freep) struct arena *a = arena_new();
		CLEANUP(sbuf_release) struct sbuf x = SBUF_INIT, y = SBUF_INIT;
		unsigned letters = rng_below(&r, 2) ? 2 : 256; /* alike, or not at all */

		for (size_t n = rng_below(&r, i % 10 ? 3000 : 200000); n; n--)
			sbuf_addc(&x, (char)rng_below(&r, letters));
		sbuf_add(&y, x.buf, x.len);
		check_delta(a, &x, &y);
		change(&r, &y);
		check_delta(a, &x, &y);
		check_delta(a, &y, &x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		unit_folder_test(versions_in_one_pack),
		unit_folder_test(chains_are_short),
		unit_folder_test(only_the_tree),
		unit_folder_test(failed_tries_leave_nothing),
		unit_folder_test(kinds_change_as_in_git),
		cmocka_unit_test(deltas_lead_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
