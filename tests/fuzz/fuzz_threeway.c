// SPDX-License-Identifier: GPL-2.0-or-later
/* Three-way applying in a repository in memory. Input: a line of letters, then in parts
 * between lines "====": a file as a patch knows it, as the base has it, and the patch.
 * Letters: m the base moved it to k/f, d the base dropped it. No file may change but
 * those that the patch names and the one that was moved. */
#include "base/base.h"

#include "patch/merge3.h"
#include "patch/place.h"
#include "patch/threeway.h"
#include <git2.h>
#include <git2/sys/repository.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct world {
	git_odb *odb;
	git_repository *repo;
	struct objects *made;
	struct arena *a;
	git_oid old, now, tip;
	git_tree *tree;
};

static void must(int rc)
{
	if (rc)
		abort();
}

static void world_open(struct world *w)
{
	git_config *config;
	struct err e;

	must(git_libgit2_init() < 1);
	must(git_odb_new(&w->odb));
	must(git_repository_wrap_odb(&w->repo, w->odb));
	must(objects_hold(w->repo, &w->made, &e));
	must(git_config_new(&config));
	must(git_repository_set_config(w->repo, config));
	git_config_free(config);
}

static void world_close(struct world *w)
{
	git_tree_free(w->tree);
	git_repository_free(w->repo);
	git_odb_free(w->odb);
	git_libgit2_shutdown();
}

static void add_file(struct stage *s, const char *path, const git_oid *id)
{
	struct stage_entry *entry = stage_touch(s, path);

	entry->present = true;
	entry->mode = 0100644;
	entry->id = *id;
}

/* A commit of the files put into s, on parent or as the first one. */
static void commit(struct world *w, struct stage *s, const git_oid *parent, git_oid *ret)
{
	git_oid tree;
	char hex[REPO_HEX];
	char *text;
	struct err e;

	must(stage_write(s, &tree, &e));
	text = arena_printf(w->a, "tree %s\n", git_oid_tostr(hex, sizeof(hex), &tree));
	if (parent)
		text = arena_printf(w->a, "%sparent %s\n", text,
			git_oid_tostr(hex, sizeof(hex), parent));
	text = arena_printf(
		w->a, "%sauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n", text);
	must(git_odb_write(ret, w->odb, text, strlen(text), GIT_OBJECT_COMMIT));
	git_tree_free(w->tree);
	must(git_tree_lookup(&w->tree, w->repo, &tree));
}

/* First commit: f, g and k/f2 as the patch knows them; second: f changed, moved or gone.
 */
static void make_history(struct world *w, const char *letters, size_t n)
{
	git_treebuilder *b;
	git_oid empty, first;
	struct stage s;

	must(git_treebuilder_new(&b, w->repo, NULL));
	must(git_treebuilder_write(&empty, b));
	git_treebuilder_free(b);
	must(git_tree_lookup(&w->tree, w->repo, &empty));
	stage_init(&s, w->made, w->tree, w->a);
	add_file(&s, "f", &w->old);
	add_file(&s, "g", &w->old);
	add_file(&s, "k/f2", &w->old);
	commit(w, &s, NULL, &first);
	stage_init(&s, w->made, w->tree, w->a);
	if (memchr(letters, 'm', n) || memchr(letters, 'd', n))
		stage_touch(&s, "f")->gone = true;
	else
		add_file(&s, "f", &w->now);
	if (memchr(letters, 'm', n))
		add_file(&s, "k/f", &w->now);
	commit(w, &s, &first, &w->tip);
}

static bool same_name(const char *p, const char *path)
{
	const char *base = strrchr(path, '/'), *slash = p ? strrchr(p, '/') : NULL;

	return p && !strcmp(slash ? slash + 1 : p, base ? base + 1 : path);
}

/* By its path, or by a file of that name in another folder, which the base may have moved
 * there. */
static bool names(const struct diff *d, const char *path)
{
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		if (same_name(f->old_path, path) || same_name(f->new_path, path))
			return true;
	}
	return false;
}

static void check_kept(
	struct world *w, const struct diff *d, const git_oid *made, const char *path)
{
	git_tree *tree;
	git_tree_entry *te;

	if (names(d, path))
		return;
	must(git_tree_lookup(&tree, w->repo, made));
	must(git_tree_entry_bypath(&te, tree, path));
	must(!git_oid_equal(git_tree_entry_id(te), &w->old));
	git_tree_entry_free(te);
	git_tree_free(tree);
}

static void check_patch(struct world *w, struct diff *d)
{
	struct apply_patch_outcome out = {0};
	struct threeway three;
	struct stage s;
	git_oid made;
	struct err e;

	stage_init(&s, w->made, w->tree, w->a);
	must(place_diff(&s, d, w->a, &out, &e));
	if (out.result != PATCH_CONFLICT && out.result != PATCH_ALREADY)
		return;
	stage_init(&s, w->made, w->tree, w->a);
	must(threeway_place(&s, &w->tip, d, w->a, &out, &three, &e));
	if ((three.end == THREEWAY_MERGED) != !three.why)
		abort();
	if (three.end == THREEWAY_CONFLICT && !out.error)
		abort();
	if (three.end != THREEWAY_MERGED || stage_write(&s, &made, &e))
		return;
	check_kept(w, d, &made, "g");
	check_kept(w, d, &made, "k/f2");
}

/* Where nothing or the same was changed on one side, the other side is the answer. */
static void check_texts(
	const struct merge3_text *old, const struct merge3_text *now, struct arena *a)
{
	const struct merge3_text *sides[][3] = {
		{old, old, now}, {old, now, old}, {old, now, now}};
	struct merge3_change *v;
	struct merge3_text out;
	enum merge3_fit fit;
	struct err e;
	size_t n;

	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		must(merge3_texts(
			sides[i][0], sides[i][1], sides[i][2], a, &fit, &out, &e));
		if (fit == MERGE3_CONFLICT ||
			(fit == MERGE3_CLEAN &&
				(out.len != now->len || memcmp(out.p, now->p, out.len))))
			abort();
	}
	must(merge3_changes(old, now, a, &v, &n, &e));
	for (size_t i = 1; i < n; i++) {
		if (v[i].old_at < v[i - 1].old_at + v[i - 1].old_n ||
			v[i].new_at < v[i - 1].new_at + v[i - 1].new_n)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *p = (const char *)data, *end = p + size;
	const char *start = size ? memchr(p, '\n', size) : NULL;
	const char *mid =
		start ? memmem(start, (size_t)(end - start), "\n====\n", 6) : NULL;
	const char *last =
		mid ? memmem(mid + 5, (size_t)(end - mid - 5), "\n====\n", 6) : NULL;
	struct world w = {.a = a};
	struct merge3_text old, now;
	struct diff *d;
	struct err e;

	if (!last || size > (32u << 10))
		return 0;
	old = (struct merge3_text){start + 1, mid > start ? (size_t)(mid - start) : 0};
	now = (struct merge3_text){
		mid + 6, last > mid + 5 ? (size_t)(last - mid - 5) : 0};
	if (diff_parse(last + 6, (size_t)(end - last - 6), a, &d, &e) || !d->n_files)
		return 0;
	world_open(&w);
	must(git_blob_create_from_buffer(&w.old, w.repo, old.p, old.len));
	must(git_blob_create_from_buffer(&w.now, w.repo, now.p, now.len));
	make_history(&w, p, (size_t)(start - p));
	/* every index line names the old file */
	for (size_t i = 0; i < d->n_files; i++) {
		if (d->files[i].is_new != DIFF_YES)
			git_oid_tostr(d->files[i].old_id, DIFF_ID, &w.old);
	}
	check_texts(&old, &now, a);
	check_patch(&w, d);
	world_close(&w);
	return 0;
}
