// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/between.h"
#include <git2.h>

#define TOO_MUCH 1 /* of a callback: over the limit */

static void free_tree(git_tree **t)
{
	git_tree_free(*t);
}

static void free_diff(git_diff **d)
{
	git_diff_free(*d);
}

static int tree_of(git_repository *r, const char *hex, git_tree **ret, struct err *e)
{
	git_oid id;
	git_commit *commit = NULL;
	int rc = git_oid_fromstr(&id, hex);

	if (!rc)
		rc = git_commit_lookup(&commit, r, &id);
	if (!rc)
		rc = git_commit_tree(ret, commit);
	git_commit_free(commit);
	return rc ? repo_err(e, rc, "cannot read commit %s", hex) : 0;
}

static int on_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
	const git_diff_line *line, void *arg)
{
	struct sbuf *text = arg;

	(void)delta;
	(void)hunk;
	if (text->len + line->content_len + 1 > DIFF_PATCH_MAX)
		return TOO_MUCH;
	if (line->origin == ' ' || line->origin == '+' || line->origin == '-')
		sbuf_addc(text, line->origin);
	sbuf_add(text, line->content, line->content_len);
	return 0;
}

int repo_diff(struct git_repository *r, const char *base_hex, const char *patched_hex,
	struct arena *a, struct diff **ret, struct err *e)
{
	CLEANUP(free_tree) git_tree *base = NULL;
	CLEANUP(free_tree) git_tree *patched = NULL;
	CLEANUP(free_diff) git_diff *diff = NULL;
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	git_diff_options options;
	git_diff_find_options find;
	int rc = tree_of(r, base_hex, &base, e);

	if (!rc)
		rc = tree_of(r, patched_hex, &patched, e);
	if (rc)
		return rc;
	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	git_diff_find_options_init(&find, GIT_DIFF_FIND_OPTIONS_VERSION);
	options.flags = GIT_DIFF_INDENT_HEURISTIC;
	find.flags = GIT_DIFF_FIND_RENAMES;
	rc = git_diff_tree_to_tree(&diff, r, base, patched, &options);
	if (!rc)
		rc = git_diff_find_similar(diff, &find);
	if (!rc)
		rc = git_diff_print(diff, GIT_DIFF_FORMAT_PATCH, on_line, &text);
	if (rc == TOO_MUCH)
		return err_set(e, ERR_TOO_BIG,
			"the series changes more than %u MiB of lines",
			DIFF_PATCH_MAX >> 20);
	if (rc)
		return repo_err(
			e, rc, "cannot compare %s with %s", base_hex, patched_hex);
	return diff_parse(arena_strndup(a, text.buf, text.len), text.len, a, ret, e);
}
