/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of a mail's facts, and the commit message made from it. */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/charset.h"
#include "mail/header.h"
#include "mail/mail.h"

static const char **copy_strings(struct arena *a, const char *const *v, size_t n)
{
	const char **out = ARENA_ARRAY(a, const char *, n);
	for (size_t i = 0; i < n; i++)
		out[i] = arena_strdup(a, v[i]);
	return out;
}

static struct mail_addr copy_addr(struct arena *a, struct mail_addr v)
{
	return (struct mail_addr){arena_strdup(a, v.name), arena_strdup(a, v.email)};
}

static struct mail_trailer *copy_trailers(
	struct arena *a, const struct mail_trailer *v, size_t n)
{
	struct mail_trailer *out = ARENA_ARRAY(a, struct mail_trailer, n);
	for (size_t i = 0; i < n; i++) {
		out[i].key = arena_strdup(a, v[i].key);
		out[i].value = arena_strdup(a, v[i].value);
	}
	return out;
}

static void copy_prefix(struct arena *a, struct prefix *p)
{
	p->tags = copy_strings(a, p->tags, p->n_tags);
	p->tree = arena_strdup(a, p->tree);
	p->title = arena_strdup(a, p->title);
}

static void copy_details(struct arena *a, struct mail *c)
{
	struct mail_addr *to = ARENA_ARRAY(a, struct mail_addr, c->n_to);
	for (size_t i = 0; i < c->n_to; i++)
		to[i] = copy_addr(a, c->to[i]);
	c->to = to;
	struct mail_addr *cc = ARENA_ARRAY(a, struct mail_addr, c->n_cc);
	for (size_t i = 0; i < c->n_cc; i++)
		cc[i] = copy_addr(a, c->cc[i]);
	c->cc = cc;
	struct mail_file *files = ARENA_ARRAY(a, struct mail_file, c->n_files);
	for (size_t i = 0; i < c->n_files; i++) {
		files[i] = c->files[i];
		files[i].path = arena_strdup(a, files[i].path);
		files[i].old_path = arena_strdup(a, files[i].old_path);
	}
	c->files = files;
	c->list_ids = copy_strings(a, c->list_ids, c->n_list_ids);
	c->prerequisite_patch_ids =
		copy_strings(a, c->prerequisite_patch_ids, c->n_prerequisite_patch_ids);
	for (size_t i = 0; i < c->n_notes; i++)
		c->notes[i].detail = arena_strdup(a, c->notes[i].detail);
	c->subject = arena_strdup(a, c->subject);
	c->date = arena_strdup(a, c->date);
}

static void leave_details(struct mail *c)
{
	c->to = c->cc = NULL;
	c->files = NULL;
	c->list_ids = c->prerequisite_patch_ids = NULL;
	c->n_to = c->n_cc = c->n_files = 0;
	c->n_list_ids = c->n_prerequisite_patch_ids = 0;
	for (size_t i = 0; i < c->n_notes; i++)
		c->notes[i].detail = "";
	c->subject = c->date = "";
	if (c->kind != MAIL_PATCH)
		c->n_trailers = 0;
}

static void copy_lists(struct arena *a, struct mail *c)
{
	struct mail_prerequisite *pre =
		ARENA_ARRAY(a, struct mail_prerequisite, c->n_prerequisites);
	for (size_t i = 0; i < c->n_prerequisites; i++) {
		pre[i] = c->prerequisites[i]; /* kind is a constant */
		pre[i].value = arena_strdup(a, pre[i].value);
		pre[i].version = arena_strdup(a, pre[i].version);
	}
	c->prerequisites = pre;
	struct mail_dependency *dep =
		ARENA_ARRAY(a, struct mail_dependency, c->n_depends_on);
	for (size_t i = 0; i < c->n_depends_on; i++) {
		dep[i] = c->depends_on[i];
		dep[i].message_id = arena_strdup(a, dep[i].message_id);
	}
	c->depends_on = dep;
	struct mail_note *notes = ARENA_ARRAY(a, struct mail_note, c->n_notes);
	for (size_t i = 0; i < c->n_notes; i++)
		notes[i] = c->notes[i]; /* code is a constant */
	c->notes = notes;
}

static struct mail *copy_facts(struct arena *a, const struct mail *m, bool details)
{
	struct mail *c = ARENA_NEW(a, struct mail);
	*c = *m;
	const char **const texts[] = {&c->message_id, &c->title, &c->match_title,
		&c->robot_why, &c->rejected, &c->corrupt, &c->patch_id, &c->base_commit,
		&c->change_id, &c->merged_commit, &c->merged_branch, &c->lost_id,
		&c->lost_subject};
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = arena_strdup(a, *texts[i]);
	struct mail_addr *const people[] = {&c->author, &c->sender, &c->poster};
	for (size_t i = 0; i < ARRAY_LEN(people); i++)
		*people[i] = copy_addr(a, *people[i]);
	c->alt_ids = copy_strings(a, m->alt_ids, m->n_alt_ids);
	c->in_reply_to = copy_strings(a, m->in_reply_to, m->n_in_reply_to);
	c->references = copy_strings(a, m->references, m->n_references);
	c->links = copy_strings(a, m->links, m->n_links);
	c->merged_ids = copy_strings(a, m->merged_ids, m->n_merged_ids);
	c->parent = c->n_in_reply_to  ? c->in_reply_to[c->n_in_reply_to - 1]
		    : c->n_references ? c->references[c->n_references - 1]
				      : NULL;
	copy_prefix(a, &c->prefix);
	copy_prefix(a, &c->posted);
	copy_lists(a, c);
	if (details)
		copy_details(a, c);
	else
		leave_details(c);
	c->trailers = copy_trailers(a, m->trailers, c->n_trailers);
	c->followups = copy_trailers(a, m->followups, m->n_followups);
	c->msg = c->patch = c->repaired = (struct mail_bytes){"", 0};
	c->raw_patch = c->lost = (struct mail_bytes){NULL, 0};
	return c;
}

struct mail *mail_compact(struct arena *a, const struct mail *m)
{
	return copy_facts(a, m, true);
}

struct mail *mail_digest(struct arena *a, const struct mail *m)
{
	return copy_facts(a, m, false);
}

/* git stripspace: trailing blanks off each line, runs of empty lines to one, none at
 * either end, one newline at the end. */
static void strip_space(const char *p, size_t len, struct sbuf *out)
{
	size_t empty = 0;
	for (const char *end = p + len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		size_t keep = n;
		while (keep && header_isspace(p[keep - 1]))
			keep--;
		if (keep == 0) {
			empty++;
		} else {
			if (empty && out->len)
				sbuf_addc(out, '\n');
			empty = 0;
			sbuf_add(out, p, keep);
			sbuf_addc(out, '\n');
		}
		p += n + (nl ? 1 : 0);
	}
}

struct mail_bytes mail_commit_message(struct arena *a, const struct mail *m)
{
	CLEANUP(sbuf_release) struct sbuf text = SBUF_INIT;
	sbuf_adds(&text, m->title);
	sbuf_adds(&text, "\n\n");
	for (size_t i = 0; i < m->msg.len;) {
		size_t n = charset_utf8_char(m->msg.p + i, m->msg.len - i);
		if (n && m->msg.p[i])
			sbuf_add(&text, m->msg.p + i, n);
		else
			sbuf_adds(&text, "\xef\xbf\xbd");
		i += n ? n : 1;
	}
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	strip_space(text.buf, text.len, &out);
	return (struct mail_bytes){arena_strndup(a, out.buf, out.len), out.len};
}
