// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/between.h"
#include "plan/touch_load.h"
#include "plan/touch_text.h"

/* No text is an answer too: links, submodules, files over the limit. */
static int load_side(struct git_repository *r, const char *commit, const char *path,
	struct arena *a, size_t *room, struct touch_side *ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	size_t cap = *room < TOUCH_TEXT_MAX_BYTES ? *room : TOUCH_TEXT_MAX_BYTES;
	unsigned mode = 0;
	int rc;

	if (!path)
		return 0;
	rc = repo_read_file(r, commit, path, cap, &text, &mode, e);
	if (rc == ERR_TOO_BIG || rc == ERR_INVALID)
		return 0;
	if (rc)
		return rc;
	if ((mode & 0170000) != 0100000)
		return 0;
	*room -= text.len;
	ret->text = arena_strndup(a, text.buf, text.len);
	ret->len = text.len;
	return 0;
}

int touch_load(struct git_repository *r, const char *base_hex, const char *patched_hex,
	struct arena *a, struct touch_file **ret, size_t *ret_n, struct err *e)
{
	size_t room = TOUCH_LOAD_MAX_BYTES;
	struct touch_file *files;
	struct diff *d;
	int rc = repo_diff(r, base_hex, patched_hex, a, &d, e);

	if (rc)
		return rc;
	files = ARENA_ARRAY(a, struct touch_file, d->n_files + 1);
	for (size_t i = 0; i < d->n_files; i++) {
		const struct diff_file *f = &d->files[i];

		files[i].diff = f;
		if (!f->n_hunks || touch_lang_of(diff_file_path(f)) == TOUCH_OTHER)
			continue;
		rc = load_side(r, base_hex, f->old_path, a, &room, &files[i].base, e);
		if (!rc)
			rc = load_side(r, patched_hex, f->new_path, a, &room,
				&files[i].patched, e);
		if (rc)
			return err_wrap(e, "%.200s", diff_file_path(f));
	}
	*ret = files;
	*ret_n = d->n_files;
	return 0;
}

void touch_load_diff(struct arena *a, const struct diff *d, struct touch_file **files,
	size_t *n, size_t *cap)
{
	for (size_t i = 0; i < d->n_files; i++)
		*ARENA_PUSH(a, *files, *n, *cap) =
			(struct touch_file){.diff = &d->files[i]};
}
