// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/explain.h"
#include "patch/origin.h"
#include "patch/refuse.h"
#include "patch/repo.h"

struct walk {
	git_repository *repo;
	const char *path, *lines;
	size_t len;
	bool gone;
	uint32_t n_tip; /* how often tip has the lines */
	uint32_t n_versions;
};

static bool file_of(git_commit *c, const char *path, git_oid *ret)
{
	git_tree_entry *te = NULL;
	git_tree *tree = NULL;
	bool here = false;

	if (!git_commit_tree(&tree, c) && !git_tree_entry_bypath(&te, tree, path)) {
		here = git_tree_entry_type(te) == GIT_OBJECT_BLOB;
		*ret = *git_tree_entry_id(te);
	}
	git_tree_entry_free(te);
	git_tree_free(tree);
	return here;
}

/* How often the lines stand in a blob. */
static uint32_t count(struct walk *w, const git_oid *id)
{
	git_blob *blob = NULL;
	uint32_t n = 0;

	w->n_versions++;
	if (git_blob_lookup(&blob, w->repo, id))
		return 0;
	if (git_blob_rawsize(blob) <= REFUSE_RESULT_MAX) {
		const char *text = git_blob_rawcontent(blob), *p = text;
		const char *end = text + git_blob_rawsize(blob);

		for (; (p = memmem(p, (size_t)(end - p), w->lines, w->len)) != NULL; p++)
			n += p == text || p[-1] == '\n';
	}
	git_blob_free(blob);
	return n;
}

/* The parent that has the file as c has it, as far as the lines go; NULL: none, c is what
 * is looked for. */
static int step(struct walk *w, git_commit *c, const git_oid *id, git_commit **ret,
	git_oid *ret_id)
{
	git_commit *same = NULL, *alike = NULL;
	git_oid alike_id = *id;

	for (unsigned i = 0; i < git_commit_parentcount(c) && !same; i++) {
		git_commit *parent = NULL;
		git_oid old = {{0}};
		bool here;
		uint32_t n;
		int rc = git_commit_parent(&parent, c, i);

		if (rc) { /* a shallow history ends here */
			git_commit_free(alike);
			return rc;
		}
		here = file_of(parent, w->path, &old);
		if (here && git_oid_equal(&old, id)) {
			same = parent;
			continue;
		}
		n = here ? count(w, &old) : 0;
		if (!alike && (w->gone ? n <= w->n_tip : n >= w->n_tip)) {
			alike = parent;
			alike_id = old;
			continue;
		}
		git_commit_free(parent);
	}
	*ret = same ? same : alike;
	*ret_id = same ? *id : alike_id;
	if (same)
		git_commit_free(alike);
	return 0;
}

static void fill(git_commit *c, struct arena *a, struct origin *ret)
{
	const git_signature *who = git_commit_author(c);
	const char *title = git_commit_summary(c);
	char hex[13], *email;

	git_oid_tostr(hex, sizeof(hex), git_commit_id(c));
	email = arena_strdup(a, who && who->email ? who->email : "");
	for (char *p = email; *p; p++)
		*p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 'a' - 'A' : *p);
	*ret = (struct origin){arena_strdup(a, hex),
		explain_text(title ? title : "", title ? strlen(title) : 0, a), email};
}

int origin_find(git_repository *repo, const git_oid *tip, const char *path,
	const char *lines, size_t len, bool gone, struct arena *a, struct origin *ret,
	struct err *e)
{
	struct walk w = {
		.repo = repo, .path = path, .lines = lines, .len = len, .gone = gone};
	git_commit *c = NULL;
	git_oid id;
	int rc;

	*ret = (struct origin){NULL, NULL, NULL};
	rc = git_commit_lookup(&c, repo, tip);
	if (rc)
		return repo_err(e, rc, "cannot read the base");
	if (!len || !file_of(c, path, &id)) {
		git_commit_free(c);
		return 0;
	}
	w.n_tip = count(&w, &id);
	for (int i = 0;
		(gone || w.n_tip) && i < ORIGIN_BACK && w.n_versions < ORIGIN_VERSIONS;
		i++) {
		git_commit *next = NULL;
		git_oid next_id;

		if (!git_commit_parentcount(c) || step(&w, c, &id, &next, &next_id))
			break;
		if (!next) {
			fill(c, a, ret);
			break;
		}
		git_commit_free(c);
		c = next;
		id = next_id;
	}
	git_commit_free(c);
	return 0;
}

const char *origin_words(const struct origin *o, struct arena *a)
{
	return arena_printf(a, "%s (\"%s\")", o->commit, o->title);
}
