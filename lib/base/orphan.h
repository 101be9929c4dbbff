/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * orphan.h - processes that a killed program left behind.
 *
 * The second process of bubblewrap 0.8 waits for the first one before it sets
 * --die-with-parent for itself. Where the first dies in between, with a program that was
 * killed, the second waits for ever and holds what it inherited.
 */
#ifndef WL_BASE_ORPHAN_H
#define WL_BASE_ORPHAN_H

#include "base/base.h"

/* Kills every process "bwrap" with an argument that is path (absolute) or lies below it.
 * Only for a path whose owner has ended. Returns how many. */
int orphans_kill(const char *path);

#endif
