/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arena.h - bump allocator: one per request, job or simulator run.
 *
 * Everything allocated from an arena dies with it; nothing is freed singly.
 * Allocation never fails (memory exhausted aborts).
 */
#ifndef WL_BASE_ARENA_H
#define WL_BASE_ARENA_H

#include "base/base.h"

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *a); /* accepts NULL */
void arena_freep(struct arena **a);
void arena_reset(struct arena *a); /* drops the contents, keeps one block */
size_t arena_used_bytes(const struct arena *a);

void *arena_alloc(struct arena *a, size_t n_bytes);  /* uninitialised, aligned to 16 */
void *arena_zalloc(struct arena *a, size_t n_bytes); /* zeroed */
/* Grows the last allocation in place where possible, else copies. old may be NULL. */
void *arena_realloc(struct arena *a, void *old, size_t old_bytes, size_t new_bytes);
char *arena_strdup(struct arena *a, const char *s);              /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t len); /* adds the NUL */
void *arena_memdup(struct arena *a, const void *p, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF_LIKE(2, 3);

#define ARENA_NEW(a, type)      ((type *)arena_zalloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_zalloc((a), sizeof(type) * (n)))
/* Appends room for one element to a (ptr, len, cap) triple and returns its address. */
#define ARENA_PUSH(a, ptr, len, cap)                                                     \
	((len) == (cap) ? (void)((ptr) = arena_realloc((a), (ptr),                       \
					 (cap) * sizeof(*(ptr)),                         \
					 ((cap) ? (cap)*2 : 8) * sizeof(*(ptr))),        \
				  (cap) = (cap) ? (cap)*2 : 8)                           \
			: (void)0,                                                       \
		memset(&(ptr)[(len)], 0, sizeof(*(ptr))), &(ptr)[(len)++])

#endif
