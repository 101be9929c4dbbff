/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cache_build.c - build folders of the runner's cache: what they remember, and disk. */
#include "base/base.h"
#include "runners/cache.h"

#include "base/file.h"
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static int state_read(
	struct arena *a, const char *path, struct cache_build *b, struct err *e)
{
	json_auto_t *j = NULL;
	json_t *warned, *tree, *item;
	size_t i;
	int v, r = jx_load_file(path, CACHE_STATE_MAX, &j, e);

	if (!r)
		r = jx_unpack(j, e, "state of a build", "{s:i, s:o, s:i, s:i, s:o !}",
			"v", &v, "tree", &tree, "steps_full", &b->n_steps_full,
			"steps_last", &b->n_steps_last, "warned", &warned);
	if (r)
		return r;
	b->tree = arena_strdup(a, json_string_value(tree));
	json_array_foreach(warned, i, item)
	{
		struct cache_warned *w = &b->warned[i];
		const char *name;
		json_t *list;

		if (i == CACHE_WARNED_MAX)
			break;
		r = jx_unpack(item, e, "warnings", "{s:s, s:o !}", "tree", &name, "list",
			&list);
		if (!r)
			r = buildlog_issues_from_json(a, list, &w->v, &w->n, e);
		if (r)
			return r;
		w->tree = arena_strdup(a, name);
	}
	return 0;
}

int cache_build_open(struct arena *a, const struct cache *c, const char *tree_name,
	const char *arch, const char *config, struct cache_build *ret, struct err *e)
{
	struct cache_build b = {0};
	const char *path;
	int r = cache_check_name("tree", tree_name, e);

	if (!r)
		r = cache_check_name("config", config, e);
	if (r)
		return r;
	b.dir = arena_printf(a, "%s/build/%s.%s.%s", c->dir, tree_name, arch, config);
	b.out = arena_printf(a, "%s/out", b.dir);
	path = arena_printf(a, "%s/state.json", b.dir);
	r = file_mkdir_p(b.dir, 0755, e);
	if (!r && !access(path, F_OK) && state_read(a, path, &b, e)) {
		/* Whatever it was, it is not trusted: build from nothing. */
		b = (struct cache_build){.dir = b.dir, .out = b.out};
		r = file_rm_rf(b.out, e);
	}
	*ret = b;
	return r;
}

int cache_build_save(const struct cache_build *b, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	CLEANUP(base_freep) char *text = NULL;
	json_auto_t *j = NULL;
	json_t *warned = json_array();

	for (size_t i = 0; i < CACHE_WARNED_MAX && b->warned[i].tree; i++)
		json_array_append_new(warned,
			jx_pack("{s:s, s:o}", "tree", b->warned[i].tree, "list",
				buildlog_issues_json(b->warned[i].v, b->warned[i].n)));
	j = jx_pack("{s:i, s:o, s:i, s:i, s:o}", "v", 1, "tree", jx_str_or_null(b->tree),
		"steps_full", b->n_steps_full, "steps_last", b->n_steps_last, "warned",
		warned);
	text = jx_dump(j);
	return file_write_atomic(
		arena_printf(a, "%s/state.json", b->dir), text, strlen(text), 0644, e);
}

void cache_build_warn(struct arena *a, struct cache_build *b, const char *tree,
	const struct build_issue *v, size_t n)
{
	struct cache_warned w = {.tree = arena_strdup(a, tree)};
	struct build_log now = {.warnings = (struct build_issue *)v, .n_warnings = n};
	struct build_issue *add;
	size_t at = CACHE_WARNED_MAX - 1, n_add;

	for (size_t i = 0; i < CACHE_WARNED_MAX; i++)
		if (b->warned[i].tree && !strcmp(b->warned[i].tree, tree))
			at = i;
	if (b->warned[at].tree && !strcmp(b->warned[at].tree, tree))
		w = b->warned[at];
	buildlog_new_warnings(a, &now, w.v, w.n, &add, &n_add);
	if (w.n + n_add > BUILDLOG_WARNINGS_MAX)
		n_add = BUILDLOG_WARNINGS_MAX - w.n;
	w.v = arena_realloc(a, w.v, w.n * sizeof(*w.v), (w.n + n_add + 1) * sizeof(*w.v));
	if (n_add)
		memcpy(w.v + w.n, add, n_add * sizeof(*add));
	w.n += n_add;
	memmove(&b->warned[1], &b->warned[0], at * sizeof(b->warned[0]));
	b->warned[0] = w;
}

/* ---- disk ---- */

static int64_t sum_bytes; /* of the walk that runs; a process walks one at a time */

static int sum_add(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)path;
	(void)type;
	(void)f;
	sum_bytes += (int64_t)st->st_blocks * 512;
	return 0;
}

int64_t cache_dir_bytes(const char *dir)
{
	sum_bytes = 0;
	return nftw(dir, sum_add, 32, FTW_PHYS) ? 0 : sum_bytes;
}

struct entry {
	const char *path;
	int64_t used_s, bytes;
};

static int by_use(const void *x, const void *y)
{
	const struct entry *p = x, *q = y;

	return p->used_s < q->used_s ? -1 : p->used_s > q->used_s;
}

int cache_trim(struct arena *a, const struct cache *c, int64_t limit_bytes,
	const char *keep_dir, struct err *e)
{
	const char *root = arena_printf(a, "%s/build", c->dir);
	struct entry *v = NULL;
	size_t n = 0, cap = 0;
	int64_t total = 0;
	struct dirent *de;
	DIR *d = opendir(root);
	int r = 0;

	if (!d)
		return err_set(e, ERR_INTERNAL, "%s: %s", root, strerror(errno));
	while ((de = readdir(d))) {
		struct entry *x;
		struct stat st;

		if (de->d_name[0] == '.')
			continue;
		x = ARENA_PUSH(a, v, n, cap);
		x->path = arena_printf(a, "%s/%s", root, de->d_name);
		x->bytes = cache_dir_bytes(x->path);
		if (!stat(arena_printf(a, "%s/state.json", x->path), &st))
			x->used_s = st.st_mtime;
		total += x->bytes;
	}
	closedir(d);
	qsort(v, n, sizeof(*v), by_use);
	for (size_t i = 0; !r && i < n && total > limit_bytes; i++) {
		if (!strcmp(v[i].path, keep_dir))
			continue;
		r = file_rm_rf(v[i].path, e);
		total -= v[i].bytes;
	}
	return r;
}
