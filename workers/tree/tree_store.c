/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supervisor's side of tree: what the child may see, what it may say. */
#include "workers/tree/tree.h"

#include "patch/repo.h"
#include "workers/shape.h"

static int bind_repo(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	const char *name;
	int status = jx_unpack(in, e, "tree", "{s:s}", "name", &name);

	return status == 0
		       ? job_bind_folder(p, b,
				 arena_printf(b->arena, "%s/%s.git", p->trees, name), e)
		       : status;
}

int tree_import_binds(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	const char *path;
	int status = jx_unpack(in, e, "tree", "{s:s}", "source", &path);

	if (status == 0)
		status = job_bind_seen(b, path, e);
	if (status == 0)
		status = bind_repo(p, in, b, e);
	return status;
}

int tree_publish_binds(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	return bind_repo(p, in, b, e);
}

int tree_import_check(json_t *out, struct err *e)
{
	const char *label, *commit, *tree, *pack;
	json_int_t n_files;
	json_t *files;
	int status = jx_unpack(out, e, "tree", "{s:s, s:s, s:s, s:I, s:s, s:o !}",
		"label", &label, "commit", &commit, "tree", &tree, "n_files", &n_files,
		"pack", &pack, "files", &files);

	if (status != 0)
		return status;
	if (strlen(label) > 64 || !shape_is_oid(commit) || !shape_is_oid(tree) ||
		n_files < 0)
		return err_set(e, ERR_INVALID, "tree: a value is out of shape");
	return 0;
}

int tree_publish_check(json_t *out, struct err *e)
{
	return jx_unpack(out, e, "branch", "{!}");
}

/* The path of a URL of this machine, else NULL. */
static const char *local_path(const char *url)
{
	return url[0] == '/' ? url : strncmp(url, "file:///", 8) == 0 ? url + 7 : NULL;
}

int tree_fetch_binds(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	const char *url;
	int status = jx_unpack(in, e, "tree", "{s:s}", "url", &url);

	if (status == 0 && local_path(url))
		status = job_bind_seen(b, local_path(url), e);
	if (status == 0)
		status = bind_repo(p, in, b, e);
	return status;
}

static int check_branch(json_t *one, struct err *e)
{
	const char *name, *commit, *label;
	json_int_t behind;
	int status = jx_unpack(one, e, "branch", "{s:s, s:s, s:s, s:I !}", "name", &name,
		"commit", &commit, "label", &label, "behind", &behind);

	if (status == 0 &&
		(strlen(name) > TREE_BRANCH_MAX || !shape_is_oid(commit) ||
			strlen(label) > 64 || behind < 0 || behind > INT32_MAX))
		status = err_set(e, ERR_INVALID, "branch: a value is out of shape");
	return status;
}

int tree_fetch_check(json_t *out, struct err *e)
{
	json_t *branches, *missing, *one;
	const char *tree;
	size_t i;
	int status = jx_unpack(out, e, "fetch", "{s:s, s:o, s:o !}", "tree", &tree,
		"branches", &branches, "missing", &missing);

	if (status != 0)
		return status;
	if (!shape_is_oid(tree) || json_array_size(branches) < 1 ||
		json_array_size(branches) > TREE_BRANCHES_MAX || !json_is_array(missing))
		return err_set(e, ERR_INVALID, "fetch: a value is out of shape");
	json_array_foreach(branches, i, one)
	{
		status = check_branch(one, e);
		if (status != 0)
			return status;
	}
	return 0;
}

int tree_base_binds(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	const char *name;
	int status = jx_unpack(in, e, "tree", "{s:s}", "name", &name);

	return status == 0
		       ? job_bind_seen(b,
				 arena_printf(b->arena, "%s/%s.git", p->trees, name), e)
		       : status;
}

int tree_base_check(json_t *out, struct err *e)
{
	json_int_t n_objects;
	const char *pack;
	json_t *files;

	return jx_unpack(out, e, "base", "{s:s, s:I, s:o !}", "pack", &pack, "n_objects",
		&n_objects, "files", &files);
}
