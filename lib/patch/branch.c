// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/branch.h"

#include <git2.h>

#define HEADS "refs/heads/"

struct branch {
	git_repository *repo;
	const char *name, *ref;
	bool is_there;
	git_oid old; /* where it is */
	git_transaction *locked;
};

static int in_the_way(const struct branch *b, const char *other, struct err *e)
{
	return err_set(e, ERR_CONFLICT,
		"branch %.100s cannot be made: branch %.100s is in the way", b->name,
		other + strlen(HEADS));
}

/* Of a and a/b only one can be. */
static int check_others(const struct branch *b, struct arena *a, struct err *e)
{
	git_reference_iterator *it = NULL;
	const char *other;
	int rc = 0;

	for (const char *p = b->name; !rc && (p = strchr(p, '/')) != NULL; p++) {
		const char *above =
			arena_printf(a, HEADS "%.*s", (int)(p - b->name), b->name);
		git_reference *ref = NULL;

		if (!git_reference_lookup(&ref, b->repo, above))
			rc = in_the_way(b, above, e);
		git_reference_free(ref);
	}
	if (rc || git_reference_iterator_glob_new(
			  &it, b->repo, arena_printf(a, "%s/*", b->ref)))
		return rc;
	if (!git_reference_next_name(&other, it))
		rc = in_the_way(b, other, e);
	git_reference_iterator_free(it);
	return rc;
}

/* A work tree would be at odds with it; also when it has no commit yet. */
static bool is_checked_out(const struct branch *b, git_reference *ref)
{
	git_reference *head = NULL;
	bool is;

	if (ref && git_branch_is_checked_out(ref))
		return true;
	if (git_repository_is_bare(b->repo) ||
		git_reference_lookup(&head, b->repo, "HEAD"))
		return false;
	is = git_reference_type(head) == GIT_REFERENCE_SYMBOLIC &&
	     !strcmp(git_reference_symbolic_target(head), b->ref);
	git_reference_free(head);
	return is;
}

/* Reads where it is. rc of git_reference_lookup(). */
static int read_now(const struct branch *b, git_reference **ret)
{
	*ret = NULL;
	return git_reference_lookup(ret, b->repo, b->ref);
}

int branch_look(struct git_repository *r, const char *name, struct arena *a,
	struct branch **ret, struct err *e)
{
	struct branch *b = ARENA_NEW(a, struct branch);
	git_reference *ref;
	int rc;

	if (!repo_is_branch_name(name))
		return err_set(e, ERR_INVALID, "%.100s is no branch name", name);
	*b = (struct branch){
		.repo = r, .name = name, .ref = arena_printf(a, HEADS "%s", name)};
	rc = read_now(b, &ref);
	b->is_there = !rc;
	if (rc && rc != GIT_ENOTFOUND)
		rc = repo_err(e, rc, "cannot read branch %.100s", name);
	else if (is_checked_out(b, ref))
		rc = err_set(e, ERR_CONFLICT,
			"branch %.100s is checked out, so its work tree would be at odds",
			name);
	else if (ref && git_reference_type(ref) != GIT_REFERENCE_DIRECT)
		rc = err_set(e, ERR_CONFLICT,
			"branch %.100s is only another name of %.100s", name,
			git_reference_symbolic_target(ref));
	else
		rc = check_others(b, a, e);
	if (!rc && ref)
		b->old = *git_reference_target(ref);
	git_reference_free(ref);
	if (!rc)
		*ret = b;
	return rc;
}

static int check_same(const struct branch *b, struct err *e)
{
	git_reference *ref;
	int rc = read_now(b, &ref);
	bool same = rc == GIT_ENOTFOUND
			    ? !b->is_there
			    : !rc && b->is_there && git_reference_target(ref) &&
				      git_oid_equal(git_reference_target(ref), &b->old);

	git_reference_free(ref);
	return same ? 0
		    : err_set(e, ERR_CONFLICT,
			      "somebody else made or moved branch %.100s meanwhile",
			      b->name);
}

int branch_lock(struct branch *b, struct err *e)
{
	int rc = git_transaction_new(&b->locked, b->repo);

	if (!rc)
		rc = git_transaction_lock_ref(b->locked, b->ref);
	if (rc == GIT_ELOCKED)
		rc = err_set(e, ERR_BUSY,
			"branch %.100s is locked by another program: %s%s.lock is there",
			b->name, repo_folder(b->repo), b->ref);
	else if (rc)
		rc = repo_err(e, rc, "cannot move branch %.100s", b->name);
	else
		rc = check_same(b, e);
	if (rc)
		branch_unlock(b);
	return rc;
}

int branch_set(struct branch *b, const char *commit_hex, struct err *e)
{
	git_oid id;
	int rc = git_oid_fromstr(&id, commit_hex);

	if (!rc)
		rc = git_transaction_set_target(
			b->locked, b->ref, &id, NULL, "wakelist apply");
	if (!rc)
		rc = git_transaction_commit(b->locked);
	return rc ? repo_err(e, rc, "cannot move branch %.100s", b->name) : 0;
}

void branch_unlock(struct branch *b)
{
	if (!b)
		return;
	git_transaction_free(b->locked);
	b->locked = NULL;
}

void branch_unlockp(struct branch **b)
{
	branch_unlock(*b);
}
