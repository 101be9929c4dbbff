// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/arena.h"
#include "base/sbuf.h"
#include "patch/pack.h"
#include "patch/tree_bytes.h"

#include <inttypes.h>
#include <strings.h>

#define ENTRIES_MAX 1000000
#define PATH_MAX_   4096
#define NAME_MAX_   255

struct entry {
	const char *path;
	unsigned mode;
	unsigned char id[20];
};

struct tree_import {
	struct pack_writer *w;
	struct arena *a; /* paths */
	struct entry *v;
	size_t n, cap;
	int64_t n_bytes;
};

int tree_import_begin(const char *pack_path, struct tree_import **ret, struct err *e)
{
	struct pack_writer *w;
	int rc = pack_writer_open(pack_path, &w, e);

	if (rc)
		return rc;
	*ret = base_zalloc(sizeof(**ret));
	(*ret)->w = w;
	(*ret)->a = arena_new();
	return 0;
}

void tree_import_abort(struct tree_import *t)
{
	if (!t)
		return;
	pack_writer_abort(t->w);
	arena_free(t->a);
	free(t->v);
	free(t);
}

static int check_path(const char *path, struct err *e)
{
	const char *p = path;

	if (strlen(path) > PATH_MAX_)
		return err_set(e, ERR_INVALID, "a path has over %d bytes", PATH_MAX_);
	for (;;) {
		size_t n = strcspn(p, "/");

		if (!n || n > NAME_MAX_ || (n == 1 && *p == '.') ||
			(n == 2 && !memcmp(p, "..", 2)) ||
			(n == 4 && !strncasecmp(p, ".git", 4)))
			return err_set(
				e, ERR_INVALID, "path %.200s cannot be in a tree", path);
		if (!p[n])
			return 0;
		p += n + 1;
	}
}

static int add(struct tree_import *t, const char *path, unsigned mode, const void *p,
	size_t len, struct err *e)
{
	struct entry *entry;
	int rc = check_path(path, e);

	if (rc)
		return rc;
	if (t->n == ENTRIES_MAX)
		return err_set(e, ERR_TOO_BIG, "the tree has over %d files", ENTRIES_MAX);
	if (t->n == t->cap) {
		t->cap = t->cap ? t->cap * 2 : 4096;
		t->v = base_realloc(t->v, t->cap * sizeof(*t->v));
	}
	entry = &t->v[t->n];
	rc = pack_writer_add(t->w, PACK_BLOB, p, len, entry->id, e);
	if (rc)
		return rc;
	entry->path = arena_strdup(t->a, path);
	entry->mode = mode;
	t->n++;
	t->n_bytes += (int64_t)len;
	return 0;
}

int tree_import_file(struct tree_import *t, const char *path, unsigned mode,
	const void *p, size_t len, struct err *e)
{
	return add(t, path, mode & 0111 ? 0100755 : 0100644, p, len, e);
}

int tree_import_link(
	struct tree_import *t, const char *path, const char *target, struct err *e)
{
	return add(t, path, 0120000, target, strlen(target), e);
}

/* "/" before all else: what lies below one folder is together */
static int compare_paths(const void *x, const void *y)
{
	const struct entry *ex = x, *ey = y;
	const unsigned char *p = (const unsigned char *)ex->path;
	const unsigned char *q = (const unsigned char *)ey->path;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	if (*p == *q)
		return 0;
	if (!*p || !*q)
		return *p ? 1 : -1;
	if (*p == '/' || *q == '/')
		return *p == '/' ? -1 : 1;
	return *p < *q ? -1 : 1;
}

static int put_folder(struct tree_import *t, struct tree_item *names, size_t n,
	unsigned char id[20], struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	qsort(names, n, sizeof(*names), tree_compare);
	for (size_t i = 0; i < n; i++)
		tree_put(&s, &names[i]);
	return pack_writer_add(t->w, PACK_TREE, s.buf, s.len, id, e);
}

/* Entries v[0..n) lie below one folder whose path, with its slash, has depth bytes. */
static int write_folder(struct tree_import *t, const struct entry *v, size_t n,
	size_t depth, unsigned char id[20], struct err *e)
{
	CLEANUP(base_freep) struct tree_item *names = NULL;
	size_t n_names = 0, cap = 0;
	int rc = 0;

	for (size_t i = 0, end; i < n && !rc; i = end) {
		const char *p = v[i].path + depth;
		size_t len = strcspn(p, "/");
		struct tree_item *name;

		for (end = i + 1;
			end < n && !strncmp(v[end].path + depth, p, len) &&
			(!v[end].path[depth + len] || v[end].path[depth + len] == '/');)
			end++;
		if (n_names == cap) {
			cap = cap ? cap * 2 : 32;
			names = base_realloc(names, cap * sizeof(*names));
		}
		name = &names[n_names++];
		*name = (struct tree_item){.name = p, .len = len, .mode = TREE_FOLDER};
		if (p[len]) {
			rc = write_folder(
				t, v + i, end - i, depth + len + 1, name->id, e);
		} else if (end > i + 1) {
			rc = err_set(e, ERR_CONFLICT,
				"%.200s is there twice, or is file and folder at once",
				v[i].path);
		} else {
			name->mode = v[i].mode;
			memcpy(name->id, v[i].id, 20);
		}
	}
	return rc ? rc : put_folder(t, names, n_names, id, e);
}

static void to_hex(const unsigned char id[20], char hex[REPO_HEX])
{
	for (int i = 0; i < 20; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
}

static int finish(struct tree_import *t, const struct tree_import_meta *meta,
	struct tree_import_result *ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	unsigned char tree[20], commit[20];
	int rc;

	if (!t->n)
		return err_set(e, ERR_INVALID, "the tree holds no files");
	qsort(t->v, t->n, sizeof(*t->v), compare_paths);
	rc = write_folder(t, t->v, t->n, 0, tree, e);
	if (rc)
		return rc;
	*ret = (struct tree_import_result){
		.n_files = (int64_t)t->n, .n_bytes = t->n_bytes};
	to_hex(tree, ret->tree);
	sbuf_addf(&s, "tree %s\n", ret->tree);
	for (int i = 0; i < 2; i++)
		sbuf_addf(&s, "%s %s <%s> %" PRId64 " +0000\n",
			i ? "committer" : "author", meta->author_name, meta->author_email,
			meta->time_s);
	sbuf_addf(&s, "\n%s", meta->message);
	rc = pack_writer_add(t->w, PACK_COMMIT, s.buf, s.len, commit, e);
	if (!rc)
		to_hex(commit, ret->commit);
	return rc;
}

int tree_import_finish(struct tree_import *t, const struct tree_import_meta *meta,
	struct tree_import_result *ret, struct err *e)
{
	struct tree_import_result r;
	int rc = finish(t, meta, &r, e);

	if (!rc) {
		rc = pack_writer_close(t->w, &r.n_objects, e);
		t->w = NULL;
	}
	tree_import_abort(t);
	if (!rc)
		*ret = r;
	return rc;
}
