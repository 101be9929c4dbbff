/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "patch/base_tag.h"
#include "workers/tree/releases.h"

#define TAGS_PREFIX "refs/tags/"
#define PEELED      "^{}" /* behind the name: what an annotated tag is of */

void releases_read(const git_remote_head *const *heads, size_t n_heads, struct arena *a,
	struct releases *ret)
{
	*ret = (struct releases){.v = NULL};
	for (size_t i = 0; i < n_heads && ret->n < RELEASES_MAX; i++) {
		const char *name = heads[i]->name;
		size_t len = strlen(name), tail = strlen(PEELED);
		bool peeled = len > tail && strcmp(name + len - tail, PEELED) == 0;

		if (strncmp(name, TAGS_PREFIX, strlen(TAGS_PREFIX)) != 0)
			continue;
		name = arena_strndup(a, name + strlen(TAGS_PREFIX),
			len - strlen(TAGS_PREFIX) - (peeled ? tail : 0));
		if (!base_tag_is_release(name))
			continue;
		if (peeled && ret->n && strcmp(ret->v[ret->n - 1].name, name) == 0)
			ret->v[ret->n - 1].id = heads[i]->oid;
		else
			*ARENA_PUSH(a, ret->v, ret->n, ret->cap) =
				(struct release){name, heads[i]->oid};
	}
}

void releases_keep(git_repository *r, const struct releases *v)
{
	for (size_t i = 0; i < v->n; i++) {
		char full[sizeof(TAGS_PREFIX) + 64];
		git_commit *commit = NULL;
		git_reference *ref = NULL;
		git_oid old;

		snprintf(full, sizeof(full), "%s%s", TAGS_PREFIX, v->v[i].name);
		if (git_reference_name_to_id(&old, r, full) == 0 &&
			git_oid_equal(&old, &v->v[i].id))
			continue;
		if (git_commit_lookup(&commit, r, &v->v[i].id) == 0 &&
			git_reference_create(&ref, r, full, &v->v[i].id, 1, NULL) == 0)
			git_reference_free(ref);
		git_commit_free(commit);
	}
}
