/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/ingest/epoch.h"

#include "patch/repo.h"
#include <git2.h>

static int branch_head(git_repository *r, git_oid *ret, bool *ret_empty, struct err *e)
{
	int got = git_reference_name_to_id(ret, r, "refs/heads/master");

	*ret_empty = false;
	if (got == GIT_ENOTFOUND)
		got = git_reference_name_to_id(ret, r, "HEAD");
	if (got == GIT_ENOTFOUND) {
		*ret_empty = true;
		return 0;
	}
	return got < 0 ? repo_err(e, got, "the epoch's branch") : 0;
}

/* Mail of a commit: entry "m", or "d" for one that was taken away. */
static int read_entry(
	git_repository *r, git_commit *c, const char *name, git_blob **ret, struct err *e)
{
	git_tree *tree = NULL;
	const git_tree_entry *entry;
	int got = git_commit_tree(&tree, c);

	*ret = NULL;
	if (got == 0) {
		entry = git_tree_entry_byname(tree, name);
		if (entry && git_tree_entry_type(entry) == GIT_OBJECT_BLOB)
			got = git_blob_lookup(ret, r, git_tree_entry_id(entry));
	}
	git_tree_free(tree);
	return got < 0 ? repo_err(e, got, "its mail") : 0;
}

static int take_commit(struct job_ctx *j, git_repository *r, const struct epoch *ep,
	const git_oid *id, struct mailrows *rows, json_t *withdrawn,
	struct walk_result *ret, struct err *e)
{
	git_commit *c = NULL;
	git_blob *blob = NULL;
	char hex[REPO_HEX];
	int got = git_commit_lookup(&c, r, id), status = 0;

	git_oid_tostr(hex, sizeof(hex), id);
	if (got < 0)
		return repo_err(e, got, "commit %.12s", hex);
	ret->last = arena_strdup(j->arena, hex);
	status = read_entry(r, c, "m", &blob, e);
	if (status == 0 && blob) {
		size_t len = (size_t)git_blob_rawsize(blob);

		if (len > EPOCH_MAIL_MAX)
			ret->n_left_out++;
		else
			status = mailrows_add(rows, git_blob_rawcontent(blob), len, ep->n,
				hex, git_commit_time(c), e);
	} else if (status == 0) {
		status = read_entry(r, c, "d", &blob, e);
		if (status == 0 && blob)
			json_array_append_new(withdrawn,
				jx_pack("{s:s}", "message_id",
					mailrow_id(j, git_blob_rawcontent(blob),
						(size_t)git_blob_rawsize(blob))));
	}
	git_blob_free(blob);
	git_commit_free(c);
	return status == 0 ? 0 : err_wrap(e, "commit %.12s", hex);
}

/* Hides the watermark where it is still part of the history. */
static int hide_old(git_repository *r, git_revwalk *walk, const struct epoch *ep,
	const git_oid *head, struct walk_result *ret, struct err *e)
{
	git_oid old;
	int got;

	if (!ep->old)
		return 0;
	if (git_oid_fromstr(&old, ep->old) < 0)
		return err_set(e, ERR_INVALID, "the watermark is no commit id");
	if (git_oid_equal(&old, head))
		return git_revwalk_hide(walk, &old) < 0
			       ? repo_err(e, -1, "walking the epoch")
			       : 0;
	got = git_graph_descendant_of(r, head, &old);
	if (got == 1) {
		got = git_revwalk_hide(walk, &old);
		return got < 0 ? repo_err(e, got, "walking the epoch") : 0;
	}
	/* Purged history: walk it all again; what is known is dropped by its id. */
	ret->rewritten = true;
	return 0;
}

int epoch_walk(struct job_ctx *j, const struct epoch *ep, size_t max,
	struct mailrows *rows, json_t *withdrawn, struct walk_result *ret, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	git_revwalk *walk = NULL;
	git_oid head, id;
	bool empty;
	size_t n = 0;
	int status, got = 0;

	memset(ret, 0, sizeof(*ret));
	status = repo_open(ep->path, &r, e);
	if (status == 0)
		status = branch_head(r, &head, &empty, e);
	if (status != 0 || empty)
		return status;
	got = git_revwalk_new(&walk, r);
	if (got == 0)
		got = git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL | GIT_SORT_REVERSE);
	if (got == 0)
		got = git_revwalk_push(walk, &head);
	if (got < 0)
		status = repo_err(e, got, "walking the epoch");
	if (status == 0)
		status = hide_old(r, walk, ep, &head, ret, e);
	while (status == 0 && (got = git_revwalk_next(&id, walk)) == 0) {
		if (n == max || rows->n_bytes > EPOCH_BATCH_MAX) {
			ret->more = true;
			break;
		}
		status = take_commit(j, r, ep, &id, rows, withdrawn, ret, e);
		job_progress(j, (int64_t)++n, 0, "mails", "reading");
	}
	if (status == 0 && got < 0 && got != GIT_ITEROVER)
		status = repo_err(e, got, "walking the epoch");
	git_revwalk_free(walk);
	return status;
}
