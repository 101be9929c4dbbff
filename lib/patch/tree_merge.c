// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/moved.h"
#include "patch/refuse.h"
#include "patch/similar.h"
#include "patch/tree_merge.h"

#define SCORE_NAME 45000 /* 75 %: enough for two files of the same name */
#define PAIRS_MAX  10000 /* compared for renames; above that only equal files are */

struct merge_path *tree_merge_find(const struct tree_merge *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++) {
		if (!strcmp(m->v[i].path, path))
			return &m->v[i];
	}
	return NULL;
}

static bool same_side(const struct merge_side *x, const struct merge_side *y)
{
	if (!x->there || !y->there)
		return x->there == y->there;
	return x->mode == y->mode && git_oid_equal(&x->id, &y->id);
}

static const char *show(const struct tree_merge *m, const char *path)
{
	return refuse_show_path(path, m->a);
}

/* --- renames of the change, found as git finds them --- */

static bool is_lost(const struct merge_path *p)
{
	return p->base.there && !p->theirs.there && !p->left;
}

static bool is_made(const struct merge_path *p)
{
	return !p->base.there && p->theirs.there && !p->was;
}

static const char *last_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool same_name(const struct merge_path *x, const struct merge_path *y)
{
	return !strcmp(last_name(x->path), last_name(y->path));
}

static void pair(struct merge_path *from, struct merge_path *to)
{
	from->left = true;
	to->was = from->path;
	to->base = from->base;
}

static void pair_equal(struct tree_merge *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct merge_path *to = &m->v[i], *best = NULL;

		for (size_t k = 0; k < m->n && is_made(to); k++) {
			struct merge_path *from = &m->v[k];

			if (is_lost(from) &&
				git_oid_equal(&from->base.id, &to->theirs.id) &&
				(!best || (same_name(from, to) && !same_name(best, to))))
				best = from;
		}
		if (best)
			pair(best, to);
	}
}

static size_t count_name(const struct tree_merge *m, const char *name,
	bool (*is)(const struct merge_path *))
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += is(&m->v[i]) && !strcmp(last_name(m->v[i].path), name);
	return n;
}

static int side_similar(struct tree_merge *m, const struct merge_side *side,
	struct similar *ret, struct err *e)
{
	const char *p;
	size_t len;
	int rc = stage_blob(m->s, &side->id, REFUSE_RESULT_MAX, &p, &len, e);

	if (!rc)
		similar_init(ret, m->s->a, p, len);
	return rc;
}

/* Files of one name, once on each side, that are mostly the same; then the most similar
 * of all, again and again. */
static int pair_similar(struct tree_merge *m, struct err *e)
{
	struct similar *all = ARENA_ARRAY(m->s->a, struct similar, m->n);
	size_t n_lost = 0, n_made = 0;

	for (size_t i = 0; i < m->n; i++) {
		n_lost += is_lost(&m->v[i]);
		n_made += is_made(&m->v[i]);
	}
	if (!n_lost || !n_made || n_lost * n_made > PAIRS_MAX)
		return 0;
	for (size_t i = 0; i < m->n; i++) {
		const struct merge_path *p = &m->v[i];
		int rc = 0;

		if (is_lost(p) || is_made(p))
			rc = side_similar(
				m, p->base.there ? &p->base : &p->theirs, &all[i], e);
		if (rc)
			return rc;
	}
	for (int by_name = 1; by_name >= 0;) {
		struct merge_path *from = NULL, *to = NULL;
		int best = by_name ? SCORE_NAME - 1 : SIMILAR_RENAME - 1;

		for (size_t i = 0; i < m->n; i++) {
			for (size_t k = 0; k < m->n && is_made(&m->v[i]); k++) {
				struct merge_path *x = &m->v[k], *y = &m->v[i];
				int score;

				if (!is_lost(x) ||
					(by_name &&
						(!same_name(x, y) ||
							count_name(m, last_name(x->path),
								is_lost) != 1 ||
							count_name(m, last_name(x->path),
								is_made) != 1)))
					continue;
				score = similar_score(&all[k], &all[i]);
				if (score > best ||
					(score == best && from && same_name(x, y) &&
						!same_name(from, to))) {
					best = score;
					from = x;
					to = y;
				}
			}
		}
		if (from)
			pair(from, to);
		else
			by_name--;
	}
	return 0;
}

/* --- one path --- */

static void put(struct tree_merge *m, const char *path, const struct merge_side *side,
	const struct merge3_text *text)
{
	struct stage_entry *entry = stage_touch(m->s, path);

	entry->present = true;
	entry->gone = false;
	entry->mode = side->mode;
	entry->id = side->id;
	entry->has_buf = text;
	if (text) {
		entry->buf = text->p;
		entry->len = text->len;
	}
}

static void drop(struct tree_merge *m, const char *path)
{
	struct stage_entry *entry = stage_touch(m->s, path);

	if (!entry->present)
		entry->gone = true;
}

static int read_side(struct tree_merge *m, const struct merge_side *side,
	struct merge3_text *ret, struct err *e)
{
	*ret = (struct merge3_text){.p = ""};
	return side->there ? stage_blob(m->s, &side->id, REFUSE_RESULT_MAX, &ret->p,
				     &ret->len, e)
			   : 0;
}

static int merge_lines(struct tree_merge *m, struct merge_path *p,
	struct merge3_text *ret, struct err *e)
{
	struct merge3_text base, ours, theirs;
	enum merge3_fit fit;
	int rc = read_side(m, &p->base, &base, e);

	if (!rc)
		rc = read_side(m, &p->ours, &ours, e);
	if (!rc)
		rc = read_side(m, &p->theirs, &theirs, e);
	if (!rc)
		rc = merge3_texts(&base, &ours, &theirs, m->s->a, &fit, ret, e);
	if (rc)
		return rc;
	if (fit == MERGE3_BINARY)
		p->why = arena_printf(m->a,
			"%s is no text, and both the patch and the base changed it",
			show(m, p->dest));
	else if (fit == MERGE3_CONFLICT && !p->base.there)
		p->why = arena_printf(m->a,
			"%s exists already at this base, with other contents",
			show(m, p->dest));
	else if (fit == MERGE3_CONFLICT) {
		p->why = arena_printf(m->a,
			"%s: the patch and the base changed the same lines since the "
			"version that the patch is made for",
			show(m, p->dest));
		p->lines = true;
	} else if (ret->len > REFUSE_RESULT_MAX) {
		p->why = arena_printf(m->a, "%s would have %.1f MB; limit %u MiB",
			show(m, p->dest), (double)ret->len / 1e6,
			REFUSE_RESULT_MAX >> 20);
	}
	return 0;
}

/* Both sides have it. */
static int merge_both(struct tree_merge *m, struct merge_path *p, struct err *e)
{
	const struct merge_side *o = &p->base, *a = &p->ours, *b = &p->theirs;
	struct merge_side side = *a;
	struct merge3_text text;
	int rc;

	if (a->mode == b->mode || a->mode == o->mode)
		side.mode = b->mode;
	else if (b->mode != o->mode)
		p->why = arena_printf(m->a,
			"%s: the patch makes its mode 0%o, the base 0%o",
			show(m, p->dest), b->mode, a->mode);
	if (git_oid_equal(&a->id, &b->id) || git_oid_equal(&a->id, &o->id)) {
		side.id = b->id;
	} else if (!git_oid_equal(&b->id, &o->id)) {
		p->why = NULL; /* as git: merged lines settle it */
		rc = merge_lines(m, p, &text, e);
		if (!rc && !p->why)
			put(m, p->dest, &side, &text);
		return rc;
	}
	if (!p->why)
		put(m, p->dest, &side, NULL);
	return 0;
}

static const char *kind_words(enum stage_kind kind)
{
	return kind == STAGE_LINK        ? "a link"
	       : kind == STAGE_SUBMODULE ? "a submodule"
	       : kind == STAGE_FOLDER    ? "a folder"
					 : "below a file or link";
}

static int look(struct tree_merge *m, struct merge_path *p, const char *path,
	struct merge_side *ret, struct err *e)
{
	struct stage_found found;
	int rc = stage_look(m->s, path, &found, e);

	*ret = (struct merge_side){0};
	if (rc || found.kind == STAGE_ABSENT)
		return rc;
	if (found.kind != STAGE_FILE)
		p->why = arena_printf(m->a, "%s is %s at this base", show(m, path),
			kind_words(found.kind));
	*ret = (struct merge_side){true, found.mode, found.id};
	return 0;
}

/* The tree has no file at the path that the change began with. */
static int follow(struct tree_merge *m, struct merge_path *p, struct err *e)
{
	const char *from = p->was ? p->was : p->path;
	struct moved moved;
	struct similar x, y;
	int rc;

	if (p->was) { /* perhaps the base renamed it in the same way */
		rc = look(m, p, p->path, &p->ours, e);
		if (rc || p->why)
			return rc;
		if (p->ours.there) {
			rc = side_similar(m, &p->base, &x, e);
			if (!rc)
				rc = side_similar(m, &p->ours, &y, e);
			if (rc)
				return rc;
			if (git_oid_equal(&p->base.id, &p->ours.id) ||
				similar_score(&x, &y) >= SIMILAR_RENAME)
				return 0;
		}
	}
	rc = moved_find(m->s, m->tip, from, &p->base.id, &moved, e);
	if (rc)
		return rc;
	if (!p->theirs.there) {
		if (moved.to)
			p->why = arena_printf(m->a, "the patch deletes %s, which was %s",
				show(m, from), moved.how);
	} else if (!moved.to) {
		p->why = arena_printf(m->a, "%s is gone: %s", show(m, from), moved.how);
	} else if (p->was) {
		p->why = arena_printf(m->a, "the patch renames %s, which was %s",
			show(m, from), moved.how);
	} else if (tree_merge_find(m, moved.to)) {
		p->why = arena_printf(m->a, "%s was %s, which the patch touches too",
			show(m, from), moved.how);
	} else {
		p->dest = moved.to;
		p->moved = moved.how;
		rc = look(m, p, p->dest, &p->ours, e);
	}
	return rc;
}

static int merge_path(struct tree_merge *m, struct merge_path *p, struct err *e)
{
	const char *from = p->was ? p->was : p->path;
	struct merge_side there;
	int rc;

	p->dest = p->path;
	if (p->left || (!p->was && same_side(&p->base, &p->theirs)))
		return 0;
	rc = look(m, p, from, &p->ours, e);
	if (rc || p->why)
		return rc;
	if (!p->ours.there && p->base.there) {
		rc = follow(m, p, e);
		if (rc || p->why || !p->ours.there)
			return rc;
	} else if (p->was) {
		rc = look(m, p, p->path, &there, e);
		if (!rc && !p->why && there.there)
			p->why = arena_printf(
				m->a, "%s exists already at this base", show(m, p->path));
		if (rc || p->why)
			return rc;
		drop(m, p->was);
	}
	if (!p->theirs.there && same_side(&p->base, &p->ours))
		drop(m, p->path);
	else if (!p->theirs.there)
		p->why = arena_printf(m->a,
			"the patch deletes %s, which the base changed since",
			show(m, p->path));
	else if (!p->ours.there)
		put(m, p->path, &p->theirs, NULL);
	else
		return merge_both(m, p, e);
	return 0;
}

int tree_merge_run(struct tree_merge *m, struct err *e)
{
	int rc;

	pair_equal(m);
	rc = pair_similar(m, e);
	for (size_t i = 0; i < m->n && !rc; i++) {
		rc = merge_path(m, &m->v[i], e);
		m->conflict |= m->v[i].why != NULL;
	}
	return rc;
}
