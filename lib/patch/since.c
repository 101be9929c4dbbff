// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/origin.h"
#include "patch/refuse.h"
#include "patch/since.h"

/* The longest run of lines of that kind, as one text; len 0: there is none. */
static const char *longest_run(
	const struct diff_hunk *h, char origin, struct arena *a, size_t *ret_len)
{
	uint32_t best = 0, best_n = 0, from = 0;
	size_t best_len = 0, len = 0;
	char *text, *at;

	for (uint32_t i = 0; i <= h->n_lines; i++) {
		if (i < h->n_lines && h->lines[i].origin == origin) {
			len += h->lines[i].len;
			continue;
		}
		if (len > best_len) {
			best = from;
			best_n = i - from;
			best_len = len;
		}
		from = i + 1;
		len = 0;
	}
	text = at = arena_alloc(a, best_len + 1);
	for (uint32_t i = best; i < best + best_n; i++) {
		memcpy(at, h->lines[i].p, h->lines[i].len);
		at += h->lines[i].len;
	}
	*at = 0;
	*ret_len = best_len;
	return text;
}

/* The first hunk that is in the base; NULL: none. */
static const struct diff_hunk *first_there(const struct diff *d,
	const struct apply_patch_outcome *out, size_t *ret_file, uint32_t *ret_hunk)
{
	for (size_t i = 0; i < d->n_files && i < out->n_files; i++) {
		for (uint32_t k = 0; k < d->files[i].n_hunks; k++) {
			if (out->result != PATCH_ALREADY &&
				out->files[i].hunks[k].result != PATCH_ALREADY)
				continue;
			*ret_file = i;
			*ret_hunk = k;
			return &d->files[i].hunks[k];
		}
	}
	return NULL;
}

int since_find(git_repository *repo, const git_oid *tip, const struct diff *d,
	const struct apply_patch_outcome *out, struct arena *a, const char **ret,
	struct err *e)
{
	const struct diff_hunk *h;
	const char *lines, *path;
	struct origin o;
	size_t file, len;
	uint32_t hunk;
	bool gone;
	int rc;

	*ret = NULL;
	h = first_there(d, out, &file, &hunk);
	if (!h)
		return 0;
	path = diff_file_path(&d->files[file]);
	gone = !h->n_added;
	lines = longest_run(h, gone ? '-' : '+', a, &len);
	rc = origin_find(repo, tip, path, lines, len, gone, a, &o, e);
	if (rc || !o.commit)
		return rc;
	*ret = arena_printf(a, "%s: hunk %u of %u is there since %s",
		refuse_show_path(path, a), hunk + 1, d->files[file].n_hunks,
		origin_words(&o, a));
	return 0;
}
