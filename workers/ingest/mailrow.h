/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mailrow.h - one mail as a row for the database, its bytes as a file in scratch. A mail
 * that cannot be used is a row too, of kind other, with the reason in facts.rejected.
 */
#ifndef WL_WORKERS_INGEST_MAILROW_H
#define WL_WORKERS_INGEST_MAILROW_H

#include "mail/mail.h"
#include "workers/kind.h"

#define MAILROW_TIME_MAX INT64_C(32503680000) /* the year 3000 */

struct mailrows {
	struct job_ctx *j;
	json_t *mails, *files; /* owner: this struct until mailrows_take() */
	struct mail_opts opts; /* received_at is set for each mail */
	size_t n_bytes;        /* of the rows, about */
	bool apart;            /* read each mail in a process of its own */
};

void mailrows_init(struct mailrows *r, struct job_ctx *j, json_t *own);
void mailrows_release(struct mailrows *r);
/* Adds a mail. received_at 0: unknown, its own date counts. */
int mailrows_add(struct mailrows *r, const char *p, size_t len, int epoch,
	const char *commit, int64_t received_at, struct err *e) MUST_CHECK;
/* Its message-id, as a row would have it. Arena. */
const char *mailrow_id(struct job_ctx *j, const char *p, size_t len);

#endif
