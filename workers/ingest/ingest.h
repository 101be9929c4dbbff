/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ingest.h - from archives to mails, from mails to series.
 *
 * poll: in {"list_id","name","url","max","address","own","epochs":[{"epoch",
 * "last_commit","fingerprint"}]}; out {"epochs":[{"epoch","old","new","fingerprint"}],
 * "mails":[MAIL],"withdrawn":[{"message_id"}],"more","note","files"}.
 * thread: in {"message_id","from":[{"list_id","url"}],"own","known"}; out {"list_id",
 * "mails":[MAIL],"reason","files"}.
 * mbox: in {"mbox","own"}; out {"message_id","mails":[MAIL],"reason","files"}: message_id
 * of the series' first mail, or null and the reason.
 * assemble: in {"now","wait_s","core","mails","explicit","lists","own","trees"}; out
 * {"core","near":[mail ids],"series":[SERIES]} (assemble.c).
 * MAIL: {"file","epoch","commit","received_at","order_time","message_id","kind","robot",
 * "subject","author_name","author_email","facts","keys":[{"key","window_s","link"}]}.
 */
#ifndef WL_WORKERS_INGEST_INGEST_H
#define WL_WORKERS_INGEST_INGEST_H

#include "workers/kind.h"

int ingest_poll_binds(const struct work_paths *p, json_t *in, struct job_binds *b,
	struct err *e) MUST_CHECK;
int ingest_poll_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int ingest_poll_check(json_t *out, struct err *e) MUST_CHECK;

int ingest_thread_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int ingest_thread_check(json_t *out, struct err *e) MUST_CHECK;

int ingest_mbox_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int ingest_mbox_check(json_t *out, struct err *e) MUST_CHECK;

int ingest_assemble_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int ingest_assemble_check(json_t *out, struct err *e) MUST_CHECK;

#endif
