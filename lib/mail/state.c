/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a series and the words people see; the keys that tie mails together. */
#include "base/base.h"

#include "base/clock.h"
#include "base/sbuf.h"
#include "mail/assemble.h"
#include "mail/stamp.h"

#include <inttypes.h>

static const char *const state_names[] = {"waiting", "incomplete", "complete",
	"ambiguous", "corrupt", "superseded", "merged", "withdrawn", "not_ours",
	"opted_out"};

const char *series_state_name(enum series_state state)
{
	return state_names[state];
}

int series_state_parse(const char *name, enum series_state *ret, struct err *e)
{
	for (size_t i = 0; i < ARRAY_LEN(state_names); i++) {
		if (!strcmp(state_names[i], name)) {
			*ret = (enum series_state)i;
			return 0;
		}
	}
	return err_set(e, ERR_INVALID, "\"%.40s\" is no state of a series", name);
}

static int64_t wait_of(int64_t wait_s)
{
	return wait_s ? wait_s : SERIES_WAIT_S;
}

int64_t series_deadline(const struct series *s, int64_t wait_s)
{
	int64_t newest = s->last_received ? s->last_received : s->last_time;
	return newest + wait_of(wait_s);
}

static const char *span_text(struct arena *a, int64_t seconds)
{
	if (seconds < 3600)
		return arena_printf(a, "%" PRId64 " min", seconds / 60);
	if (seconds < 2 * 86400)
		return arena_printf(a, "%" PRId64 " h", seconds / 3600);
	return arena_printf(a, "%" PRId64 " days", seconds / 86400);
}

/* "parts 2, 5 of 7" */
static const char *parts_text(struct arena *a, const struct series *s)
{
	CLEANUP(sbuf_release) struct sbuf t = SBUF_INIT;
	char buf[32];
	sbuf_adds(&t, s->n_missing == 1 ? "part " : "parts ");
	for (size_t i = 0; i < s->n_missing; i++) {
		if (i == 12 && s->n_missing > 13) {
			sbuf_addf(&t, " and %zu more", s->n_missing - i);
			break;
		}
		sbuf_addf(&t, "%s%s", i ? ", " : "",
			prefix_number(s->missing[i], buf, sizeof(buf)));
	}
	sbuf_addf(&t, " of %s", prefix_number(s->total, buf, sizeof(buf)));
	return arena_strndup(a, t.buf, t.len);
}

static enum series_state incomplete(struct arena *a, const struct series *s,
	const struct series_clock *c, const char **ret_why)
{
	const char *what = s->n_missing ? parts_text(a, s) : "the patches";
	int64_t deadline = series_deadline(s, c->wait_s);
	if (!c->now || c->now < deadline) {
		*ret_why = arena_printf(a, "waiting for %s", what);
		return SERIES_WAITING;
	}
	char when[32];
	clock_format_utc(deadline, when, sizeof(when));
	*ret_why = arena_printf(a, "incomplete: %s did not arrive on %s by %.5s UTC",
		what, c->list ? c->list : "the list", when + 11);
	return SERIES_INCOMPLETE;
}

enum series_state series_state(struct arena *a, const struct series *s,
	const struct series_clock *clock, const char **ret_why)
{
	static const struct series_clock none = {.now = 0};
	const struct series_clock *c = clock ? clock : &none;
	char buf[32];
	if (s->opted_out) {
		*ret_why = s->opted_why;
		return SERIES_OPTED_OUT;
	}
	if (s->merged_commit) {
		*ret_why = arena_printf(a, "merged as %.12s (tip %s)", s->merged_commit,
			s->merged_branch ? s->merged_branch : "");
		return SERIES_MERGED;
	}
	if (s->superseded_by) {
		const struct series *n = s->superseded_by;
		*ret_why = arena_printf(a, "superseded by v%s (%s later)",
			prefix_number(n->version, buf, sizeof(buf)),
			span_text(a, n->first_time - s->first_time));
		return SERIES_SUPERSEDED;
	}
	if (s->corrupt || s->ambiguous) {
		*ret_why = s->trouble;
		return s->corrupt ? SERIES_CORRUPT : SERIES_AMBIGUOUS;
	}
	if (!s->complete)
		return incomplete(a, s, c, ret_why);
	/* Whole but for a cover that its patches name: give it the same time. */
	if (s->cover_named && c->now && c->now < series_deadline(s, c->wait_s)) {
		*ret_why = "waiting for the cover";
		return SERIES_WAITING;
	}
	*ret_why = arena_printf(a, "complete, %zu %s", s->n_patches,
		s->n_patches == 1 ? "patch" : "patches");
	return SERIES_COMPLETE;
}

struct key_list {
	struct arena *arena;
	struct mail_key *v;
	size_t n, cap;
};

static void add_key(struct key_list *k, const char *text, int64_t window_s, bool link)
{
	for (size_t i = 0; i < k->n; i++) {
		if (!strcmp(k->v[i].text, text))
			return;
	}
	struct mail_key *key = ARENA_PUSH(k->arena, k->v, k->n, k->cap);
	*key = (struct mail_key){text, window_s, link};
}

static void add_ids(struct key_list *k, const char *const *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_key(k, arena_printf(k->arena, "id:%s", ids[i]), 0, false);
}

void mail_keys(
	struct arena *a, const struct mail *m, struct mail_key **ret_keys, size_t *ret_n)
{
	struct key_list k = {.arena = a};
	char buf[32];
	add_ids(&k, &m->message_id, 1);
	add_ids(&k, m->alt_ids, m->n_alt_ids);
	add_ids(&k, m->in_reply_to, m->n_in_reply_to);
	add_ids(&k, m->references, m->n_references);
	add_ids(&k, m->merged_ids, m->n_merged_ids);
	const char *author = series_author_key(a, m);
	bool part = m->kind == MAIL_PATCH || m->kind == MAIL_COVER || m->maybe_cover;
	if (part) {
		const char *stamp = stamp_of(a, m->message_id);
		if (stamp)
			add_key(&k, stamp, 0, false);
		if (m->change_id)
			add_key(&k, arena_printf(a, "change:%s", m->change_id), 0, false);
		add_key(&k,
			arena_printf(a, "total:%s/%s", author,
				prefix_number(m->posted.m, buf, sizeof(buf))),
			SERIES_WINDOW_S, false);
		add_key(&k, arena_printf(a, "author:%s", author), SERIES_LINK_S, true);
		for (size_t i = 0; i < m->n_links; i++)
			add_key(&k, arena_printf(a, "id:%s", m->links[i]), 0, true);
	}
	if (m->patch_id && (part || m->merged_commit))
		add_key(&k, arena_printf(a, "patch:%s", m->patch_id), 0, true);
	*ret_keys = k.v;
	*ret_n = k.n;
}
