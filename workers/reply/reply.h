/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reply.h - the one mail about a series: composed once, sent at most once.
 *
 * compose: in {"report","version","policy","mail":{..},"from","domain","list_address",
 * "date","url"}; out {"message_id","subject","envelope_from","envelope_to","file",
 * "verdict","notes","files"}. send: in {"text","from","to","smtp"}; out {"outcome":
 * "accepted"|"not_taken"|"refused"|"unknown","said","note"}: not_taken is sure not to
 * have been accepted and may be tried again, unknown is neither.
 */
#ifndef WL_WORKERS_REPLY_REPLY_H
#define WL_WORKERS_REPLY_REPLY_H

#include "base/sbuf.h"
#include "workers/kind.h"

int reply_compose_run(
	struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int reply_compose_check(json_t *out, struct err *e) MUST_CHECK;
int reply_send_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e) MUST_CHECK;
int reply_send_check(json_t *out, struct err *e) MUST_CHECK;

/* LF -> CRLF; a CR that stands before an LF stays one. For tests too. */
void reply_crlf(const char *p, size_t len, struct sbuf *ret);

#endif
