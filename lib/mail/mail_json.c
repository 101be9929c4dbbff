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

static json_t *patch_json(const struct series_patch *p)
{
	json_t *resent = json_array();
	for (size_t i = 0; i < p->n_resent; i++)
		json_array_append_new(resent, text(p->resent[i]->message_id));
	return jx_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}", "n", number(p->n),
		"message_id", text(p->mail->message_id), "title", text(p->mail->title),
		"patch_id", text(p->mail->patch_id), "replaces",
		text(p->replaces ? p->replaces->message_id : NULL), "resent", resent,
		"inherited", p->inherited);
}

static json_t *given_json(const struct series *s)
{
	json_t *out = json_array();
	for (size_t i = 0; i < s->n_trailers; i++) {
		const struct series_trailer *t = &s->trailers[i];
		json_array_append_new(out,
			jx_pack("{s:o, s:o, s:o, s:o, s:b}", "n", number(t->n), "key",
				text(t->key), "value", text(t->value), "from_message_id",
				text(t->from_message_id), "by_other", t->by_other));
	}
	return out;
}

json_t *series_json(struct arena *a, const struct series *s, const struct series_clock *c)
{
	const char *why;
	enum series_state state = series_state(a, s, c, &why);
	json_t *patches = json_array(), *missing = json_array();
	for (size_t i = 0; i < s->n_patches; i++)
		json_array_append_new(patches, patch_json(&s->patches[i]));
	for (size_t i = 0; i < s->n_missing; i++)
		json_array_append_new(missing, number(s->missing[i]));
	json_t *head = jx_pack(
		"{s:o, s:o, s:b, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:b}", "id",
		text(s->id), "version", number(s->version), "version_explicit",
		s->version_explicit, "title", text(s->title), "author", person(s->author),
		"state", series_state_name(state), "why", text(why), "cover",
		text(s->cover ? s->cover->message_id : NULL), "total", number(s->total),
		"patches", patches, "complete", s->complete, "missing", missing,
		"partial", s->partial);
	json_t *tail = jx_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:I, s:I, s:o, s:o}",
		"change_id", text(s->change_id), "base_commit", text(s->base_commit),
		"prerequisites", prerequisites_json(s->prerequisites, s->n_prerequisites),
		"depends_on", dependencies_json(s->depends_on, s->n_depends_on),
		"previous", text(s->previous ? s->previous->id : NULL), "previous_how",
		text(s->previous_how), "superseded_by",
		text(s->superseded_by ? s->superseded_by->id : NULL), "tree",
		text(s->tree), "rfc", s->rfc, "resend", s->resend, "first_time",
		(json_int_t)s->first_time, "last_time", (json_int_t)s->last_time,
		"trailers", given_json(s), "notes", notes_json(s->notes, s->n_notes));
	json_object_update(head, tail);
	json_decref(tail);
	return head;
}

json_t *series_other_json(const struct series_other *o)
{
	return jx_pack("{s:o, s:s, s:o}", "message_id", text(o->mail->message_id), "kind",
		mail_kind_name(o->mail->kind), "why", text(o->why));
}

json_t *series_set_json(
	struct arena *a, const struct series_set *set, const struct series_clock *c)
{
	json_t *series = json_array(), *other = json_array();
	for (size_t i = 0; i < set->n_series; i++)
		json_array_append_new(series, series_json(a, set->series[i], c));
	for (size_t i = 0; i < set->n_others; i++)
		json_array_append_new(other, series_other_json(&set->others[i]));
	return jx_pack("{s:i, s:o, s:o}", "v", 1, "series", series, "other", other);
}
