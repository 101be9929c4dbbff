/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base_tag.h - releases that a branch holds, by their tags. */
#ifndef WL_PATCH_BASE_TAG_H
#define WL_PATCH_BASE_TAG_H

#include "patch/repo.h"

/* "v6.12", "v6.12.3", "v6.12-rc3". */
bool base_tag_is_release(const char *name);

/* The newest commit with such a tag (refs/tags/) that tip_hex has in its history and that
 * is not after time_s (0: any). Of the BASE_TAGS_ASKED newest only. NOT_FOUND: none.
 * ret_name: of the tag, arena. tags: where the tags are; its objects are those of r too.
 */
#define BASE_TAGS_ASKED 16
#define BASE_TAGS_MS    2000 /* then it gives up */
int base_newest_tag(struct git_repository *r, struct git_repository *tags,
	const char *tip_hex, int64_t time_s, char ret_hex[REPO_HEX], struct arena *a,
	const char **ret_name, struct err *e) MUST_CHECK;

#endif
