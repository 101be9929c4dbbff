// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/refuse.h"

#include <strings.h>

/* Code point at p (len bytes left) and its length; 0: not UTF-8. */
static size_t utf8_at(const unsigned char *p, size_t len, uint32_t *ret)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t n = p[0] < 0x80 ? 1 : p[0] >> 5 == 6 ? 2 : p[0] >> 4 == 14 ? 3 : 4;
	uint32_t v = n == 1 ? p[0] : p[0] & (0x7fu >> n);

	if ((n == 4 && p[0] >> 3 != 30) || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < least[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*ret = v;
	return n;
}

static bool is_bidi(uint32_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Code points that HFS+ drops from names */
static bool is_hfs_ignored(uint32_t c)
{
	return (c >= 0x200c && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x206a && c <= 0x206f) || c == 0xfeff;
}

const char *refuse_show_path(const char *path, struct arena *a)
{
	const size_t cap = 120;
	size_t len = strlen(path), out = 0;
	char *buf = arena_alloc(a, cap + 16);

	for (size_t i = 0; i < len;) {
		const unsigned char *p = (const unsigned char *)path + i;
		uint32_t c = 0;
		size_t n = utf8_at(p, len - i, &c);
		bool plain = n && c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) &&
			     !is_bidi(c) && !is_hfs_ignored(c);

		if (out + (plain ? n : 4) > cap) {
			memcpy(buf + out, "...", 3);
			out += 3;
			break;
		}
		if (plain) {
			memcpy(buf + out, p, n);
			out += n;
			i += n;
		} else {
			out += (size_t)snprintf(buf + out, 5, "\\%03o", *p);
			i++;
		}
	}
	buf[out] = 0;
	return buf;
}

static int deny(struct err *e, const char *path, struct arena *a, const char *what)
{
	return err_set(e, ERR_DENIED, "%s %s", refuse_show_path(path, a), what);
}

/* ".git" in any case once HFS-ignored code points are gone */
static bool is_hfs_git(const char *name, size_t len)
{
	char folded[5];
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t k = utf8_at((const unsigned char *)name + i, len - i, &c);

		if (!k)
			return false;
		i += k;
		if (is_hfs_ignored(c))
			continue;
		if (n == 4 || c >= 0x80)
			return false;
		folded[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	return n == 4 && !memcmp(folded, ".git", 4);
}

/* What NTFS opens as .git: short name, trailing dots and blanks, streams */
static bool is_ntfs_git(const char *name, size_t len)
{
	size_t n;

	if (len >= 4 && !strncasecmp(name, ".git", 4))
		n = 4;
	else if (len >= 5 && !strncasecmp(name, "git~1", 5))
		n = 5;
	else
		return false;
	while (n < len && (name[n] == '.' || name[n] == ' '))
		n++;
	return n == len || name[n] == ':';
}

static int refuse_component(
	const char *path, const char *name, size_t len, struct arena *a, struct err *e)
{
	if (!len || (len == 1 && name[0] == '.') || (len == 2 && !memcmp(name, "..", 2)))
		return deny(e, path, a, "leaves the tree");
	if (len > REFUSE_NAME_MAX)
		return deny(e, path, a, "has a component of over 255 bytes");
	if (is_hfs_git(name, len) || is_ntfs_git(name, len))
		return deny(e, path, a, "is a git directory in disguise");
	return 0;
}

int refuse_path(const char *path, struct arena *a, struct err *e)
{
	size_t len = strlen(path);
	const char *p = path;

	if (len > REFUSE_PATH_MAX)
		return deny(e, path, a, "has over 4,096 bytes");
	if (strchr(path, '\\') ||
		(len >= 2 && path[1] == ':' &&
			((path[0] | 32) >= 'a' && (path[0] | 32) <= 'z')))
		return deny(e, path, a, "leaves the tree");
	for (size_t i = 0; i < len;) {
		uint32_t c;
		size_t n = utf8_at((const unsigned char *)path + i, len - i, &c);

		if (!n)
			return deny(e, path, a, "is not UTF-8");
		if (c < 0x20 || (c >= 0x7f && c < 0xa0) || is_bidi(c))
			return deny(e, path, a, "contains a control character");
		i += n;
	}
	for (;;) {
		const char *slash = strchrnul(p, '/');
		int rc = refuse_component(path, p, (size_t)(slash - p), a, e);

		if (rc)
			return rc;
		if (!*slash)
			return 0;
		p = slash + 1;
	}
}

int refuse_mode(const char *path, unsigned mode, struct arena *a, struct err *e)
{
	if (!mode || mode == 0100644 || mode == 0100755)
		return 0;
	if ((mode & 0170000) == 0120000)
		return deny(e, path, a, "is or would become a symbolic link");
	if ((mode & 0170000) == 0160000)
		return deny(e, path, a, "is or would become a submodule");
	return err_set(e, ERR_DENIED, "%s has mode 0%o", refuse_show_path(path, a), mode);
}

static int refuse_binary(const struct diff_file *f, struct arena *a, struct err *e)
{
	const char *path = refuse_show_path(diff_file_path(f), a);

	if (f->binary == DIFF_BINARY_ABSENT)
		return err_set(e, ERR_DENIED,
			"binary file %s differs, and no binary data is in the mail",
			path);
	if (f->forward.size_bytes > REFUSE_BINARY_MAX)
		return err_set(e, ERR_TOO_BIG, "binary file %s, %.1f MB", path,
			(double)f->forward.size_bytes / 1e6);
	return 0;
}

/* Old ranges of two hunks that share lines. Hunks out of order are no reason. */
static int refuse_overlap(const struct diff_file *f, struct arena *a, struct err *e)
{
	for (uint32_t i = 1; i < f->n_hunks; i++) {
		const struct diff_hunk *x = &f->hunks[i - 1], *y = &f->hunks[i];

		if ((uint64_t)x->old_start < (uint64_t)y->old_start + y->old_n &&
			(uint64_t)y->old_start < (uint64_t)x->old_start + x->old_n)
			return err_set(e, ERR_DENIED, "%s: hunk %u overlaps hunk %u",
				refuse_show_path(diff_file_path(f), a), i + 1, i);
	}
	return 0;
}

static int refuse_file(const struct diff_file *f, struct arena *a, struct err *e)
{
	int rc = f->old_path ? refuse_path(f->old_path, a, e) : 0;

	if (!rc && f->new_path)
		rc = refuse_path(f->new_path, a, e);
	if (!rc)
		rc = refuse_mode(diff_file_path(f), f->old_mode, a, e);
	if (!rc)
		rc = refuse_mode(diff_file_path(f), f->new_mode, a, e);
	if (!rc && f->binary != DIFF_TEXT)
		rc = refuse_binary(f, a, e);
	return rc ? rc : refuse_overlap(f, a, e);
}

/* Twins beside each other, equal paths too. */
static int compare_paths(const void *x, const void *y)
{
	const char *const *a = x, *const *b = y;
	int rc = strcasecmp(*a, *b);

	return rc ? rc : strcmp(*a, *b);
}

bool refuse_is_twin(const char *path, const char *other)
{
	return !strcasecmp(path, other) && strcmp(path, other) != 0;
}

const char **refuse_paths(const struct diff *d, struct arena *a, size_t *ret_n)
{
	const char **paths = ARENA_ARRAY(a, const char *, d->n_files + 1);
	size_t n = 0, k = 0;

	for (size_t i = 0; i < d->n_files; i++) {
		if (d->files[i].new_path)
			paths[n++] = d->files[i].new_path;
	}
	qsort(paths, n, sizeof(*paths), compare_paths);
	for (size_t i = 0; i < n; i++) {
		if (!k || strcmp(paths[k - 1], paths[i]) != 0)
			paths[k++] = paths[i];
	}
	*ret_n = k;
	return paths;
}

int refuse_diff(const struct diff *d, struct arena *a, struct err *e)
{
	size_t n_deleted = 0;

	if (d->n_added_bytes > REFUSE_ADDED_MAX)
		return err_set(e, ERR_TOO_BIG, "the patch adds %.1f MB; limit %u MiB",
			(double)d->n_added_bytes / 1e6, REFUSE_ADDED_MAX >> 20);
	for (size_t i = 0; i < d->n_files; i++) {
		int rc = refuse_file(&d->files[i], a, e);

		if (rc)
			return rc;
		n_deleted += d->files[i].is_delete == DIFF_YES;
	}
	if (n_deleted > REFUSE_DELETES_MAX)
		return err_set(e, ERR_DENIED, "deletes %zu files; limit %d", n_deleted,
			REFUSE_DELETES_MAX);
	return 0;
}
