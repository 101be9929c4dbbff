// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/base_pick.h"
#include "patch/base_tag.h"

#include <strings.h>

struct base_picker {
	struct git_repository *repo;
	const struct base_want *want;
	struct arena *a;
	struct blob_want *blobs; /* what the series knows of the base */
	size_t n_blobs;
	struct base_found *found; /* one a tip, newest commits first */
	const char **found_tree;  /* their trees */
	size_t n_found;
	struct base_candidate out[BASE_ATTEMPTS_MAX];
	size_t n, n_given;
	size_t source; /* the next to ask */
	struct err failure;
};

const char *base_how_name(enum base_how how)
{
	static const char *const names[] = {
		[BASE_EXPLICIT] = "explicit",
		[BASE_TRAILER] = "base-commit",
		[BASE_PREVIOUS] = "previous",
		[BASE_BLOBS] = "blobs",
		[BASE_PREFIX] = "prefix",
		[BASE_LIST] = "list",
		[BASE_TAG] = "tag",
		[BASE_PARTIAL] = "partial-blobs",
	};

	return names[how];
}

static void add(struct base_picker *p, enum base_how how, const char *commit,
	const char *tree, const char *why, bool dead)
{
	struct base_candidate *c;

	if (p->n == BASE_ATTEMPTS_MAX)
		return;
	for (size_t i = 0; i < p->n; i++) {
		if (!p->out[i].dead && !dead && !strcmp(p->out[i].commit, commit))
			return;
	}
	c = &p->out[p->n++];
	*c = (struct base_candidate){.how = how, .tree = tree, .why = why, .dead = dead};
	snprintf(c->commit, sizeof(c->commit), "%s", commit);
}

/* That a commit is unknown is an attempt; that it cannot be read is a failure. */
static void note_failure(struct base_picker *p, int rc, const struct err *e)
{
	if (rc && rc != ERR_NOT_FOUND && rc != ERR_INVALID && !p->failure.code)
		p->failure = *e;
}

const char *base_unknown(
	const char *rev, const char *why, const struct err *e, struct arena *a)
{
	if (e->code != ERR_NOT_FOUND)
		return arena_printf(a, "%s: %s", why, e->msg);
	if (!strcmp(rev, "HEAD"))
		return arena_strdup(a, e->msg);
	return arena_printf(a, "%s: unknown commit %.60s", why, rev);
}

/* Adds rev, or an attempt that says it is unknown. */
static void add_rev(struct base_picker *p, enum base_how how, const char *rev,
	const char *tree, const char *why)
{
	char hex[REPO_HEX];
	struct err inner = {0};

	int rc = repo_resolve(p->repo, rev, hex, &inner);

	note_failure(p, rc, &inner);
	if (!rc)
		add(p, how, hex, tree, why, false);
	else
		add(p, how, rev, tree, base_unknown(rev, why, &inner, p->a), true);
}

static void from_explicit(struct base_picker *p)
{
	if (p->want->explicit_rev)
		add_rev(p, BASE_EXPLICIT, p->want->explicit_rev, NULL, "asked for");
}

static void from_trailer(struct base_picker *p)
{
	if (p->want->base_commit)
		add_rev(p, BASE_TRAILER, p->want->base_commit, NULL,
			"base-commit: of the mail");
}

static void from_previous(struct base_picker *p)
{
	if (p->want->previous)
		add_rev(p, BASE_PREVIOUS, p->want->previous, NULL,
			"base of the previous version");
}

/* --- blobs --- */

/* Where the index of a tip is. */
static struct base_index index_of(struct base_picker *p, const struct base_tip *tip)
{
	if (!tip->home)
		return p->want->index;
	return (struct base_index){
		.dir = tip->ref ? arena_printf(p->a, "%s/wakelist", tip->home) : NULL,
		.ref = tip->ref,
		.budget_ms = p->want->index.budget_ms};
}

/* The best commit of every tip, newest first. */
static void search_blobs(struct base_picker *p)
{
	const struct base_want *w = p->want;

	p->n_blobs = base_old_blobs(w->diffs, w->n_diffs, p->a, &p->blobs);
	p->found = ARENA_ARRAY(p->a, struct base_found, w->n_tips + 1);
	p->found_tree = ARENA_ARRAY(p->a, const char *, w->n_tips + 1);
	for (size_t t = 0; t < w->n_tips && p->n_blobs; t++) {
		struct base_index index = index_of(p, &w->tips[t]);
		struct base_found one;
		struct err inner; /* from_list() says that a tip is unknown */
		size_t k = p->n_found;
		int rc = base_blobs_find(p->repo, w->tips[t].rev, &index, p->blobs,
			p->n_blobs, &one, &inner);

		note_failure(p, rc, &inner);
		if (rc || !one.n_same)
			continue;
		for (; k && p->found[k - 1].time_s < one.time_s; k--) {
			p->found[k] = p->found[k - 1];
			p->found_tree[k] = p->found_tree[k - 1];
		}
		p->found[k] = one;
		p->found_tree[k] = w->tips[t].tree;
		p->n_found++;
	}
}

/* The newest commits that have all the old blobs. */
static void from_blobs(struct base_picker *p)
{
	search_blobs(p);
	for (size_t i = 0; i < p->n_found; i++) {
		if (p->found[i].n_same == p->n_blobs)
			add(p, BASE_BLOBS, p->found[i].commit, p->found_tree[i],
				p->n_blobs == 1
					? "its file is as the patch knows it"
					: arena_printf(p->a,
						  "all %zu files are as the patch "
						  "knows them",
						  p->n_blobs),
				false);
	}
}

/* Those with most of them. */
static void from_partial(struct base_picker *p)
{
	for (size_t same = p->n_blobs; same > 1 && 2 * --same >= p->n_blobs;) {
		for (size_t i = 0; i < p->n_found; i++) {
			if (p->found[i].n_same == same)
				add(p, BASE_PARTIAL, p->found[i].commit, p->found_tree[i],
					arena_printf(p->a,
						"%zu of %zu files are as the patch "
						"knows them",
						same, p->n_blobs),
					false);
		}
	}
}

/* --- trees --- */

bool base_tip_is(const struct base_tip *tip, const char *word)
{
	if (tip->tree && !strcasecmp(tip->tree, word))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(tip->aliases) && tip->aliases[i]; i++) {
		if (!strcasecmp(tip->aliases[i], word))
			return true;
	}
	return false;
}

static void add_commit(struct base_picker *p, enum base_how how, const char *hex,
	const struct base_tip *tip, const char *why)
{
	if (p->n_blobs)
		why = arena_printf(p->a, "%s; %zu of %zu files as the patch knows them",
			why, base_blobs_count(p->repo, hex, p->blobs, p->n_blobs),
			p->n_blobs);
	add(p, how, hex, tip->tree, why, false);
}

/* As it was when the mail was written, and as it is. */
static void add_tip(struct base_picker *p, enum base_how how, const struct base_tip *tip,
	const char *why)
{
	struct err inner;
	char hex[REPO_HEX];
	int rc = ERR_NOT_FOUND;

	if (p->want->time_s && !tip->fixed)
		rc = base_at_time(p->repo, tip->rev, p->want->time_s, hex, &inner);
	note_failure(p, rc, &inner);
	if (!rc)
		add_commit(p, how, hex, tip,
			arena_printf(p->a, "%s, at the time of the mail", why));
	if (!repo_resolve(p->repo, tip->rev, hex, &inner))
		add_commit(p, how, hex, tip, why);
	else
		add_rev(p, how, tip->rev, tip->tree, why);
}

static void from_prefix(struct base_picker *p)
{
	const char *word = p->want->prefix_tree;

	for (size_t i = 0; word && i < p->want->n_tips; i++) {
		if (base_tip_is(&p->want->tips[i], word))
			add_tip(p, BASE_PREFIX, &p->want->tips[i],
				arena_printf(p->a, "the subject names %.60s", word));
	}
}

static void from_list(struct base_picker *p)
{
	const struct base_tip *tip = p->want->tips;

	if (p->want->n_tips)
		add_tip(p, BASE_LIST, tip,
			tip->words ? tip->words : "default tree of the list");
}

static void from_tag(struct base_picker *p)
{
	const struct base_tip *tip = p->want->tips;
	CLEANUP(repo_closep) struct git_repository *home = NULL;
	char tip_hex[REPO_HEX], hex[REPO_HEX];
	struct err ignored;
	const char *name;

	if (!p->want->n_tips || tip->fixed ||
		(tip->home && repo_open(tip->home, &home, &ignored)) ||
		repo_resolve(p->repo, tip->rev, tip_hex, &ignored) ||
		base_newest_tag(p->repo, home ? home : p->repo, tip_hex, p->want->time_s,
			hex, p->a, &name, &ignored))
		return;
	add_commit(p, BASE_TAG, hex, tip,
		arena_printf(p->a,
			p->want->time_s ? "%s, the newest release before the mail"
					: "%s, the newest release",
			name));
}

/* Order of trial. An explicit base is the only one. */
static void (*const sources[])(struct base_picker *p) = {
	from_explicit,
	from_trailer,
	from_previous,
	from_blobs,
	from_prefix,
	from_list,
	from_tag,
	from_partial,
};

struct base_picker *base_picker_new(
	struct git_repository *r, const struct base_want *want, struct arena *a)
{
	struct base_picker *p = ARENA_NEW(a, struct base_picker);

	p->repo = r;
	p->want = want;
	p->a = a;
	return p;
}

const struct err *base_picker_failure(const struct base_picker *p)
{
	return p->failure.code ? &p->failure : NULL;
}

const struct base_candidate *base_picker_next(struct base_picker *p)
{
	size_t n_sources = p->want->explicit_rev ? 1 : ARRAY_LEN(sources);

	while (p->n_given == p->n && p->source < n_sources)
		sources[p->source++](p);
	return p->n_given < p->n ? &p->out[p->n_given++] : NULL;
}
