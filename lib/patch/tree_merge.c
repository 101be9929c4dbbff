// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/moved.h"
#include "patch/refuse.h"
#include "patch/similar.h"
#include "patch/tree_merge.h"

#define SCORE_NAME 45000 /* 75 %: enough for two files of the same name */
/* Compared for renames; above that only equal files are found. */
#define PAIRS_MAX   2500
#define PAIRS_BYTES (64u << 20)
#define SOUGHT_MAX  32 /* files that the base has no more, looked for elsewhere */

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

/* The files that the change removes and those that it makes, each with each. */
struct pairs {
	struct merge_path **lost, **made;
	size_t n_lost, n_made;
	int *score; /* [made][lost] */
};

static void pairs_list(struct tree_merge *m, struct pairs *ret)
{
	ret->lost = ARENA_ARRAY(m->s->a, struct merge_path *, m->n);
	ret->made = ARENA_ARRAY(m->s->a, struct merge_path *, m->n);
	ret->n_lost = ret->n_made = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (is_lost(&m->v[i]))
			ret->lost[ret->n_lost++] = &m->v[i];
		else if (is_made(&m->v[i]))
			ret->made[ret->n_made++] = &m->v[i];
	}
}

static int pairs_score(struct tree_merge *m, struct pairs *p, struct err *e)
{
	struct similar *from = ARENA_ARRAY(m->s->a, struct similar, p->n_lost), to;
	size_t n_bytes = 0;
	int rc = 0;

	p->score = ARENA_ARRAY(m->s->a, int, p->n_lost * p->n_made);
	for (size_t i = 0; i < p->n_lost && !rc && n_bytes < PAIRS_BYTES; i++) {
		rc = side_similar(m, &p->lost[i]->base, &from[i], e);
		n_bytes += from[i].n_bytes;
	}
	for (size_t k = 0; k < p->n_made && !rc && n_bytes < PAIRS_BYTES; k++) {
		rc = side_similar(m, &p->made[k]->theirs, &to, e);
		n_bytes += to.n_bytes;
		for (size_t i = 0; i < p->n_lost && !rc; i++)
			p->score[k * p->n_lost + i] = similar_score(&from[i], &to);
	}
	return rc;
}

static bool only_name(struct merge_path *const *v, size_t n, const struct merge_path *p,
	bool (*is)(const struct merge_path *))
{
	size_t n_same = 0;

	for (size_t i = 0; i < n; i++)
		n_same += is(v[i]) && same_name(v[i], p);
	return n_same == 1;
}

/* The two most similar ones above a score, of one name that is there once on each side
 * when by_name. False: none. */
static bool pairs_take(struct pairs *p, bool by_name)
{
	struct merge_path *from = NULL, *to = NULL;
	int best = (by_name ? SCORE_NAME : SIMILAR_RENAME) - 1;

	for (size_t k = 0; k < p->n_made; k++) {
		struct merge_path *y = p->made[k];

		if (!is_made(y) ||
			(by_name && !only_name(p->made, p->n_made, y, is_made)))
			continue;
		for (size_t i = 0; i < p->n_lost; i++) {
			struct merge_path *x = p->lost[i];
			int score = p->score[k * p->n_lost + i];

			if (!is_lost(x) || score < best)
				continue;
			if (by_name && (!same_name(x, y) || !only_name(p->lost, p->n_lost,
								    x, is_lost)))
				continue;
			if (score > best ||
				(from && same_name(x, y) && !same_name(from, to))) {
				best = score;
				from = x;
				to = y;
			}
		}
	}
	if (from)
		pair(from, to);
	return from;
}

static int pair_similar(struct tree_merge *m, struct err *e)
{
	struct pairs p;
	int rc;

	pairs_list(m, &p);
	if (!p.n_lost || !p.n_made || p.n_lost * p.n_made > PAIRS_MAX)
		return 0;
	rc = pairs_score(m, &p, e);
	if (rc)
		return rc;
	while (pairs_take(&p, true))
		;
	while (pairs_take(&p, false))
		;
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
	int rc;

	if (m->n_sought == SOUGHT_MAX) {
		p->why = arena_printf(
			m->a, "%s is gone, as are %d others", show(m, from), SOUGHT_MAX);
		return 0;
	}
	m->n_sought++;
	rc = moved_find(m->s, m->tip, from, &p->base.id, &moved, e);
	if (rc)
		return rc;
	if (!p->theirs.there) {
		if (moved.to || moved.maybe)
			p->why = arena_printf(m->a, "the patch deletes %s, which was %s",
				show(m, from), moved.how);
	} else if (!moved.to) {
		p->why = arena_printf(m->a, "%s is gone: %s", show(m, from), moved.how);
	} else if (p->was && !strcmp(moved.to, p->path)) { /* by both in the same way */
		rc = look(m, p, p->path, &p->ours, e);
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
		/* the base made the same file, and left the old one where it was */
		if (!rc && !p->why && there.there &&
			!(same_side(&p->ours, &p->base) && same_side(&there, &p->theirs)))
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
