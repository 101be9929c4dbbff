// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

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

struct pack_writer {
	char *path, *temp;
	int fd;
	z_stream z;
	GChecksum *sha1;
	unsigned char *out; /* OUT_BUFFER bytes, n_out of them in use */
	size_t n_out;
	unsigned char (*ids)[OID]; /* set of what is in: open addressing */
	unsigned char *used;
	size_t n_slots, n_objects;
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
	w->ids = base_alloc(w->n_slots * OID);
	w->used = base_zalloc(w->n_slots);
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
	free(w->ids);
	free(w->used);
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

static size_t slot_of(const struct pack_writer *w, const unsigned char id[OID])
{
	uint64_t h;
	size_t i;

	memcpy(&h, id, sizeof(h));
	for (i = h & (w->n_slots - 1); w->used[i]; i = (i + 1) & (w->n_slots - 1)) {
		if (!memcmp(w->ids[i], id, OID))
			break;
	}
	return i;
}

static void ids_grow(struct pack_writer *w)
{
	unsigned char(*ids)[OID] = w->ids, *used = w->used;
	size_t n = w->n_slots;

	w->n_slots *= 2;
	w->ids = base_alloc(w->n_slots * OID);
	w->used = base_zalloc(w->n_slots);
	for (size_t i = 0; i < n; i++) {
		if (!used[i])
			continue;
		size_t to = slot_of(w, ids[i]);

		memcpy(w->ids[to], ids[i], OID);
		w->used[to] = 1;
	}
	free(ids);
	free(used);
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
static size_t entry_header(enum pack_type type, size_t len, unsigned char out[16])
{
	size_t n = 0;
	unsigned char c = (unsigned char)((unsigned)type << 4 | (len & 15));

	for (len >>= 4; len; len >>= 7) {
		out[n++] = c | 0x80;
		c = len & 0x7f;
	}
	out[n++] = c;
	return n;
}

static int put_deflated(struct pack_writer *w, const void *p, size_t len, struct err *e)
{
	int rc, zrc;

	deflateReset(&w->z);
	w->z.next_in = (Bytef *)(uintptr_t)p;
	w->z.avail_in = (uInt)len;
	do {
		w->z.next_out = w->out + w->n_out;
		w->z.avail_out = (uInt)(OUT_BUFFER - w->n_out);
		zrc = deflate(&w->z, Z_FINISH);
		w->n_out = OUT_BUFFER - w->z.avail_out;
		if (w->n_out == OUT_BUFFER) {
			rc = write_all(w, e);
			if (rc)
				return rc;
		}
	} while (zrc == Z_OK || zrc == Z_BUF_ERROR);
	return zrc == Z_STREAM_END ? 0
				   : err_set(e, ERR_INTERNAL, "deflate fails: %d", zrc);
}

int pack_writer_add(struct pack_writer *w, enum pack_type type, const void *p, size_t len,
	unsigned char ret_oid[20], struct err *e)
{
	unsigned char id[OID], head[16];
	size_t slot;
	int rc;

	if (len > PACK_OBJECT_MAX)
		return err_set(e, ERR_TOO_BIG, "an object of %.1f MB; limit %u MiB",
			(double)len / 1e6, PACK_OBJECT_MAX >> 20);
	object_id(w, type, p, len, id);
	if (ret_oid)
		memcpy(ret_oid, id, OID);
	slot = slot_of(w, id);
	if (w->used[slot])
		return 0;
	memcpy(w->ids[slot], id, OID);
	w->used[slot] = 1;
	if (++w->n_objects * 2 > w->n_slots)
		ids_grow(w);
	rc = put(w, head, entry_header(type, len, head), e);
	return rc ? rc : put_deflated(w, p, len, e);
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

static int writer_finish(struct pack_writer *w, struct err *e)
{
	uint32_t count = htonl((uint32_t)w->n_objects);
	unsigned char id[OID];
	int rc = write_all(w, e);

	if (!rc && pwrite(w->fd, &count, sizeof(count), 8) != sizeof(count))
		rc = err_set(
			e, ERR_INTERNAL, "cannot write %s: %s", w->temp, strerror(errno));
	if (!rc)
		rc = file_sha1(w, id, e);
	if (!rc)
		rc = put(w, id, sizeof(id), e);
	if (!rc)
		rc = write_all(w, e);
	if (!rc && (fchmod(w->fd, 0644) || fsync(w->fd) || rename(w->temp, w->path)))
		rc = err_set(e, ERR_INTERNAL, "cannot finish %s: %s", w->path,
			strerror(errno));
	return rc;
}

int pack_writer_close(struct pack_writer *w, int64_t *ret_n_objects, struct err *e)
{
	int rc = writer_finish(w, e);

	if (rc) {
		pack_writer_abort(w);
		return rc;
	}
	if (ret_n_objects)
		*ret_n_objects = (int64_t)w->n_objects;
	writer_free(w);
	return 0;
}
