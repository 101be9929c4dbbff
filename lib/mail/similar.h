/* SPDX-License-Identifier: GPL-2.0-or-later */
/* similar.h - how alike two titles and two sets of patches are, 0 to 1. */
#ifndef WL_MAIL_SIMILAR_H
#define WL_MAIL_SIMILAR_H

#include "base/base.h"

#include "mail/assemble.h"

/* Dice coefficient over the trigrams of both (first 256 bytes count). */
double similar_titles(const char *a, const char *b);
/* Share of patch titles that both have (Jaccard index). */
double similar_patches(const struct series *a, const struct series *b);

#endif
