/* SPDX-License-Identifier: GPL-2.0-or-later */
/* binary.h - the data of a "GIT binary patch": base85, deflate, git's delta. Pure. */
#ifndef WL_PATCH_BINARY_H
#define WL_PATCH_BINARY_H

#include "base/arena.h"
#include "base/err.h"
#include "patch/diff.h"

/* Decodes and inflates into the arena; b->size_bytes must be what comes out and is capped
 * by cap_bytes before anything is allocated. INVALID: damaged. */
int binary_decode(const struct diff_blob *b, size_t cap_bytes, struct arena *a,
	unsigned char **ret, size_t *ret_len, struct err *e) MUST_CHECK;
/* Applies a git delta to base. CONFLICT: it is for a base of another size; INVALID. */
int binary_delta(const unsigned char *delta, size_t delta_len, const char *base,
	size_t base_len, size_t cap_bytes, struct arena *a, char **ret, size_t *ret_len,
	struct err *e) MUST_CHECK;

#endif
