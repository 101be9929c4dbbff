/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branches and releases of a git repository by URL, and one commit of them for runners.
 */
#include "workers/tree/tree.h"

#include "base/file.h"
#include "patch/blob_index.h"
#include "patch/pack.h"
#include "patch/repo.h"
#include "workers/tree/releases.h"
#include <git2.h>

#define BASE_PACK       "base.pack"
#define FETCH_BYTES_MAX ((size_t)8 << 30)
#define INDEX_MS        INT64_C(600000) /* for one branch; the next fetch goes on */
#define SERIES_PREFIX   "series/"       /* ours: branches of applied series */

struct branch {
	const char *name; /* NULL ends */
	char commit[REPO_HEX];
};

struct fetch {
	struct job_ctx *j;
	git_repository *repo; /* borrowed */
	const char *url;
	struct branch v[TREE_BRANCHES_MAX + 1];
	size_t n;
	struct releases releases;
	json_t *missing; /* names; borrowed */
	bool too_big;
};

static int on_transfer(const git_indexer_progress *p, void *arg)
{
	struct fetch *f = arg;

	if (p->received_bytes > FETCH_BYTES_MAX) {
		f->too_big = true;
		return -1;
	}
	job_progress(f->j, p->received_objects, p->total_objects, "objects", "fetching");
	return 0;
}

/* libgit2 tells a peer that is away from our faults by words only. */
static int fetch_err(const struct fetch *f, struct err *e)
{
	const git_error *ge = git_error_last();

	if (f->too_big)
		return err_set(e, ERR_TOO_BIG, "fetching %.200s: over %zu GiB", f->url,
			FETCH_BYTES_MAX >> 30);
	return err_set(e, ERR_UNAVAILABLE, "fetching %.200s: %s", f->url,
		ge && ge->message ? ge->message : "failed");
}

static bool is_there(const git_remote_head **heads, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(heads[i]->name, "refs/heads/", 11) == 0 &&
			strcmp(heads[i]->name + 11, name) == 0)
			return true;
	return false;
}

/* The branches to fetch: those asked for that are there, else the one HEAD names. */
static int choose(struct fetch *f, git_remote *remote, json_t *wanted, struct err *e)
{
	const git_remote_head **heads;
	git_buf head = GIT_BUF_INIT;
	json_t *one;
	size_t n, i;

	if (git_remote_ls(&heads, &n, remote) < 0)
		return fetch_err(f, e);
	releases_read(heads, n, f->j->arena, &f->releases);
	json_array_foreach(wanted, i, one)
	{
		const char *name = json_string_value(one);

		if (!name || f->n == TREE_BRANCHES_MAX)
			return err_set(e, ERR_INVALID,
				"tree: no list of at most %d "
				"branches",
				TREE_BRANCHES_MAX);
		if (is_there(heads, n, name))
			f->v[f->n++].name = name;
		else
			json_array_append(f->missing, one);
	}
	if (json_array_size(wanted) == 0 &&
		git_remote_default_branch(&head, remote) == 0) {
		if (strncmp(head.ptr, "refs/heads/", 11) == 0)
			f->v[f->n++].name = arena_strdup(f->j->arena, head.ptr + 11);
		git_buf_dispose(&head);
	}
	for (i = 0; i < f->n; i++)
		if (strncmp(f->v[i].name, SERIES_PREFIX, strlen(SERIES_PREFIX)) == 0)
			return err_set(e, ERR_INVALID,
				"branches named %s.. are those of applied series: %.100s",
				SERIES_PREFIX, f->v[i].name);
	if (f->n == 0 && json_array_size(wanted) == 0)
		return err_set(e, ERR_NOT_FOUND,
			"%.200s: its HEAD names no branch; name one", f->url);
	if (f->n == 0)
		return err_set(e, ERR_NOT_FOUND, "%.200s has no branch %.100s", f->url,
			json_string_value(json_array_get(wanted, 0)));
	return 0;
}

static int download(struct fetch *f, git_remote *remote, struct err *e)
{
	char *specs[TREE_BRANCHES_MAX];
	git_strarray list = {specs, f->n};
	git_fetch_options opts;

	git_fetch_options_init(&opts, GIT_FETCH_OPTIONS_VERSION);
	opts.callbacks.transfer_progress = on_transfer;
	opts.callbacks.payload = f;
	opts.download_tags = GIT_REMOTE_DOWNLOAD_TAGS_NONE;
	opts.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	for (size_t i = 0; i < f->n; i++)
		specs[i] = arena_printf(f->j->arena, "+refs/heads/%s:refs/heads/%s",
			f->v[i].name, f->v[i].name);
	if (git_remote_fetch(remote, &list, &opts, NULL) < 0)
		return fetch_err(f, e);
	for (size_t i = 0; i < f->n; i++) {
		int status = repo_branch(f->repo, f->v[i].name, f->v[i].commit, e);

		if (status != 0)
			return status;
	}
	releases_keep(f->repo, &f->releases);
	return 0;
}

/* Certificates are checked: that is libgit2's own rule where no callback says other. */
static int fetch_all(struct fetch *f, json_t *wanted, struct err *e)
{
	git_remote *remote = NULL;
	git_remote_connect_options opts;
	int status = 0;

	git_remote_connect_options_init(&opts, GIT_REMOTE_CONNECT_OPTIONS_VERSION);
	opts.follow_redirects = GIT_REMOTE_REDIRECT_NONE;
	job_progress(f->j, 0, 0, "objects", "asking for branches");
	if (git_remote_create_anonymous(&remote, f->repo, f->url) < 0 ||
		git_remote_connect_ext(remote, GIT_DIRECTION_FETCH, &opts) < 0)
		status = fetch_err(f, e);
	if (status == 0)
		status = choose(f, remote, wanted, e);
	if (status == 0)
		status = download(f, remote, e);
	git_remote_free(remote);
	return status;
}

/* Version of a branch. INVALID: no kernel. */
static int read_label(
	struct fetch *f, const struct branch *b, const char **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf makefile = SBUF_INIT;
	int status = repo_read_file(
		f->repo, b->commit, "Makefile", TREE_MAKEFILE_MAX, &makefile, NULL, e);

	if (status == ERR_NOT_FOUND)
		sbuf_reset(&makefile);
	else if (status != 0)
		return status;
	status = tree_label(f->j->arena, makefile.buf, makefile.len, ret, e);
	return status == 0 ? 0 : err_wrap(e, "branch %.100s", b->name);
}

/* An index that cannot be kept is no reason to be without the branch: then commits are
 * compared one by one. */
static uint32_t keep_index(struct fetch *f, const char *dir, const struct branch *b)
{
	char name[BLOB_INDEX_NAME];
	struct blob_update did = {0};
	struct err ignored;

	job_progress(f->j, 0, 0, "commits", "indexing");
	blob_index_name(arena_printf(f->j->arena, "refs/heads/%s", b->name), name);
	if (file_mkdir_p(dir, 0755, &ignored) != 0 ||
		blob_index_update(f->repo, arena_printf(f->j->arena, "%s/%s", dir, name),
			b->commit, INDEX_MS, &did, &ignored) != 0)
		return 0;
	return did.n_behind;
}

static int report(struct fetch *f, const char *dir, json_t **ret, struct err *e)
{
	json_t *branches = json_array();
	char tree[REPO_HEX];
	int status = repo_commit_tree(f->repo, f->v[0].commit, tree, e);

	for (size_t i = 0; status == 0 && i < f->n; i++) {
		const char *label;

		status = read_label(f, &f->v[i], &label, e);
		if (status == 0)
			json_array_append_new(branches,
				jx_pack("{s:s, s:s, s:s, s:I}", "name", f->v[i].name,
					"commit", f->v[i].commit, "label", label,
					"behind",
					(json_int_t)keep_index(f, dir, &f->v[i])));
	}
	if (status == 0)
		*ret = jx_pack("{s:s, s:O, s:O}", "tree", tree, "branches", branches,
			"missing", f->missing);
	json_decref(branches);
	return status;
}

int tree_fetch_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	struct fetch f = {.j = j};
	const char *name, *path;
	json_t *wanted;
	int status = jx_unpack(in, e, "tree", "{s:s, s:s, s:o !}", "name", &name, "url",
		&f.url, "branches", &wanted);

	if (status != 0)
		return status;
	path = arena_printf(j->arena, "%s/trees/%s.git", j->data, name);
	status = repo_create(path, &r, e);
	if (status != 0)
		return status;
	f.repo = r;
	f.missing = json_array();
	status = fetch_all(&f, wanted, e);
	if (status == 0)
		status = report(&f, arena_printf(j->arena, "%s/wakelist", path), ret, e);
	json_decref(f.missing);
	return status;
}

int tree_base_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	CLEANUP(repo_closep) struct git_repository *r = NULL;
	const char *name, *commit;
	int64_t n_objects;
	int status = jx_unpack(
		in, e, "base", "{s:s, s:s !}", "name", &name, "commit", &commit);

	if (status == 0)
		status = repo_open(
			arena_printf(j->arena, "%s/trees/%s.git", j->data, name), &r, e);
	job_progress(j, 0, 0, "objects", "cutting");
	if (status == 0)
		status = pack_base(r, commit, BASE_PACK, &n_objects, e);
	if (status == 0)
		*ret = jx_pack("{s:s, s:I, s:[s]}", "pack", BASE_PACK, "n_objects",
			(json_int_t)n_objects, "files", BASE_PACK);
	return status;
}
