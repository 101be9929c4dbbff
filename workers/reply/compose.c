/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/compose.h"

#include "base/file.h"
#include "workers/facts.h"
#include "workers/reply/reply.h"

#define MAIL_FILE "reply.eml"

struct draft {
	json_t *facts, *to, *cc, *references, *list_address;
	const char *version, *policy, *from, *url, *author_name;
	struct compose_in in;
};

static int draft_parse(json_t *in, struct draft *d, struct err *e)
{
	json_int_t date;
	int status = jx_unpack(in, e, "compose",
		"{s:o, s:s, s:s, s:{s:s, s:s, s:o, s:s, s:s, s:o, s:o !}, s:s, s:s, s:o, "
		"s:I, s:s !}",
		"report", &d->facts, "version", &d->version, "policy", &d->policy, "mail",
		"message_id", &d->in.message_id, "subject", &d->in.subject, "references",
		&d->references, "author_name", &d->author_name, "author_email",
		&d->in.author.addr, "to", &d->to, "cc", &d->cc, "from", &d->from,
		"domain", &d->in.domain, "list_address", &d->list_address, "date", &date,
		"url", &d->url);

	if (status != 0)
		return status;
	d->in.date_epoch_s = date;
	d->in.root_msgid = d->in.message_id;
	d->in.series_version = atoi(d->version);
	d->in.author.name = d->author_name;
	d->in.policy = strcmp(d->policy, "list") == 0 ? COMPOSE_LIST : COMPOSE_AUTHOR;
	d->in.list_addr = json_string_value(d->list_address);
	d->in.run_url = d->url;
	return 0;
}

/* "wakelist <wakelist@localhost>" or a bare address. */
static struct compose_addr split_address(struct arena *a, const char *text)
{
	const char *open = strchr(text, '<'), *close = open ? strchr(open, '>') : NULL;
	size_t len = open ? (size_t)(open - text) : 0;

	if (!close)
		return (struct compose_addr){NULL, text};
	while (len > 0 && text[len - 1] == ' ')
		len--;
	return (struct compose_addr){arena_strndup(a, text, len),
		arena_strndup(a, open + 1, (size_t)(close - open - 1))};
}

static const struct compose_addr *addresses(struct arena *a, json_t *list, size_t *ret_n)
{
	struct compose_addr *v =
		ARENA_ARRAY(a, struct compose_addr, json_array_size(list) + 1);
	json_t *one;
	size_t i;

	*ret_n = 0;
	json_array_foreach(list, i, one)
	{
		const char *addr = json_string_value(json_object_get(one, "email"));

		if (addr && addr[0])
			v[(*ret_n)++] = (struct compose_addr){
				json_string_value(json_object_get(one, "name")), addr};
	}
	return v;
}

static const char *join_ids(struct arena *a, json_t *ids)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	json_t *id;
	size_t i;

	json_array_foreach(ids, i, id)
		sbuf_addf(&s, "%s<%s>", i ? " " : "", json_string_value(id));
	return s.len ? arena_strdup(a, s.buf) : NULL;
}

static json_t *texts(const char **v, size_t n)
{
	json_t *out = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, jx_text(v[i], strlen(v[i])));
	return out;
}

int reply_compose_run(struct job_ctx *j, json_t *in, json_t **ret, struct err *e)
{
	struct compose_mail mail;
	struct draft d = {0};
	struct report *r = NULL;
	int status = draft_parse(in, &d, e);

	if (status == 0)
		status = facts_report(j->arena, d.facts, &r, e);
	if (status != 0)
		return status;
	d.in.kind = COMPOSE_REPLY;
	d.in.from = split_address(j->arena, d.from);
	d.in.to = addresses(j->arena, d.to, &d.in.n_to);
	d.in.cc = addresses(j->arena, d.cc, &d.in.n_cc);
	d.in.references = join_ids(j->arena, d.references);
	d.in.verdict = r->verdict;
	d.in.body = report_text(j->arena, r);
	status = compose_reply(j->arena, &d.in, &mail, e);
	if (status == 0)
		status = file_write_atomic(MAIL_FILE, mail.bytes, mail.len, 0644, e);
	if (status != 0)
		return status;
	*ret = jx_pack("{s:s, s:o, s:s, s:o, s:s, s:s, s:o, s:[s]}", "message_id",
		mail.message_id, "subject", jx_text(mail.subject, strlen(mail.subject)),
		"envelope_from", mail.mail_from, "envelope_to",
		texts(mail.rcpt, mail.n_rcpt), "file", MAIL_FILE, "verdict", r->verdict,
		"notes", texts(mail.notes, mail.n_notes), "files", MAIL_FILE);
	return 0;
}
