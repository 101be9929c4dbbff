/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cache.c - packs, source folders moved by content, and what build folders keep. */
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/sha256.h"
#include "patch/pack.h"
#include "runners/cache.h"
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
/* after the above */
#include <cmocka.h>

struct box {
	struct arena *a;
	char dir[64];
	struct cache cache;
};

static int setup(void **state)
{
	struct box *b = base_zalloc(sizeof(*b));
	struct err e;

	b->a = arena_new();
	snprintf(b->dir, sizeof(b->dir), "/tmp/wl-cache-XXXXXX");
	if (!mkdtemp(b->dir))
		return -1;
	b->cache.dir = b->dir;
	*state = b;
	return cache_init(&b->cache, &e);
}

static int teardown(void **state)
{
	struct box *b = *state;
	struct err e;
	int r = file_rm_rf(b->dir, &e);

	arena_free(b->a);
	free(b);
	return r;
}

/* A pack with one commit of a small tree, added to the cache. */
static void add_tree(
	struct box *b, const char *fair, const char *extra, char tree[REPO_HEX])
{
	static const struct tree_import_meta meta = {"A", "a@example.org", 1, "base\n"};
	const char *pack = arena_printf(b->a, "%s/x.pack", b->dir);
	struct tree_import_result res;
	struct tree_import *t = NULL;
	char sha[SHA256_HEX];
	struct err e = {0};

	assert_int_equal(0, tree_import_begin(pack, &t, &e));
	assert_int_equal(0, tree_import_file(t, "Makefile", 0644, "all:\n", 5, &e));
	assert_int_equal(0,
		tree_import_file(t, "kernel/sched/fair.c", 0644, fair, strlen(fair), &e));
	assert_int_equal(0, tree_import_file(t, "scripts/x.sh", 0755, "#!\n", 3, &e));
	if (extra)
		assert_int_equal(0, tree_import_file(t, extra, 0644, "x", 1, &e));
	assert_int_equal(0, tree_import_finish(t, &meta, &res, &e));
	assert_int_equal(0, sha256_file_hex(pack, sha, NULL, &e));
	assert_false(cache_has_pack(&b->cache, sha));
	assert_int_equal(0, cache_add_pack(&b->cache, sha, pack, &e));
	assert_true(cache_has_pack(&b->cache, sha));
	assert_int_not_equal(0, access(pack, F_OK));
	memcpy(tree, res.tree, REPO_HEX);
}

static const char *content(struct box *b, const char *dir, const char *name)
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	struct err e;

	if (file_read(arena_printf(b->a, "%s/%s", dir, name), 4096, &buf, &e))
		return NULL;
	return arena_strndup(b->a, buf.buf, buf.len);
}

static int64_t mtime_ns(struct box *b, const char *dir, const char *name)
{
	struct stat st;

	assert_int_equal(0, stat(arena_printf(b->a, "%s/%s", dir, name), &st));
	return (int64_t)st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec;
}

static void source_moves(void **state)
{
	struct box *b = *state;
	char base[REPO_HEX], patched[REPO_HEX];
	const struct timespec old[2] = {{1000, 0}, {1000, 0}};
	const char *src = NULL;
	struct err e = {0};
	int lock = -1, lock2 = -1;

	add_tree(b, "base\n", NULL, base);
	add_tree(b, "patched\n", "kernel/new.c", patched);
	assert_int_equal(0, cache_source(b->a, &b->cache, "t", base, &src, &lock, &e));
	assert_string_equal("base\n", content(b, src, "kernel/sched/fair.c"));
	/* held: a second job may not move it */
	assert_int_equal(
		ERR_BUSY, cache_source(b->a, &b->cache, "t", patched, &src, &lock2, &e));
	close(lock);
	utimensat(AT_FDCWD, arena_printf(b->a, "%s/Makefile", src), old, 0);
	utimensat(AT_FDCWD, arena_printf(b->a, "%s/kernel/sched/fair.c", src), old, 0);
	assert_int_equal(0, cache_source(b->a, &b->cache, "t", patched, &src, &lock, &e));
	close(lock);
	assert_string_equal("patched\n", content(b, src, "kernel/sched/fair.c"));
	assert_string_equal("x", content(b, src, "kernel/new.c"));
	/* what is the same is not touched, what differs is new */
	assert_int_equal(1000 * NS_PER_S, mtime_ns(b, src, "Makefile"));
	assert_true(mtime_ns(b, src, "kernel/sched/fair.c") > 1000 * NS_PER_S);
	assert_int_equal(0, cache_source(b->a, &b->cache, "t", base, &src, &lock, &e));
	close(lock);
	assert_null(content(b, src, "kernel/new.c"));
	assert_int_equal(1000 * NS_PER_S, mtime_ns(b, src, "Makefile"));
}

/* Killed in the middle of a move: the next call puts it right. */
static void source_interrupted(void **state)
{
	struct box *b = *state;
	char base[REPO_HEX], patched[REPO_HEX], text[128];
	const char *src = NULL, *at;
	struct err e = {0};
	int lock = -1;

	add_tree(b, "base\n", NULL, base);
	add_tree(b, "patched\n", "kernel/new.c", patched);
	assert_int_equal(0, cache_source(b->a, &b->cache, "t", base, &src, &lock, &e));
	close(lock);
	at = arena_printf(b->a, "%s/src/t/at", b->dir);
	snprintf(text, sizeof(text), "%s %s\n", base, patched);
	assert_int_equal(0, file_write_atomic(at, text, strlen(text), 0644, &e));
	assert_int_equal(0, file_write_atomic(arena_printf(b->a, "%s/kernel/new.c", src),
				    "x", 1, 0644, &e));
	assert_int_equal(0, cache_source(b->a, &b->cache, "t", base, &src, &lock, &e));
	close(lock);
	assert_string_equal("base\n", content(b, src, "kernel/sched/fair.c"));
	assert_null(content(b, src, "kernel/new.c"));
}

static void source_refuses(void **state)
{
	struct box *b = *state;
	char base[REPO_HEX];
	const char *src = NULL;
	struct err e = {0};
	int lock = -1;

	add_tree(b, "base\n", NULL, base);
	assert_int_equal(ERR_INVALID,
		cache_source(b->a, &b->cache, "../t", base, &src, &lock, &e));
	assert_int_equal(
		ERR_INVALID, cache_source(b->a, &b->cache, "t", "HEAD", &src, &lock, &e));
	base[0] = base[0] == '0' ? '1' : '0';
	assert_int_equal(
		ERR_NOT_FOUND, cache_source(b->a, &b->cache, "t", base, &src, &lock, &e));
}

static void changed(void **state)
{
	struct box *b = *state;
	char base[REPO_HEX], patched[REPO_HEX];
	const char **v;
	struct err e = {0};
	size_t n;

	add_tree(b, "base\n", NULL, base);
	add_tree(b, "patched\n", "kernel/new.c", patched);
	assert_int_equal(0, cache_changed(b->a, &b->cache, base, patched, &v, &n, &e));
	assert_int_equal(2, n);
	assert_string_equal("kernel/new.c", v[0]);
	assert_string_equal("kernel/sched/fair.c", v[1]);
	assert_int_equal(0, cache_changed(b->a, &b->cache, base, base, &v, &n, &e));
	assert_int_equal(0, n);
}

static void which_paths_run(void **state)
{
	static const char *const harmless[] = {"kernel/sched/fair.c",
		"kernel/sched/sched.h", "include/linux/sched.h",
		"arch/arm64/kernel/smp.c", "arch/x86/include/asm/a.h",
		"arch/x86/kernel/head_64.S", "Documentation/scheduler/x.rst",
		"MAINTAINERS"};
	static const char *const runs[] = {"Makefile", "kernel/sched/Makefile",
		"kernel/sched/Kconfig", "scripts/mod/modpost.c", "tools/objtool/check.c",
		"arch/x86/boot/tools/build.c", "arch/x86/entry/vdso/vdso2c.c",
		"lib/gen_crc32table.c", "kernel/time/timeconst.bc", "usr/gen_init_cpio.c",
		"arch/x86/tools/relocs.c", "kernel/x.sh"};

	(void)state;
	assert_false(cache_runs_code(harmless, ARRAY_LEN(harmless)));
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		assert_true(cache_runs_code(&runs[i], 1));
	assert_false(cache_touches_config(harmless, ARRAY_LEN(harmless)));
	assert_true(cache_touches_config(&runs[2], 1));
	assert_true(cache_touches_config(&runs[1], 1));
	assert_false(cache_runs_code(NULL, 0));
}

static void build_state(void **state)
{
	struct box *b = *state;
	struct build_issue one = {"a.c", 1, "w1"}, two = {NULL, 0, "w2"};
	struct cache_build x, y;
	char tree[8];
	struct err e = {0};

	assert_int_equal(
		0, cache_build_open(b->a, &b->cache, "t", "x86_64", "x86_64", &x, &e));
	assert_null(x.tree);
	x.tree = "abc";
	x.n_steps_full = 7;
	cache_build_warn(b->a, &x, "t1", &one, 1);
	cache_build_warn(b->a, &x, "t1", &two, 1);
	cache_build_warn(b->a, &x, "t1", &one, 1);
	assert_int_equal(2, x.warned[0].n);
	for (int i = 2; i <= CACHE_WARNED_MAX + 1; i++) {
		snprintf(tree, sizeof(tree), "t%d", i);
		cache_build_warn(b->a, &x, tree, &one, 1);
	}
	assert_string_equal("t9", x.warned[0].tree);
	assert_string_equal("t2", x.warned[CACHE_WARNED_MAX - 1].tree); /* t1 is gone */
	assert_int_equal(0, cache_build_save(&x, &e));
	assert_int_equal(
		0, cache_build_open(b->a, &b->cache, "t", "x86_64", "x86_64", &y, &e));
	assert_string_equal("abc", y.tree);
	assert_int_equal(7, y.n_steps_full);
	assert_string_equal("t9", y.warned[0].tree);
	assert_string_equal("w1", y.warned[0].v[0].text);
	/* a damaged state is forgotten with what was built */
	assert_int_equal(0, file_mkdir_p(arena_printf(b->a, "%s/o", y.out), 0755, &e));
	assert_int_equal(0, file_write_atomic(arena_printf(b->a, "%s/state.json", y.dir),
				    "{", 1, 0644, &e));
	assert_int_equal(
		0, cache_build_open(b->a, &b->cache, "t", "x86_64", "x86_64", &y, &e));
	assert_null(y.tree);
	assert_int_not_equal(0, access(y.out, F_OK));
}

static void trim(void **state)
{
	struct box *b = *state;
	static const char *const names[] = {"old", "mid", "new"};
	char *junk = base_zalloc(1 << 20);
	struct cache_build x[3];
	struct err e = {0};

	for (int i = 0; i < 3; i++) {
		const struct timespec t[2] = {{1000 + i, 0}, {1000 + i, 0}};

		assert_int_equal(0, cache_build_open(b->a, &b->cache, names[i], "x86_64",
					    "c", &x[i], &e));
		memset(junk, i + 1, 1 << 20);
		assert_int_equal(
			0, file_write_atomic(arena_printf(b->a, "%s/j", x[i].dir), junk,
				   1 << 20, 0644, &e));
		assert_int_equal(0, cache_build_save(&x[i], &e));
		utimensat(AT_FDCWD, arena_printf(b->a, "%s/state.json", x[i].dir), t, 0);
	}
	free(junk);
	assert_int_equal(0, cache_trim(b->a, &b->cache, 100 << 20, x[2].dir, &e));
	assert_int_equal(0, access(x[0].dir, F_OK));
	/* room for two and a half: the least recently used goes, but never the kept */
	assert_int_equal(0, cache_trim(b->a, &b->cache, 5 << 19, x[0].dir, &e));
	assert_int_equal(0, access(x[0].dir, F_OK));
	assert_int_not_equal(0, access(x[1].dir, F_OK));
	assert_int_equal(0, access(x[2].dir, F_OK));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(source_moves, setup, teardown),
		cmocka_unit_test_setup_teardown(source_interrupted, setup, teardown),
		cmocka_unit_test_setup_teardown(source_refuses, setup, teardown),
		cmocka_unit_test_setup_teardown(changed, setup, teardown),
		cmocka_unit_test(which_paths_run),
		cmocka_unit_test_setup_teardown(build_state, setup, teardown),
		cmocka_unit_test_setup_teardown(trim, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
