// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/place.h"
#include "patch/refuse.h"
#include "patch/threeway.h"
#include "patch/tree_merge.h"

struct work {
	struct stage *s;   /* the base */
	struct stage fake; /* the files that the patch is made for */
	struct stage made; /* what it makes of them */
	const struct diff *d;
	struct arena *a; /* of the outcome */
	struct apply_patch_outcome on_fake;
	struct tree_merge m;
	struct err *e;
};

static const char *show(const struct work *w, const char *path)
{
	return refuse_show_path(path, w->a);
}

/* --- the files that the patch is made for --- */

/* *ret_why: the repository lacks what the file was. */
static int fake_file(
	struct work *w, const struct diff_file *f, git_odb *odb, const char **ret_why)
{
	const char *path = f->old_path ? f->old_path : f->new_path;
	struct stage_entry *entry;
	git_oid id;

	if (!stage_named_blob(odb, f->old_id, &id)) {
		struct stage_found now;
		int rc;

		/* a change of mode, or a rename without more: of what the base has */
		if (f->n_added || f->n_removed) {
			*ret_why = arena_printf(w->a,
				"%s: the version that the patch is made for is not in "
				"the "
				"repository",
				show(w, path));
			return 0;
		}
		rc = stage_look(w->s, path, &now, w->e);
		if (rc)
			return rc;
		if (now.kind != STAGE_FILE) {
			*ret_why = arena_printf(
				w->a, "%s does not exist at this base", show(w, path));
			return 0;
		}
		id = now.id;
	}
	entry = stage_touch(&w->fake, path);
	entry->present = true;
	entry->mode = f->old_mode ? f->old_mode : 0100644;
	entry->id = id;
	return 0;
}

static int fake_files(struct work *w, const char **ret_why)
{
	git_odb *odb = NULL;
	int rc = git_repository_odb(&odb, w->s->repo);

	if (rc)
		return repo_err(w->e, rc, "cannot read objects");
	*ret_why = NULL;
	for (size_t i = 0; i < w->d->n_files && !rc && !*ret_why; i++) {
		if (w->d->files[i].is_new != DIFF_YES)
			rc = fake_file(w, &w->d->files[i], odb, ret_why);
	}
	git_odb_free(odb);
	return rc;
}

/* --- the paths of the merge --- */

static struct merge_side side_of(const struct stage_entry *entry)
{
	if (!entry || !entry->present)
		return (struct merge_side){0};
	return (struct merge_side){true, entry->mode, entry->id};
}

static void add_paths(struct work *w, const struct stage *from)
{
	for (size_t i = 0; i < from->n_slots; i++) {
		const struct stage_entry *entry = from->slots[i], *made;
		struct merge_path p;

		if (!entry || !entry->present || tree_merge_find(&w->m, entry->path))
			continue;
		made = stage_find(&w->made, entry->path);
		p = (struct merge_path){.path = entry->path,
			.base = side_of(stage_find(&w->fake, entry->path))};
		p.theirs = made && (made->present || made->gone) ? side_of(made) : p.base;
		*ARENA_PUSH(w->s->a, w->m.v, w->m.n, w->m.cap) = p;
	}
}

static struct merge_path *path_of(struct work *w, const struct diff_file *f)
{
	struct merge_path *p = tree_merge_find(&w->m, diff_file_path(f));

	if (!p || !p->left)
		return p;
	for (size_t i = 0; i < w->m.n; i++) {
		if (w->m.v[i].was == p->path)
			return &w->m.v[i];
	}
	BUG("a file renamed to nowhere");
}

/* --- what is said of it --- */

struct told {
	struct work *w;
	struct apply_patch_outcome *out;
	size_t notes_cap;
};

static void note(struct told *t, const char *code, const char *detail)
{
	struct apply_patch_outcome *out = t->out;

	*ARENA_PUSH(t->w->a, out->notes, out->n_notes, t->notes_cap) =
		(struct apply_note){code, detail};
}

/* What the base made of a file since. Nothing for a file that it did not change, or where
 * more than lines stands against the merge: it may have something else at that path. */
static int base_changes(struct work *w, const struct merge_path *p,
	struct merge3_change **ret, size_t *ret_n)
{
	struct merge3_text from, to;
	int rc;

	*ret_n = 0;
	if (!p->base.there || !p->ours.there || (p->why && !p->lines) ||
		git_oid_equal(&p->base.id, &p->ours.id))
		return 0;
	rc = stage_blob(w->s, &p->base.id, REFUSE_RESULT_MAX, &from.p, &from.len, w->e);
	if (!rc)
		rc = stage_blob(
			w->s, &p->ours.id, REFUSE_RESULT_MAX, &to.p, &to.len, w->e);
	return rc ? rc : merge3_changes(&from, &to, w->s->a, ret, ret_n, w->e);
}

/* Where a hunk is: in the version that it is made for, and in the base. */
struct span {
	size_t at, end; /* the lines that it changes, 0-based */
	int64_t moved;
	const struct merge3_change *clash;
};

static struct span span_of(
	const struct diff_hunk *h, int64_t at, const struct merge3_change *v, size_t n)
{
	size_t n_old = h->n_lines - h->n_added, n_kept = h->leading + h->trailing;
	struct span s = {.at = (size_t)at + h->leading};

	s.end = s.at + (n_old > n_kept ? n_old - n_kept : 0);
	s.clash = merge3_touching(v, n, s.at, s.end);
	s.moved = merge3_moved(v, n, s.at);
	return s;
}

static void hunk_merged(const struct merge_path *p, const struct span *s,
	const struct apply_hunk *on_fake, struct apply_hunk *out)
{
	const char *header = out->header;

	*out = *on_fake;
	out->header = header;
	out->at += s->moved;
	out->offset += s->moved;
	if (git_oid_equal(&p->theirs.id, &p->ours.id))
		out->result = PATCH_ALREADY;
	else if (!git_oid_equal(&p->base.id, &p->ours.id))
		out->result = PATCH_3WAY;
}

static const char *lines_words(struct arena *a, size_t at, size_t n)
{
	if (!n)
		return arena_printf(a, "after line %zu", at);
	if (n == 1)
		return arena_printf(a, "line %zu", at + 1);
	return arena_printf(a, "lines %zu to %zu", at + 1, at + n);
}

/* The hunk and the base changed the same lines. What the plain search said of it stays.
 */
static void hunk_clashes(struct told *t, const struct diff_file *f, uint32_t k,
	const struct merge_path *p, const struct span *s, struct apply_hunk *out)
{
	struct arena *a = t->w->a;
	const char *words = arena_printf(a,
		"hunk %u of %u changes %s of the version that it is made for, which the "
		"base changed too: there it is %s",
		k + 1, f->n_hunks, lines_words(a, s->at, s->end - s->at),
		lines_words(a, s->clash->new_at, s->clash->new_n));

	out->result = PATCH_CONFLICT;
	if (!out->error)
		out->error = words;
	note(t, "three_way_conflict",
		arena_printf(a, "%s: %s", show(t->w, p->dest), words));
}

static int file_told(struct told *t, size_t i, const struct merge_path *p)
{
	struct work *w = t->w;
	const struct diff_file *f = &w->d->files[i];
	struct apply_file *out = &t->out->files[i];
	const char *first = NULL;
	struct merge3_change *v = NULL;
	int64_t earlier = 0;
	size_t n;
	int rc = base_changes(w, p, &v, &n);

	if (rc)
		return rc;
	for (uint32_t k = 0; k < f->n_hunks; k++) {
		const struct apply_hunk *on_fake = &w->on_fake.files[i].hunks[k];
		struct apply_hunk *hunk = &out->hunks[k];
		struct span s = span_of(&f->hunks[k], on_fake->at - 1 - earlier, v, n);

		earlier += (int64_t)f->hunks[k].n_added - f->hunks[k].n_removed;
		if (p->lines && s.clash)
			hunk_clashes(t, f, k, p, &s, hunk);
		else if (!p->why || p->lines)
			hunk_merged(p, &s, on_fake, hunk);
		if (hunk->error && !first)
			first = arena_printf(
				w->a, "%s: %s", show(w, p->dest), hunk->error);
	}
	out->error = !p->why ? NULL : p->lines && first ? first : p->why;
	if (p->moved) {
		out->path = show(w, p->dest);
		note(t, "renamed",
			arena_printf(w->a, "%s: %s", show(w, p->path), p->moved));
	}
	if (p->why && !p->lines)
		note(t, "three_way_conflict", p->why);
	return 0;
}

static int tell(struct work *w, struct apply_patch_outcome *out, const char **ret_why)
{
	struct told t = {.w = w, .out = out};
	const char *merged = NULL;
	int rc = 0;

	out->error = NULL;
	out->notes = NULL;
	out->n_notes = 0;
	for (size_t i = 0; i < out->n_files && !rc; i++) {
		const struct merge_path *p = path_of(w, &w->d->files[i]);

		if (!p)
			continue;
		rc = file_told(&t, i, p);
		if (out->files[i].error && !out->error)
			out->error = out->files[i].error;
		if (!p->why && p->base.there && p->ours.there &&
			!git_oid_equal(&p->base.id, &p->ours.id))
			merged = merged ? arena_printf(w->a, "%s, %s", merged,
						  out->files[i].path)
					: out->files[i].path;
	}
	if (rc)
		return rc;
	/* a path that the patch leaves for another one, without a word of a rename */
	for (size_t i = 0; i < w->m.n && !out->error; i++)
		out->error = w->m.v[i].why;
	*ret_why = out->error;
	out->result = w->m.conflict ? PATCH_CONFLICT : PATCH_3WAY;
	if (!w->m.conflict)
		note(&t, "three_way",
			merged ? arena_printf(w->a, "merged with changes of the base: %s",
					 merged)
			       : "applied to the files that its index lines name");
	return 0;
}

/* Whether it is the lines that do not fit, not data that is damaged or absent, or the
 * white space that a mail program changed. */
static enum threeway_end hunk_misfits(const struct work *w)
{
	bool misfits = false;

	for (size_t i = 0; i < w->d->n_files; i++) {
		const struct apply_file *f = &w->on_fake.files[i];

		for (size_t k = 0; k < f->n_hunks; k++) {
			if (f->hunks[k].error && f->hunks[k].blanks)
				return THREEWAY_BLANKS;
			misfits |= f->hunks[k].error != NULL;
		}
	}
	return misfits ? THREEWAY_EDITED : THREEWAY_NO_BLOBS;
}

/* --- */

int threeway_place(struct stage *s, const git_oid *tip, const struct diff *d,
	struct arena *a, struct apply_patch_outcome *out, struct threeway *ret,
	struct err *e)
{
	struct work w = {
		.s = s, .d = d, .a = a, .m = {.s = s, .tip = tip, .a = a}, .e = e};
	int rc;

	*ret = (struct threeway){.end = THREEWAY_NO_BLOBS};
	stage_init(&w.fake, s->made, NULL, s->a);
	stage_init(&w.made, s->made, NULL, s->a);
	w.made.under = &w.fake;
	rc = fake_files(&w, &ret->why);
	if (rc || ret->why)
		return rc;
	rc = place_judged(&w.made, d, a, &w.on_fake, e);
	if (rc)
		return rc;
	if (w.on_fake.result != PATCH_EXACT && w.on_fake.result != PATCH_OFFSET) {
		ret->end = hunk_misfits(&w);
		ret->why = arena_printf(a,
			"the patch does not apply to the files that its own index lines "
			"name (%s): was it edited by hand?",
			w.on_fake.error);
		return 0;
	}
	rc = stage_write_blobs(&w.made, e);
	if (rc)
		return rc;
	add_paths(&w, &w.fake);
	add_paths(&w, &w.made);
	rc = tree_merge_run(&w.m, e);
	if (!rc)
		rc = tell(&w, out, &ret->why);
	if (!rc)
		ret->end = w.m.conflict ? THREEWAY_CONFLICT : THREEWAY_MERGED;
	return rc;
}
