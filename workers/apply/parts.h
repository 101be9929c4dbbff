/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.h - mails of a series as the database names them. */
#ifndef WL_WORKERS_APPLY_PARTS_H
#define WL_WORKERS_APPLY_PARTS_H

#include "mail/mail.h"
#include "workers/kind.h"

struct part {
	const char *n;  /* "0": the cover */
	bool inherited; /* of the version before */
	struct mail *mail;
	/* Of a damaged mail: the same as other archives have it. */
	const struct mail **copies;
	size_t n_copies;
};

/* Reads {"n","blob","received_at","copies","inherited"}; copies (blobs of the same mail
 * with other bytes) and inherited may be left out. A copy that is gone is none. Arena of
 * j. */
int part_read(struct job_ctx *j, json_t *in, const struct mail_opts *opts,
	struct part *ret, struct err *e) MUST_CHECK;

#endif
