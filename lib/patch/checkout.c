// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/checkout.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define FILE_MAX  (256u << 20)

struct move {
	git_repository *repo;
	git_odb *odb;
	struct checkout_stats stats;
	char path[4096]; /* of what is being done, for errors */
	size_t path_len;
	struct err *e;
};

static int sys_fail(struct move *m, const char *what)
{
	enum err_code code = errno == ENOTEMPTY || errno == EISDIR ? ERR_CONFLICT
			     : errno == ENOSPC || errno == EDQUOT  ? ERR_UNAVAILABLE
								   : ERR_INTERNAL;

	return err_set(
		m->e, code, "cannot %s %.200s: %s", what, m->path, strerror(errno));
}

/* Adds a name to the path for errors; returns the length to go back to. */
static size_t enter(struct move *m, const char *name)
{
	size_t before = m->path_len;
	int n = snprintf(m->path + before, sizeof(m->path) - before, "%s%s",
		before ? "/" : "", name);

	m->path_len += n > 0 ? (size_t)n : 0;
	if (m->path_len >= sizeof(m->path))
		m->path_len = sizeof(m->path) - 1;
	return before;
}

static void leave(struct move *m, size_t before)
{
	m->path_len = before;
	m->path[before] = 0;
}

static bool is_folder(const git_tree_entry *te)
{
	return git_tree_entry_filemode(te) == GIT_FILEMODE_TREE;
}

static int tree_of(struct move *m, const git_oid *id, git_tree **ret)
{
	int rc = git_tree_lookup(ret, m->repo, id);

	return rc ? repo_err(m->e, rc, "cannot read folder %.200s", m->path) : 0;
}

/* --- removing what from has --- */

static int remove_entry(struct move *m, int dir, const git_tree_entry *te, int depth);

static int remove_folder(struct move *m, int dir, const git_tree_entry *te, int depth)
{
	const char *name = git_tree_entry_name(te);
	CLEANUP(base_closep)
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	git_tree *tree = NULL;
	int rc;

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP
			       ? 0
			       : sys_fail(m, "open");
	if (depth > DEPTH_MAX)
		return err_set(m->e, ERR_TOO_BIG, "%.200s is nested too deep", m->path);
	rc = tree_of(m, git_tree_entry_id(te), &tree);
	for (size_t i = 0; !rc && i < git_tree_entrycount(tree); i++)
		rc = remove_entry(m, fd, git_tree_entry_byindex(tree, i), depth + 1);
	git_tree_free(tree);
	/* build products keep their folder */
	if (!rc && unlinkat(dir, name, AT_REMOVEDIR) && errno != ENOTEMPTY &&
		errno != EEXIST && errno != ENOENT)
		rc = sys_fail(m, "remove");
	return rc;
}

static int remove_entry(struct move *m, int dir, const git_tree_entry *te, int depth)
{
	const char *name = git_tree_entry_name(te);
	size_t before = enter(m, name);
	int rc = 0;

	if (git_tree_entry_filemode(te) == GIT_FILEMODE_COMMIT) {
		leave(m, before);
		return 0;
	}
	if (is_folder(te)) {
		rc = remove_folder(m, dir, te, depth);
	} else {
		if (!unlinkat(dir, name, 0))
			m->stats.n_removed++;
		else if (errno != ENOENT && errno != EISDIR)
			rc = sys_fail(m, "remove");
	}
	leave(m, before);
	return rc;
}

/* --- writing what to has --- */

static int write_bytes(struct move *m, int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sys_fail(m, "write");
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

static int clear_way(struct move *m, int dir, const char *name)
{
	if (!unlinkat(dir, name, 0) || errno == ENOENT)
		return 0;
	/* an empty folder may go, one with foreign files stays */
	if ((errno == EISDIR || errno == EPERM) && !unlinkat(dir, name, AT_REMOVEDIR))
		return 0;
	return sys_fail(m, "replace");
}

static int write_file(
	struct move *m, int dir, const git_tree_entry *te, const char *p, size_t len)
{
	const char *name = git_tree_entry_name(te);
	mode_t mode =
		git_tree_entry_filemode(te) == GIT_FILEMODE_BLOB_EXECUTABLE ? 0755 : 0644;
	CLEANUP(base_closep) int fd = -1;
	int rc = clear_way(m, dir, name);

	if (rc)
		return rc;
	fd = openat(
		dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0)
		return sys_fail(m, "make");
	rc = write_bytes(m, fd, p, len);
	if (!rc && fchmod(fd, mode))
		rc = sys_fail(m, "set the mode of");
	return rc;
}

static int write_link(
	struct move *m, int dir, const char *name, const char *p, size_t len)
{
	char target[4096];
	int rc = clear_way(m, dir, name);

	if (rc)
		return rc;
	if (!len || len >= sizeof(target) || memchr(p, 0, len))
		return err_set(
			m->e, ERR_INVALID, "link %.200s has no usable target", m->path);
	memcpy(target, p, len);
	target[len] = 0;
	return symlinkat(target, dir, name) ? sys_fail(m, "make") : 0;
}

static int write_blob(struct move *m, int dir, const git_tree_entry *te)
{
	git_odb_object *obj = NULL;
	const char *p;
	size_t len;
	int rc = git_odb_read(&obj, m->odb, git_tree_entry_id(te));

	if (rc)
		return repo_err(m->e, rc, "cannot read %.200s", m->path);
	p = git_odb_object_data(obj);
	len = git_odb_object_size(obj);
	if (len > FILE_MAX)
		rc = err_set(m->e, ERR_TOO_BIG, "%.200s has %zu bytes", m->path, len);
	else if (git_tree_entry_filemode(te) == GIT_FILEMODE_LINK)
		rc = write_link(m, dir, git_tree_entry_name(te), p, len);
	else
		rc = write_file(m, dir, te, p, len);
	git_odb_object_free(obj);
	if (!rc) {
		m->stats.n_written++;
		m->stats.n_bytes += (int64_t)len;
	}
	return rc;
}

static int open_folder(struct move *m, int dir, const char *name, int *ret_fd)
{
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(dir, name, flags);

	if (fd < 0 && (errno == ENOTDIR || errno == ELOOP) && unlinkat(dir, name, 0))
		return sys_fail(m, "replace");
	if (fd < 0) {
		if (mkdirat(dir, name, 0755) && errno != EEXIST)
			return sys_fail(m, "make");
		fd = openat(dir, name, flags);
	}
	if (fd < 0)
		return sys_fail(m, "open");
	*ret_fd = fd;
	return 0;
}

static int move_folder(
	struct move *m, int dir, const git_oid *from, const git_oid *to, int depth);

static int move_entry(struct move *m, int dir, const git_tree_entry *old,
	const git_tree_entry *new, int depth)
{
	const char *name = git_tree_entry_name(new);
	CLEANUP(base_closep) int fd = -1;
	int rc;

	if (git_tree_entry_filemode(new) == GIT_FILEMODE_COMMIT)
		return 0;
	if (old && git_tree_entry_filemode(old) == git_tree_entry_filemode(new) &&
		git_oid_equal(git_tree_entry_id(old), git_tree_entry_id(new))) {
		m->stats.n_kept++;
		return 0;
	}
	if (old && is_folder(old) && !is_folder(new)) {
		rc = remove_folder(m, dir, old, depth + 1);
		if (rc)
			return rc;
	}
	if (!is_folder(new))
		return write_blob(m, dir, new);
	rc = open_folder(m, dir, name, &fd);
	return rc ? rc
		  : move_folder(m, fd,
			    old && is_folder(old) ? git_tree_entry_id(old) : NULL,
			    git_tree_entry_id(new), depth + 1);
}

static int move_trees(struct move *m, int dir, git_tree *old, git_tree *new, int depth)
{
	int rc = 0;

	for (size_t i = 0; old && !rc && i < git_tree_entrycount(old); i++) {
		const git_tree_entry *te = git_tree_entry_byindex(old, i);

		if (!git_tree_entry_byname(new, git_tree_entry_name(te)))
			rc = remove_entry(m, dir, te, depth);
	}
	for (size_t i = 0; !rc && i < git_tree_entrycount(new); i++) {
		const git_tree_entry *te = git_tree_entry_byindex(new, i);
		const char *name = git_tree_entry_name(te);
		size_t before = enter(m, name);

		rc = move_entry(
			m, dir, old ? git_tree_entry_byname(old, name) : NULL, te, depth);
		leave(m, before);
	}
	return rc;
}

/* dir is the open folder; from NULL: nothing of ours is in it. */
static int move_folder(
	struct move *m, int dir, const git_oid *from, const git_oid *to, int depth)
{
	git_tree *old = NULL, *new = NULL;
	int rc;

	if (from && git_oid_equal(from, to))
		return 0;
	if (depth > DEPTH_MAX)
		return err_set(m->e, ERR_TOO_BIG, "%.200s is nested too deep", m->path);
	rc = tree_of(m, to, &new);
	if (!rc && from)
		rc = tree_of(m, from, &old);
	if (!rc)
		rc = move_trees(m, dir, old, new, depth);
	git_tree_free(old);
	git_tree_free(new);
	return rc;
}

/* The tree of a tree or commit. */
static int tree_id(struct move *m, const char *hex, git_oid *ret)
{
	git_object *any = NULL, *tree = NULL;
	git_oid id;
	int rc = git_oid_fromstr(&id, hex);

	if (!rc)
		rc = git_object_lookup(&any, m->repo, &id, GIT_OBJECT_ANY);
	if (!rc)
		rc = git_object_peel(&tree, any, GIT_OBJECT_TREE);
	if (!rc)
		*ret = *git_object_id(tree);
	git_object_free(tree);
	git_object_free(any);
	return rc ? repo_err(m->e, rc, "no tree %.40s", hex) : 0;
}

int checkout_move(struct git_repository *r, const char *from_hex, const char *to_hex,
	const char *dir, struct checkout_stats *ret_stats, struct err *e)
{
	struct move m = {.repo = r, .e = e};
	CLEANUP(base_closep) int fd = -1;
	git_oid from, to;
	int rc = tree_id(&m, to_hex, &to);

	if (!rc && from_hex)
		rc = tree_id(&m, from_hex, &from);
	if (!rc)
		rc = file_mkdir_p(dir, 0755, e);
	if (rc)
		return rc;
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_set(e, ERR_NOT_FOUND, "cannot open folder %s: %s", dir,
			strerror(errno));
	rc = git_repository_odb(&m.odb, r);
	if (rc)
		return repo_err(e, rc, "cannot read objects");
	rc = move_folder(&m, fd, from_hex ? &from : NULL, &to, 0);
	git_odb_free(m.odb);
	if (!rc && ret_stats)
		*ret_stats = m.stats;
	return rc;
}
