/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The thread of one message-id, from the first public-inbox that has it. */
#include "workers/ingest/ingest.h"

#include "mail/mbox.h"
#include "mail/msgid.h"
#include "workers/ingest/http.h"
#include "workers/ingest/mailrow.h"

#define THREAD_MAX       1000
#define THREAD_BYTES_MAX ((size_t)64 << 20)

static int take_mbox(struct mailrows *rows, const struct sbuf *mbox, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf mail = SBUF_INIT;
	struct mbox_iter it;
	struct mbox_mail m;
	int status = 0;

	mbox_iter_init(&it, mbox->buf, mbox->len);
	while (status == 0 && mbox_next(&it, &m) &&
		json_array_size(rows->files) < THREAD_MAX) {
		mbox_unpack(&it, &m, &mail);
		status = mailrows_add(rows, mail.buf, mail.len, -1, NULL, 0, e);
	}
	return status;
}

/* 0 with *ret_found false: this server does not have it. */
static int try_server(struct job_ctx *j, struct mailrows *rows, const char *url,
	const char *id, bool *ret_found, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf mbox = SBUF_INIT;
	struct http_answer answer = {0};
	size_t len = strlen(url);
	int status;

	while (len > 0 && url[len - 1] == '/')
		len--;
	*ret_found = false;
	status = http_get(arena_printf(j->arena, "%.*s/%s/t.mbox.gz", (int)len, url,
				  msgid_url_escape(j->arena, id)),
		&answer, e);
	if (status == 0 && answer.status != 200 && answer.status != 404 &&
		answer.status != 300)
		status =
			err_set(e, ERR_UNAVAILABLE, "%s: status %ld", url, answer.status);
	else if (status == 0 && answer.status == 200 &&
		 strcmp(answer.content_type, "text/html") == 0)
		status = err_set(e, ERR_UNAVAILABLE,
			"%s: a page came in the place of the thread", url);
	else if (status == 0 && answer.status == 200)
		status = http_gunzip(&answer.body, THREAD_BYTES_MAX, &mbox, e);
	if (status == 0 && mbox.len > 0) {
		status = take_mbox(rows, &mbox, e);
		*ret_found = json_array_size(rows->files) > 0;
	}
	http_answer_release(&answer);
	return status;
}

static json_t *thread_answer(struct mailrows *rows, json_t *list_id, const char *reason)
{
	return jx_pack("{s:O, s:O, s:o, s:O}", "list_id", list_id, "mails", rows->mails,
		"reason", jx_str_or_null(reason), "files", rows->files);
}

int ingest_thread_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	const char *id, *reason = NULL, *trouble;
	json_t *from, *own, *one, *list_trouble, *list_id = json_null();
	struct mailrows rows;
	bool found = false;
	int known;
	size_t i;
	int status = jx_unpack(in, e, "thread", "{s:s, s:o, s:o, s:b, s:o !}",
		"message_id", &id, "from", &from, "own", &own, "known", &known, "trouble",
		&list_trouble);

	if (status != 0)
		return status;
	trouble = json_string_value(list_trouble); /* null: there is none */
	mailrows_init(&rows, j, own);
	json_array_foreach(from, i, one)
	{
		const char *url = json_string_value(json_object_get(one, "url"));
		struct err te;

		if (!url)
			continue;
		if (try_server(j, &rows, url, id, &found, &te) != 0)
			reason = arena_strdup(j->arena, te.msg);
		if (found) {
			list_id = json_object_get(one, "list_id");
			reason = NULL;
			break;
		}
		if (!reason)
			reason =
				arena_printf(j->arena, "%s does not have that mail", url);
	}
	if (!found && !known && trouble)
		reason = reason ? arena_printf(j->arena, "%s; %s", reason, trouble)
				: trouble;
	if (!found && !known && !reason)
		reason = "no subscribed list serves threads over HTTP, and the mail has "
			 "not been seen on one that is read by path";
	*ret = thread_answer(&rows, list_id, found || known ? NULL : reason);
	mailrows_release(&rows);
	return 0;
}
