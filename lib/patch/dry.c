// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/dry.h"

#include <git2.h>
#include <git2/sys/mempack.h>

/* libgit2 knows the first member only. */
struct dry {
	git_odb_backend backend;
	git_odb_backend *memory;
	git_oid *ids; /* of what was written, some of them twice */
	size_t n, cap;
};

static struct dry *dry_of(git_odb_backend *b)
{
	return (struct dry *)b;
}

static int dry_read(void **ret, size_t *ret_len, git_object_t *ret_type,
	git_odb_backend *b, const git_oid *id)
{
	git_odb_backend *memory = dry_of(b)->memory;

	return memory->read(ret, ret_len, ret_type, memory, id);
}

static int dry_read_header(
	size_t *ret_len, git_object_t *ret_type, git_odb_backend *b, const git_oid *id)
{
	git_odb_backend *memory = dry_of(b)->memory;

	return memory->read_header(ret_len, ret_type, memory, id);
}

static int dry_exists(git_odb_backend *b, const git_oid *id)
{
	git_odb_backend *memory = dry_of(b)->memory;

	return memory->exists(memory, id);
}

static int dry_write(git_odb_backend *b, const git_oid *id, const void *p, size_t len,
	git_object_t type)
{
	struct dry *d = dry_of(b);

	if (d->n == d->cap) {
		size_t cap = d->cap ? d->cap * 2 : 64;
		git_oid *ids = reallocarray(d->ids, cap, sizeof(*ids));

		if (!ids)
			return GIT_ERROR;
		d->ids = ids;
		d->cap = cap;
	}
	d->ids[d->n++] = *id;
	return d->memory->write(d->memory, id, p, len, type);
}

static int dry_exists_prefix(
	git_oid *ret, git_odb_backend *b, const git_oid *prefix, size_t n_hex)
{
	struct dry *d = dry_of(b);
	const git_oid *found = NULL;

	for (size_t i = 0; i < d->n; i++) {
		if (git_oid_ncmp(&d->ids[i], prefix, n_hex))
			continue;
		if (found && !git_oid_equal(found, &d->ids[i]))
			return GIT_EAMBIGUOUS;
		found = &d->ids[i];
	}
	if (!found)
		return GIT_ENOTFOUND;
	*ret = *found;
	return 0;
}

static void dry_free(git_odb_backend *b)
{
	struct dry *d = dry_of(b);

	d->memory->free(d->memory);
	free(d->ids);
	free(d);
}

int dry_backend_new(git_odb_backend **ret)
{
	struct dry *d = calloc(1, sizeof(*d));
	int rc = d ? git_mempack_new(&d->memory) : GIT_ERROR;

	if (rc) {
		free(d);
		return rc;
	}
	d->backend = (git_odb_backend){.version = GIT_ODB_BACKEND_VERSION,
		.read = dry_read,
		.read_header = dry_read_header,
		.write = dry_write,
		.exists = dry_exists,
		.exists_prefix = dry_exists_prefix,
		.free = dry_free};
	*ret = &d->backend;
	return 0;
}
