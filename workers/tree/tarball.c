/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tarball in any compression libarchive knows, read as a stream. */
#include "workers/tree/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <sys/stat.h>

#define BLOCK_BYTES ((size_t)1 << 18)

struct tarball {
	struct source *s;
	struct archive *ar;
	const char *name;
	struct sbuf data;
	char *top; /* the one folder all is in, NULL before the first entry */
};

static int archive_err(struct tarball *t, struct err *e)
{
	const char *text = archive_error_string(t->ar);

	return err_set(e, ERR_INVALID, "%s: %s", t->name, text ? text : "damaged");
}

static bool has_git(const char *path)
{
	const char *p = strstr(path, ".git");

	for (; p; p = strstr(p + 1, ".git"))
		if ((p == path || p[-1] == '/') && (p[4] == '/' || p[4] == '\0'))
			return true;
	return false;
}

/* The path inside the top folder; NULL: nothing to import; "" never. */
static int inner_path(
	struct tarball *t, const char *path, const char **ret, struct err *e)
{
	size_t len;

	*ret = NULL;
	while (path[0] == '.' && path[1] == '/')
		for (path += 2; *path == '/';)
			path++;
	len = strcspn(path, "/");
	if (len == 0 || strcmp(path, ".") == 0)
		return *path ? err_set(e, ERR_INVALID, "%s: %.200s is an absolute path",
				       t->name, path)
			     : 0;
	if (!t->top) {
		t->top = base_alloc(len + 1);
		memcpy(t->top, path, len);
		t->top[len] = '\0';
	}
	if (strlen(t->top) != len || memcmp(t->top, path, len) != 0)
		return err_set(e, ERR_INVALID, "%s: %.200s is not below %s/", t->name,
			path, t->top);
	if (path[len] == '/' && path[len + 1] && !has_git(path + len + 1))
		*ret = path + len + 1;
	return 0;
}

static int read_data(struct tarball *t, const char *path, struct err *e)
{
	CLEANUP(base_freep) char *buf = base_alloc(BLOCK_BYTES);

	sbuf_reset(&t->data);
	for (;;) {
		ssize_t n = archive_read_data(t->ar, buf, BLOCK_BYTES);

		if (n < 0)
			return archive_err(t, e);
		if (n == 0)
			return 0;
		if (t->data.len + (size_t)n > PACK_OBJECT_MAX)
			return err_set(e, ERR_TOO_BIG, "%s: over %u bytes", path,
				PACK_OBJECT_MAX);
		sbuf_add(&t->data, buf, (size_t)n);
	}
}

static int add_entry(struct tarball *t, struct archive_entry *entry, struct err *e)
{
	const char *raw = archive_entry_pathname(entry), *path;
	int status;

	if (!raw)
		return err_set(e, ERR_INVALID, "%s: an entry without a name", t->name);
	status = inner_path(t, raw, &path, e);
	if (status != 0 || !path || archive_entry_filetype(entry) == AE_IFDIR)
		return status;
	if (archive_entry_hardlink(entry))
		return err_set(
			e, ERR_UNSUPPORTED, "%s: %.200s is a hard link", t->name, path);
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		status = read_data(t, path, e);
		return status == 0 ? source_add_file(t->s, path,
					     (unsigned)archive_entry_perm(entry),
					     t->data.buf, t->data.len, e)
				   : status;
	case AE_IFLNK:
		return source_add_link(t->s, path, archive_entry_symlink(entry), e);
	default:
		return err_set(e, ERR_INVALID, "%s: %.200s is no file, folder or link",
			t->name, path);
	}
}

static int read_entries(struct tarball *t, struct err *e)
{
	struct archive_entry *entry;
	int status = 0;

	while (status == 0) {
		int got = archive_read_next_header(t->ar, &entry);

		if (got == ARCHIVE_EOF)
			return 0;
		if (got < ARCHIVE_WARN)
			return archive_err(t, e);
		status = add_entry(t, entry, e);
	}
	return status;
}

int source_read_tarball(struct source *s, const char *path, struct err *e)
{
	struct tarball t = {.s = s, .name = path, .data = SBUF_INIT};
	int status = 0;

	t.ar = archive_read_new();
	if (!t.ar)
		BUG("libarchive: no memory");
	archive_read_support_filter_all(t.ar);
	archive_read_support_format_tar(t.ar);
	if (archive_read_open_filename(t.ar, path, BLOCK_BYTES) != ARCHIVE_OK) {
		int errnum = archive_errno(t.ar);

		/* EILSEQ is how libarchive says that it knows no such format. */
		status = errnum > 0 && errnum != EILSEQ
				 ? err_set_errno(e, errnum, "%s", path)
				 : archive_err(&t, e);
	}
	if (status == 0)
		status = read_entries(&t, e);
	archive_read_free(t.ar);
	sbuf_release(&t.data);
	free(t.top);
	return status;
}
