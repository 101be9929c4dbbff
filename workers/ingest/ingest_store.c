/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Supervisor's side of ingest: what the child may see, what it may say. */
#include "workers/ingest/ingest.h"

#include "base/sha256.h"
#include "workers/ingest/mailrow.h"
#include "workers/shape.h"

int ingest_poll_binds(
	const struct work_paths *p, json_t *in, struct job_binds *b, struct err *e)
{
	const char *name, *url;
	int status = jx_unpack(in, e, "poll", "{s:s, s:s}", "name", &name, "url", &url);

	if (status != 0)
		return status;
	if (url[0] == '/')
		return job_bind_seen(b, url, e);
	return job_bind_folder(p, b, arena_printf(b->arena, "%s/%s", p->inbox, name), e);
}

static bool is_kind(const char *s)
{
	static const char *const kinds[] = {"cover", "patch", "reply", "other"};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i], s) == 0)
			return true;
	return false;
}

static int check_keys(json_t *keys, struct err *e)
{
	json_t *one;
	size_t i;

	json_array_foreach(keys, i, one)
	{
		const char *key;
		json_int_t window_s;
		int link;
		int status = jx_unpack(one, e, "key", "{s:s, s:I, s:b !}", "key", &key,
			"window_s", &window_s, "link", &link);

		if (status != 0)
			return status;
		if (strlen(key) > 1100 || window_s < 0)
			return err_set(e, ERR_INVALID, "key: out of range");
	}
	return 0;
}

static int check_mail(json_t *m, struct err *e)
{
	const char *file, *commit, *id, *kind, *subject, *name, *email;
	json_int_t epoch, received_at, order_time;
	json_t *facts, *keys;
	int robot;
	int status = jx_unpack(m, e, "mail",
		"{s:s, s:I, s:s, s:I, s:I, s:s, s:s, s:b, s:s, s:s, s:s, s:o, s:o !}",
		"file", &file, "epoch", &epoch, "commit", &commit, "received_at",
		&received_at, "order_time", &order_time, "message_id", &id, "kind", &kind,
		"robot", &robot, "subject", &subject, "author_name", &name,
		"author_email", &email, "facts", &facts, "keys", &keys);

	if (status != 0)
		return status;
	if (!id[0] || strlen(id) > 998 || strlen(commit) > 998 || !is_kind(kind) ||
		received_at < 0 || received_at > MAILROW_TIME_MAX || order_time < 0 ||
		order_time > MAILROW_TIME_MAX || epoch < -1 || epoch > 100000 ||
		!json_is_object(facts) || !json_is_array(keys))
		return err_set(e, ERR_INVALID, "mail: a value is out of range");
	return check_keys(keys, e);
}

static int check_mails(json_t *mails, struct err *e)
{
	json_t *m;
	size_t i;

	if (!json_is_array(mails) || json_array_size(mails) > JOB_FILES_MAX)
		return err_set(e, ERR_INVALID, "result: no list of mails");
	json_array_foreach(mails, i, m)
	{
		int status = check_mail(m, e);

		if (status != 0)
			return status;
	}
	return 0;
}

static int check_epoch(json_t *one, struct err *e)
{
	const char *old = NULL, *new, *fingerprint;
	json_int_t n;
	json_t *any;
	int status = jx_unpack(one, e, "epoch", "{s:I, s:o, s:s, s:s !}", "epoch", &n,
		"old", &any, "new", &new, "fingerprint", &fingerprint);

	if (status == 0)
		status = shape_text_or_null(one, "old", 40, &old, e);

	if (status == 0 && ((old && !shape_is_oid(old)) || !shape_is_oid(new) || n < 0))
		status = err_set(e, ERR_INVALID, "epoch: a value is out of shape");
	return status;
}

int ingest_poll_check(json_t *out, struct err *e)
{
	json_t *epochs, *mails, *withdrawn, *files, *one;
	const char *note;
	int more;
	size_t i;
	int status = jx_unpack(out, e, "poll", "{s:o, s:o, s:o, s:b, s:s, s:o !}",
		"epochs", &epochs, "mails", &mails, "withdrawn", &withdrawn, "more",
		&more, "note", &note, "files", &files);

	if (status != 0)
		return status;
	if (!json_is_array(epochs) || !json_is_array(withdrawn))
		return err_set(e, ERR_INVALID, "poll: no lists");
	json_array_foreach(
		epochs, i, one) if ((status = check_epoch(one, e)) != 0) return status;
	json_array_foreach(withdrawn, i, one)
	{
		const char *id;

		status = jx_unpack(one, e, "withdrawn", "{s:s !}", "message_id", &id);
		if (status != 0)
			return status;
	}
	return check_mails(mails, e);
}

int ingest_thread_check(json_t *out, struct err *e)
{
	json_t *mails, *list_id, *files, *any;
	const char *reason;
	int status = jx_unpack(out, e, "thread", "{s:o, s:o, s:o, s:o !}", "list_id",
		&list_id, "mails", &mails, "reason", &any, "files", &files);

	if (status == 0)
		status = shape_text_or_null(out, "reason", 2000, &reason, e);
	return status == 0 ? check_mails(mails, e) : status;
}

int ingest_mbox_check(json_t *out, struct err *e)
{
	json_t *mails, *files, *any;
	const char *reason, *id;
	int status = jx_unpack(out, e, "mbox", "{s:o, s:o, s:o, s:o !}", "message_id",
		&any, "mails", &mails, "reason", &any, "files", &files);

	if (status == 0)
		status = shape_text_or_null(out, "reason", 2000, &reason, e);
	if (status == 0)
		status = shape_text_or_null(out, "message_id", 998, &id, e);
	if (status == 0 && !id == !reason)
		status = err_set(e, ERR_INVALID, "mbox: no message_id and no reason");
	return status == 0 ? check_mails(mails, e) : status;
}

static int check_part(json_t *p, struct err *e)
{
	const char *n;
	json_int_t mail_id;
	int status =
		jx_unpack(p, e, "part", "{s:s, s:I !}", "n", &n, "mail_id", &mail_id);

	if (status == 0 &&
		(strlen(n) > 12 || strspn(n, "0123456789.") != strlen(n) || !n[0]))
		status = err_set(e, ERR_INVALID, "part: no number");
	return status;
}

static int check_series(json_t *s, size_t n_series, struct err *e)
{
	const char *root, *version, *title, *name, *email, *state, *why, *waiting_why,
		*supersedes, *content;
	json_int_t received, first_time, last_time;
	json_t *list_id, *total, *facts, *previous, *parts, *p, *any;
	int near, rfc, explicit;
	size_t i;
	int status = jx_unpack(s, e, "series",
		"{s:b, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:b, s:b, s:s, s:s, s:s, "
		"s:o, s:s, s:o, s:o, s:o, s:I, s:I !}",
		"near", &near, "list_id", &list_id, "root", &root, "version", &version,
		"title", &title, "author_name", &name, "author_email", &email, "total",
		&total, "received", &received, "rfc", &rfc, "explicit", &explicit,
		"state", &state, "why", &why, "waiting_why", &waiting_why,
		"supersedes_why", &any, "content", &content, "facts", &facts, "previous",
		&previous, "parts", &parts, "first_time", &first_time, "last_time",
		&last_time);

	if (status == 0)
		status = shape_text_or_null(s, "supersedes_why", 2000, &supersedes, e);
	if (status != 0)
		return status;
	if (!sha256_is_hex(content) || !json_is_object(facts) || !json_is_array(parts) ||
		json_array_size(parts) == 0 || first_time < 0 ||
		first_time > MAILROW_TIME_MAX || last_time < 0 ||
		last_time > MAILROW_TIME_MAX ||
		(json_is_integer(previous) &&
			(json_integer_value(previous) < 0 ||
				json_integer_value(previous) >= (json_int_t)n_series)))
		return err_set(e, ERR_INVALID, "series: a value is out of range");
	json_array_foreach(
		parts, i, p) if ((status = check_part(p, e)) != 0) return status;
	return 0;
}

int ingest_assemble_check(json_t *out, struct err *e)
{
	json_t *core, *near, *series, *s;
	size_t i;
	int status = jx_unpack(out, e, "assemble", "{s:o, s:o, s:o !}", "core", &core,
		"near", &near, "series", &series);

	if (status != 0)
		return status;
	if (!json_is_array(core) || !json_is_array(near) || !json_is_array(series))
		return err_set(e, ERR_INVALID, "assemble: no lists");
	json_array_foreach(series, i,
		s) if ((status = check_series(s, json_array_size(series), e)) !=
		       0) return status;
	return 0;
}
