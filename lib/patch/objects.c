// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/arena.h"
#include "patch/loose.h"
#include "patch/objects.h"
#include "patch/objects_made.h"
#include "patch/repo.h"

#include <git2/sys/odb_backend.h>

#define PRIORITY 999 /* before the repository's own */

static struct objects *objects_of(git_odb_backend *b)
{
	return (struct objects *)b;
}

/* The slot of the id: its own, or the free one that it may have. */
static uint32_t *slot_of(const struct objects *o, const git_oid *id)
{
	uint64_t h;
	size_t i;

	memcpy(&h, id->id, sizeof(h));
	for (i = h & (o->n_slots - 1); o->slots[i]; i = (i + 1) & (o->n_slots - 1)) {
		if (git_oid_equal(&o->v[o->slots[i] - 1].id, id))
			break;
	}
	return &o->slots[i];
}

static void slots_grow(struct objects *o)
{
	free(o->slots);
	o->n_slots = o->n_slots ? o->n_slots * 2 : 64;
	o->slots = base_zalloc(o->n_slots * sizeof(*o->slots));
	for (size_t i = 0; i < o->n; i++)
		*slot_of(o, &o->v[i].id) = (uint32_t)i + 1;
}

struct object *objects_made(const struct objects *o, const git_oid *id)
{
	uint32_t slot = *slot_of(o, id);

	return slot ? &o->v[slot - 1] : NULL;
}

const struct object *objects_find(const struct objects *o, const git_oid *id)
{
	return objects_made(o, id);
}

static void keep(struct objects *o, const git_oid *id, git_object_t type, const void *p,
	size_t len)
{
	uint32_t *slot = slot_of(o, id);

	if (*slot)
		return;
	if (o->n == o->cap) {
		o->cap = o->cap ? o->cap * 2 : 64;
		o->v = base_realloc(o->v, o->cap * sizeof(*o->v));
	}
	o->v[o->n] = (struct object){
		.id = *id, .type = type, .p = arena_strndup(o->a, p, len), .len = len};
	o->n_bytes += len;
	*slot = (uint32_t)++o->n;
	if (o->n * 2 > o->n_slots)
		slots_grow(o);
}

/* --- as libgit2 sees it --- */

/* What is not in memory is read here, from one store after the other: libgit2 stops at
 * the first that fails, where git goes on, and does not say which object it was. */
typedef int store_fn(void *arg, git_odb_backend *b, const git_oid *id);

static int from_stores(struct objects *o, const git_oid *id, store_fn *read, void *arg)
{
	bool more = true;
	int failed = 0;

	for (size_t i = 0; i < o->n_stores && more; i++) {
		int rc = read(arg, o->stores[i], id);

		if (!rc)
			return 0;
		more = !loose_is_guard(o->stores[i]);
		if (rc == GIT_ENOTFOUND || rc == GIT_PASSTHROUGH || failed)
			continue;
		failed = rc;
		if (!o->failure.is) {
			const git_error *last = git_error_last();

			o->failure = (struct objects_failure){.is = true, .id = *id};
			snprintf(o->failure.why, sizeof(o->failure.why), "%s",
				last && last->message ? last->message
						      : "no reason given");
		}
	}
	if (!failed)
		o->missing = *id;
	return failed ? failed : GIT_ENOTFOUND;
}

struct reading {
	void *p;
	size_t len;
	git_object_t type;
};

static int store_read(void *arg, git_odb_backend *b, const git_oid *id)
{
	struct reading *r = arg;

	return b->read ? b->read(&r->p, &r->len, &r->type, b, id) : GIT_PASSTHROUGH;
}

static int store_read_header(void *arg, git_odb_backend *b, const git_oid *id)
{
	struct reading *r = arg;

	return b->read_header ? b->read_header(&r->len, &r->type, b, id)
			      : GIT_PASSTHROUGH;
}

static int memory_read(void **ret, size_t *ret_len, git_object_t *ret_type,
	git_odb_backend *b, const git_oid *id)
{
	const struct object *one = objects_made(objects_of(b), id);
	struct reading r = {.p = NULL};
	int rc = 0;

	if (one) {
		r = (struct reading){.p = git_odb_backend_data_alloc(b, one->len + 1),
			.len = one->len,
			.type = one->type};
		if (!r.p)
			return GIT_ERROR;
		memcpy(r.p, one->p, one->len + 1);
	} else {
		rc = from_stores(objects_of(b), id, store_read, &r);
	}
	if (rc)
		return rc;
	*ret = r.p;
	*ret_len = r.len;
	*ret_type = r.type;
	return 0;
}

static int memory_read_header(
	size_t *ret_len, git_object_t *ret_type, git_odb_backend *b, const git_oid *id)
{
	const struct object *one = objects_made(objects_of(b), id);
	struct reading r = {.p = NULL};
	int rc = 0;

	if (one)
		r = (struct reading){.len = one->len, .type = one->type};
	else
		rc = from_stores(objects_of(b), id, store_read_header, &r);
	if (rc)
		return rc;
	*ret_len = r.len;
	*ret_type = r.type;
	return 0;
}

static int memory_exists(git_odb_backend *b, const git_oid *id)
{
	return objects_made(objects_of(b), id) != NULL;
}

static int memory_exists_prefix(
	git_oid *ret, git_odb_backend *b, const git_oid *prefix, size_t n_hex)
{
	const struct objects *o = objects_of(b);
	const git_oid *found = NULL;

	for (size_t i = 0; i < o->n; i++) {
		if (git_oid_ncmp(&o->v[i].id, prefix, n_hex))
			continue;
		if (found)
			return GIT_EAMBIGUOUS;
		found = &o->v[i].id;
	}
	if (!found)
		return GIT_ENOTFOUND;
	*ret = *found;
	return 0;
}

static int memory_write(git_odb_backend *b, const git_oid *id, const void *p, size_t len,
	git_object_t type)
{
	keep(objects_of(b), id, type, p, len);
	return 0;
}

static void memory_free(git_odb_backend *b)
{
	struct objects *o = objects_of(b);

	arena_free(o->a);
	free(o->v);
	free(o->slots);
	free(o->stores);
	free(o);
}

/* --- */

/* Those that the repository came with. */
static void take_stores(struct objects *o)
{
	size_t n = git_odb_num_backends(o->odb);

	o->stores = base_zalloc((n + 1) * sizeof(*o->stores));
	for (size_t i = 0; i < n; i++)
		o->n_stores += !git_odb_get_backend(&o->stores[o->n_stores], o->odb, i);
}

int objects_hold(git_repository *r, struct objects **ret, struct err *e)
{
	struct objects *o;
	git_odb *odb = NULL;
	int rc = git_repository_odb(&odb, r);

	if (rc)
		return repo_err(e, rc, "cannot read objects");
	o = base_zalloc(sizeof(*o));
	*o = (struct objects){.backend = {.version = GIT_ODB_BACKEND_VERSION,
				      .read = memory_read,
				      .read_header = memory_read_header,
				      .write = memory_write,
				      .exists = memory_exists,
				      .exists_prefix = memory_exists_prefix,
				      .free = memory_free},
		.repo = r,
		.odb = odb,
		.a = arena_new()};
	slots_grow(o);
	take_stores(o);
	rc = git_odb_add_backend(odb, &o->backend, PRIORITY);
	git_odb_free(odb); /* the repository has it as long as it is open */
	if (rc) {
		memory_free(&o->backend);
		return repo_err(e, rc, "cannot keep objects in memory");
	}
	*ret = o;
	return 0;
}

git_repository *objects_repo(const struct objects *o)
{
	return o->repo;
}

git_odb *objects_odb(const struct objects *o)
{
	return o->odb;
}

const struct objects_failure *objects_failure(const struct objects *o)
{
	return &o->failure;
}

const git_oid *objects_missing(const struct objects *o)
{
	return &o->missing;
}

bool objects_freshen(struct objects *o, const git_oid *id)
{
	for (size_t i = 0; i < o->n_stores; i++) {
		git_odb_backend *b = o->stores[i];

		if (b->freshen && !b->freshen(b, id))
			return true;
	}
	return false;
}

int objects_write(struct objects *o, git_object_t type, const void *p, size_t len,
	git_oid *ret, struct err *e)
{
	int rc = git_odb_hash(ret, p, len, type);

	if (rc)
		return repo_err(e, rc, "cannot name an object");
	if (objects_made(o, ret))
		return 0;
	if (len > OBJECTS_MAX_BYTES - o->n_bytes)
		return err_set(e, ERR_TOO_BIG,
			"the patches make over %zu MiB of files and folders",
			OBJECTS_MAX_BYTES >> 20);
	keep(o, ret, type, p, len);
	return 0;
}

void objects_drop(struct objects *o)
{
	arena_reset(o->a);
	memset(o->slots, 0, o->n_slots * sizeof(*o->slots));
	o->n = o->n_bytes = 0;
}
