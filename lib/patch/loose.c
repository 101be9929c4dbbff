// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/loose.h"
#include "patch/object_dirs.h"
#include "patch/repo.h"

#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <inttypes.h>
#include <zlib.h>

#define PRIORITY 2 /* that of packs: asked after them, and before libgit2's own */
#define FILE_MAX (256u << 20) /* bytes, deflated */
#define HEAD_MAX 64           /* "blob 123456" and the NUL */
#define RATIO    1032         /* more than that zlib does not pack into a byte */

struct guard {
	git_odb_backend backend; /* libgit2 knows this member only */
	struct arena *a;
	struct object_dirs dirs;
};

/* What is inflated so far of a file. */
struct loose {
	struct sbuf file;
	z_stream z;
	unsigned char head[HEAD_MAX];
	size_t n_head, at; /* inflated into head; where the contents begin there */
	size_t len;        /* of the contents */
	git_object_t type;
};

static int damaged(const char *why)
{
	git_error_set_str(GIT_ERROR_ODB, why);
	return GIT_ERROR;
}

/* "TYPE LENGTH" and a NUL at the start of head. */
static bool parse_head(struct loose *l)
{
	const unsigned char *nul = memchr(l->head, 0, l->n_head);
	const char *text = (const char *)l->head, *blank = nul ? strchr(text, ' ') : NULL;
	char type[16], *end;

	if (!blank || blank - text >= (ptrdiff_t)sizeof(type) || blank[1] < '0' ||
		blank[1] > '9')
		return false;
	memcpy(type, text, (size_t)(blank - text));
	type[blank - text] = 0;
	l->type = git_object_string2type(type);
	l->len = strtoumax(blank + 1, &end, 10);
	l->at = (size_t)(nul - l->head) + 1;
	return !*end && l->type != GIT_OBJECT_INVALID;
}

/* Reads the file and inflates its head. GIT_ENOTFOUND: there is none. */
static int begin(struct loose *l, struct guard *g, const git_oid *id)
{
	char hex[REPO_HEX], path[4096];
	struct err e = {.code = ERR_NOT_FOUND};
	int rc = ERR_NOT_FOUND;

	git_oid_tostr(hex, sizeof(hex), id);
	for (size_t i = 0; i < g->dirs.n && rc == ERR_NOT_FOUND; i++) {
		int n = snprintf(
			path, sizeof(path), "%s/%.2s/%s", g->dirs.v[i], hex, hex + 2);

		if (n > 0 && (size_t)n < sizeof(path))
			rc = file_read(path, FILE_MAX, &l->file, &e);
	}
	if (rc == ERR_NOT_FOUND)
		return GIT_ENOTFOUND;
	if (rc)
		return damaged(e.msg);
	if (!l->file.len)
		return damaged("the file is empty");
	l->z.next_in = (unsigned char *)l->file.buf;
	l->z.avail_in = (uInt)l->file.len;
	l->z.next_out = l->head;
	l->z.avail_out = HEAD_MAX;
	if (inflateInit(&l->z) != Z_OK)
		return damaged("no memory");
	rc = inflate(&l->z, Z_SYNC_FLUSH);
	l->n_head = HEAD_MAX - l->z.avail_out;
	if ((rc != Z_OK && rc != Z_STREAM_END) || !parse_head(l))
		return damaged("the file does not begin as an object does");
	if (l->len / RATIO > l->file.len)
		return damaged("the file is too short for what it says it holds");
	return 0;
}

static void finish(struct loose *l)
{
	inflateEnd(&l->z); /* also fine where it was not begun */
	sbuf_release(&l->file);
}

/* The contents: l->len bytes, no more and no fewer. */
static int inflate_rest(struct loose *l, unsigned char *out)
{
	size_t have = l->n_head - l->at;
	unsigned char one;
	int rc;

	if (have > l->len)
		return damaged("the file holds more than it says");
	memcpy(out, l->head + l->at, have);
	l->z.next_out = out + have;
	l->z.avail_out = (uInt)(l->len - have);
	rc = l->z.avail_out ? inflate(&l->z, Z_FINISH) : Z_OK;
	if (rc == Z_DATA_ERROR)
		return damaged("the file is damaged: its data or checksum is wrong");
	if (l->z.avail_out)
		return damaged("the file is cut short");
	/* the end of the stream, with its checksum, may be all that is left */
	l->z.next_out = &one;
	l->z.avail_out = 1;
	if (rc != Z_STREAM_END)
		rc = inflate(&l->z, Z_FINISH);
	if (rc == Z_STREAM_END && l->z.avail_out)
		return 0;
	return damaged(rc == Z_DATA_ERROR
			       ? "the file is damaged: its data or checksum is wrong"
		       : l->z.avail_out ? "the file is cut short"
					: "the file holds more than it says");
}

static int guard_read(void **ret, size_t *ret_len, git_object_t *ret_type,
	git_odb_backend *b, const git_oid *id)
{
	struct loose l = {.file = SBUF_INIT};
	unsigned char *p = NULL;
	int rc = begin(&l, (struct guard *)b, id);

	if (!rc && l.len > UINT32_MAX - HEAD_MAX)
		rc = damaged("the object is over 4 GiB");
	if (!rc) {
		p = git_odb_backend_data_alloc(b, l.len + 1);
		rc = p ? inflate_rest(&l, p) : GIT_ERROR;
	}
	finish(&l);
	if (rc) {
		git_odb_backend_data_free(b, p);
		return rc;
	}
	p[l.len] = 0;
	*ret = p;
	*ret_len = l.len;
	*ret_type = l.type;
	return 0;
}

static int guard_read_header(
	size_t *ret_len, git_object_t *ret_type, git_odb_backend *b, const git_oid *id)
{
	struct loose l = {.file = SBUF_INIT};
	int rc = begin(&l, (struct guard *)b, id);

	finish(&l);
	*ret_len = l.len;
	*ret_type = l.type;
	return rc;
}

static void guard_free(git_odb_backend *b)
{
	struct guard *g = (struct guard *)b;

	arena_free(g->a);
	free(g);
}

bool loose_is_guard(const struct git_odb_backend *b)
{
	return b->read == guard_read;
}

int loose_guard(struct git_repository *r, struct err *e)
{
	struct guard *g;
	git_odb *odb = NULL;
	int rc = git_repository_odb(&odb, r);

	if (rc)
		return repo_err(e, rc, "cannot read objects");
	g = base_zalloc(sizeof(*g));
	*g = (struct guard){.backend = {.version = GIT_ODB_BACKEND_VERSION,
				    .read = guard_read,
				    .read_header = guard_read_header,
				    .free = guard_free},
		.a = arena_new()};
	object_dirs_find(r, g->a, &g->dirs);
	rc = git_odb_add_backend(odb, &g->backend, PRIORITY);
	git_odb_free(odb); /* the repository has it as long as it is open */
	if (rc) {
		guard_free(&g->backend);
		return repo_err(e, rc, "cannot read objects");
	}
	return 0;
}
