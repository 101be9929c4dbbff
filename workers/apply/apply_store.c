/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supervisor's side of apply: what the child may see, what it may say. */
#include "workers/apply/apply.h"

#include "workers/shape.h"

int apply_binds(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	json_t *trees, *one;
	size_t i;
	int status = jx_unpack(in, e, "apply", "{s:o}", "trees", &trees);

	json_array_foreach(trees, i, one)
	{
		const char *name;

		if (status == 0)
			status = jx_unpack(one, e, "apply", "{s:s}", "name", &name);
		if (status != 0)
			break;
		status = job_bind_seen(
			b, arena_printf(b->arena, "%s/%s.git", p->trees, name), e);
		if (i > 0 && status == ERR_NOT_FOUND) /* the default one is enough */
			status = 0;
	}
	return status;
}

static bool is_result(const char *s)
{
	static const char *const names[] = {
		"applied", "already", "conflict", "rejected", "no_base"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], s) == 0)
			return true;
	return false;
}

int apply_check(json_t *out, struct err *e)
{
	static const char *const ids[] = {"base_commit", "base_tree", "before_commit",
		"before_tree", "patched_commit", "patched_tree"};
	const char *tree, *result, *why, *how, *label, *text;
	json_t *detail, *named, *branch, *pack, *files, *skip[6];
	int status = jx_unpack(out, e, "apply",
		"{s:s, s:o, s:s, s:s, s:o, s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o !}",
		"tree_name", &tree, "named", &named, "result", &result, "why", &why,
		"base_commit", &skip[0], "base_tree", &skip[1], "base_how", &how,
		"base_label", &label, "before_commit", &skip[4], "before_tree", &skip[5],
		"patched_commit", &skip[2], "patched_tree", &skip[3], "branch", &branch,
		"pack", &pack, "detail", &detail, "files", &files);

	for (size_t i = 0; status == 0 && i < ARRAY_LEN(ids); i++) {
		status = shape_text_or_null(out, ids[i], 40, &text, e);
		if (status == 0 && text && !shape_is_oid(text))
			status = err_set(e, ERR_INVALID, "apply: %s is no id", ids[i]);
	}
	if (status == 0 && (!is_result(result) || !json_is_object(detail)))
		status = err_set(e, ERR_INVALID, "apply: no such result");
	/* Applied without a commit or a pack is nothing a runner can build. */
	if (status == 0 && strcmp(result, "applied") == 0 &&
		(!json_is_string(skip[2]) || !json_is_string(pack)))
		status = err_set(e, ERR_INVALID, "apply: applied, but no commit");
	return status;
}
