// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/sbuf.h"
#include "patch/blob_index.h"
#include "patch/tree_changes.h"

#include <git2.h>

struct walk {
	git_repository *repo;
	struct sbuf path; /* of the folder, ends with '/' unless it is the top */
	unsigned depth;
	tree_change_fn fn;
	void *arg;
	struct err *e;
};

static int walk_trees(struct walk *w, const git_tree *before, const git_tree *after);

static int get_tree(struct walk *w, const git_tree_entry *te, git_tree **ret)
{
	int rc;

	*ret = NULL;
	if (!te)
		return 0;
	rc = git_tree_lookup(ret, w->repo, git_tree_entry_id(te));
	return rc ? repo_err(w->e, rc, "cannot read folder %.200s%.200s", w->path.buf,
			    git_tree_entry_name(te))
		  : 0;
}

/* A folder on one side or on both. */
static int walk_folder(
	struct walk *w, const git_tree_entry *before, const git_tree_entry *after)
{
	const char *name = git_tree_entry_name(before ? before : after);
	size_t len = w->path.len;
	git_tree *old = NULL, *now = NULL;
	int rc;

	if (w->depth == TREE_DEPTH_MAX || len + strlen(name) + 1 > BLOB_INDEX_PATH_MAX)
		return 0;
	rc = get_tree(w, before, &old);
	if (!rc)
		rc = get_tree(w, after, &now);
	if (!rc) {
		sbuf_addf(&w->path, "%s/", name);
		w->depth++;
		rc = walk_trees(w, old, now);
		w->depth--;
		sbuf_setlen(&w->path, len);
	}
	git_tree_free(old);
	git_tree_free(now);
	return rc;
}

static int tell(struct walk *w, const char *name, const git_oid *id)
{
	size_t len = w->path.len;
	int rc;

	if (len + strlen(name) > BLOB_INDEX_PATH_MAX)
		return 0;
	sbuf_adds(&w->path, name);
	rc = w->fn(w->arg, w->path.buf, w->path.len, id);
	sbuf_setlen(&w->path, len);
	return rc;
}

static bool is_folder(const git_tree_entry *te)
{
	return git_tree_entry_type(te) == GIT_OBJECT_TREE;
}

/* The same name on both sides, or NULL on one; both folders or both files. */
static int one_entry(
	struct walk *w, const git_tree_entry *before, const git_tree_entry *after)
{
	if (before && after &&
		git_oid_equal(git_tree_entry_id(before), git_tree_entry_id(after)))
		return 0;
	if (is_folder(before ? before : after))
		return walk_folder(w, before, after);
	return tell(w, git_tree_entry_name(before ? before : after),
		after ? git_tree_entry_id(after) : NULL);
}

static int walk_trees(struct walk *w, const git_tree *before, const git_tree *after)
{
	size_t n_old = before ? git_tree_entrycount(before) : 0;
	size_t n_new = after ? git_tree_entrycount(after) : 0;
	size_t i = 0, k = 0;
	int rc = 0;

	/* In git's order a folder is not where a file of its name is, so that the two
	 * meet only when they are of one kind. */
	while (!rc && (i < n_old || k < n_new)) {
		const git_tree_entry *old =
			i < n_old ? git_tree_entry_byindex(before, i) : NULL;
		const git_tree_entry *now =
			k < n_new ? git_tree_entry_byindex(after, k) : NULL;
		int order = !old ? 1 : !now ? -1 : git_tree_entry_cmp(old, now);

		if (order < 0)
			now = NULL;
		else if (order > 0)
			old = NULL;
		else if (is_folder(old) != is_folder(now)) {
			/* a damaged tree; never two kinds in one step */
			now = NULL;
		}
		i += old != NULL;
		k += now != NULL;
		rc = one_entry(w, old, now);
	}
	return rc;
}

int tree_changes(struct git_repository *r, const struct git_tree *before,
	const struct git_tree *after, tree_change_fn fn, void *arg, struct err *e)
{
	struct walk w = {.repo = r, .path = SBUF_INIT, .fn = fn, .arg = arg, .e = e};
	int rc = walk_trees(&w, before, after);

	sbuf_release(&w.path);
	return rc;
}
