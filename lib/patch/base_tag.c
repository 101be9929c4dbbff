// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/clock.h"
#include "patch/base_tag.h"

#include <ctype.h>
#include <git2.h>

#define TAGS_PREFIX "refs/tags/"

static const char *skip_number(const char *s)
{
	const char *p = s;

	while (isdigit((unsigned char)*p) && p - s < 6)
		p++;
	return p == s ? NULL : p;
}

bool base_tag_is_release(const char *name)
{
	const char *p = *name == 'v' ? skip_number(name + 1) : NULL;

	if (!p || *p != '.')
		return false;
	for (int i = 0; i < 3 && p && *p == '.'; i++)
		p = skip_number(p + 1);
	if (p && !strncmp(p, "-rc", 3))
		p = skip_number(p + 3);
	return p && !*p;
}

struct tagged {
	const char *name;
	git_oid id;
	int64_t time_s;
};

/* The newest, newest first. */
struct newest {
	struct tagged v[BASE_TAGS_ASKED];
	size_t n;
};

static void keep(struct newest *all, const struct tagged *one)
{
	size_t k = all->n;

	while (k && all->v[k - 1].time_s < one->time_s)
		k--;
	if (k == ARRAY_LEN(all->v))
		return;
	if (all->n < ARRAY_LEN(all->v))
		all->n++;
	memmove(&all->v[k + 1], &all->v[k], (all->n - 1 - k) * sizeof(all->v[0]));
	all->v[k] = *one;
}

static bool read_tag(git_reference *ref, struct tagged *ret)
{
	git_object *commit = NULL;

	if (git_reference_peel(&commit, ref, GIT_OBJECT_COMMIT))
		return false;
	ret->id = *git_object_id(commit);
	ret->time_s = git_commit_time((git_commit *)commit);
	git_object_free(commit);
	return true;
}

static int read_tags(git_repository *r, int64_t time_s, struct arena *a,
	struct newest *ret, struct err *e)
{
	git_reference_iterator *it = NULL;
	git_reference *ref = NULL;
	int rc = git_reference_iterator_glob_new(&it, r, TAGS_PREFIX "v*");

	if (rc)
		return repo_err(e, rc, "cannot read tags");
	while (git_reference_next(&ref, it) == 0) {
		const char *name = git_reference_name(ref) + strlen(TAGS_PREFIX);
		struct tagged one;

		if (base_tag_is_release(name) && read_tag(ref, &one) &&
			(!time_s || one.time_s <= time_s)) {
			one.name = arena_strdup(a, name);
			keep(ret, &one);
		}
		git_reference_free(ref);
	}
	git_reference_iterator_free(it);
	return 0;
}

int base_newest_tag(struct git_repository *r, struct git_repository *tags,
	const char *tip_hex, int64_t time_s, char ret_hex[REPO_HEX], struct arena *a,
	const char **ret_name, struct err *e)
{
	int64_t until_ns = clock_mono_ns() + BASE_TAGS_MS * NS_PER_MS;
	struct newest all = {.n = 0};
	git_oid tip;
	int rc = git_oid_fromstr(&tip, tip_hex);

	if (rc)
		return repo_err(e, rc, "no commit %.40s", tip_hex);
	rc = read_tags(tags, time_s, a, &all, e);
	for (size_t i = 0; i < all.n && !rc && clock_mono_ns() < until_ns; i++) {
		if (!git_oid_equal(&all.v[i].id, &tip) &&
			git_graph_descendant_of(r, &tip, &all.v[i].id) != 1)
			continue;
		git_oid_tostr(ret_hex, REPO_HEX, &all.v[i].id);
		*ret_name = all.v[i].name;
		return 0;
	}
	return rc ? rc : err_set(e, ERR_NOT_FOUND, "no release is so old");
}
