// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/file.h"
#include "patch/blob_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define HEAD_BYTES   4096u
#define BLOCK_BYTES  16384u
#define VERSION      1u
#define NATIVE_ORDER 0x01020304u
#define SIZE_MAX_OK  (UINT64_C(1) << 40)

static const char magic[8] = "wlblobs";

struct head {
	char magic[8];
	uint32_t order, version;
	uint64_t n_commits, n_paths, n_changes, size_bytes;
	uint32_t blocks_crc; /* of the checksums of the blocks */
	uint32_t head_crc;   /* of the bytes before this one */
};

/* Where the parts are; follows from the counts. */
struct layout {
	uint64_t commits, paths, changes, sums, n_blocks, end;
};

struct blob_index {
	const uint8_t *map;
	size_t size;
	struct head head;
	struct layout at;
	uint8_t *checked; /* one bit a block */
};

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Counts are below 2^32, so that nothing overflows. */
static struct layout layout_of(const struct head *h)
{
	struct layout l = {.commits = HEAD_BYTES};

	l.paths = round_up(l.commits + h->n_commits * BLOB_ID, 16);
	l.changes = l.paths + h->n_paths * sizeof(struct blob_path);
	l.sums = l.changes + h->n_changes * sizeof(struct blob_change);
	l.n_blocks = round_up(l.sums - HEAD_BYTES, BLOCK_BYTES) / BLOCK_BYTES;
	l.end = l.sums + l.n_blocks * sizeof(uint32_t);
	return l;
}

static uint32_t head_crc(const struct head *h)
{
	return (uint32_t)crc32(0, (const Bytef *)h, offsetof(struct head, head_crc));
}

uint64_t blob_path_hash(const char *path, size_t len)
{
	static const unsigned char key[crypto_shorthash_KEYBYTES] = "wakelist blobs";
	uint64_t hash;

	_Static_assert(crypto_shorthash_BYTES == sizeof(hash), "64 bits");
	crypto_shorthash((unsigned char *)&hash, (const unsigned char *)path, len, key);
	return hash;
}

/* --- reading --- */

static int damaged(struct err *e, const char *what)
{
	return err_set(e, ERR_INVALID, "the blob index is damaged: %s", what);
}

static int check_head(struct blob_index *x, struct err *e)
{
	struct head *h = &x->head;

	memcpy(h, x->map, sizeof(*h));
	if (memcmp(h->magic, magic, sizeof(magic)) != 0 || h->order != NATIVE_ORDER ||
		h->version != VERSION)
		return err_set(e, ERR_INVALID, "no blob index of this version");
	if (h->head_crc != head_crc(h))
		return damaged(e, "its head");
	if (h->n_commits > BLOB_COMMITS_MAX || h->n_paths > UINT32_MAX ||
		h->n_changes > UINT32_MAX || h->size_bytes != x->size)
		return damaged(e, "its size");
	x->at = layout_of(h);
	if (x->at.end != x->size)
		return damaged(e, "its size");
	if (h->blocks_crc != (uint32_t)crc32_z(0, x->map + x->at.sums,
				     x->at.n_blocks * sizeof(uint32_t)))
		return damaged(e, "its checksums");
	return 0;
}

static int map_file(struct blob_index *x, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	void *map;

	if (fd < 0)
		return err_set_errno(e, errno, "cannot open %s", path);
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size < HEAD_BYTES ||
		(uint64_t)st.st_size > SIZE_MAX_OK) {
		close(fd);
		return damaged(e, "no file of a possible size");
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return err_set_errno(e, errno, "cannot map %s", path);
	x->map = map;
	x->size = (size_t)st.st_size;
	return 0;
}

int blob_index_open(const char *path, struct blob_index **ret, struct err *e)
{
	struct blob_index *x = base_zalloc(sizeof(*x));
	int rc = map_file(x, path, e);

	if (!rc)
		rc = check_head(x, e);
	if (rc) {
		blob_index_close(x);
		return rc;
	}
	x->checked = base_zalloc(x->at.n_blocks / 8 + 1);
	*ret = x;
	return 0;
}

void blob_index_close(struct blob_index *x)
{
	if (!x)
		return;
	if (x->map)
		munmap((void *)x->map, x->size);
	free(x->checked);
	free(x);
}

void blob_index_closep(struct blob_index **x)
{
	blob_index_close(*x);
	*x = NULL;
}

static bool block_is_good(struct blob_index *x, uint64_t block)
{
	uint64_t start = HEAD_BYTES + block * BLOCK_BYTES;
	uint64_t len = BLOCK_BYTES;
	uint32_t want;

	if (x->checked[block / 8] & (1u << block % 8))
		return true;
	if (start + len > x->at.sums)
		len = x->at.sums - start;
	memcpy(&want, x->map + x->at.sums + block * sizeof(want), sizeof(want));
	if (want != (uint32_t)crc32_z(0, x->map + start, len))
		return false;
	x->checked[block / 8] |= (uint8_t)(1u << block % 8);
	return true;
}

/* The bytes, once they are known to be good. They lie between head and checksums. */
static const void *need(struct blob_index *x, uint64_t at, uint64_t len, struct err *e)
{
	uint64_t last = (at + (len ? len - 1 : 0) - HEAD_BYTES) / BLOCK_BYTES;

	for (uint64_t b = (at - HEAD_BYTES) / BLOCK_BYTES; len && b <= last; b++) {
		if (!block_is_good(x, b)) {
			damaged(e, "a block");
			return NULL;
		}
	}
	return x->map + at;
}

uint32_t blob_index_n_commits(const struct blob_index *x)
{
	return (uint32_t)x->head.n_commits;
}

uint64_t blob_index_n_changes(const struct blob_index *x)
{
	return x->head.n_changes;
}

uint32_t blob_file_n_paths(const struct blob_index *x)
{
	return (uint32_t)x->head.n_paths;
}

const uint8_t *blob_file_commits(
	struct blob_index *x, uint32_t first, uint32_t n, struct err *e)
{
	if ((uint64_t)first + n > x->head.n_commits) {
		damaged(e, "no such commit");
		return NULL;
	}
	return need(
		x, x->at.commits + (uint64_t)first * BLOB_ID, (uint64_t)n * BLOB_ID, e);
}

const struct blob_path *blob_file_path(struct blob_index *x, uint32_t i, struct err *e)
{
	if (i >= x->head.n_paths) {
		damaged(e, "no such path");
		return NULL;
	}
	return need(x, x->at.paths + (uint64_t)i * sizeof(struct blob_path),
		sizeof(struct blob_path), e);
}

const struct blob_change *blob_file_changes(
	struct blob_index *x, const struct blob_path *p, struct err *e)
{
	if ((uint64_t)p->first + p->n > x->head.n_changes) {
		damaged(e, "changes that are not there");
		return NULL;
	}
	return need(x, x->at.changes + (uint64_t)p->first * sizeof(struct blob_change),
		(uint64_t)p->n * sizeof(struct blob_change), e);
}

int blob_file_path_find(
	struct blob_index *x, uint64_t hash, const struct blob_path **ret, struct err *e)
{
	uint32_t lo = 0, hi = blob_file_n_paths(x);

	*ret = NULL;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		const struct blob_path *p = blob_file_path(x, mid, e);

		if (!p)
			return ERR_INVALID;
		if (p->hash == hash) {
			*ret = p;
			return 0;
		}
		if (p->hash < hash)
			lo = mid + 1;
		else
			hi = mid;
	}
	return 0;
}

/* --- writing --- */

#define OUT_BYTES (BLOCK_BYTES * 16)

struct writer {
	int fd;
	uint8_t *buf; /* OUT_BYTES */
	size_t len;
	struct sbuf sums;  /* of the blocks that are full */
	uint32_t crc;      /* of the block that is not */
	uint32_t in_block; /* its bytes */
	const char *path;
	struct err *e;
};

static int flush_out(struct writer *w)
{
	if (w->len && file_write_all(w->fd, w->buf, w->len))
		return err_set_errno(w->e, errno, "cannot write %s", w->path);
	w->len = 0;
	return 0;
}

static void end_block(struct writer *w)
{
	sbuf_add(&w->sums, &w->crc, sizeof(w->crc));
	w->crc = 0;
	w->in_block = 0;
}

static int put(struct writer *w, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	while (len) {
		size_t n = BLOCK_BYTES - w->in_block;

		if (n > len)
			n = len;
		if (n > OUT_BYTES - w->len)
			n = OUT_BYTES - w->len;
		memcpy(w->buf + w->len, p, n);
		w->crc = (uint32_t)crc32_z(w->crc, p, n);
		w->len += n;
		w->in_block += (uint32_t)n;
		p += n;
		len -= n;
		if (w->in_block == BLOCK_BYTES)
			end_block(w);
		if (w->len == OUT_BYTES) {
			int rc = flush_out(w);

			if (rc)
				return rc;
		}
	}
	return 0;
}

/* One path of the next file: its changes in the old one, then the new ones. */
struct merged {
	uint64_t hash;
	const struct blob_change *old;
	uint32_t n_old;
	const struct blob_event *added;
	size_t n_added;
};

struct merge {
	const struct blob_next *next;
	uint32_t i; /* paths of the old file */
	size_t j;   /* events */
	/* The path before i. Order is checked, so that a file that lies does not grow:
	 * many paths could name the same changes. */
	uint64_t last;
	uint64_t n_changes; /* of all before i */
};

int blob_event_cmp(const void *a, const void *b)
{
	const struct blob_event *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return (x->change.commit > y->change.commit) -
	       (x->change.commit < y->change.commit);
}

size_t blob_events_sort(struct blob_event *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), blob_event_cmp);
	for (size_t i = 0; i < n; i++) {
		if (!kept || blob_event_cmp(&v[kept - 1], &v[i]) != 0)
			v[kept++] = v[i];
	}
	return kept;
}

/* Changes before commit n_keep; they are in order. */
static uint32_t n_kept(const struct blob_change *v, uint32_t n, uint32_t n_keep)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v[mid].commit < n_keep)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Path i of the old file, when it and its changes are where they belong; else NULL. */
static const struct blob_path *old_path(const struct merge *g, struct err *e)
{
	const struct blob_path *p = blob_file_path(g->next->old, g->i, e);

	if (p && ((g->i && p->hash <= g->last) || p->first != g->n_changes)) {
		damaged(e, "paths out of order");
		return NULL;
	}
	return p;
}

/* 1: *m is the next path; 0: that was all; negative: damaged. */
static int merge_next(struct merge *g, struct merged *m, struct err *e)
{
	const struct blob_next *x = g->next;
	uint32_t n_old = x->old && x->n_keep ? blob_file_n_paths(x->old) : 0;

	while (g->i < n_old || g->j < x->n_events) {
		const struct blob_path *p = NULL;

		*m = (struct merged){0};
		if (g->i < n_old) {
			p = old_path(g, e);
			if (!p)
				return ERR_INVALID;
		}
		if (p && (g->j == x->n_events || p->hash <= x->events[g->j].hash)) {
			m->hash = p->hash;
			m->old = blob_file_changes(x->old, p, e);
			if (!m->old)
				return ERR_INVALID;
			m->n_old = n_kept(m->old, p->n, x->n_keep);
			g->last = p->hash;
			g->n_changes += p->n;
			g->i++;
		} else {
			m->hash = x->events[g->j].hash;
		}
		m->added = &x->events[g->j];
		while (g->j < x->n_events && x->events[g->j].hash == m->hash) {
			g->j++;
			m->n_added++;
		}
		if (m->n_old + m->n_added)
			return 1;
	}
	return 0;
}

static int put_commits(struct writer *w, const struct blob_next *x)
{
	static const uint8_t zeros[16];
	uint64_t n = (uint64_t)x->n_keep + x->n_new;
	uint32_t step = 65536;
	int rc = 0;

	for (uint32_t i = 0; i < x->n_keep && !rc; i += step) {
		uint32_t part = x->n_keep - i < step ? x->n_keep - i : step;
		const uint8_t *ids = blob_file_commits(x->old, i, part, w->e);

		rc = ids ? put(w, ids, (size_t)part * BLOB_ID) : ERR_INVALID;
	}
	if (!rc && x->n_new)
		rc = put(w, x->ids, (size_t)x->n_new * BLOB_ID);
	if (!rc)
		rc = put(w, zeros, (size_t)(round_up(n * BLOB_ID, 16) - n * BLOB_ID));
	return rc;
}

static int put_paths(struct writer *w, const struct blob_next *x, struct head *h)
{
	struct merge g = {.next = x};
	struct merged m;
	int rc;

	while ((rc = merge_next(&g, &m, w->e)) > 0) {
		struct blob_path p = {.hash = m.hash, .first = (uint32_t)h->n_changes};

		if (h->n_changes + m.n_old + m.n_added > UINT32_MAX)
			return err_set(w->e, ERR_TOO_BIG,
				"over %u changes of files in one line of history",
				UINT32_MAX);
		p.n = m.n_old + (uint32_t)m.n_added;
		h->n_changes += p.n;
		h->n_paths++;
		rc = put(w, &p, sizeof(p));
		if (rc)
			return rc;
	}
	return rc;
}

static int put_changes(struct writer *w, const struct blob_next *x)
{
	struct merge g = {.next = x};
	struct merged m;
	int rc;

	while ((rc = merge_next(&g, &m, w->e)) > 0) {
		rc = put(w, m.old, m.n_old * sizeof(struct blob_change));
		for (size_t i = 0; i < m.n_added && !rc; i++)
			rc = put(w, &m.added[i].change, sizeof(struct blob_change));
		if (rc)
			return rc;
	}
	return rc;
}

static int put_head(struct writer *w, struct head *h)
{
	uint8_t page[HEAD_BYTES] = {0};

	memcpy(h->magic, magic, sizeof(magic));
	h->order = NATIVE_ORDER;
	h->version = VERSION;
	h->size_bytes = layout_of(h).end;
	h->blocks_crc = (uint32_t)crc32_z(0, (const Bytef *)w->sums.buf, w->sums.len);
	h->head_crc = head_crc(h);
	memcpy(page, h, sizeof(*h));
	if (pwrite(w->fd, page, sizeof(page), 0) != (ssize_t)sizeof(page))
		return err_set_errno(w->e, errno, "cannot write %s", w->path);
	return 0;
}

static int write_all(struct writer *w, const struct blob_next *x)
{
	struct head h = {.n_commits = (uint64_t)x->n_keep + x->n_new};
	int rc;

	if (h.n_commits > BLOB_COMMITS_MAX)
		return err_set(w->e, ERR_TOO_BIG, "over %u commits", BLOB_COMMITS_MAX);
	if (lseek(w->fd, HEAD_BYTES, SEEK_SET) < 0)
		return err_set_errno(w->e, errno, "cannot write %s", w->path);
	rc = put_commits(w, x);
	if (!rc)
		rc = put_paths(w, x, &h);
	if (!rc)
		rc = put_changes(w, x);
	if (!rc)
		rc = flush_out(w);
	if (rc)
		return rc;
	if (w->in_block)
		end_block(w);
	if (w->sums.len && file_write_all(w->fd, w->sums.buf, w->sums.len))
		return err_set_errno(w->e, errno, "cannot write %s", w->path);
	return put_head(w, &h);
}

int blob_file_write(const char *path, const struct blob_next *next, struct err *e)
{
	CLEANUP(base_freep) char *buf = base_alloc(OUT_BYTES);
	CLEANUP(sbuf_release) struct sbuf tmp = SBUF_INIT;
	struct writer w = {
		.buf = (uint8_t *)buf, .sums = SBUF_INIT, .path = path, .e = e};
	int rc;

	sbuf_addf(&tmp, "%s.tmp", path);
	w.fd = open(tmp.buf, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (w.fd < 0)
		return err_set_errno(e, errno, "cannot make %s", tmp.buf);
	rc = write_all(&w, next);
	if (!rc && fsync(w.fd))
		rc = err_set_errno(e, errno, "cannot write %s", path);
	close(w.fd);
	sbuf_release(&w.sums);
	if (!rc && rename(tmp.buf, path))
		rc = err_set_errno(e, errno, "cannot rename to %s", path);
	if (rc) {
		unlink(tmp.buf);
		return rc;
	}
	return file_sync_parent(path, e);
}
