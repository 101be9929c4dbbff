// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/objects_made.h"
#include "patch/pack.h"
#include "patch/repo.h"
#include "patch/tree_bytes.h"

#define LOOSE_MAX       100        /* objects; from then on git unpacks no push either */
#define LOOSE_MAX_BYTES (1u << 20) /* of all, before they are deflated */
#define LOOSE_LEVEL     1          /* of zlib */

/* What is to be stored: indexes into made->v, low to high. */
struct store {
	struct objects *made;
	char *dir; /* of the objects, no slash at the end */
	uint32_t *v;
	size_t n, n_bytes;
	bool *wanted; /* by index */
	struct err *e;
};

static void want(struct store *s, uint32_t i)
{
	if (s->wanted[i])
		return;
	s->wanted[i] = true;
	s->n_bytes += s->made->v[i].len;
	s->n++;
}

/* It is stored already. */
static void drop(struct store *s, uint32_t i)
{
	s->wanted[i] = false;
	s->n_bytes -= s->made->v[i].len;
	s->n--;
}

static const struct object *made_by_id(const struct store *s, const unsigned char id[20])
{
	git_oid oid;

	memcpy(oid.id, id, sizeof(oid.id));
	return objects_made(s->made, &oid);
}

static uint32_t index_of(const struct store *s, const struct object *one)
{
	return (uint32_t)(one - s->made->v);
}

static struct tree_cursor cursor_of(const struct object *tree)
{
	return (struct tree_cursor){.p = tree->p, .end = tree->p + tree->len};
}

/* A tree that was made, and what was made of what is in it. */
static void want_tree(struct store *s, const struct object *tree)
{
	struct tree_cursor c = cursor_of(tree);
	struct tree_item item;

	if (s->wanted[index_of(s, tree)])
		return;
	want(s, index_of(s, tree));
	while (tree_next(&c, &item)) {
		const struct object *one = made_by_id(s, item.id);

		if (one && one->type == GIT_OBJECT_TREE)
			want_tree(s, one);
		else if (one)
			want(s, index_of(s, one));
	}
}

/* --- what is a version of what --- */

static void follow(struct store *s, const unsigned char old[20],
	const unsigned char now[20], git_object_t type);

/* Both are sorted; a file that became a folder is no pair. */
static void follow_items(
	struct store *s, const struct object *old, const struct object *now)
{
	struct tree_cursor from = cursor_of(old), to = cursor_of(now);
	struct tree_item x, y;
	bool has_x = tree_next(&from, &x), has_y = tree_next(&to, &y);

	while (has_x && has_y) {
		int order = tree_compare(&x, &y);

		if (!order && memcmp(x.id, y.id, sizeof(x.id)) != 0)
			follow(s, x.id, y.id,
				y.mode == TREE_FOLDER ? GIT_OBJECT_TREE
						      : GIT_OBJECT_BLOB);
		if (order <= 0)
			has_x = tree_next(&from, &x);
		if (order >= 0)
			has_y = tree_next(&to, &y);
	}
}

/* The one became the other. Only the later of two can be what the earlier is a delta of:
 * a patch that undoes another makes no circle. */
static void follow(struct store *s, const unsigned char old[20],
	const unsigned char now[20], git_object_t type)
{
	const struct object *x = made_by_id(s, old), *y = made_by_id(s, now);

	if (!x || !y || x->type != type || y->type != type)
		return;
	if (x < y && !x->next)
		s->made->v[index_of(s, x)].next = index_of(s, y) + 1;
	if (type == GIT_OBJECT_TREE)
		follow_items(s, x, y);
}

/* "tree HEX\nparent HEX\n", which commit_bytes() writes. */
static bool commit_ids(const struct object *commit, git_oid *tree, git_oid *parent)
{
	static const char first[] = "tree ", second[] = "\nparent ";
	size_t at = strlen(first) + GIT_OID_HEXSZ;

	return commit->len > at + strlen(second) + GIT_OID_HEXSZ &&
	       !git_oid_fromstr(tree, commit->p + strlen(first)) &&
	       !memcmp(commit->p + at, second, strlen(second)) &&
	       !git_oid_fromstr(parent, commit->p + at + strlen(second));
}

static void follow_commits(struct store *s)
{
	for (size_t i = 0; i < s->made->n; i++) {
		const struct object *one = &s->made->v[i], *before;
		git_oid tree, parent, old, ignored;

		if (one->type != GIT_OBJECT_COMMIT || !commit_ids(one, &tree, &parent))
			continue;
		before = objects_made(s->made, &parent);
		if (before && commit_ids(before, &old, &ignored))
			follow(s, old.id, tree.id, GIT_OBJECT_TREE);
	}
}

/* --- onto the disk --- */

static int store_loose(struct store *s)
{
	git_odb_backend *b = NULL;
	int rc = git_odb_backend_loose(&b, s->dir, LOOSE_LEVEL, 0, 0, 0);

	for (size_t i = 0; i < s->n && !rc; i++) {
		const struct object *one = &s->made->v[s->v[i]];

		rc = b->write(b, &one->id, one->p, one->len, one->type);
	}
	if (rc)
		rc = repo_err(s->e, rc, "cannot write objects in %s", s->dir);
	if (b)
		b->free(b);
	return rc;
}

/* The last first: the version after it is in the pack already. */
static int put_packed(struct store *s, struct pack_writer *w, uint32_t i)
{
	const struct object *one = &s->made->v[i];
	const struct object *next = one->next ? &s->made->v[one->next - 1] : one;
	const struct pack_near near = {next->id.id, next->p, next->len};

	return pack_writer_put(w, (enum pack_type)one->type, one->p, one->len, one->id.id,
		next == one ? NULL : &near, s->e);
}

static int store_pack(struct store *s)
{
	CLEANUP(sbuf_release) struct sbuf name = SBUF_INIT, folder = SBUF_INIT;
	struct pack_writer *w = NULL;
	int rc;

	sbuf_addf(&folder, "%s/pack", s->dir);
	sbuf_addf(&name, "%s/tmp_pack", folder.buf); /* which git cleans up */
	rc = pack_writer_open(name.buf, &w, s->e);
	for (size_t i = s->n; i-- > 0 && !rc;)
		rc = put_packed(s, w, s->v[i]);
	if (rc) {
		pack_writer_abort(w);
		return rc;
	}
	return pack_writer_store(w, folder.buf, s->e);
}

static int store_wanted(struct store *s)
{
	if (!s->n)
		return 0;
	if (s->n < LOOSE_MAX && s->n_bytes < LOOSE_MAX_BYTES)
		return store_loose(s);
	return store_pack(s);
}

int objects_store(struct objects *o, const git_oid *only_tree, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct store s = {.made = o,
		.dir = arena_printf(a, "%sobjects", repo_folder(o->repo)),
		.v = ARENA_ARRAY(a, uint32_t, o->n + 1),
		.wanted = ARENA_ARRAY(a, bool, o->n + 1),
		.e = e};
	const struct object *tree = only_tree ? objects_made(o, only_tree) : NULL;
	size_t n = 0;

	if (tree)
		want_tree(&s, tree);
	for (size_t i = 0; i < o->n && !only_tree; i++)
		want(&s, (uint32_t)i);
	for (size_t i = 0; i < o->n; i++) {
		if (s.wanted[i] && objects_freshen(o, &o->v[i].id))
			drop(&s, (uint32_t)i);
		if (s.wanted[i])
			s.v[n++] = (uint32_t)i;
	}
	if (!only_tree)
		follow_commits(&s);
	return store_wanted(&s);
}
