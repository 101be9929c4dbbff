/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache.c - see cache.h: folders, packs, source trees. Build folders: cache_build.c. */
#include "runners/cache.h"
#include "base/base.h"

#include "base/file.h"
#include "base/sha256.h"
#include "patch/checkout.h"
#include "patch/pack.h"
#include <git2.h>
#include <unistd.h>

int cache_init(const struct cache *c, struct err *e)
{
	static const char *const names[] = {"packs", "src", "build", "kernels", "jobs"};
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct git_repository *repo = NULL;
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_LEN(names); i++)
		r = file_mkdir_p(arena_printf(a, "%s/%s", c->dir, names[i]), 0755, e);
	if (!r)
		r = repo_create(arena_printf(a, "%s/objects.git", c->dir), &repo, e);
	repo_close(repo);
	return r;
}

int cache_check_name(const char *what, const char *name, struct err *e)
{
	size_t n = strlen(name);

	if (!n || n > CACHE_NAME_MAX || name[0] == '.' ||
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			     "0123456789._+-") != n)
		return err_set(
			e, ERR_INVALID, "\"%.40s\" is no name of a %s", name, what);
	return 0;
}

bool cache_has_pack(const struct cache *c, const char *sha)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();

	return sha256_is_hex(sha) &&
	       !access(arena_printf(a, "%s/packs/%s", c->dir, sha), F_OK);
}

int cache_add_pack(
	const struct cache *c, const char *sha, const char *file, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	int r = repo_open(arena_printf(a, "%s/objects.git", c->dir), &repo, e);

	if (!r)
		r = pack_ingest(repo, file, e);
	if (!r)
		r = file_write_atomic(
			arena_printf(a, "%s/packs/%s", c->dir, sha), "", 0, 0644, e);
	if (!r)
		unlink(file);
	return r;
}

/* "<at> <moving to>\n", "-" where there is none. */
static int at_write(const char *path, const char *at, const char *to, struct err *e)
{
	char text[2 * REPO_HEX + 4];
	int n = snprintf(text, sizeof(text), "%s %s\n", *at ? at : "-", *to ? to : "-");

	return file_write_atomic(path, text, (size_t)n, 0644, e);
}

static bool is_tree_hex(const char *s)
{
	return strlen(s) == REPO_HEX - 1 && strspn(s, "0123456789abcdef") == REPO_HEX - 1;
}

static void at_read(const char *path, char at[REPO_HEX], char to[REPO_HEX])
{
	CLEANUP(sbuf_release) struct sbuf buf = SBUF_INIT;
	struct err e;

	at[0] = to[0] = '\0';
	if (file_read(path, 4096, &buf, &e))
		return;
	if (sscanf(buf.buf, "%40s %40s", at, to) != 2 || !is_tree_hex(at))
		at[0] = '\0';
	if (!is_tree_hex(to))
		to[0] = '\0';
}

int cache_source(struct arena *a, const struct cache *c, const char *tree_name,
	const char *tree_hex, const char **ret_path, int *ret_lock, struct err *e)
{
	const char *dir = arena_printf(a, "%s/src/%s", c->dir, tree_name);
	const char *files = arena_printf(a, "%s/files", dir);
	const char *state = arena_printf(a, "%s/at", dir);
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	CLEANUP(base_closep) int lock = -1;
	char at[REPO_HEX], to[REPO_HEX];
	int r = cache_check_name("tree", tree_name, e);

	if (!r && !is_tree_hex(tree_hex))
		r = err_set(e, ERR_INVALID, "\"%.40s\" is no git tree", tree_hex);
	if (!r)
		r = file_mkdir_p(dir, 0755, e);
	if (!r)
		r = file_lock(arena_printf(a, "%s/lock", dir), &lock, e);
	if (!r)
		r = repo_open(arena_printf(a, "%s/objects.git", c->dir), &repo, e);
	if (r)
		return r;
	at_read(state, at, to);
	/* An interrupted move is finished first: only then is it known what is there. */
	if (to[0]) {
		r = checkout_move(repo, at[0] ? at : NULL, to, files, NULL, e);
		if (r)
			return r;
		memcpy(at, to, REPO_HEX);
	}
	if (strcmp(at, tree_hex)) {
		r = at_write(state, at, tree_hex, e);
		if (!r)
			r = checkout_move(
				repo, at[0] ? at : NULL, tree_hex, files, NULL, e);
	}
	if (!r)
		r = at_write(state, tree_hex, "", e);
	if (r)
		return r;
	*ret_path = files;
	*ret_lock = lock;
	lock = -1;
	return 0;
}

/* ---- differences ---- */

struct changed {
	struct arena *a;
	const char **v;
	size_t n, cap;
};

static int on_delta(const git_diff_delta *d, float progress, void *arg)
{
	struct changed *c = arg;

	(void)progress;
	if (c->n >= CACHE_CHANGED_MAX)
		return -1;
	if (d->old_file.path)
		*ARENA_PUSH(c->a, c->v, c->n, c->cap) =
			arena_strdup(c->a, d->old_file.path);
	if (d->new_file.path &&
		(!d->old_file.path || strcmp(d->old_file.path, d->new_file.path)))
		*ARENA_PUSH(c->a, c->v, c->n, c->cap) =
			arena_strdup(c->a, d->new_file.path);
	return 0;
}

static int tree_get(git_repository *repo, const char *hex, git_tree **ret, struct err *e)
{
	git_oid oid;
	int g = git_oid_fromstr(&oid, hex);

	if (!g)
		g = git_tree_lookup(ret, repo, &oid);
	return g ? repo_err(e, g, "tree %.40s", hex) : 0;
}

int cache_changed(struct arena *a, const struct cache *c, const char *from_hex,
	const char *to_hex, const char ***ret, size_t *ret_n, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *repo = NULL;
	struct changed list = {.a = a};
	git_tree *from = NULL, *to = NULL;
	git_diff *diff = NULL;
	int r = repo_open(arena_printf(a, "%s/objects.git", c->dir), &repo, e);
	int g;

	if (!r)
		r = tree_get(repo, from_hex, &from, e);
	if (!r)
		r = tree_get(repo, to_hex, &to, e);
	if (!r) {
		g = git_diff_tree_to_tree(&diff, repo, from, to, NULL);
		if (!g)
			g = git_diff_foreach(diff, on_delta, NULL, NULL, NULL, &list);
		if (g)
			r = repo_err(e, g, "diff of two trees");
	}
	git_diff_free(diff);
	git_tree_free(from);
	git_tree_free(to);
	*ret = list.v;
	*ret_n = list.n;
	return r;
}

static bool ends(const char *s, const char *with)
{
	size_t n = strlen(s), k = strlen(with);

	return n >= k && !strcmp(s + n - k, with);
}

/* Only C, headers and assembler of these folders; the rest of a kernel tree holds
 * programs that the build compiles for, and runs on, the building machine. */
static bool only_compiled(const char *path)
{
	static const char *const dirs[] = {"kernel/", "mm/", "include/", "fs/", "ipc/",
		"init/", "block/", "net/", "io_uring/", "drivers/cpuidle/",
		"drivers/cpufreq/", "drivers/base/", "drivers/powercap/",
		"drivers/thermal/"};
	const char *base = strrchr(path, '/');

	if (!ends(path, ".c") && !ends(path, ".h") && !ends(path, ".S"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (!strncmp(path, dirs[i], strlen(dirs[i])))
			return true;
	if (strncmp(path, "arch/", 5) || !base)
		return false;
	path = strchr(path + 5, '/');
	return path && (!strncmp(path, "/kernel/", 8) || !strncmp(path, "/mm/", 4) ||
			       !strncmp(path, "/include/", 9));
}

bool cache_runs_code(const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!only_compiled(paths[i]) && strncmp(paths[i], "Documentation/", 14) &&
			strcmp(paths[i], "MAINTAINERS") && strcmp(paths[i], "CREDITS"))
			return true;
	return false;
}

bool cache_touches_config(const char *const *paths, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *base = strrchr(paths[i], '/');

		base = base ? base + 1 : paths[i];
		if (!strncmp(base, "Kconfig", 7) || !strncmp(base, "Makefile", 8) ||
			!strncmp(paths[i], "scripts/", 8))
			return true;
	}
	return false;
}
