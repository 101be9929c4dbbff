// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/similar.h"

#define HASHES       107927 /* as git folds them: only so the scores are the same */
#define SPAN_MAX     64
#define BINARY_PROBE 8000

static int compare_spans(const void *x, const void *y)
{
	const struct similar_span *a = x, *b = y;

	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Sorts, and makes one of the spans of the same hash. */
static void fold(struct similar *s)
{
	size_t n = 0;

	qsort(s->spans, s->n, sizeof(*s->spans), compare_spans);
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->spans[n - 1].hash == s->spans[i].hash)
			s->spans[n - 1].n_bytes += s->spans[i].n_bytes;
		else
			s->spans[n++] = s->spans[i];
	}
	s->n = n;
}

void similar_init(struct similar *s, struct arena *a, const char *buf, size_t len)
{
	bool text = !memchr(buf, 0, len < BINARY_PROBE ? len : BINARY_PROBE);
	uint32_t high = 0, low = 0, n = 0;
	size_t cap = 0;

	*s = (struct similar){.n_bytes = len};
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)buf[i];
		uint32_t before = low;

		if (text && c == '\r' && i + 1 < len && buf[i + 1] == '\n')
			continue;
		low = (low << 7 ^ high >> 25) + c;
		high = high << 7 ^ before >> 25;
		if (++n < SPAN_MAX && c != '\n')
			continue;
		*ARENA_PUSH(a, s->spans, s->n, cap) =
			(struct similar_span){(low + high * 0x61) % HASHES, n};
		high = low = n = 0;
	}
	/* a last line without newline does not count, as in git before 2.44 */
	if (s->n)
		fold(s);
}

int similar_score(const struct similar *from, const struct similar *to)
{
	size_t large = from->n_bytes > to->n_bytes ? from->n_bytes : to->n_bytes;
	size_t delta = large * 2 - from->n_bytes - to->n_bytes;
	uint64_t common = 0;

	if (!large || (uint64_t)large * (SIMILAR_MAX - SIMILAR_RENAME) <
			      (uint64_t)delta * SIMILAR_MAX)
		return 0;
	for (size_t i = 0, k = 0; i < from->n && k < to->n;) {
		const struct similar_span *x = &from->spans[i], *y = &to->spans[k];

		if (x->hash == y->hash)
			common += x->n_bytes < y->n_bytes ? x->n_bytes : y->n_bytes;
		i += x->hash <= y->hash;
		k += y->hash <= x->hash;
	}
	return (int)(common * SIMILAR_MAX / large);
}
