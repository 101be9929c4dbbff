// SPDX-License-Identifier: GPL-2.0-or-later
/* The diff parser and the refusals on any bytes: no crash, counts that add up, and the
 * same diff again when it is turned round twice. */
#include "base/base.h"

#include "patch/binary.h"
#include "patch/refuse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_hunk(const struct diff_hunk *h, const char *buf, size_t len)
{
	uint32_t n_old = 0, n_new = 0;

	for (uint32_t i = 0; i < h->n_lines; i++) {
		const struct diff_line *l = &h->lines[i];

		if (l->p < buf || l->p + l->len > buf + len)
			abort();
		n_old += l->origin != '+';
		n_new += l->origin != '-';
	}
	/* a blank context line that lost its newline too is in the counts only */
	if (n_old > h->old_n || n_new > h->new_n || n_old + 1 < h->old_n ||
		n_new + 1 < h->new_n)
		abort();
	if (h->n_added > n_new || h->n_removed > n_old || !(h->n_added + h->n_removed))
		abort();
}

static void check_again(const struct diff *d, struct arena *a)
{
	const struct diff *r = diff_reverse(diff_reverse(d, a), a);

	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *x = &d->files[i], *y = &r->files[i];

		if (x->n_hunks != y->n_hunks || x->old_path != y->old_path ||
			strcmp(diff_file_status(x), diff_file_status(y)) != 0)
			abort();
		for (uint32_t k = 0; k < x->n_hunks; k++) {
			const struct diff_hunk *g = &x->hunks[k], *h = &y->hunks[k];

			if (g->n_lines && memcmp(g->lines, h->lines,
						  g->n_lines * sizeof(*g->lines)))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct diff *d;
	struct err e;

	if (diff_parse((const char *)data, size, a, &d, &e))
		return 0;
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];
		unsigned char *bytes;
		size_t len;

		if (!diff_file_path(f))
			abort();
		refuse_show_path(diff_file_path(f), a);
		for (uint32_t k = 0; k < f->n_hunks; k++)
			check_hunk(&f->hunks[k], (const char *)data, size);
		if (f->forward.kind != DIFF_TEXT &&
			!binary_decode(
				&f->forward, REFUSE_BINARY_MAX, a, &bytes, &len, &e) &&
			f->forward.kind == DIFF_BINARY_DELTA) {
			char *out;

			if (!binary_delta(bytes, len, "0123456789", 10, REFUSE_BINARY_MAX,
				    a, &out, &len, &e) &&
				len > REFUSE_BINARY_MAX)
				abort();
		}
	}
	if (!refuse_diff(d, a, &e))
		check_again(d, a);
	return 0;
}
