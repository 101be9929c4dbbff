/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply_try.h - inside of apply.h: one series on one base (apply.c), for the choice of
 * bases (apply_bases.c). */
#ifndef WL_PATCH_APPLY_TRY_H
#define WL_PATCH_APPLY_TRY_H

#include "patch/apply.h"
#include "patch/objects.h"

/* It made a tree. */
bool patch_is_placed(enum patch_result r);
/* It made one, or is in the base already. */
bool patch_is_done(enum patch_result r);
/* All patches of the outcome as they are before the first is tried. */
void apply_skip_all(
	const struct apply_request *req, struct arena *a, struct apply_outcome *out);
/* apply_series() with what is made in made, which is empty. */
int apply_try(struct objects *made, const char *base_hex, const struct apply_request *req,
	struct arena *a, struct apply_outcome **ret, struct err *e) MUST_CHECK;

#endif
