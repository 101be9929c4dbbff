/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sorter.h - sorts any number of pairs of numbers in a given amount of memory.
 *
 * What is over that amount goes, sorted, to a spool, and is merged when read. All pairs
 * are added first, then read as often as wanted; a pair that was added twice comes once.
 */
#ifndef WL_BASE_SORTER_H
#define WL_BASE_SORTER_H

#include "base/err.h"

struct sorter;

struct sorter_pair {
	uint64_t key, value;
};

/* Order of two values that have one key, as of strcmp; 0 where the numbers decide. */
typedef int sorter_tie_fn(void *arg, uint64_t a, uint64_t b);

/* Owner: caller. tie NULL: by number. n_bytes: of memory, whatever the number of pairs
 * (about: 4 KB more for each n_bytes / 2 of pairs). */
struct sorter *sorter_new(size_t n_bytes, sorter_tie_fn *tie, void *arg);
void sorter_free(struct sorter *s); /* accepts NULL */
int sorter_add(struct sorter *s, uint64_t key, uint64_t value, struct err *e) MUST_CHECK;
/* To the first pair; after it nothing can be added. */
int sorter_rewind(struct sorter *s, struct err *e) MUST_CHECK;
/* 1: here is the next; 0: there are no more; negative: an error. */
int sorter_next(struct sorter *s, struct sorter_pair *ret, struct err *e) MUST_CHECK;
uint64_t sorter_spooled_bytes(const struct sorter *s);

#endif
