/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stamp.h - what message-ids of one sending run have in common. */
#ifndef WL_MAIL_STAMP_H
#define WL_MAIL_STAMP_H

#include "base/base.h"

#include "base/arena.h"

/* "quilt:YYYYMMDDhhmmss@host" for quilt's ids (YYYYMMDDhhmmss.NNNNNNNNN@host),
 * "stem:STEM@host" for git send-email's (YYYYMMDDhhmmss.PID-N-addr, SECONDS-PID-N-...),
 * NULL for others. */
const char *stamp_of(struct arena *a, const char *message_id);

#endif
