// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "mail/depends.h"

struct search {
	struct arena *a;
	const struct series_set *set;
	struct series_depends *out;
	size_t patches_cap, series_cap, missing_cap;
	const struct series *path[SERIES_DEPENDS_DEPTH + 1]; /* from the series down */
	size_t depth;
};

static void is_missing(
	struct search *x, const struct mail_prerequisite *p, const char *why)
{
	if (x->out->n_missing < SERIES_DEPENDS_MAX)
		*(const char **)ARENA_PUSH(
			x->a, x->out->missing, x->out->n_missing, x->missing_cap) =
			arena_printf(x->a, "%s %.200s%s%.20s %s", p->kind, p->value,
				p->version ? ":" : "", p->version ? p->version : "", why);
}

static void add_series(struct search *x, const struct series *s)
{
	for (size_t i = 0; i < x->out->n_series; i++) {
		if (x->out->series[i] == s)
			return;
	}
	*(const struct series **)ARENA_PUSH(
		x->a, x->out->series, x->out->n_series, x->series_cap) = s;
}

static void add_patch(
	struct search *x, const struct mail *m, const struct mail_prerequisite *p)
{
	for (size_t i = 0; i < x->out->n_patches; i++) {
		if (x->out->patches[i] == m)
			return;
	}
	if (x->out->n_patches == SERIES_DEPENDS_MAX)
		is_missing(x, p, "is one patch too many");
	else
		*(const struct mail **)ARENA_PUSH(
			x->a, x->out->patches, x->out->n_patches, x->patches_cap) = m;
}

static bool has_id(const struct series *s, const char *id)
{
	if (!strcmp(s->id, id) || (s->cover && !strcmp(s->cover->message_id, id)))
		return true;
	for (size_t i = 0; i < s->n_patches; i++) {
		const struct series_patch *p = &s->patches[i];

		if (!p->inherited && !strcmp(p->mail->message_id, id))
			return true;
		for (size_t k = 0; k < p->n_resent && !p->inherited; k++) {
			if (!strcmp(p->resent[k]->message_id, id))
				return true;
		}
	}
	return false;
}

static bool has_change(const struct series *s, const struct mail_prerequisite *p)
{
	char *end;
	unsigned long version;

	if (!s->change_id || strcmp(s->change_id, p->value) != 0)
		return false;
	if (!p->version)
		return true;
	version = strtoul(p->version + 1, &end, 10);
	return !*end && version <= 1000 && s->version == (int64_t)version * PREFIX_UNIT;
}

/* The series that a message-id or change-id means; the newest where several do. */
static const struct series *find_series(
	const struct series_set *set, const struct mail_prerequisite *p)
{
	bool by_id = !strcmp(p->kind, "message-id");
	const struct series *found = NULL;

	for (size_t i = 0; i < set->n_series; i++) {
		const struct series *s = set->series[i];

		if (!s->n_patches || !(by_id ? has_id(s, p->value) : has_change(s, p)))
			continue;
		if (by_id)
			return s;
		if (!found || s->version >= found->version)
			found = s;
	}
	return found;
}

static void need_patch(struct search *x, const struct mail_prerequisite *p)
{
	for (size_t i = 0; i < x->set->n_series; i++) {
		const struct series *s = x->set->series[i];

		for (size_t k = 0; k < s->n_patches; k++) {
			const char *id = s->patches[k].mail->patch_id;

			if (!id || strcmp(id, p->value) != 0)
				continue;
			if (s == x->path[0]) {
				is_missing(x, p, "leads back to where it is asked for");
				return;
			}
			add_series(x, s);
			add_patch(x, s->patches[k].mail, p);
			return;
		}
	}
	is_missing(x, p, "is not here");
}

static void need_all(struct search *x, const struct series *s);

static void need_series(struct search *x, const struct mail_prerequisite *p)
{
	const struct series *s = find_series(x->set, p);

	for (size_t i = 0; s && i <= x->depth; i++) {
		if (x->path[i] == s) {
			is_missing(x, p, "leads back to where it is asked for");
			return;
		}
	}
	if (!s) {
		is_missing(x, p, "is not here");
	} else if (!s->complete) {
		is_missing(x, p, "is of a series that is not all here");
	} else if (x->depth == SERIES_DEPENDS_DEPTH) {
		is_missing(x, p, "is too many series away");
	} else {
		x->path[++x->depth] = s;
		need_all(x, s);
		x->depth--;
		add_series(x, s);
		for (size_t i = 0; i < s->n_patches; i++)
			add_patch(x, s->patches[i].mail, p);
	}
}

static void need_all(struct search *x, const struct series *s)
{
	for (size_t i = 0; i < s->n_prerequisites; i++) {
		const struct mail_prerequisite *p = &s->prerequisites[i];

		if (!strcmp(p->kind, "patch-id"))
			need_patch(x, p);
		else if (!strcmp(p->kind, "message-id") || !strcmp(p->kind, "change-id"))
			need_series(x, p);
	}
}

void series_depends(struct arena *a, const struct series_set *set, const struct series *s,
	struct series_depends *ret)
{
	struct search x = {.a = a, .set = set, .out = ret, .path = {s}};

	*ret = (struct series_depends){.n_patches = 0};
	need_all(&x, s);
	*(const char **)ARENA_PUSH(a, ret->missing, ret->n_missing, x.missing_cap) = NULL;
	ret->n_missing--;
}
