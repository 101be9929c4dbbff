// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/object_dirs.h"
#include "patch/repo.h"

#include <sys/stat.h>

#define ALTERNATES_MAX (64u << 10) /* bytes of the file that names them */

static void add(struct object_dirs *d, const char *dir)
{
	struct stat st;

	for (size_t i = 0; i < d->n; i++)
		if (!strcmp(d->v[i], dir))
			return;
	if (stat(dir, &st) || !S_ISDIR(st.st_mode))
		d->absent = d->absent ? d->absent : dir;
	else if (d->n < OBJECT_DIRS_MAX)
		d->v[d->n++] = dir;
}

/* Those that dir names in info/alternates. */
static void add_borrowed(struct object_dirs *d, const char *dir)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	struct err ignored;
	char *line, *rest;

	if (file_read(arena_printf(d->a, "%s/info/alternates", dir), ALTERNATES_MAX,
		    &text, &ignored) ||
		!text.len)
		return;
	for (rest = text.buf; (line = strsep(&rest, "\n")) != NULL;) {
		if (*line == '/')
			add(d, arena_strdup(d->a, line));
		else if (*line && *line != '#')
			add(d, arena_printf(d->a, "%s/%s", dir, line));
	}
}

void object_dirs_find(struct git_repository *r, struct arena *a, struct object_dirs *ret)
{
	*ret = (struct object_dirs){.a = a};
	add(ret, arena_printf(a, "%sobjects", repo_folder(r)));
	for (size_t i = 0; i < ret->n; i++)
		add_borrowed(ret, ret->v[i]);
}
