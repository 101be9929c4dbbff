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
