// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include "patch/blob_file.h"
#include "patch/tree_changes.h"

#include <git2.h>
#include <unistd.h>

/* A new commit, from the tip backwards while it is being collected. */
struct step {
	git_oid id, tree;
};

struct update {
	git_repository *repo;
	git_odb *odb;
	const char *path;
	struct blob_index *old; /* NULL: none that counts */
	uint32_t n_keep;        /* its commits that count */
	struct step *steps;     /* newest first */
	size_t n_steps, cap;
	struct blob_event *events;
	size_t n_events, events_cap;
	uint32_t commit_no; /* of the commit being read */
	struct err *e;
};

/* --- commits --- */

/* "tree ID\nparent ID\n..." of the object; *ret_root when there is no parent. */
static int commit_head(git_odb *odb, const git_oid *id, git_oid *ret_tree,
	git_oid *ret_parent, bool *ret_root, struct err *e)
{
	git_odb_object *o = NULL;
	const char *p;
	size_t len;
	int rc = git_odb_read(&o, odb, id);

	if (rc)
		return repo_err(e, rc, "cannot read commit %s", git_oid_tostr_s(id));
	p = git_odb_object_data(o);
	len = git_odb_object_size(o);
	if (git_odb_object_type(o) != GIT_OBJECT_COMMIT || len < 46 ||
		memcmp(p, "tree ", 5) != 0 || git_oid_fromstrn(ret_tree, p + 5, 40))
		rc = err_set(e, ERR_INVALID, "%s is no commit", git_oid_tostr_s(id));
	*ret_root = len < 94 || memcmp(p + 46, "parent ", 7) != 0 ||
		    git_oid_fromstrn(ret_parent, p + 53, 40) != 0;
	git_odb_object_free(o);
	return rc;
}

/* The commits of the old file by the first bytes of their ids: open addressing, numbers
 * counted from 1. */
struct numbers {
	uint32_t *slots;
	uint32_t mask;
	const uint8_t *ids;
};

static uint32_t id_slot(const struct numbers *t, const uint8_t *id)
{
	uint32_t h;

	memcpy(&h, id, sizeof(h));
	return h & t->mask;
}

static int numbers_init(struct numbers *t, struct blob_index *x, struct err *e)
{
	uint32_t n = blob_index_n_commits(x), size = 16;

	t->ids = blob_file_commits(x, 0, n, e);
	if (!t->ids)
		return ERR_INVALID;
	while (size < n * 2)
		size *= 2;
	t->mask = size - 1;
	t->slots = base_zalloc(size * sizeof(*t->slots));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = id_slot(t, t->ids + (size_t)i * BLOB_ID);

		while (t->slots[s])
			s = (s + 1) & t->mask;
		t->slots[s] = i + 1;
	}
	return 0;
}

/* The commit's number counted from 1, or 0. */
static uint32_t numbers_find(const struct numbers *t, const git_oid *id)
{
	uint32_t s;

	if (!t->slots)
		return 0;
	for (s = id_slot(t, id->id); t->slots[s]; s = (s + 1) & t->mask) {
		if (!memcmp(t->ids + (size_t)(t->slots[s] - 1) * BLOB_ID, id->id,
			    BLOB_ID))
			return t->slots[s];
	}
	return 0;
}

/* From the tip back to a commit of the old file, or to the end of history. */
static int collect(struct update *u, git_oid id)
{
	struct numbers known = {0};
	git_oid parent;
	bool root = false;
	int rc = 0;

	if (u->old)
		rc = numbers_init(&known, u->old, u->e);
	while (!rc && !root) {
		git_oid tree;

		u->n_keep = numbers_find(&known, &id);
		if (u->n_keep)
			break;
		/* beyond the first, a commit that is not there is the edge of a shallow
		 * history */
		if (u->n_steps && !git_odb_exists(u->odb, &id))
			break;
		if (u->n_steps == BLOB_COMMITS_MAX)
			rc = err_set(
				u->e, ERR_TOO_BIG, "over %u commits", BLOB_COMMITS_MAX);
		else
			rc = commit_head(u->odb, &id, &tree, &parent, &root, u->e);
		if (rc)
			break;
		if (u->n_steps == u->cap) {
			u->cap = u->cap ? u->cap * 2 : 256;
			u->steps = base_realloc(u->steps, u->cap * sizeof(*u->steps));
		}
		u->steps[u->n_steps++] = (struct step){id, tree};
		id = parent;
	}
	free(known.slots);
	return rc;
}

/* --- changes --- */

static int on_change(void *arg, const char *path, size_t len, const git_oid *id)
{
	struct update *u = arg;
	struct blob_event *ev;

	if (u->n_events == BLOB_BATCH + BLOB_COMMIT_CHANGES_MAX)
		return err_set(u->e, ERR_TOO_BIG, "a commit changes over %u files",
			BLOB_COMMIT_CHANGES_MAX);
	if (u->n_events == u->events_cap) {
		u->events_cap = u->events_cap ? u->events_cap * 2 : 4096;
		u->events = base_realloc(u->events, u->events_cap * sizeof(*u->events));
	}
	ev = &u->events[u->n_events++];
	*ev = (struct blob_event){
		.hash = blob_path_hash(path, len), .change = {.commit = u->commit_no}};
	if (id)
		memcpy(ev->change.id, id->id, BLOB_ID_SHORT);
	return 0;
}

/* Writes the first n_new of the new commits; they become old ones. */
static int flush(struct update *u, size_t n_new)
{
	struct blob_next next = {
		.old = u->old, .n_keep = u->n_keep, .n_new = (uint32_t)n_new};
	uint8_t *ids = base_alloc(n_new * BLOB_ID + 1);
	int rc;

	u->n_events = blob_events_sort(u->events, u->n_events);
	next.events = u->events;
	next.n_events = u->n_events;
	for (size_t i = 0; i < n_new; i++)
		memcpy(ids + i * BLOB_ID, u->steps[u->n_steps - 1 - i].id.id, BLOB_ID);
	next.ids = ids;
	rc = blob_file_write(u->path, &next, u->e);
	free(ids);
	if (rc)
		return rc;
	u->n_events = 0;
	u->n_keep += (uint32_t)n_new;
	u->n_steps -= n_new;
	blob_index_closep(&u->old);
	return blob_index_open(u->path, &u->old, u->e);
}

/* The tree of the last commit that is kept; none when there is no such. */
static int tree_before(struct update *u, git_tree **ret)
{
	const uint8_t *bytes;
	git_oid id, tree, parent;
	bool root;
	int rc;

	*ret = NULL;
	if (!u->n_keep)
		return 0;
	bytes = blob_file_commits(u->old, u->n_keep - 1, 1, u->e);
	if (!bytes)
		return ERR_INVALID;
	git_oid_fromraw(&id, bytes);
	rc = commit_head(u->odb, &id, &tree, &parent, &root, u->e);
	if (rc)
		return rc;
	rc = git_tree_lookup(ret, u->repo, &tree);
	return rc ? repo_err(u->e, rc, "cannot read tree %s", git_oid_tostr_s(&tree)) : 0;
}

static int read_steps(struct update *u, int64_t until_ns, git_tree **before)
{
	size_t n = 0; /* read since the last flush */

	while (n < u->n_steps) {
		const struct step *s = &u->steps[u->n_steps - 1 - n];
		git_tree *tree = NULL;
		int rc = git_tree_lookup(&tree, u->repo, &s->tree);

		if (rc)
			return repo_err(u->e, rc, "cannot read tree %s",
				git_oid_tostr_s(&s->tree));
		u->commit_no = u->n_keep + (uint32_t)n;
		rc = tree_changes(u->repo, *before, tree, on_change, u, u->e);
		git_tree_free(*before);
		*before = tree;
		if (rc)
			return rc;
		n++;
		if (until_ns && clock_mono_ns() > until_ns)
			break;
		if (u->n_events >= BLOB_BATCH) {
			rc = flush(u, n);
			if (rc)
				return rc;
			n = 0;
		}
	}
	return flush(u, n);
}

/* --- the update --- */

/* A history that was shallow and is deeper now has commits before our first. */
static bool got_deeper(struct update *u)
{
	const uint8_t *bytes = blob_file_commits(u->old, 0, 1, u->e);
	git_oid id, tree, parent;
	struct err ignored;
	bool root = true;

	if (!bytes)
		return true;
	git_oid_fromraw(&id, bytes);
	return !commit_head(u->odb, &id, &tree, &parent, &root, &ignored) && !root &&
	       git_odb_exists(u->odb, &parent);
}

static void open_old(struct update *u)
{
	struct err ignored;

	if (blob_index_open(u->path, &u->old, &ignored))
		u->old = NULL; /* absent or damaged: built anew */
	if (u->old && (!blob_index_n_commits(u->old) || got_deeper(u)))
		blob_index_closep(&u->old);
}

static int run(
	struct update *u, const git_oid *tip, int64_t until_ns, struct blob_update *ret)
{
	git_tree *before = NULL;
	uint32_t n_kept;
	size_t n_new;
	int rc = collect(u, *tip);

	if (rc)
		return rc;
	n_kept = u->n_keep;
	n_new = u->n_steps;
	if (n_new || (u->old && n_kept != blob_index_n_commits(u->old))) {
		rc = tree_before(u, &before);
		if (!rc)
			rc = read_steps(u, until_ns, &before);
		git_tree_free(before);
	}
	*ret = (struct blob_update){.n_kept = n_kept,
		.n_added = (uint32_t)(n_new - u->n_steps),
		.n_behind = (uint32_t)u->n_steps};
	return rc;
}

int blob_index_update(struct git_repository *r, const char *path, const char *tip_hex,
	int64_t budget_ms, struct blob_update *ret, struct err *e)
{
	int64_t until_ns = budget_ms ? clock_mono_ns() + budget_ms * NS_PER_MS : 0;
	struct update u = {.repo = r, .path = path, .e = e};
	CLEANUP(sbuf_release) struct sbuf lock = SBUF_INIT;
	CLEANUP(base_closep) int fd = -1;
	git_oid tip;
	int rc;

	if (git_oid_fromstr(&tip, tip_hex))
		return err_set(e, ERR_INVALID, "no id of a commit: %.50s", tip_hex);
	sbuf_addf(&lock, "%s.lock", path);
	rc = file_lock(lock.buf, &fd, e);
	if (rc)
		return rc;
	rc = git_repository_odb(&u.odb, r);
	if (rc)
		return repo_err(e, rc, "cannot read the repository");
	open_old(&u);
	rc = run(&u, &tip, until_ns, ret);
	if (rc == ERR_INVALID && u.old)
		unlink(path); /* a damaged block: the next call starts anew */
	blob_index_close(u.old);
	git_odb_free(u.odb);
	free(u.steps);
	free(u.events);
	return rc;
}
