// SPDX-License-Identifier: GPL-2.0-or-later
/* apply_patch_from_mail(), apply_patch_original() */
#include "base/base.h"

#include "mail/mail.h"
#include "patch/apply.h"
#include "patch/mend_text.h"

/* The mail without a diff that is quoted in it, for the commit's message. */
static const struct mail *before_quote(const struct mail *m, struct arena *a)
{
	struct mail *copy;
	struct mend_text t;
	const char *p = m->msg.p;
	bool more;

	if (!mend_unquote(m->msg.p, m->msg.len, a, &t, &more))
		return m;
	for (uint32_t line = 1; line < t.line; line++)
		p = (const char *)memchr(p, '\n', (size_t)(m->msg.p + m->msg.len - p)) +
		    1;
	copy = arena_memdup(a, m, sizeof(*m));
	copy->msg.len = (size_t)(p - m->msg.p);
	copy->msg.p = arena_strndup(a, m->msg.p, copy->msg.len);
	return copy;
}

/* NULL: it is not one of several. */
static const char *part_of(const char *subject, struct arena *a)
{
	char n[16], m[16];
	struct prefix p;

	prefix_parse(a, subject, NULL, &p);
	if (p.reply || p.n == PREFIX_NONE || p.m == PREFIX_NONE || p.m <= PREFIX_UNIT)
		return NULL;
	return arena_printf(a, "%s of %s", prefix_number(p.n, n, sizeof(n)),
		prefix_number(p.m, m, sizeof(m)));
}

/* A mail that holds no diff in its place. */
static void find_buried(const struct mail *m, struct arena *a, struct apply_patch *ret)
{
	static const char made_up[] = "@wakelist.invalid";
	const char *tail = m->message_id ? strstr(m->message_id, made_up) : NULL;

	ret->original = tail && !tail[strlen(made_up)] ? NULL : m->message_id;
	if (m->n_hunks || m->n_files)
		return;
	ret->buried = m->lost.p ? m->lost.p : m->msg.p;
	ret->buried_len = m->lost.p ? m->lost.len : m->msg.len;
	ret->partless = mail_has_note(m, "parts_lost");
	if (m->parent)
		ret->original = m->parent;
	if (m->lost_id) {
		ret->original = m->lost_id;
		ret->part = part_of(m->lost_subject, a);
	}
	ret->message = mail_commit_message(a, before_quote(m, a)).p;
}

/* It cannot be committed, and holds no diff that git would take; but why, and where its
 * original is, can be said. */
static bool may_be_named(const struct mail *m)
{
	return !strcmp(m->rejected, MAIL_NO_FROM) && !m->n_hunks && !m->n_files;
}

int apply_patch_from_mail(
	const struct mail *m, struct arena *a, struct apply_patch *ret, struct err *e)
{
	char number[16];
	size_t n = 0;

	if (m->rejected && !may_be_named(m))
		return err_set(e, ERR_INVALID, "%s", m->rejected);
	prefix_number(m->prefix.n, number, sizeof(number));
	*ret = (struct apply_patch){.n = number[0] ? arena_strdup(a, number) : NULL,
		.message_id = m->message_id,
		.author_name = m->author.name,
		.author_email = m->author.email,
		.time_s = m->time,
		.offset_min = m->offset,
		.message = mail_commit_message(a, m).p,
		.patch = m->patch.p,
		.patch_len = m->patch.len,
		.answers = m->parent,
		.doubtful = mail_has_note(m, "charset_repaired")};
	/* The bytes git would take come first; repairs are for when these do not apply.
	 */
	if (m->repaired.p &&
		(m->repaired.len != m->patch.len ||
			memcmp(m->repaired.p, m->patch.p, m->patch.len) != 0))
		ret->other[n++] = (struct apply_reading){.p = m->repaired.p,
			.len = m->repaired.len,
			.note = mail_has_note(m, "quoted_cr") ? "quoted_cr" : "repaired"};
	if (m->raw_patch.p)
		ret->other[n++] = (struct apply_reading){.p = m->raw_patch.p,
			.len = m->raw_patch.len,
			.note = "flowed_raw"};
	find_buried(m, a, ret);
	return 0;
}

/* NULL: none. */
static const struct mail *find_original(
	const struct mail *damaged, const struct mail *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct mail *m = v[i];

		if (m == damaged || !m->n_hunks || m->corrupt || m->rejected ||
			m->kind != MAIL_PATCH)
			continue;
		if (!strcmp(m->message_id, damaged->message_id))
			return m;
		if (!strcmp(m->match_title, damaged->match_title) &&
			!strcmp(m->author.email, damaged->author.email) &&
			m->prefix.n == damaged->prefix.n &&
			m->prefix.m == damaged->prefix.m &&
			m->prefix.version == damaged->prefix.version)
			return m;
	}
	return NULL;
}

void apply_patch_original(const struct mail *damaged, const struct mail *const *v,
	size_t n, struct arena *a, struct apply_patch *patch)
{
	const struct mail *m = damaged->corrupt ? find_original(damaged, v, n) : NULL;
	struct apply_reading *other = patch->other;

	if (!m)
		return;
	while (other->p)
		other++;
	*other = (struct apply_reading){.p = m->patch.p,
		.len = m->patch.len,
		.note = "original",
		.detail = arena_printf(a,
			"the mail is damaged (%s); the diff is that of <%s>",
			damaged->corrupt, m->message_id),
		.copy = true};
}
