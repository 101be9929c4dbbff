/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/ingest/mailrow.h"

#include "base/file.h"
#include "base/sha256.h"
#include "mail/assemble.h"
#include "mail/mail_json.h"
#include "mail/msgid.h"
#include "workers/jobio.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEY_MAX                                                                          \
	1000 /* longer ones would not fit an index; their hash stands for them           \
	      */

void mailrows_init(struct mailrows *r, struct job_ctx *j, json_t *own)
{
	const char **v = ARENA_ARRAY(j->arena, const char *, json_array_size(own) + 1);
	size_t i, n = 0;
	json_t *s;

	json_array_foreach(own, i, s) if (json_is_string(s)) v[n++] =
		json_string_value(s);
	*r = (struct mailrows){.j = j,
		.mails = json_array(),
		.files = json_array(),
		.opts = {.own_addresses = v}};
}

void mailrows_release(struct mailrows *r)
{
	json_decref(r->mails);
	json_decref(r->files);
}

static json_t *text(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_string("");
}

static json_t *keys_json(struct arena *a, const struct mail *m)
{
	json_t *out = json_array();
	struct mail_key *keys;
	size_t n;

	mail_keys(a, m, &keys, &n);
	for (size_t i = 0; i < n; i++) {
		const char *key = keys[i].text;
		char hex[SHA256_HEX];

		if (strlen(key) > KEY_MAX) {
			sha256_hex(key, strlen(key), hex);
			key = arena_printf(a, "sha256:%s", hex);
		}
		json_array_append_new(
			out, jx_pack("{s:o, s:I, s:b}", "key", text(key), "window_s",
				     (json_int_t)keys[i].window_s, "link", keys[i].link));
	}
	return out;
}

static int64_t clamp_time(int64_t t)
{
	return t < 0 ? 0 : t > MAILROW_TIME_MAX ? MAILROW_TIME_MAX : t;
}

static const char *made_up_id(struct arena *a, const char *p, size_t len)
{
	char hex[SHA256_HEX];

	sha256_hex(p, len, hex);
	return arena_printf(a, "sha256-%s@wakelist.invalid", hex);
}

/* A row for what is no mail at all. */
static json_t *unusable(
	struct arena *a, const char *p, size_t len, int64_t received_at, const char *why)
{
	const char *id = made_up_id(a, p, len);
	json_t *facts = jx_pack("{s:i, s:s, s:s, s:s, s:[], s:[]}", "v", 1, "message_id",
		id, "kind", "other", "rejected", why, "references", "in_reply_to");

	return jx_pack("{s:I, s:I, s:s, s:s, s:b, s:s, s:s, s:s, s:o, s:[]}",
		"received_at", (json_int_t)clamp_time(received_at), "order_time",
		(json_int_t)clamp_time(received_at), "message_id", id, "kind", "other",
		"robot", false, "subject", "", "author_name", "", "author_email", "",
		"facts", facts, "keys");
}

static json_t *read_mail(
	struct arena *a, const char *p, size_t len, const struct mail_opts *opts)
{
	struct mail *m;
	struct err e;
	const char *id;
	json_t *row;

	if (mail_parse(a, p, len, opts, &m, &e) != 0)
		return unusable(a, p, len, opts->received_at, e.msg);
	id = m->message_id;
	if (!id[0] || strlen(id) > MSGID_MAX)
		id = made_up_id(a, p, len);
	row = jx_pack("{s:I, s:I, s:o, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "received_at",
		(json_int_t)clamp_time(
			opts->received_at ? opts->received_at : m->order_time),
		"order_time", (json_int_t)clamp_time(m->order_time), "message_id",
		text(id), "kind", mail_kind_name(m->kind), "robot", m->robot, "subject",
		text(m->subject), "author_name", text(m->author.name), "author_email",
		text(m->author.email), "facts", mail_json(m), "keys", keys_json(a, m));
	return row;
}

/* A child of ours reads it; when that dies, the mail is to blame. */
static json_t *read_apart(
	struct arena *a, const char *p, size_t len, const struct mail_opts *opts)
{
	int fds[2], status = 0;
	json_t *row = NULL;
	struct err e;
	pid_t pid;

	if (pipe(fds) != 0)
		return read_mail(a, p, len, opts);
	pid = fork();
	if (pid == 0) {
		json_t *mine = read_mail(a, p, len, opts);

		close(fds[0]);
		_exit(jobio_write(fds[1], mine, &e) == 0 ? 0 : 1);
	}
	close(fds[1]);
	if (pid < 0 || jobio_read(fds[0], &row, &e) != 0)
		row = NULL;
	close(fds[0]);
	if (pid > 0)
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
	if (row)
		return row;
	return unusable(a, p, len, opts->received_at,
		arena_printf(a, "reading the mail failed: our reader ended with %s %d",
			WIFSIGNALED(status) ? "signal" : "status",
			WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status)));
}

int mailrows_add(struct mailrows *r, const char *p, size_t len, int epoch,
	const char *commit, int64_t received_at, struct err *e)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail_opts opts = r->opts;
	char file[32], *dump;
	json_t *row;
	FILE *f;

	opts.received_at = received_at;
	row = r->apart ? read_apart(a, p, len, &opts) : read_mail(a, p, len, &opts);
	if (!commit)
		commit = json_string_value(json_object_get(row, "message_id"));
	snprintf(file, sizeof(file), "m%zu", json_array_size(r->files));
	json_object_set_new(row, "file", json_string(file));
	json_object_set_new(row, "epoch", json_integer(epoch));
	json_object_set_new(row, "commit", json_string(commit));
	dump = jx_dump(row);
	r->n_bytes += strlen(dump);
	free(dump);
	json_array_append_new(r->mails, row);
	json_array_append_new(r->files, json_string(file));
	f = fopen(file, "wbxe");
	if (!f)
		return err_set_errno(e, errno, "%s", file);
	if (fwrite(p, 1, len, f) != len || fflush(f) != 0) {
		err_set_errno(e, errno, "%s", file);
		fclose(f);
		return e->code;
	}
	if (fclose(f) != 0)
		return err_set_errno(e, errno, "%s", file);
	return 0;
}

const char *mailrow_id(struct job_ctx *j, const char *p, size_t len)
{
	CLEANUP(arena_freep) struct arena *a = arena_new();
	struct mail_opts opts = {0};
	json_t *row = read_mail(a, p, len, &opts);
	const char *id = arena_strdup(
		j->arena, json_string_value(json_object_get(row, "message_id")));

	json_decref(row);
	return id;
}
