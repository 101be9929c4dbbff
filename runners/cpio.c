/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpio.c - see cpio.h; format: Documentation/driver-api/early-userspace/buffer-format. */
#include "runners/cpio.h"
#include "base/base.h"
#include <sys/stat.h>

void cpio_init(struct cpio *c)
{
	sbuf_init(&c->out);
	c->next_ino = 1;
}

void cpio_release(struct cpio *c)
{
	sbuf_release(&c->out);
}

static void pad(struct cpio *c, size_t to)
{
	while (c->out.len % to)
		sbuf_addc(&c->out, '\0');
}

static void entry(struct cpio *c, const char *path, unsigned mode, unsigned major,
	unsigned minor, const void *p, size_t len)
{
	if (len > UINT32_MAX)
		BUG("%s has %zu bytes, newc ends at 4 GiB", path, len);
	sbuf_addf(&c->out, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X",
		c->next_ino++, mode, 0, 0, S_ISDIR(mode) ? 2 : 1, 0, (unsigned)len, 0, 0,
		major, minor, (unsigned)strlen(path) + 1, 0);
	sbuf_add(&c->out, path, strlen(path) + 1);
	pad(c, 4);
	if (len)
		sbuf_add(&c->out, p, len);
	pad(c, 4);
}

void cpio_dir(struct cpio *c, const char *path, unsigned mode)
{
	entry(c, path, S_IFDIR | mode, 0, 0, NULL, 0);
}

void cpio_file(struct cpio *c, const char *path, unsigned mode, const void *p, size_t len)
{
	entry(c, path, S_IFREG | mode, 0, 0, p, len);
}

void cpio_link(struct cpio *c, const char *path, const char *target)
{
	entry(c, path, S_IFLNK | 0777, 0, 0, target, strlen(target));
}

void cpio_chardev(
	struct cpio *c, const char *path, unsigned mode, unsigned major, unsigned minor)
{
	entry(c, path, S_IFCHR | mode, major, minor, NULL, 0);
}

void cpio_end(struct cpio *c)
{
	c->next_ino = 0;
	entry(c, "TRAILER!!!", 0, 0, 0, NULL, 0);
	pad(c, 512);
}
