// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/object_dirs.h"
#include "patch/repo.h"
#include "patch/repo_broken.h"

#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAMAGED         "the repository is damaged: "
#define OID             20
#define FAN_OUT         256
#define INDEX_MAGIC     0xff744f63u
#define PACK_MAGIC      0x5041434bu
#define PACK_HEAD       12
#define INDEX_V1_HEAD   0 /* bytes before the fan-out table */
#define INDEX_V2_HEAD   8
#define INDEX_V1_OBJECT 24 /* bytes an object */
#define INDEX_V2_OBJECT 28

/* --- files of the pack folders --- */

typedef bool pack_fn(void *arg, struct arena *a, const char *path);

/* Calls fn for the files of the pack folders whose names end so, until it returns true,
 * which is told. */
static bool any_file(const struct object_dirs *d, size_t n_dirs, const char *ending,
	pack_fn *fn, void *arg)
{
	bool found = false;

	for (size_t i = 0; i < n_dirs && !found; i++) {
		const char *folder = arena_printf(d->a, "%s/pack", d->v[i]);
		const struct dirent *de;
		DIR *list = opendir(folder);

		while (list && !found && (de = readdir(list)) != NULL) {
			size_t len = strlen(de->d_name), tail = strlen(ending);

			if (de->d_name[0] != '.' && len > tail &&
				!strcmp(de->d_name + len - tail, ending))
				found = fn(arg, d->a,
					arena_printf(d->a, "%s/%s", folder, de->d_name));
		}
		if (list)
			closedir(list);
	}
	return found;
}

/* --- packs --- */

static uint32_t read_be32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return be32toh(v);
}

static bool read_at(int fd, void *p, size_t len, int64_t at)
{
	return at >= 0 && pread(fd, p, len, at) == (ssize_t)len;
}

static int64_t size_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? -1 : st.st_size;
}

/* What an index says of its pack. */
struct claim {
	uint32_t n_objects;
	unsigned char pack_sum[OID];
};

/* NULL, or what is wrong with the index. */
static const char *read_index(int fd, struct claim *ret)
{
	int64_t size = size_of(fd), head = INDEX_V1_HEAD, each = INDEX_V1_OBJECT;
	unsigned char magic[INDEX_V2_HEAD], last[4];

	if (!read_at(fd, magic, sizeof(magic), 0))
		return "is cut short";
	if (read_be32(magic) == INDEX_MAGIC) {
		if (read_be32(magic + 4) != 2)
			return "is of a version that is not known";
		head = INDEX_V2_HEAD;
		each = INDEX_V2_OBJECT;
	}
	if (!read_at(fd, last, sizeof(last), head + (FAN_OUT - 1) * 4))
		return "is cut short";
	ret->n_objects = read_be32(last);
	if (size < head + FAN_OUT * 4 + each * (int64_t)ret->n_objects + 2 * OID ||
		!read_at(fd, ret->pack_sum, OID, size - 2 * OID))
		return "is cut short";
	return NULL;
}

/* NULL, or what is wrong with the pack. */
static const char *check_pack(int fd, const struct claim *claim)
{
	unsigned char head[PACK_HEAD], sum[OID];

	if (!read_at(fd, head, sizeof(head), 0))
		return "is cut short";
	if (read_be32(head) != PACK_MAGIC || read_be32(head + 4) < 2 ||
		read_be32(head + 4) > 3)
		return "does not begin as a pack does";
	if (read_be32(head + 8) != claim->n_objects)
		return "has not as many objects as its index";
	if (!read_at(fd, sum, OID, size_of(fd) - OID) ||
		memcmp(sum, claim->pack_sum, OID) != 0)
		return "is cut short or changed: its end is not what its index says";
	return NULL;
}

/* pack_fn: path is an index; it or its pack is broken. */
static bool pack_is_broken(void *arg, struct arena *a, const char *path)
{
	const char *pack = arena_printf(a, "%.*s.pack", (int)(strlen(path) - 4), path);
	CLEANUP(base_closep) int index = open(path, O_RDONLY | O_CLOEXEC);
	CLEANUP(base_closep) int fd = -1;
	struct err *e = arg;
	struct claim claim;
	const char *why;

	if (index < 0 && errno == ENOENT) /* a clean-up took it away just now */
		return false;
	if (index < 0) {
		err_set_errno(e, errno, DAMAGED "%s", path);
		return true;
	}
	why = read_index(index, &claim);
	if (why) {
		err_set(e, ERR_INTERNAL, DAMAGED "%s %s", path, why);
		return true;
	}
	fd = open(pack, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		int saved = errno;

		/* who removes a pack removes its index first */
		if (saved == ENOENT && access(path, F_OK) != 0)
			return false;
		err_set_errno(e, saved, DAMAGED "%s", pack);
		return true;
	}
	why = check_pack(fd, &claim);
	if (why)
		err_set(e, ERR_INTERNAL, DAMAGED "%s %s", pack, why);
	return why != NULL;
}

bool repo_broken_packs(struct git_repository *r, struct arena *a, struct err *e)
{
	struct object_dirs d;
	struct err found;

	object_dirs_find(r, a, &d);
	if (!any_file(&d, d.n, ".idx", pack_is_broken, &found))
		return false;
	err_set(e, ERR_INTERNAL, "%s", found.msg);
	return true;
}

/* --- objects --- */

struct place {
	const git_oid *id;
	const char *path;
};

/* pack_fn: path is an index; the object is in its pack. */
static bool pack_has(void *arg, struct arena *a, const char *path)
{
	struct place *p = arg;
	git_odb_backend *b = NULL;
	bool has = !git_odb_backend_one_pack(&b, path) && b->exists(b, p->id);

	if (has)
		p->path = arena_printf(a, "%.*s.pack", (int)(strlen(path) - 4), path);
	if (b)
		b->free(b);
	return has;
}

/* The file that holds the object; NULL: none. A file of its own goes first. */
static const char *find_place(
	struct git_repository *r, const git_oid *id, const char *hex, struct arena *a)
{
	struct place place = {.id = id};
	struct object_dirs d;

	object_dirs_find(r, a, &d);
	for (size_t i = 0; i < d.n; i++) {
		const char *path = arena_printf(a, "%s/%.2s/%s", d.v[i], hex, hex + 2);

		if (access(path, F_OK) == 0)
			return path;
	}
	any_file(&d, d.n, ".idx", pack_has, &place);
	return place.path;
}

int repo_broken_object(struct git_repository *r, const struct git_oid *id,
	const char *why, struct arena *a, struct err *e)
{
	char hex[REPO_HEX];
	const char *path;

	git_oid_tostr(hex, sizeof(hex), id);
	path = find_place(r, id, hex, a);
	return err_set(e, ERR_INTERNAL, DAMAGED "object %s%s%s cannot be read: %s", hex,
		path ? " in " : "", path ? path : "", why);
}

/* pack_fn: there is a pack of a partial clone. */
static bool is_there(void *arg, struct arena *a, const char *path)
{
	(void)arg;
	(void)a;
	(void)path;
	return true;
}

int repo_broken_missing(struct git_repository *r, const struct git_oid *id,
	struct arena *a, struct err *e)
{
	char hex[REPO_HEX];
	struct object_dirs d;

	git_oid_tostr(hex, sizeof(hex), id);
	object_dirs_find(r, a, &d);
	if (any_file(&d, 1, ".promisor", is_there, NULL))
		return err_set(e, ERR_UNAVAILABLE,
			"object %s is not here, as the repository is a partial clone; "
			"\"git -C %s cat-file -e %s\" fetches it",
			hex, repo_folder(r), hex);
	return err_set(e, ERR_INTERNAL, DAMAGED "object %s is not in %s%s%s", hex,
		repo_folder(r),
		d.absent ? ", and what it borrows from is not there: " : "",
		d.absent ? d.absent : "");
}
