/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpio.h - writes a "newc" archive as the kernel unpacks it for an initramfs. No root
 * needed, and the same calls give the same bytes: owner 0, times 0, inodes counted.
 *
 * Paths are relative ("bin/sh"); folders must be added before what is in them.
 */
#ifndef WL_RUNNERS_CPIO_H
#define WL_RUNNERS_CPIO_H

#include "base/sbuf.h"

struct cpio {
	struct sbuf out;
	uint32_t next_ino;
};

void cpio_init(struct cpio *c);
void cpio_release(struct cpio *c);
void cpio_dir(struct cpio *c, const char *path, unsigned mode);
void cpio_file(
	struct cpio *c, const char *path, unsigned mode, const void *p, size_t len);
void cpio_link(struct cpio *c, const char *path, const char *target);
void cpio_chardev(
	struct cpio *c, const char *path, unsigned mode, unsigned major, unsigned minor);
void cpio_end(struct cpio *c); /* trailer and padding; c->out is the archive */

#endif
