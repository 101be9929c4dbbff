/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/arena.h"

#include <stdarg.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define GUARD_BYTES    16
#define POISON(p, n)   ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define GUARD_BYTES    0
#define POISON(p, n)   ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#define ALIGN_BYTES     ((size_t)16)
#define BLOCK_MIN_BYTES ((size_t)4096)
#define BLOCK_MAX_BYTES ((size_t)1 << 20)
#define SIZE_LIMIT      (SIZE_MAX / 4)

struct block {
	struct block *next; /* older */
	size_t cap, used;
	_Alignas(16) char data[];
};

struct arena {
	struct block *top; /* newest; allocations come from it */
	char *last;        /* newest allocation, may grow in place */
	size_t next_bytes; /* size of the next block */
	size_t used_bytes; /* asked for, since the last reset */
};

static size_t round_up(size_t n)
{
	return (n + ALIGN_BYTES - 1) & ~(ALIGN_BYTES - 1);
}

struct arena *arena_new(void)
{
	struct arena *a = base_zalloc(sizeof(*a));

	a->next_bytes = BLOCK_MIN_BYTES;
	return a;
}

static void free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		UNPOISON(b->data, b->cap);
		free(b);
		b = next;
	}
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	free_blocks(a->top);
	free(a);
}

void arena_freep(struct arena **a)
{
	arena_free(*a);
	*a = NULL;
}

void arena_reset(struct arena *a)
{
	if (a->top) {
		free_blocks(a->top->next);
		a->top->next = NULL;
		a->top->used = 0;
		POISON(a->top->data, a->top->cap);
	}
	a->last = NULL;
	a->used_bytes = 0;
}

size_t arena_used_bytes(const struct arena *a)
{
	return a->used_bytes;
}

static void add_block(struct arena *a, size_t need)
{
	size_t cap = a->next_bytes > need ? a->next_bytes : need;
	struct block *b = base_alloc(sizeof(*b) + cap);

	b->cap = cap;
	b->used = 0;
	b->next = a->top;
	a->top = b;
	POISON(b->data, b->cap);
	if (a->next_bytes < BLOCK_MAX_BYTES)
		a->next_bytes *= 2;
}

void *arena_alloc(struct arena *a, size_t n_bytes)
{
	size_t need;

	if (n_bytes > SIZE_LIMIT)
		BUG("arena: %zu bytes asked for", n_bytes);
	need = round_up(n_bytes ? n_bytes : 1) + GUARD_BYTES;
	if (!a->top || a->top->cap - a->top->used < need)
		add_block(a, need);
	a->last = a->top->data + a->top->used;
	a->top->used += need;
	a->used_bytes += n_bytes;
	UNPOISON(a->last, n_bytes);
	return a->last;
}

void *arena_zalloc(struct arena *a, size_t n_bytes)
{
	return memset(arena_alloc(a, n_bytes), 0, n_bytes);
}

void *arena_realloc(struct arena *a, void *old, size_t old_bytes, size_t new_bytes)
{
	void *p;

	if (old && old == a->last && new_bytes >= old_bytes && new_bytes <= SIZE_LIMIT) {
		size_t at = (size_t)(a->last - a->top->data);
		size_t need = round_up(new_bytes ? new_bytes : 1) + GUARD_BYTES;

		if (need <= a->top->cap - at) {
			a->top->used = at + need;
			a->used_bytes += new_bytes - old_bytes;
			UNPOISON(a->last, new_bytes);
			return old;
		}
	}
	p = arena_alloc(a, new_bytes);
	if (old && old_bytes)
		memcpy(p, old, old_bytes < new_bytes ? old_bytes : new_bytes);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_memdup(a, s, strlen(s) + 1) : NULL;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (len)
		memcpy(p, s, len);
	p[len] = '\0';
	return p;
}

void *arena_memdup(struct arena *a, const void *p, size_t len)
{
	void *copy = arena_alloc(a, len);

	if (len)
		memcpy(copy, p, len);
	return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	int len;
	char *p;

	va_start(ap, fmt);
	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		BUG("arena_printf: bad format \"%s\"", fmt);
	p = arena_alloc(a, (size_t)len + 1);
	vsnprintf(p, (size_t)len + 1, fmt, again);
	va_end(again);
	return p;
}
