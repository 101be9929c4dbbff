// SPDX-License-Identifier: GPL-2.0-or-later
/* Repairs of damaged diffs. Input: a file, a line "====", and the text of a mail whose
 * index lines all name that file. What is called repaired must parse, and its old lines
 * must be those of the file where its headers say; the search must end. A diff in one
 * line is read as words. */
#include "base/base.h"

#include "patch/diff.h"
#include "patch/folded.h"
#include "patch/hunk.h"
#include "patch/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct file {
	const char *p;
	size_t len;
};

static bool the_file(void *arg, const char *hex, const char **ret, size_t *ret_len)
{
	const struct file *f = arg;

	(void)hex;
	*ret = f->p;
	*ret_len = f->len;
	return true;
}

/* The old side of a hunk, line by line. */
static void check_hunk(const struct image *img, const struct diff_hunk *h)
{
	size_t at = h->old_n ? h->old_start - 1 : 0;

	for (uint32_t i = 0; i < h->n_lines; i++) {
		const struct diff_line *l = &h->lines[i];

		if (l->origin == '+')
			continue;
		if (at >= img->n || img->lines[at].len != l->len ||
			memcmp(img->lines[at].p, l->p, l->len) != 0)
			abort();
		at++;
	}
}

/* One that lost its line ends: it ends, and what is called there is of the file. */
static void read_folded(const struct mend *m, const struct file *f, struct arena *a)
{
	struct folded d = {.n_files = 0};

	if (m->folded)
		folded_read(m->folded, m->folded_len, a, &d);
	for (size_t i = 0; i < d.n_files; i++) {
		for (size_t k = 0; k < d.files[i].n_hunks; k++) {
			struct folded_word line;

			if (folded_compare(&d.files[i].hunks[k], d.files[i].hunks[k].name,
				    f->p, f->len, a, &line) == FOLDED_PRESENT &&
				line.len && !memmem(f->p, f->len, line.p, line.len))
				abort();
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	const char *buf = (const char *)data;
	const char *cut = size ? memmem(buf, size, "====\n", 5) : NULL;
	struct mend_input in = {.unquote = true, .blob = the_file};
	struct file file;
	struct image img;
	struct mend m;
	struct diff *d;
	struct err e;

	if (!cut || size > (32u << 10))
		return 0;
	file = (struct file){arena_strndup(a, buf, (size_t)(cut - buf)), 0};
	file.len = (size_t)(cut - buf);
	in.arg = &file;
	in.text = arena_strndup(a, cut + 5, size - (size_t)(cut + 5 - buf));
	in.len = size - (size_t)(cut + 5 - buf);
	in.other_blanks = size % 2;
	mend_patch(&in, a, &m);
	read_folded(&m, &file, a);
	if ((m.end == MEND_NONE) != !m.why)
		abort();
	/* a quote is only taken off: what stood behind it was not changed */
	if (m.end != MEND_MENDED || m.n_notes == 0 ||
		!strcmp(m.notes[0].code, "unquoted"))
		return 0;
	if (diff_parse(m.patch, m.len, a, &d, &e))
		abort();
	image_init(&img, a, file.p, file.len);
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		for (uint32_t k = 0;
			k < f->n_hunks && strspn(f->old_id, "0") < 7 && *f->old_id; k++)
			check_hunk(&img, &f->hunks[k]);
	}
	return 0;
}
