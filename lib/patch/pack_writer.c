// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/delta.h"
#include "patch/pack.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define OID        20
#define OUT_BUFFER (256u << 10)
#define CHAIN_MAX  50         /* deltas on the way to a whole object, as git's */
#define DELTA_MIN  64         /* bytes; a smaller object is written whole */
#define OFS_DELTA  6          /* type of an entry whose base is so many bytes before it */
#define SMALL_PACK 0x7fffffff /* bytes: no offset in its index needs 64 bits */

/* Where an object is. */
struct entry {
	unsigned char id[OID];
	uint32_t crc;   /* of its bytes in the pack */
	uint32_t depth; /* deltas on the way to a whole object */
	uint64_t at;
};

struct pack_writer {
	char *path, *temp;
	int fd;
	z_stream z;
	GChecksum *sha1;
	unsigned char *out; /* OUT_BUFFER bytes, n_out of them in use */
	size_t n_out;
	uint64_t n_flushed; /* bytes that have left out */
	struct entry *v;
	size_t n, cap;
	uint32_t *slots; /* open addressing by id: index into v, plus 1 */
	size_t n_slots;
};

static int write_all(struct pack_writer *w, struct err *e)
{
	size_t done = 0;

	while (done < w->n_out) {
		ssize_t n = write(w->fd, w->out + done, w->n_out - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set(e,
				errno == ENOSPC ? ERR_UNAVAILABLE : ERR_INTERNAL,
				"cannot write %s: %s", w->temp, strerror(errno));
		done += (size_t)n;
	}
	w->n_flushed += w->n_out;
	w->n_out = 0;
	return 0;
}

static int put(struct pack_writer *w, const void *p, size_t len, struct err *e)
{
	while (len) {
		size_t n = OUT_BUFFER - w->n_out < len ? OUT_BUFFER - w->n_out : len;

		memcpy(w->out + w->n_out, p, n);
		w->n_out += n;
		p = (const char *)p + n;
		len -= n;
		if (w->n_out == OUT_BUFFER) {
			int rc = write_all(w, e);

			if (rc)
				return rc;
		}
	}
	return 0;
}

int pack_writer_open(const char *path, struct pack_writer **ret, struct err *e)
{
	static const unsigned char header[12] = {'P', 'A', 'C', 'K', 0, 0, 0, 2};
	struct pack_writer *w = base_zalloc(sizeof(*w));
	size_t n = strlen(path) + 8;

	w->path = base_strdup(path);
	w->temp = base_alloc(n);
	snprintf(w->temp, n, "%s.XXXXXX", path);
	w->fd = mkostemp(w->temp, O_CLOEXEC);
	if (w->fd < 0) {
		int rc = err_set(e, errno == ENOENT ? ERR_NOT_FOUND : ERR_INTERNAL,
			"cannot make %s: %s", w->temp, strerror(errno));

		free(w->temp);
		free(w->path);
		free(w);
		return rc;
	}
	if (deflateInit(&w->z, 1) != Z_OK)
		BUG("zlib does not start");
	w->sha1 = g_checksum_new(G_CHECKSUM_SHA1);
	w->out = base_alloc(OUT_BUFFER);
	w->n_slots = 1024;
	w->slots = base_zalloc(w->n_slots * sizeof(*w->slots));
	memcpy(w->out, header, sizeof(header));
	w->n_out = sizeof(header);
	*ret = w;
	return 0;
}

static void writer_free(struct pack_writer *w)
{
	deflateEnd(&w->z);
	g_checksum_free(w->sha1);
	base_closep(&w->fd);
	free(w->out);
	free(w->v);
	free(w->slots);
	free(w->temp);
	free(w->path);
	free(w);
}

void pack_writer_abort(struct pack_writer *w)
{
	if (!w)
		return;
	unlink(w->temp);
	writer_free(w);
}

void pack_writer_abortp(struct pack_writer **w)
{
	pack_writer_abort(*w);
	*w = NULL;
}

/* The slot of the id: its own, or the free one that it may have. */
static uint32_t *slot_of(const struct pack_writer *w, const unsigned char id[OID])
{
	uint64_t h;
	size_t i;

	memcpy(&h, id, sizeof(h));
	for (i = h & (w->n_slots - 1); w->slots[i]; i = (i + 1) & (w->n_slots - 1)) {
		if (!memcmp(w->v[w->slots[i] - 1].id, id, OID))
			break;
	}
	return &w->slots[i];
}

static void slots_grow(struct pack_writer *w)
{
	free(w->slots);
	w->n_slots *= 2;
	w->slots = base_zalloc(w->n_slots * sizeof(*w->slots));
	for (size_t i = 0; i < w->n; i++)
		*slot_of(w, w->v[i].id) = (uint32_t)i + 1;
}

static void object_id(struct pack_writer *w, enum pack_type type, const void *p,
	size_t len, unsigned char id[OID])
{
	static const char *const names[] = {
		[PACK_COMMIT] = "commit", [PACK_TREE] = "tree", [PACK_BLOB] = "blob"};
	char head[40];
	int n = snprintf(head, sizeof(head), "%s %zu", names[type], len) + 1;
	gsize size = OID;

	g_checksum_reset(w->sha1);
	g_checksum_update(w->sha1, (const guchar *)head, n);
	g_checksum_update(w->sha1, p, (gssize)len);
	g_checksum_get_digest(w->sha1, id, &size);
}

/* Type in bits 4..6 of the first byte, size in 4 and then 7 bits each. */
static size_t entry_header(unsigned type, size_t len, unsigned char out[16])
{
	size_t n = 0;
	unsigned char c = (unsigned char)(type << 4 | (len & 15));

	for (len >>= 4; len; len >>= 7) {
		out[n++] = c | 0x80;
		c = len & 0x7f;
	}
	out[n++] = c;
	return n;
}

/* How far back the base of a delta is: 7 bits a byte, the last first; each byte with more
 * to come counts from 1. */
static size_t distance_header(uint64_t distance, unsigned char out[16])
{
	unsigned char back[16];
	size_t n = 0;

	back[n++] = distance & 0x7f;
	while (distance >>= 7)
		back[n++] = 0x80 | (--distance & 0x7f);
	for (size_t i = 0; i < n; i++)
		out[i] = back[n - 1 - i];
	return n;
}

static int put_deflated(
	struct pack_writer *w, const void *p, size_t len, uint32_t *crc, struct err *e)
{
	int rc, zrc;

	deflateReset(&w->z);
	w->z.next_in = (Bytef *)(uintptr_t)p;
	w->z.avail_in = (uInt)len;
	do {
		unsigned char *from = w->out + w->n_out;

		w->z.next_out = from;
		w->z.avail_out = (uInt)(OUT_BUFFER - w->n_out);
		zrc = deflate(&w->z, Z_FINISH);
		w->n_out = OUT_BUFFER - w->z.avail_out;
		*crc = (uint32_t)crc32(*crc, from, (uInt)(w->out + w->n_out - from));
		if (w->n_out == OUT_BUFFER) {
			rc = write_all(w, e);
			if (rc)
				return rc;
		}
	} while (zrc == Z_OK || zrc == Z_BUF_ERROR);
	return zrc == Z_STREAM_END ? 0
				   : err_set(e, ERR_INTERNAL, "deflate fails: %d", zrc);
}

/* The object has no entry yet. head is what stands before the deflated bytes. */
static int add_entry(struct pack_writer *w, const unsigned char id[OID], uint32_t depth,
	const unsigned char *head, size_t head_len, const void *p, size_t len,
	struct err *e)
{
	struct entry *entry;
	uint32_t crc = (uint32_t)crc32(0, head, (uInt)head_len);
	int rc;

	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 512;
		w->v = base_realloc(w->v, w->cap * sizeof(*w->v));
	}
	entry = &w->v[w->n];
	memcpy(entry->id, id, OID);
	entry->depth = depth;
	entry->at = w->n_flushed + w->n_out;
	*slot_of(w, id) = (uint32_t)++w->n;
	if (w->n * 2 > w->n_slots)
		slots_grow(w);
	rc = put(w, head, head_len, e);
	if (!rc)
		rc = put_deflated(w, p, len, &crc, e);
	w->v[w->n - 1].crc = crc;
	return rc;
}

static int check_size(size_t len, struct err *e)
{
	if (len <= PACK_OBJECT_MAX)
		return 0;
	return err_set(e, ERR_TOO_BIG, "an object of %.1f MB; limit %u MiB",
		(double)len / 1e6, PACK_OBJECT_MAX >> 20);
}

bool pack_writer_is_near(const struct pack_writer *w, const unsigned char id[OID])
{
	uint32_t slot = *slot_of(w, id);

	return slot && w->v[slot - 1].depth < CHAIN_MAX;
}

/* *ret_done: the difference was small, and is written. */
static int put_delta(struct pack_writer *w, const void *p, size_t len,
	const unsigned char id[OID], const struct pack_near *near, bool *ret_done,
	struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf delta = SBUF_INIT;
	const struct entry *from;
	unsigned char head[32];
	size_t n;

	*ret_done = false;
	if (!near || len < DELTA_MIN || near->len > PACK_OBJECT_MAX ||
		!pack_writer_is_near(w, near->id))
		return 0;
	delta_make(near->p, near->len, p, len, &delta);
	if (delta.len > len / 2)
		return 0;
	*ret_done = true;
	from = &w->v[*slot_of(w, near->id) - 1];
	n = entry_header(OFS_DELTA, delta.len, head);
	n += distance_header(w->n_flushed + w->n_out - from->at, head + n);
	return add_entry(w, id, from->depth + 1, head, n, delta.buf, delta.len, e);
}

int pack_writer_put(struct pack_writer *w, enum pack_type type, const void *p, size_t len,
	const unsigned char id[OID], const struct pack_near *near, struct err *e)
{
	unsigned char head[16];
	bool done;
	int rc = check_size(len, e);

	if (rc || *slot_of(w, id))
		return rc;
	rc = put_delta(w, p, len, id, near, &done, e);
	if (rc || done)
		return rc;
	return add_entry(w, id, 0, head, entry_header(type, len, head), p, len, e);
}

int pack_writer_add(struct pack_writer *w, enum pack_type type, const void *p, size_t len,
	unsigned char ret_oid[20], struct err *e)
{
	unsigned char id[OID];
	int rc = check_size(len, e);

	if (rc)
		return rc;
	object_id(w, type, p, len, id);
	if (ret_oid)
		memcpy(ret_oid, id, OID);
	return pack_writer_put(w, type, p, len, id, NULL, e);
}

/* SHA-1 of the whole file, once the count is in its header. */
static int file_sha1(struct pack_writer *w, unsigned char id[OID], struct err *e)
{
	gsize size = OID;
	off_t at = 0;
	ssize_t n;

	g_checksum_reset(w->sha1);
	while ((n = pread(w->fd, w->out, OUT_BUFFER, at)) > 0) {
		g_checksum_update(w->sha1, w->out, n);
		at += n;
	}
	if (n < 0)
		return err_set(
			e, ERR_INTERNAL, "cannot read %s: %s", w->temp, strerror(errno));
	g_checksum_get_digest(w->sha1, id, &size);
	return 0;
}

/* Count, trailer; the file is complete but has its temporary name. */
static int writer_finish(
	struct pack_writer *w, mode_t mode, unsigned char id[OID], struct err *e)
{
	uint32_t count = htonl((uint32_t)w->n);
	int rc = write_all(w, e);

	if (!rc && pwrite(w->fd, &count, sizeof(count), 8) != sizeof(count))
		rc = err_set(
			e, ERR_INTERNAL, "cannot write %s: %s", w->temp, strerror(errno));
	if (!rc)
		rc = file_sha1(w, id, e);
	if (!rc)
		rc = put(w, id, OID, e);
	if (!rc)
		rc = write_all(w, e);
	if (!rc && (fchmod(w->fd, mode) || fsync(w->fd)))
		rc = err_set(e, ERR_INTERNAL, "cannot finish %s: %s", w->path,
			strerror(errno));
	return rc;
}

static int writer_rename(struct pack_writer *w, const char *to, struct err *e)
{
	return rename(w->temp, to) ? err_set(e, ERR_INTERNAL, "cannot finish %s: %s", to,
					     strerror(errno))
				   : 0;
}

int pack_writer_close(struct pack_writer *w, int64_t *ret_n_objects, struct err *e)
{
	unsigned char id[OID];
	int rc = writer_finish(w, 0644, id, e);

	if (!rc)
		rc = writer_rename(w, w->path, e);
	if (rc) {
		pack_writer_abort(w);
		return rc;
	}
	if (ret_n_objects)
		*ret_n_objects = (int64_t)w->n;
	writer_free(w);
	return 0;
}

/* --- with an index, into a repository --- */

static int compare_entries(const void *x, const void *y)
{
	return memcmp(((const struct entry *)x)->id, ((const struct entry *)y)->id, OID);
}

static void add32(struct sbuf *s, uint32_t n)
{
	n = htonl(n);
	sbuf_add(s, &n, sizeof(n));
}

/* Version 2: how many ids begin with each byte or a lower one, ids, checksums, places,
 * the pack's SHA-1 and its own. */
static void make_index(
	struct pack_writer *w, const unsigned char pack_id[OID], struct sbuf *ret)
{
	unsigned char id[OID];
	gsize size = OID;
	size_t n = 0;

	qsort(w->v, w->n, sizeof(*w->v), compare_entries);
	sbuf_add(ret, "\377tOc", 4);
	add32(ret, 2);
	for (unsigned first = 0; first < 256; first++) {
		while (n < w->n && w->v[n].id[0] == first)
			n++;
		add32(ret, (uint32_t)n);
	}
	for (size_t i = 0; i < w->n; i++)
		sbuf_add(ret, w->v[i].id, OID);
	for (size_t i = 0; i < w->n; i++)
		add32(ret, w->v[i].crc);
	for (size_t i = 0; i < w->n; i++)
		add32(ret, (uint32_t)w->v[i].at);
	sbuf_add(ret, pack_id, OID);
	g_checksum_reset(w->sha1);
	g_checksum_update(w->sha1, (const guchar *)ret->buf, (gssize)ret->len);
	g_checksum_get_digest(w->sha1, id, &size);
	sbuf_add(ret, id, OID);
}

/* A pack is there for readers once its index is. */
static int store(struct pack_writer *w, const char *dir, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf index = SBUF_INIT, name = SBUF_INIT;
	unsigned char id[OID];
	int rc = writer_finish(w, 0444, id, e);

	if (!rc && w->n_flushed > SMALL_PACK)
		rc = err_set(e, ERR_TOO_BIG, "a pack of %.1f MB; limit %d MiB",
			(double)w->n_flushed / 1e6, SMALL_PACK >> 20);
	if (rc)
		return rc;
	make_index(w, id, &index);
	sbuf_addf(&name, "%s/pack-", dir);
	for (size_t i = 0; i < OID; i++)
		sbuf_addf(&name, "%02x", id[i]);
	sbuf_adds(&name, ".pack");
	rc = writer_rename(w, name.buf, e);
	if (rc)
		return rc;
	sbuf_setlen(&name, name.len - strlen("pack"));
	sbuf_adds(&name, "idx");
	return file_write_atomic(name.buf, index.buf, index.len, 0444, e);
}

int pack_writer_store(struct pack_writer *w, const char *dir, struct err *e)
{
	int rc = store(w, dir, e);

	if (rc)
		pack_writer_abort(w);
	else
		writer_free(w);
	return rc;
}
