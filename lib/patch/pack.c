// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/arena.h"
#include "patch/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <unistd.h>

#define THIN_COMMITS_MAX 1000
#define DEPTH_MAX        64

/* --- into a repository --- */

static int feed(git_indexer *indexer, const char *path, struct err *e)
{
	CLEANUP(base_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(base_freep) char *buf = NULL;
	const size_t size = 1u << 20;
	git_indexer_progress progress = {0};
	ssize_t n;
	int rc = 0;

	if (fd < 0)
		return err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_INTERNAL,
			"cannot open pack %s: %s", path, strerror(errno));
	buf = base_alloc(size);
	while (!rc && (n = read(fd, buf, size)) != 0) {
		if (n < 0)
			return err_set(e, ERR_INTERNAL, "cannot read pack %s: %s", path,
				strerror(errno));
		rc = git_indexer_append(indexer, buf, (size_t)n, &progress);
	}
	if (!rc)
		rc = git_indexer_commit(indexer, &progress);
	if (!rc)
		return 0;
	repo_err(e, rc, "pack %s is damaged or cut off", path);
	e->code = ERR_INVALID;
	return ERR_INVALID;
}

int pack_ingest(struct git_repository *r, const char *pack_path, struct err *e)
{
	char dir[4096];
	git_indexer_options opts;
	git_indexer *indexer = NULL;
	git_odb *odb = NULL;
	int rc, n = snprintf(
			dir, sizeof(dir), "%sobjects/pack", git_repository_commondir(r));

	if (n < 0 || (size_t)n >= sizeof(dir))
		return err_set(e, ERR_INVALID, "the repository's path is too long");
	rc = git_indexer_options_init(&opts, GIT_INDEXER_OPTIONS_VERSION);
	if (!rc)
		rc = git_repository_odb(&odb, r);
	if (!rc)
		rc = git_indexer_new(&indexer, dir, 0, odb, &opts);
	if (rc)
		rc = repo_err(e, rc, "cannot index packs in %s", dir);
	else
		rc = feed(indexer, pack_path, e);
	git_indexer_free(indexer);
	if (!rc && git_odb_refresh(odb))
		rc = err_set(e, ERR_INTERNAL, "cannot refresh %s", dir);
	git_odb_free(odb);
	return rc;
}

/* --- out of a repository --- */

struct collect {
	git_repository *repo;
	git_odb *odb;
	struct pack_writer *w;
	struct err *e;
};

static int read_object(struct collect *c, const git_oid *id, git_odb_object **ret)
{
	int rc = git_odb_read(ret, c->odb, id);

	return rc ? repo_err(c->e, rc, "cannot read %.12s", git_oid_tostr_s(id)) : 0;
}

/* known: what was at the same place before, or NULL. */
static int copy_object(struct collect *c, const git_oid *id, const git_oid *known)
{
	git_odb_object *obj = NULL, *other = NULL;
	struct pack_near near = {0};
	int rc = read_object(c, id, &obj);

	if (!rc && known && pack_writer_is_near(c->w, known->id))
		rc = read_object(c, known, &other);
	if (other)
		near = (struct pack_near){known->id, git_odb_object_data(other),
			git_odb_object_size(other)};
	if (!rc)
		rc = pack_writer_put(c->w, (enum pack_type)git_odb_object_type(obj),
			git_odb_object_data(obj), git_odb_object_size(obj), id->id,
			other ? &near : NULL, c->e);
	git_odb_object_free(obj);
	git_odb_object_free(other);
	return rc;
}

static int copy_tree(
	struct collect *c, const git_oid *id, const git_oid *known, int depth);

static int copy_entry(
	struct collect *c, const git_tree_entry *te, const git_tree *known, int depth)
{
	const git_oid *id = git_tree_entry_id(te);
	const git_tree_entry *other =
		known ? git_tree_entry_byname(known, git_tree_entry_name(te)) : NULL;
	bool other_tree = other && git_tree_entry_filemode(other) == GIT_FILEMODE_TREE;

	if (git_tree_entry_filemode(te) == GIT_FILEMODE_COMMIT)
		return 0;
	if (other && git_oid_equal(id, git_tree_entry_id(other)))
		return 0;
	if (git_tree_entry_filemode(te) != GIT_FILEMODE_TREE)
		return copy_object(
			c, id, other && !other_tree ? git_tree_entry_id(other) : NULL);
	return copy_tree(c, id, other_tree ? git_tree_entry_id(other) : NULL, depth + 1);
}

/* Everything below id that is not at the same place below known (NULL: nothing). */
static int copy_tree(
	struct collect *c, const git_oid *id, const git_oid *known, int depth)
{
	git_tree *tree = NULL, *other = NULL;
	int rc;

	if (known && git_oid_equal(id, known))
		return 0;
	if (depth > DEPTH_MAX)
		return err_set(
			c->e, ERR_TOO_BIG, "folders are nested over %d deep", DEPTH_MAX);
	rc = git_tree_lookup(&tree, c->repo, id);
	if (!rc && known)
		rc = git_tree_lookup(&other, c->repo, known);
	if (rc)
		rc = repo_err(c->e, rc, "cannot read folder %.12s", git_oid_tostr_s(id));
	else
		rc = copy_object(c, id, known);
	for (size_t i = 0; !rc && i < git_tree_entrycount(tree); i++)
		rc = copy_entry(c, git_tree_entry_byindex(tree, i), other, depth);
	git_tree_free(tree);
	git_tree_free(other);
	return rc;
}

static int commit_of(git_repository *r, const char *hex, git_commit **ret, struct err *e)
{
	git_oid id;
	int rc = git_oid_fromstr(&id, hex);

	if (!rc)
		rc = git_commit_lookup(ret, r, &id);
	return rc ? repo_err(e, rc, "no commit %.40s", hex) : 0;
}

static int collect_open(
	struct collect *c, git_repository *r, const char *path, struct err *e)
{
	int rc;

	*c = (struct collect){.repo = r, .e = e};
	rc = git_repository_odb(&c->odb, r);
	if (rc)
		return repo_err(e, rc, "cannot read objects");
	return pack_writer_open(path, &c->w, e);
}

static int collect_close(struct collect *c, int rc, int64_t *ret_n_objects)
{
	git_odb_free(c->odb);
	if (!rc)
		return pack_writer_close(c->w, ret_n_objects, c->e);
	pack_writer_abort(c->w);
	return rc;
}

int pack_base(struct git_repository *r, const char *commit_hex, const char *pack_path,
	int64_t *ret_n_objects, struct err *e)
{
	git_commit *commit = NULL;
	struct collect c;
	int rc = commit_of(r, commit_hex, &commit, e);

	if (rc)
		return rc;
	rc = collect_open(&c, r, pack_path, e);
	if (!rc)
		rc = copy_object(&c, git_commit_id(commit), NULL);
	if (!rc)
		rc = copy_tree(&c, git_commit_tree_id(commit), NULL, 0);
	git_commit_free(commit);
	return collect_close(&c, rc, ret_n_objects);
}

/* Commits from tip down to, not including, base: v[0] is tip. */
static int commits_between(git_repository *r, const char *base_hex, const char *tip_hex,
	git_commit **v, size_t *ret_n, struct err *e)
{
	git_commit *c = NULL;
	size_t n = 0;
	int rc = commit_of(r, tip_hex, &c, e);

	while (!rc) {
		git_commit *parent = NULL;

		if (!strcmp(git_oid_tostr_s(git_commit_id(c)), base_hex))
			break;
		if (n == THIN_COMMITS_MAX || !git_commit_parentcount(c) ||
			git_commit_parent(&parent, c, 0)) {
			rc = err_set(e, ERR_INVALID,
				"%.12s is no first-parent ancestor of %.12s", base_hex,
				tip_hex);
			break;
		}
		v[n++] = c;
		c = parent;
	}
	git_commit_free(c);
	*ret_n = n;
	return rc;
}

int pack_thin(struct git_repository *r, const char *base_hex, const char *tip_hex,
	const char *pack_path, int64_t *ret_n_objects, struct err *e)
{
	CLEANUP(base_freep) git_commit **v = base_zalloc(THIN_COMMITS_MAX * sizeof(*v));
	git_commit *base = NULL;
	git_oid known;
	struct collect c = {0};
	size_t n = 0;
	int rc = commit_of(r, base_hex, &base, e);

	if (rc)
		return rc;
	known = *git_commit_tree_id(base);
	git_commit_free(base);
	rc = commits_between(r, base_hex, tip_hex, v, &n, e);
	if (!rc) {
		rc = collect_open(&c, r, pack_path, e);
		for (size_t i = n; i-- > 0 && !rc;) {
			rc = copy_object(&c, git_commit_id(v[i]), NULL);
			if (!rc)
				rc = copy_tree(&c, git_commit_tree_id(v[i]), &known, 0);
			known = *git_commit_tree_id(v[i]);
		}
		rc = collect_close(&c, rc, ret_n_objects);
	}
	for (size_t i = 0; i < n; i++)
		git_commit_free(v[i]);
	return rc;
}
