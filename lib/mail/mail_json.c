/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/mail_json.h"

static json_t *text(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}

static json_t *texts(const char *const *v, size_t n)
{
	json_t *out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, text(v[i]));
	return out;
}

static json_t *person(struct mail_addr p)
{
	return jx_pack("{s:o, s:o}", "name", text(p.name), "email", text(p.email));
}

static json_t *people(const struct mail_addr *v, size_t n)
{
	json_t *out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, person(v[i]));
	return out;
}

/* 2, "0.5", null. */
static json_t *number(int64_t n)
{
	char buf[32];
	if (n < 0)
		return json_null();
	if (n % PREFIX_UNIT)
		return json_string(prefix_number(n, buf, sizeof(buf)));
	return json_integer(n / PREFIX_UNIT);
}

static json_t *prefix_json(const struct prefix *p)
{
	return jx_pack("{s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:o, s:b}", "tags",
		texts(p->tags, p->n_tags), "version", number(p->version), "n",
		number(p->n), "m", number(p->m), "rfc", p->rfc, "resend", p->resend,
		"reply", p->reply, "tree", text(p->tree), "version_explicit",
		p->version_explicit);
}

static json_t *files_json(const struct mail *m)
{
	json_t *out = json_array();
	for (size_t i = 0; i < m->n_files; i++) {
		const struct mail_file *f = &m->files[i];
		json_array_append_new(
			out, jx_pack("{s:o, s:o, s:s, s:I, s:I, s:b}", "path",
				     text(f->path), "old_path", text(f->old_path),
				     "status", mail_status_name(f->status), "added",
				     (json_int_t)f->n_added, "removed",
				     (json_int_t)f->n_removed, "binary", f->binary));
	}
	return out;
}

static json_t *trailers_json(const struct mail_trailer *v, size_t n)
{
	json_t *out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, jx_pack("{s:o, s:o}", "key", text(v[i].key),
						   "value", text(v[i].value)));
	return out;
}

static json_t *prerequisites_json(const struct mail_prerequisite *v, size_t n)
{
	json_t *out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			out, jx_pack("{s:s, s:o, s:o}", "kind", v[i].kind, "value",
				     text(v[i].value), "version", text(v[i].version)));
	return out;
}

static json_t *dependencies_json(const struct mail_dependency *v, size_t n)
{
	json_t *out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(
			out, jx_pack("{s:o, s:s}", "message_id", text(v[i].message_id),
				     "rel", v[i].rel));
	return out;
}

static json_t *notes_json(const struct mail_note *v, size_t n)
{
	json_t *out = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(out, jx_pack("{s:s, s:o}", "code", v[i].code,
						   "detail", text(v[i].detail)));
	return out;
}

json_t *mail_json(const struct mail *m)
{
	json_t *head = jx_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
			       "s:I, s:i, s:o, s:o}",
		"v", 1, "message_id", text(m->message_id), "alt_ids",
		texts(m->alt_ids, m->n_alt_ids), "in_reply_to",
		texts(m->in_reply_to, m->n_in_reply_to), "references",
		texts(m->references, m->n_references), "author", person(m->author),
		"sender", person(m->sender), "to", people(m->to, m->n_to), "cc",
		people(m->cc, m->n_cc), "list_ids", texts(m->list_ids, m->n_list_ids),
		"date", text(m->date), "time", (json_int_t)m->time, "offset",
		(int)m->offset, "subject", text(m->subject), "title", text(m->title));
	json_t *tail = jx_pack(
		"{s:o, s:s, s:b, s:b, s:b, s:o, s:o, s:s, s:s, s:o, s:o, s:o}", "prefix",
		prefix_json(&m->prefix), "kind", mail_kind_name(m->kind), "maybe_cover",
		m->maybe_cover, "inline_diff", m->inline_diff, "robot", m->robot,
		"robot_why", text(m->robot_why), "rejected", text(m->rejected),
		"message_sha256", m->message_sha256, "patch_sha256", m->patch_sha256,
		"patch_id", text(m->patch_id), "files", files_json(m), "trailers",
		trailers_json(m->trailers, m->n_trailers));
	json_t *more = jx_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "base_commit",
		text(m->base_commit), "change_id", text(m->change_id),
		"prerequisite_patch_ids",
		texts(m->prerequisite_patch_ids, m->n_prerequisite_patch_ids),
		"prerequisites", prerequisites_json(m->prerequisites, m->n_prerequisites),
		"depends_on", dependencies_json(m->depends_on, m->n_depends_on), "notes",
		notes_json(m->notes, m->n_notes));
	json_object_update(head, tail);
	json_object_update(head, more);
	json_decref(tail);
	json_decref(more);
	return head;
}
