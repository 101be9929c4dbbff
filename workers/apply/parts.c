/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/apply/parts.h"

#include "base/blob.h"

int part_read(struct job_ctx *j, json_t *in, const struct mail_opts *opts,
	struct part *ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	struct mail_opts o = *opts;
	json_int_t received_at;
	int inherited = 0;
	const char *blob;
	char *copy;
	int status = jx_unpack(in, e, "part", "{s:s, s:s, s:I, s?b !}", "n", &ret->n,
		"blob", &blob, "received_at", &received_at, "inherited", &inherited);

	if (status == 0)
		status = blob_get(j->blobs, blob, MAIL_MAX_BYTES, &s, e);
	if (status != 0)
		return status;
	ret->inherited = inherited;
	o.received_at = received_at;
	copy = arena_strndup(j->arena, s.buf, s.len);
	return mail_parse(j->arena, copy, s.len, &o, &ret->mail, e);
}
