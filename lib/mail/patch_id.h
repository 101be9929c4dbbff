/* SPDX-License-Identifier: GPL-2.0-or-later */
/* patch_id.h - git patch-id --stable. */
#ifndef WL_MAIL_PATCH_ID_H
#define WL_MAIL_PATCH_ID_H

#include "base/base.h"

#include "base/arena.h"

/* 40 hex of the first patch in the text, NULL when there is none (no "diff " line). */
const char *patch_id(struct arena *a, const char *p, size_t len);

#endif
