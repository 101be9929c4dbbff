// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/refuse.h"
#include "patch/repo.h"
#include "patch/stage.h"
#include "patch/tree_bytes.h"

#include <strings.h>

#define ABBREV_MIN 4

void stage_init(
	struct stage *s, struct objects *made, const git_tree *tree, struct arena *a)
{
	*s = (struct stage){.a = a,
		.made = made,
		.repo = objects_repo(made),
		.tree = tree,
		.n_slots = 64};
	s->slots = ARENA_ARRAY(a, struct stage_entry *, s->n_slots);
}

static enum stage_kind kind_of(git_filemode_t mode)
{
	switch (mode) {
	case GIT_FILEMODE_TREE:
		return STAGE_FOLDER;
	case GIT_FILEMODE_LINK:
		return STAGE_LINK;
	case GIT_FILEMODE_COMMIT:
		return STAGE_SUBMODULE;
	default:
		return STAGE_FILE;
	}
}

static int folder_missing(struct stage *s, const char *path, int code, struct err *e)
{
	return repo_err(e, code, "cannot read folder %s", refuse_show_path(path, s->a));
}

/* As stage_look(), among the files of another stage. */
static void look_under(struct stage *s, const char *path, struct stage_found *ret)
{
	const struct stage *u = s->under;
	const struct stage_entry *entry = stage_find(u, path);
	size_t len = strlen(path);

	if (entry && entry->present) {
		ret->kind = STAGE_FILE;
		ret->mode = entry->mode;
		ret->id = entry->id;
		return;
	}
	for (size_t i = 0; i < u->n_slots; i++) {
		size_t n;

		entry = u->slots[i];
		if (!entry || !entry->present)
			continue;
		n = strlen(entry->path);
		if (n < len && path[n] == '/' && !memcmp(entry->path, path, n)) {
			ret->kind = STAGE_BEYOND;
			ret->via_kind = STAGE_FILE;
			ret->via = entry->path;
			return;
		}
		if (n > len && entry->path[len] == '/' && !memcmp(entry->path, path, len))
			ret->kind = STAGE_FOLDER;
	}
}

int stage_look(struct stage *s, const char *path, struct stage_found *ret, struct err *e)
{
	git_tree *held = NULL;
	const git_tree *tree = s->tree;
	const char *p = path;
	int rc = 0;

	*ret = (struct stage_found){.kind = STAGE_ABSENT};
	if (s->under)
		look_under(s, path, ret);
	while (tree) {
		size_t n = strcspn(p, "/");
		char *name = arena_strndup(s->a, p, n);
		const git_tree_entry *te = git_tree_entry_byname(tree, name);
		enum stage_kind kind;

		if (!te)
			break;
		kind = kind_of(git_tree_entry_filemode(te));
		ret->id = *git_tree_entry_id(te);
		ret->mode = git_tree_entry_filemode(te);
		if (!p[n]) {
			ret->kind = kind;
			break;
		}
		if (kind != STAGE_FOLDER) {
			ret->kind = STAGE_BEYOND;
			ret->via_kind = kind;
			ret->via = arena_strndup(s->a, path, (size_t)(p - path) + n);
			break;
		}
		git_tree *next = NULL;

		rc = git_tree_lookup(&next, s->repo, &ret->id);
		if (rc) {
			rc = folder_missing(s, path, rc, e);
			break;
		}
		git_tree_free(held);
		tree = held = next;
		p += n + 1;
	}
	git_tree_free(held);
	return rc;
}

static size_t slot_of(const char *path, size_t n_slots)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * UINT64_C(1099511628211);
	return (size_t)(h ^ h >> 32) & (n_slots - 1);
}

struct stage_entry *stage_find(const struct stage *s, const char *path)
{
	size_t i = slot_of(path, s->n_slots);

	while (s->slots[i] && strcmp(s->slots[i]->path, path) != 0)
		i = (i + 1) & (s->n_slots - 1);
	return s->slots[i];
}

static void slot_add(struct stage *s, struct stage_entry *entry)
{
	size_t i = slot_of(entry->path, s->n_slots);

	while (s->slots[i])
		i = (i + 1) & (s->n_slots - 1);
	s->slots[i] = entry;
}

struct stage_entry *stage_touch(struct stage *s, const char *path)
{
	struct stage_entry *entry = stage_find(s, path);

	if (entry)
		return entry;
	if (s->n_entries * 2 >= s->n_slots) {
		struct stage_entry **old = s->slots;
		size_t n = s->n_slots;

		s->n_slots *= 2;
		s->slots = ARENA_ARRAY(s->a, struct stage_entry *, s->n_slots);
		for (size_t i = 0; i < n; i++) {
			if (old[i])
				slot_add(s, old[i]);
		}
	}
	entry = ARENA_NEW(s->a, struct stage_entry);
	entry->path = path;
	s->n_entries++;
	slot_add(s, entry);
	return entry;
}

/* Bytes of an object on disk; arena, NUL added. */
static int read_stored(struct stage *s, const git_oid *id, const char **ret,
	size_t *ret_len, struct err *e)
{
	git_odb_object *obj = NULL;
	int rc = git_odb_read(&obj, objects_odb(s->made), id);

	if (rc)
		return repo_err(e, rc, "cannot read object %.12s", git_oid_tostr_s(id));
	*ret_len = git_odb_object_size(obj);
	*ret = arena_strndup(s->a, git_odb_object_data(obj), *ret_len);
	git_odb_object_free(obj);
	return 0;
}

int stage_blob(struct stage *s, const git_oid *id, size_t cap_bytes, const char **ret,
	size_t *ret_len, struct err *e)
{
	const struct object *made = objects_find(s->made, id);
	git_object_t type = made ? made->type : GIT_OBJECT_ANY;
	size_t len = made ? made->len : 0;
	int rc = made ? 0 : git_odb_read_header(&len, &type, objects_odb(s->made), id);

	if (rc)
		return repo_err(e, rc, "cannot read blob %.12s", git_oid_tostr_s(id));
	if (type != GIT_OBJECT_BLOB)
		return err_set(
			e, ERR_INVALID, "object %.12s is no file", git_oid_tostr_s(id));
	if (len > cap_bytes)
		return err_set(e, ERR_TOO_BIG, "%.1f MB; limit %zu MiB",
			(double)len / 1e6, cap_bytes >> 20);
	if (!made)
		return read_stored(s, id, ret, ret_len, e);
	*ret = made->p;
	*ret_len = made->len;
	return 0;
}

/* Looks below one folder, whose name ends at twin[depth], for the rest of the path.
 * twin has the names that were found on the way. */
static int twin_below(struct stage *s, const git_tree *tree, const char *path,
	size_t depth, char *twin, bool *ret_found)
{
	size_t n = strcspn(path + depth, "/");
	int rc = 0;

	for (size_t i = 0; i < git_tree_entrycount(tree) && !rc && !*ret_found; i++) {
		const git_tree_entry *te = git_tree_entry_byindex(tree, i);
		const char *name = git_tree_entry_name(te);
		bool is_folder = git_tree_entry_filemode(te) == GIT_FILEMODE_TREE;
		git_tree *next = NULL;

		if (strncasecmp(name, path + depth, n) != 0 || name[n] ||
			is_folder != (path[depth + n] == '/'))
			continue;
		memcpy(twin + depth, name, n);
		if (!is_folder) {
			const struct stage_entry *entry = stage_find(s, twin);

			*ret_found =
				strcmp(twin, path) != 0 && !(entry && entry->leaving);
			continue;
		}
		rc = git_tree_lookup(&next, s->repo, git_tree_entry_id(te));
		if (!rc)
			rc = twin_below(s, next, path, depth + n + 1, twin, ret_found);
		git_tree_free(next);
	}
	return rc;
}

int stage_twin(struct stage *s, const char *path, const char **ret, struct err *e)
{
	char *twin = arena_strdup(s->a, path);
	bool found = false;
	int rc = s->tree ? twin_below(s, s->tree, path, 0, twin, &found) : 0;

	if (rc)
		return folder_missing(s, path, rc, e);
	*ret = found ? twin : NULL;
	return 0;
}

/* --- the resulting tree --- */

/* "/" before all else, so that a path stands before what lies below it, and everything
 * below one folder is together. */
static int compare_paths(const void *x, const void *y)
{
	const struct stage_entry *const *ex = x, *const *ey = y;
	const unsigned char *p = (const unsigned char *)(*ex)->path;
	const unsigned char *q = (const unsigned char *)(*ey)->path;

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

static bool same_component(const char *x, const char *y, size_t n)
{
	return !strncmp(x, y, n) && (!y[n] || y[n] == '/');
}

static int write_blob(struct stage *s, struct stage_entry *entry, struct err *e)
{
	int rc;

	if (!entry->has_buf)
		return 0;
	rc = objects_write(
		s->made, GIT_OBJECT_BLOB, entry->buf, entry->len, &entry->id, e);
	entry->has_buf = rc != 0;
	return rc;
}

bool stage_named_blob(git_odb *odb, const char *hex, git_oid *ret)
{
	size_t n = strlen(hex), len;
	git_object_t type;
	git_oid prefix;

	if (n < ABBREV_MIN || git_oid_fromstrn(&prefix, hex, n) ||
		git_odb_exists_prefix(ret, odb, &prefix, n))
		return false;
	return !git_odb_read_header(&len, &type, odb, ret) && type == GIT_OBJECT_BLOB;
}

int stage_write_blobs(struct stage *s, struct err *e)
{
	int rc = 0;

	for (size_t i = 0; i < s->n_slots && !rc; i++) {
		if (s->slots[i] && s->slots[i]->present)
			rc = write_blob(s, s->slots[i], e);
	}
	return rc;
}

static int df_conflict(struct stage *s, const char *path, const char *what, struct err *e)
{
	return err_set(e, ERR_CONFLICT, "%s: %s", refuse_show_path(path, s->a), what);
}

/* A folder while it changes; an item that was removed has no name. */
struct folder {
	struct tree_item *v;
	size_t n, cap, n_removed;
	bool unsorted;
};

static int folder_read(
	struct stage *s, const git_oid *id, struct folder *ret, struct err *e)
{
	const struct object *made = objects_find(s->made, id);
	struct tree_cursor c = {0};
	struct tree_item item;
	const char *p;
	size_t len;

	if (made) {
		p = made->p;
		len = made->len;
	} else {
		int rc = read_stored(s, id, &p, &len, e);

		if (rc)
			return rc;
	}
	c.p = p;
	c.end = p + len;
	while (tree_next(&c, &item))
		*ARENA_PUSH(s->a, ret->v, ret->n, ret->cap) = item;
	return c.damaged ? err_set(e, ERR_INTERNAL, "folder %.12s is damaged",
				   git_oid_tostr_s(id))
			 : 0;
}

static struct tree_item *folder_find(const struct folder *f, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].len == len && !memcmp(f->v[i].name, name, len))
			return &f->v[i];
	}
	return NULL;
}

/* item: what folder_find() gave for the name. */
static void folder_put(struct stage *s, struct folder *f, struct tree_item *item,
	const char *name, unsigned mode, const git_oid *id)
{
	if (!item) {
		item = ARENA_PUSH(s->a, f->v, f->n, f->cap);
		item->name = name;
		item->len = strlen(name);
		f->unsorted = true;
	}
	f->unsorted |= (item->mode == TREE_FOLDER) != (mode == TREE_FOLDER);
	item->mode = mode;
	memcpy(item->id, id->id, sizeof(item->id));
}

static void folder_remove(struct folder *f, struct tree_item *item)
{
	item->len = 0;
	f->n_removed++;
}

static int folder_write(struct stage *s, struct folder *f, git_oid *ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	if (f->unsorted)
		qsort(f->v, f->n, sizeof(*f->v), tree_compare);
	for (size_t i = 0; i < f->n; i++) {
		if (f->v[i].len)
			tree_put(&out, &f->v[i]);
	}
	return objects_write(s->made, GIT_OBJECT_TREE, out.buf, out.len, ret, e);
}

static int write_folder(struct stage *s, const git_oid *old, struct stage_entry **v,
	size_t n, size_t depth, git_oid *ret, bool *ret_empty, struct err *e);

/* One name of a folder: entries v[0..n) are it or lie below it. */
static int write_name(struct stage *s, struct folder *f, struct stage_entry **v, size_t n,
	size_t depth, const char *name, struct err *e)
{
	struct tree_item *item = folder_find(f, name);
	bool is_tree = item && item->mode == TREE_FOLDER;
	struct stage_entry *leaf = v[0]->path[depth + strlen(name)] ? NULL : v[0];
	size_t below = leaf ? 1 : 0;
	git_oid id;
	bool empty = !is_tree, any = false;
	int rc = 0;

	for (size_t i = below; i < n; i++)
		any |= v[i]->present;
	if (item && !is_tree && any && !leaf)
		return df_conflict(s, v[below]->path, "a folder on its way is a file", e);
	if (below < n) {
		if (is_tree)
			memcpy(id.id, item->id, sizeof(id.id));
		rc = write_folder(s, is_tree ? &id : NULL, v + below, n - below,
			depth + strlen(name) + 1, &id, &empty, e);
		if (rc)
			return rc;
	}
	if (leaf && leaf->present && !empty)
		return df_conflict(s, leaf->path, "a folder is where the file goes", e);
	if (leaf && leaf->present) {
		rc = write_blob(s, leaf, e);
		if (!rc)
			folder_put(s, f, item, name, leaf->mode, &leaf->id);
	} else if (below < n && !empty) {
		folder_put(s, f, item, name, TREE_FOLDER, &id);
	} else if (item && (below < n || !is_tree)) {
		folder_remove(f, item);
	}
	return rc;
}

static int write_folder(struct stage *s, const git_oid *old, struct stage_entry **v,
	size_t n, size_t depth, git_oid *ret, bool *ret_empty, struct err *e)
{
	struct folder f = {0};
	int rc = old ? folder_read(s, old, &f, e) : 0;

	for (size_t i = 0, end; i < n && !rc; i = end) {
		const char *name = v[i]->path + depth;
		size_t len = strcspn(name, "/");

		for (end = i + 1;
			end < n && same_component(name, v[end]->path + depth, len);)
			end++;
		rc = write_name(
			s, &f, v + i, end - i, depth, arena_strndup(s->a, name, len), e);
	}
	*ret_empty = f.n == f.n_removed;
	return rc ? rc : folder_write(s, &f, ret, e);
}

int stage_write(struct stage *s, git_oid *ret_tree, struct err *e)
{
	struct stage_entry **v =
		ARENA_ARRAY(s->a, struct stage_entry *, s->n_entries + 1);
	size_t n = 0;
	bool empty;

	for (size_t i = 0; i < s->n_slots; i++) {
		if (s->slots[i] && (s->slots[i]->present || s->slots[i]->gone))
			v[n++] = s->slots[i];
	}
	if (!n) {
		*ret_tree = *git_tree_id(s->tree);
		return 0;
	}
	qsort(v, n, sizeof(struct stage_entry *), compare_paths);
	return write_folder(s, git_tree_id(s->tree), v, n, 0, ret_tree, &empty, e);
}

static int count_below(
	git_repository *repo, const git_tree *tree, int depth, size_t max, size_t *n)
{
	for (size_t i = 0; i < git_tree_entrycount(tree) && *n < max; i++) {
		const git_tree_entry *te = git_tree_entry_byindex(tree, i);
		git_tree *sub = NULL;
		int rc;

		if (git_tree_entry_filemode(te) != GIT_FILEMODE_TREE) {
			++*n;
			continue;
		}
		if (depth == 64)
			continue;
		rc = git_tree_lookup(&sub, repo, git_tree_entry_id(te));
		if (!rc)
			rc = count_below(repo, sub, depth + 1, max, n);
		git_tree_free(sub);
		if (rc)
			return rc;
	}
	return 0;
}

int stage_count_files(struct stage *s, size_t max, size_t *ret, struct err *e)
{
	size_t n = 0;
	int rc = count_below(s->repo, s->tree, 0, max, &n);

	if (rc)
		return repo_err(e, rc, "cannot count the files of the base");
	*ret = n;
	return 0;
}
