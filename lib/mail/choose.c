/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/choose.h"

#include "base/sbuf.h"
#include "mail/depends.h"

/* Series, or older versions of it, lend patches to another one of the set. */
static bool is_lent(struct arena *a, const struct series_set *set, const struct series *s)
{
	struct series_depends d;

	for (size_t i = 0; i < set->n_series; i++) {
		if (set->series[i] == s || !set->series[i]->n_prerequisites)
			continue;
		series_depends(a, set, set->series[i], &d);
		for (size_t k = 0; k < d.n_series; k++) {
			for (const struct series *v = s; v; v = v->previous) {
				if (d.series[k] == v)
					return true;
			}
		}
	}
	return false;
}

void series_choose(
	struct arena *a, const struct series_set *set, struct series_choice *ret)
{
	const struct series *top = NULL;
	size_t n_top = 0;

	*ret = (struct series_choice){
		.among = ARENA_ARRAY(a, const struct series *, set->n_series + 1)};
	for (int complete = 1; complete >= 0 && !ret->n_among; complete--) {
		for (size_t i = 0; i < set->n_series; i++) {
			const struct series *s = set->series[i];

			if (s->n_patches && !s->superseded_by && s->complete == complete)
				ret->among[ret->n_among++] = s;
		}
	}
	for (size_t i = 0; ret->n_among > 1 && i < ret->n_among; i++) {
		if (is_lent(a, set, ret->among[i]))
			continue;
		top = ret->among[i];
		n_top++;
	}
	if (ret->n_among == 1)
		ret->series = ret->among[0];
	else if (n_top == 1)
		ret->series = top;
}

const char *series_line(struct arena *a, const struct series *s)
{
	return arena_printf(a, "<%s> %zu patch%s%s: %s", s->id, s->n_patches,
		s->n_patches == 1 ? "" : "es", s->complete ? "" : ", incomplete",
		s->title);
}

const char *series_none(struct arena *a, const struct mail *const *mails, size_t n)
{
	static const struct {
		const char *one, *many;
	} names[] = {[MAIL_OTHER] = {"that is neither patch nor reply",
			     "that are neither patch nor reply"},
		[MAIL_COVER] = {"cover letter", "cover letters"},
		[MAIL_PATCH] = {"patch without a place in a series",
			"patches without a place in a series"},
		[MAIL_REPLY] = {"reply", "replies"}};
	size_t counts[ARRAY_LEN(names)] = {0}, n_rejected = 0;
	const char *rejected = NULL, *comma = "";
	struct sbuf out = SBUF_INIT;
	const char *text;

	for (size_t i = 0; i < n; i++) {
		if (!mails[i]->rejected) {
			counts[mails[i]->kind]++;
			continue;
		}
		n_rejected++;
		if (!rejected)
			rejected = mails[i]->rejected;
	}
	sbuf_addf(&out, "no patch among %zu mail%s:", n, n == 1 ? "" : "s");
	for (size_t k = 0; k < ARRAY_LEN(names); k++) {
		if (!counts[k])
			continue;
		sbuf_addf(&out, "%s %zu %s", comma, counts[k],
			counts[k] == 1 ? names[k].one : names[k].many);
		comma = ",";
	}
	if (n_rejected)
		sbuf_addf(&out, "%s %zu that cannot be used (%s)", comma, n_rejected,
			rejected);
	text = arena_strndup(a, out.buf, out.len);
	sbuf_release(&out);
	return text;
}
