/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delta.h - one version of a file or folder as what another one does not have: the delta
 * of git's packs. Pure. binary.h has the way back.
 */
#ifndef WL_PATCH_DELTA_H
#define WL_PATCH_DELTA_H

#include "base/sbuf.h"

/* Appends to ret what makes `to` of `from`. Both shorter than 4 GiB. */
void delta_make(const char *from, size_t from_len, const char *to, size_t to_len,
	struct sbuf *ret);

#endif
