/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sorter.h"

#include "base/spool.h"

#define RUN_BUFFER_MIN ((size_t)4096)
#define PAIR_BYTES     sizeof(struct sorter_pair)

/* Sorted pairs in the spool, and some of them in memory. */
struct run {
	uint64_t at;   /* of the next that is not in buf */
	uint64_t left; /* pairs from there on */
	uint64_t first, count;
	struct sorter_pair *buf;
	size_t n, next;
};

struct sorter {
	sorter_tie_fn *tie;
	void *arg;
	struct sorter_pair *v; /* being filled; the last run when all are in memory */
	size_t n, cap, max;
	size_t next;
	struct spool spool;
	struct run *runs;
	size_t n_runs, cap_runs;
	struct run **heap; /* the run with the least pair first */
	size_t n_heap;
	bool sealed, given;
	struct sorter_pair last; /* given before */
};

struct sorter *sorter_new(size_t n_bytes, sorter_tie_fn *tie, void *arg)
{
	struct sorter *s = base_zalloc(sizeof(*s));

	/* Sorting takes as much again. */
	s->max = n_bytes / 2 / PAIR_BYTES ? n_bytes / 2 / PAIR_BYTES : 1;
	s->tie = tie;
	s->arg = arg;
	s->spool = (struct spool)SPOOL_INIT;
	return s;
}

static void free_buffers(struct sorter *s)
{
	for (size_t i = 0; i < s->n_runs; i++) {
		free(s->runs[i].buf);
		s->runs[i].buf = NULL;
	}
}

void sorter_free(struct sorter *s)
{
	if (!s)
		return;
	free_buffers(s);
	spool_release(&s->spool);
	free(s->runs);
	free(s->heap);
	free(s->v);
	free(s);
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct sorter_pair *p = a, *q = b;
	const struct sorter *s = arg;
	int c = 0;

	if (p->key != q->key)
		return p->key < q->key ? -1 : 1;
	if (s->tie && p->value != q->value)
		c = s->tie(s->arg, p->value, q->value);
	return c ? c : (p->value > q->value) - (p->value < q->value);
}

static int put_run(struct sorter *s, struct err *e)
{
	uint64_t at;
	int rc;

	qsort_r(s->v, s->n, PAIR_BYTES, compare, s);
	rc = spool_add(&s->spool, s->v, s->n * PAIR_BYTES, &at, e);
	if (rc)
		return rc;
	if (s->n_runs == s->cap_runs) {
		s->cap_runs = s->cap_runs ? 2 * s->cap_runs : 16;
		s->runs = base_realloc(s->runs, s->cap_runs * sizeof(*s->runs));
	}
	s->runs[s->n_runs++] = (struct run){.first = at, .count = s->n};
	s->n = 0;
	return 0;
}

int sorter_add(struct sorter *s, uint64_t key, uint64_t value, struct err *e)
{
	if (s->sealed)
		BUG("sorter: a pair after the sorting");
	if (s->n == s->max) {
		int rc = put_run(s, e);

		if (rc)
			return rc;
	}
	if (s->n == s->cap) {
		s->cap = s->cap ? 2 * s->cap : 256;
		s->cap = s->cap < s->max ? s->cap : s->max;
		s->v = base_realloc(s->v, s->cap * PAIR_BYTES);
	}
	s->v[s->n++] = (struct sorter_pair){key, value};
	return 0;
}

static const struct sorter_pair *head(const struct run *r)
{
	return &r->buf[r->next];
}

static int fill(struct sorter *s, struct run *r, size_t room, struct err *e)
{
	size_t n = r->left < room ? (size_t)r->left : room;
	int rc = spool_read(&s->spool, r->at, r->buf, n * PAIR_BYTES, e);

	r->at += n * PAIR_BYTES;
	r->left -= n;
	r->n = n;
	r->next = 0;
	return rc;
}

static size_t room_of(const struct sorter *s)
{
	size_t each = s->max * PAIR_BYTES * 2 / s->n_runs;

	return (each > RUN_BUFFER_MIN ? each : RUN_BUFFER_MIN) / PAIR_BYTES;
}

static void sift(struct sorter *s, size_t i)
{
	for (;;) {
		size_t least = i;

		for (size_t k = 2 * i + 1; k <= 2 * i + 2 && k < s->n_heap; k++) {
			if (compare(head(s->heap[k]), head(s->heap[least]), s) < 0)
				least = k;
		}
		if (least == i)
			return;
		struct run *r = s->heap[i];

		s->heap[i] = s->heap[least];
		s->heap[least] = r;
		i = least;
	}
}

static int seal(struct sorter *s, struct err *e)
{
	int rc = 0;

	s->sealed = true;
	if (!s->n_runs) {
		if (s->n)
			qsort_r(s->v, s->n, PAIR_BYTES, compare, s);
		return 0;
	}
	if (s->n)
		rc = put_run(s, e);
	free(s->v);
	s->v = NULL;
	s->heap = base_alloc(s->n_runs * sizeof(*s->heap));
	return rc;
}

int sorter_rewind(struct sorter *s, struct err *e)
{
	int rc = s->sealed ? 0 : seal(s, e);

	s->next = s->n_heap = 0;
	s->given = false;
	free_buffers(s);
	for (size_t i = 0; rc == 0 && i < s->n_runs; i++) {
		struct run *r = &s->runs[i];

		r->at = r->first;
		r->left = r->count;
		r->buf = base_alloc(room_of(s) * PAIR_BYTES);
		rc = fill(s, r, room_of(s), e);
		s->heap[s->n_heap++] = r;
	}
	for (size_t i = s->n_heap / 2; rc == 0 && i-- > 0;)
		sift(s, i);
	return rc;
}

/* The next pair, equal ones too. */
static int next_of_all(struct sorter *s, struct sorter_pair *ret, struct err *e)
{
	struct run *r;
	int rc;

	if (!s->n_runs) {
		if (s->next == s->n)
			return 0;
		*ret = s->v[s->next++];
		return 1;
	}
	if (!s->n_heap)
		return 0;
	r = s->heap[0];
	*ret = *head(r);
	if (++r->next == r->n) {
		if (r->left) {
			rc = fill(s, r, room_of(s), e);
			if (rc)
				return rc;
		} else {
			s->heap[0] = s->heap[--s->n_heap];
		}
	}
	if (s->n_heap)
		sift(s, 0);
	return 1;
}

int sorter_next(struct sorter *s, struct sorter_pair *ret, struct err *e)
{
	struct sorter_pair p;
	int rc;

	if (!s->sealed)
		BUG("sorter: read before it was rewound");
	do {
		rc = next_of_all(s, &p, e);
		if (rc <= 0)
			return rc;
	} while (s->given && p.key == s->last.key && p.value == s->last.value);
	s->given = true;
	s->last = *ret = p;
	return 1;
}

uint64_t sorter_spooled_bytes(const struct sorter *s)
{
	return spool_bytes(&s->spool);
}
