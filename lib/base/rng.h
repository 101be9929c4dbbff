/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rng.h - seeded random streams (xoshiro256** of Blackman and Vigna, seeded by
 * splitmix64). Same seed, same numbers, on every platform.
 */
#ifndef WL_BASE_RNG_H
#define WL_BASE_RNG_H

#include "base/base.h"

struct rng {
	uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);
/* A stream of its own per name, so that adding a consumer shifts no other. */
void rng_seed_named(struct rng *r, uint64_t seed, const char *name);
uint64_t rng_u64(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* uniform in [0, n), n > 0, unbiased */
double rng_unit(struct rng *r);                /* uniform in [0, 1), 53 bits */
double rng_normal(struct rng *r);              /* standard normal, Marsaglia polar */
void rng_shuffle_u32(struct rng *r, uint32_t *v, size_t n);

#endif
