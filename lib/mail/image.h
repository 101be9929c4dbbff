/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.h - the digest of a mail as one block of bytes that can lie in a file between two
 * uses in one process: struct mail, then what it points at, with offsets for pointers.
 */
#ifndef WL_MAIL_IMAGE_H
#define WL_MAIL_IMAGE_H

#include "base/base.h"

#include "base/sbuf.h"
#include "mail/mail.h"

/* m: of mail_digest(). ret is emptied first. Equal texts stand there once. */
void mail_image_write(const struct mail *m, struct sbuf *ret);
/* bytes: aligned to 16, exactly as written; becomes the mail, which lives as long. */
struct mail *mail_image_open(void *bytes);

#endif
