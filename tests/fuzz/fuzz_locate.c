// SPDX-License-Identifier: GPL-2.0-or-later
/* The locator against a plain reading of its rules: input is a file, a line "====", and a
 * patch; every hunk of the first diff must go where the plain search puts it. */
#include "base/base.h"

#include "patch/explain.h"
#include "patch/hunk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The file's last line has a newline where the hunk's, in a hunk that need not match at
 * the end, has none. */
static bool grown(const struct image *img, const struct diff_hunk *h, size_t i,
	const struct diff_line *l)
{
	return h->trailing && i + 1 == img->n && img->lines[i].len == l->len + 1 &&
	       img->lines[i].p[l->len] == '\n' &&
	       memcmp(img->lines[i].p, l->p, l->len) == 0;
}

static bool fits(const struct image *img, const struct diff_hunk *h, size_t at)
{
	size_t i = at;

	for (uint32_t k = 0; k < h->n_lines; k++) {
		const struct diff_line *l = &h->lines[k];

		if (l->origin == '+')
			continue;
		if (i >= img->n || img->lines[i].written)
			return false;
		if ((img->lines[i].len != l->len ||
			    memcmp(img->lines[i].p, l->p, l->len) != 0) &&
			!grown(img, h, i, l))
			return false;
		i++;
	}
	return !(h->old_start <= 1 && at) && (h->trailing || i == img->n);
}

/* Nearest to start; at the same distance the later one. -1: none. */
static int64_t plain_find(const struct image *img, const struct diff_hunk *h)
{
	size_t n_old = h->n_lines - h->n_added;
	int64_t start = h->new_start ? h->new_start - 1 : 0, best = -1, best_far = 0;

	if (h->old_start <= 1)
		start = 0;
	else if (!h->trailing)
		start = (int64_t)img->n - (int64_t)n_old;
	if (start < 0 || start > (int64_t)img->n)
		start = (int64_t)img->n;
	for (int64_t at = (int64_t)img->n; at >= 0; at--) {
		int64_t far = at > start ? at - start : start - at;

		if ((best < 0 || far < best_far) && fits(img, h, (size_t)at)) {
			best = at;
			best_far = far;
		}
	}
	return best;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *buf = (const char *)data;
	const char *cut = size ? memmem(buf, size, "====\n", 5) : NULL;
	struct image img;
	struct diff *d;
	struct err e;

	if (!cut || size > (64u << 10) ||
		diff_parse(cut + 5, size - (size_t)(cut + 5 - buf), a, &d, &e) ||
		!d->n_files)
		return 0;
	image_init(&img, a, buf, (size_t)(cut - buf));
	for (uint32_t i = 0; i < d->files[0].n_hunks; i++) {
		const struct diff_hunk *h = &d->files[0].hunks[i];
		int64_t want = plain_find(&img, h);
		struct hunk_place place = hunk_find(&img, h, true);
		struct explain_hunk why;
		size_t before = img.n;

		if (place.fit == HUNK_FITS) {
			if ((int64_t)place.at != want)
				abort();
			image_function(&img, place.at);
			hunk_put(&img, h, &place);
			if (img.n != before + h->n_added - h->n_removed)
				abort();
		} else if (place.fit == HUNK_NO_MATCH) {
			if (want >= 0)
				abort();
			explain_hunk(
				&img, h, i + 1, d->files[0].n_hunks, &place, a, &why);
			if (!why.error)
				abort();
		}
	}
	image_text(&img, &size);
	return 0;
}
