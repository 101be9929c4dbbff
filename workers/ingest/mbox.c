/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mails that a submission brought along. Either one series is meant, then all of them
 * become rows, or none does, with the reason.
 */
#include "workers/ingest/ingest.h"

#include "base/blob.h"
#include "mail/choose.h"
#include "mail/mbox.h"
#include "mail/sent.h"
#include "workers/ingest/mailrow.h"

#define MBOX_MAILS_MAX 1000
#define REASON_MAX     1800 /* bytes, of the 2000 that the supervisor takes */

struct mbox_read {
	const struct mail **mails;
	struct mail_bytes *bytes; /* what is stored of each */
	size_t n;                 /* MBOX_MAILS_MAX + 1: there are more */
};

static void read_mails(struct arena *a, const struct sbuf *mbox, struct mbox_read *r)
{
	CLEANUP(sbuf_release) struct sbuf bytes = SBUF_INIT;
	const struct mail_opts opts = {0};
	struct sent_thread thread = {0};
	struct mbox_iter it;
	struct mbox_mail m;

	r->n = 0;
	r->mails = ARENA_ARRAY(a, const struct mail *, MBOX_MAILS_MAX + 1);
	r->bytes = ARENA_ARRAY(a, struct mail_bytes, MBOX_MAILS_MAX + 1);
	mbox_iter_init(&it, mbox->buf, mbox->len);
	while (r->n <= MBOX_MAILS_MAX && mbox_next(&it, &m)) {
		struct mail *one;
		struct err ignored;

		mbox_unpack(&it, &m, &bytes);
		/* fails for a separator with nothing behind it */
		if (sent_parse(a, &thread, bytes.buf, bytes.len, &opts, &one,
			    &r->bytes[r->n], &ignored) == 0)
			r->mails[r->n++] = one;
	}
}

static const char *which(struct arena *a, const struct series_choice *choice)
{
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;

	sbuf_addf(
		&out, "the mbox holds %zu series, submit one of them:", choice->n_among);
	for (size_t i = 0; i < choice->n_among && out.len < REASON_MAX; i++)
		sbuf_addf(&out, "%s %.300s", i ? ";" : "",
			series_line(a, choice->among[i]));
	return arena_strndup(a, out.buf, out.len < REASON_MAX ? out.len : REASON_MAX);
}

/* The first mail of the one series that is meant, or NULL and why there is none. */
static int find_series(struct arena *a, const struct mbox_read *r, const char **ret_id,
	const char **ret_reason, struct err *e)
{
	struct series_choice choice;
	struct series_set set;
	int status;

	*ret_id = *ret_reason = NULL;
	if (r->n == 0)
		*ret_reason = "the mbox holds no mail";
	else if (r->n > MBOX_MAILS_MAX)
		*ret_reason = arena_printf(a,
			"the mbox holds more than %d mails; a series is wanted, not an "
			"archive",
			MBOX_MAILS_MAX);
	if (*ret_reason)
		return 0;
	status = series_assemble(a, r->mails, r->n, &set, e);
	if (status != 0)
		return status;
	series_choose(a, &set, &choice);
	if (choice.series)
		*ret_id = choice.series->id;
	else if (choice.n_among)
		*ret_reason = which(a, &choice);
	else
		*ret_reason = series_none(a, r->mails, r->n);
	return 0;
}

int ingest_mbox_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf mbox = SBUF_INIT;
	const char *sha256, *id = NULL, *reason = NULL;
	struct mailrows rows;
	struct mbox_read r;
	json_t *own;
	int status =
		jx_unpack(in, e, "mbox", "{s:s, s:o !}", "mbox", &sha256, "own", &own);

	if (status == 0)
		status = blob_get(j->blobs, sha256, MBOX_SUBMIT_MAX, &mbox, e);
	if (status != 0)
		return status;
	read_mails(j->arena, &mbox, &r);
	mailrows_init(&rows, j, own);
	status = find_series(j->arena, &r, &id, &reason, e);
	for (size_t i = 0; status == 0 && id && i < r.n; i++)
		status =
			mailrows_add(&rows, r.bytes[i].p, r.bytes[i].len, -1, NULL, 0, e);
	if (status == 0)
		*ret = jx_pack("{s:o, s:O, s:o, s:O}", "message_id", jx_str_or_null(id),
			"mails", rows.mails, "reason",
			reason ? jx_text(reason, strlen(reason)) : json_null(), "files",
			rows.files);
	mailrows_release(&rows);
	return status;
}
