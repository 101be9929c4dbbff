// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/delta.h"

#define BLOCK      16 /* bytes of `from` that are found again */
#define INSERT_MAX 127
#define COPY_MAX   0x10000 /* in one instruction, as git writes them */

/* The part of both that is neither a common beginning nor a common end. */
struct middle {
	const char *from, *to;
	size_t from_len, to_len;
	size_t skipped;  /* bytes of `from` before it */
	uint32_t *heads; /* first block of `from` with a hash, plus 1; 0: none */
	unsigned shift;
	struct sbuf *out;
};

static void put_size(struct sbuf *s, size_t n)
{
	for (; n >= 0x80; n >>= 7)
		sbuf_addc(s, (char)(n | 0x80));
	sbuf_addc(s, (char)n);
}

static void put_insert(struct sbuf *s, const char *p, size_t len)
{
	while (len) {
		size_t n = len < INSERT_MAX ? len : INSERT_MAX;

		sbuf_addc(s, (char)n);
		sbuf_add(s, p, n);
		p += n;
		len -= n;
	}
}

/* Only bytes other than zero are written; the first tells which. */
static void put_copy_once(struct sbuf *s, size_t at, size_t len)
{
	char out[8];
	unsigned char op = 0x80;
	size_t n = 1;

	for (unsigned i = 0; i < 4; i++) {
		if (at >> (8 * i) & 0xff) {
			op |= (unsigned char)(1u << i);
			out[n++] = (char)(at >> (8 * i));
		}
	}
	for (unsigned i = 0; i < 2 && len != COPY_MAX; i++) {
		if (len >> (8 * i) & 0xff) {
			op |= (unsigned char)(0x10u << i);
			out[n++] = (char)(len >> (8 * i));
		}
	}
	out[0] = (char)op;
	sbuf_add(s, out, n);
}

static void put_copy(struct sbuf *s, size_t at, size_t len)
{
	while (len) {
		size_t n = len < COPY_MAX ? len : COPY_MAX;

		put_copy_once(s, at, n);
		at += n;
		len -= n;
	}
}

/* Bytes that are equal from the start of both on. */
static size_t equal_ahead(const char *x, const char *y, size_t max)
{
	size_t n = 0;

	for (; n + 8 <= max; n += 8) {
		if (memcmp(x + n, y + n, 8) != 0)
			break;
	}
	while (n < max && x[n] == y[n])
		n++;
	return n;
}

/* Bytes that are equal before the two places. */
static size_t equal_behind(const char *x, const char *y, size_t max)
{
	size_t n = 0;

	for (; n + 8 <= max; n += 8) {
		if (memcmp(x - n - 8, y - n - 8, 8) != 0)
			break;
	}
	while (n < max && x[-(ptrdiff_t)n - 1] == y[-(ptrdiff_t)n - 1])
		n++;
	return n;
}

static uint32_t hash_block(const struct middle *m, const char *p)
{
	uint64_t a, b;

	memcpy(&a, p, 8);
	memcpy(&b, p + 8, 8);
	return (uint32_t)((a * UINT64_C(0x9e3779b97f4a7c15) ^
				  (b + (a >> 32)) * UINT64_C(0xc2b2ae3d27d4eb4f)) >>
			  m->shift);
}

static void index_blocks(struct middle *m)
{
	size_t n_slots = 64;

	m->shift = 58;
	while (n_slots < m->from_len / BLOCK * 2 && m->shift > 40) {
		n_slots *= 2;
		m->shift--;
	}
	m->heads = base_zalloc(n_slots * sizeof(*m->heads));
	for (size_t at = 0; at + BLOCK <= m->from_len; at += BLOCK) {
		uint32_t *head = &m->heads[hash_block(m, m->from + at)];

		if (!*head)
			*head = (uint32_t)(at / BLOCK) + 1;
	}
}

/* A block of `from` at this place of `to`: the longest copy around it. `pending` bytes
 * before the place are not written yet. Returns how far the copy reaches; 0: none. */
static size_t try_copy(struct middle *m, size_t at, size_t *pending)
{
	uint32_t head = m->heads[hash_block(m, m->to + at)];
	size_t from = head ? (size_t)(head - 1) * BLOCK : 0, ahead, behind;

	if (!head || memcmp(m->from + from, m->to + at, BLOCK) != 0)
		return 0;
	ahead = m->from_len - from < m->to_len - at ? m->from_len - from : m->to_len - at;
	ahead = equal_ahead(m->from + from, m->to + at, ahead);
	behind = equal_behind(
		m->from + from, m->to + at, from < *pending ? from : *pending);
	put_insert(m->out, m->to + at - *pending, *pending - behind);
	put_copy(m->out, m->skipped + from - behind, ahead + behind);
	*pending = 0;
	return ahead;
}

static void put_middle(struct middle *m)
{
	size_t at = 0, pending = 0;

	if (m->from_len >= BLOCK && m->to_len >= BLOCK) {
		index_blocks(m);
		while (at + BLOCK <= m->to_len) {
			size_t n = try_copy(m, at, &pending);

			pending += n ? 0 : 1;
			at += n ? n : 1;
		}
		free(m->heads);
	}
	put_insert(m->out, m->to + at - pending, m->to_len - at + pending);
}

void delta_make(const char *from, size_t from_len, const char *to, size_t to_len,
	struct sbuf *ret)
{
	size_t max = from_len < to_len ? from_len : to_len;
	size_t head = equal_ahead(from, to, max);
	size_t tail = equal_behind(from + from_len, to + to_len, max - head);
	struct middle m = {.from = from + head,
		.to = to + head,
		.from_len = from_len - head - tail,
		.to_len = to_len - head - tail,
		.skipped = head,
		.out = ret};

	put_size(ret, from_len);
	put_size(ret, to_len);
	put_copy(ret, 0, head);
	put_middle(&m);
	put_copy(ret, from_len - tail, tail);
}
