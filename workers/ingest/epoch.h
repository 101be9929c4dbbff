/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epoch.h - git repositories of a public-inbox: found by path or fetched over HTTP, then
 * walked from the watermark, oldest commit first.
 */
#ifndef WL_WORKERS_INGEST_EPOCH_H
#define WL_WORKERS_INGEST_EPOCH_H

#include "workers/ingest/mailrow.h"

#define EPOCHS_MAX      1000
#define EPOCH_MAIL_MAX  ((size_t)128 << 20) /* a larger mail is left out, with a note */
#define EPOCH_BATCH_MAX ((size_t)24 << 20)  /* bytes of rows after which a batch ends */

struct epoch {
	int n;
	const char *path;        /* repository on this machine */
	const char *old;         /* watermark, NULL: none */
	const char *fingerprint; /* new one */
};

struct walk_result {
	const char *last; /* new watermark; NULL: nothing walked */
	bool more;        /* the batch ended before the head */
	bool rewritten;   /* the watermark is not in the branch's history */
	int n_left_out;   /* mails over EPOCH_MAIL_MAX */
};

/* Epochs below an absolute path: a repository, or a folder with N.git or git/N.git. */
int epoch_find(struct arena *a, const char *path, struct epoch **ret, size_t *ret_n,
	struct err *e) MUST_CHECK;
/* Epochs of an inbox URL; those whose fingerprint differs from known (epoch number ->
 * fingerprint, object) are fetched into dir/N.git. */
int epoch_fetch(struct job_ctx *j, const char *url, const char *dir, json_t *known,
	struct epoch **ret, size_t *ret_n, struct err *e) MUST_CHECK;
/* Adds at most max commits' mails. withdrawn: array of {"message_id"}. */
int epoch_walk(struct job_ctx *j, const struct epoch *ep, size_t max,
	struct mailrows *rows, json_t *withdrawn, struct walk_result *ret,
	struct err *e) MUST_CHECK;

#endif
