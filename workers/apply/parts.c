/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/apply/parts.h"

#include "base/blob.h"

static int read_mail(struct job_ctx *j, const char *blob, const struct mail_opts *opts,
	struct mail **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	int status = blob_get(j->blobs, blob, MAIL_MAX_BYTES, &s, e);

	if (status != 0)
		return status;
	return mail_parse(
		j->arena, arena_strndup(j->arena, s.buf, s.len), s.len, opts, ret, e);
}

static int read_copies(struct job_ctx *j, json_t *in, const struct mail_opts *opts,
	struct part *ret, struct err *e)
{
	json_t *one;
	size_t i;

	ret->copies = ARENA_ARRAY(j->arena, const struct mail *, json_array_size(in) + 1);
	json_array_foreach(in, i, one)
	{
		struct mail *copy;
		int status =
			json_is_string(one)
				? read_mail(j, json_string_value(one), opts, &copy, e)
				: err_set(e, ERR_INVALID, "part: a copy is no blob");

		if (status == ERR_NOT_FOUND)
			continue;
		if (status != 0)
			return status;
		ret->copies[ret->n_copies++] = copy;
	}
	return 0;
}

int part_read(struct job_ctx *j, json_t *in, const struct mail_opts *opts,
	struct part *ret, struct err *e)
{
	struct mail_opts o = *opts;
	json_int_t received_at;
	json_t *copies = NULL;
	int inherited = 0;
	const char *blob;
	int status = jx_unpack(in, e, "part", "{s:s, s:s, s:I, s?o, s?b !}", "n", &ret->n,
		"blob", &blob, "received_at", &received_at, "copies", &copies,
		"inherited", &inherited);

	if (status != 0)
		return status;
	ret->inherited = inherited;
	ret->copies = NULL;
	ret->n_copies = 0;
	o.received_at = received_at;
	status = read_mail(j, blob, &o, &ret->mail, e);
	if (status != 0 || !ret->mail->corrupt)
		return status;
	return read_copies(j, copies, &o, ret, e);
}
