/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/msgid.h"
#include "mail/people.h"

#include <ctype.h>
#include <strings.h>

/* Senders that are programs: part of the address or the name, without case. */
static const char *const robot_senders[] = {"tip-bot2", "tip-bot@", "kernel test robot",
	"lkp@intel.com", "syzbot", "patchwork-bot+", "noreply@", "no-reply@",
	"mailer-daemon@", "postmaster@", "kernelci.org bot", "bot@kernelci.org",
	"buildbot@", "patchwork@", "sashiko-bot", NULL};
static const char *const robot_mailers[] = {"tip-git-log-daemon", NULL};

const struct header_field *header_first(const struct header_set *h, const char *name)
{
	for (size_t i = 0; i < h->n; i++) {
		if (header_is(&h->fields[i], name))
			return &h->fields[i];
	}
	return NULL;
}

const struct header_field *header_last(const struct header_set *h, const char *name)
{
	for (size_t i = h->n; i-- > 0;) {
		if (header_is(&h->fields[i], name))
			return &h->fields[i];
	}
	return NULL;
}

static bool list_has(const char *const *list, const char *s)
{
	for (; list && *list; list++) {
		if (!strcasecmp(*list, s))
			return true;
	}
	return false;
}

static const char *lower(struct arena *a, const char *s)
{
	char *out = arena_strdup(a, s);
	for (char *p = out; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return out;
}

static void read_lists(struct arena *a, const struct header_set *h, struct mail *m)
{
	size_t cap = 0;
	for (size_t i = 0; i < h->n && m->n_list_ids < 32; i++) {
		const struct header_field *f = &h->fields[i];
		if (!header_is(f, "List-Id"))
			continue;
		const char *open = strrchr(f->value, '<');
		const char *close = open ? strchr(open, '>') : NULL;
		const char *id =
			close ? arena_strndup(a, open + 1, (size_t)(close - open - 1))
			      : header_squeeze(a, f->value);
		*(const char **)ARENA_PUSH(a, m->list_ids, m->n_list_ids, cap) =
			lower(a, id);
	}
}

/* Is the address the posting address of a list named in the mail or in the settings, or
 * its domain one that rewrites From? */
static bool is_list_address(struct arena *a, const char *email,
	const struct header_set *h, const struct mail_opts *opts, const struct mail *m)
{
	const char *at = strchr(email, '@');
	if (!at)
		return false;
	if (list_has(opts->list_addresses, email) || list_has(opts->list_domains, at + 1))
		return true;
	for (size_t i = 0; i < m->n_list_ids; i++) {
		char *post = arena_strdup(a, m->list_ids[i]);
		char *dot = strchr(post, '.');
		if (dot) {
			*dot = '@';
			if (!strcasecmp(post, email))
				return true;
		}
	}
	const struct header_field *f = header_first(h, "List-Post");
	return f && strcasestr(f->value, email);
}

/* Name without " via LIST", or NULL. */
static const char *without_via(struct arena *a, const char *name)
{
	const char *via = strcasestr(name, " via ");
	return via && via > name
		       ? header_squeeze(a, arena_strndup(a, name, (size_t)(via - name)))
		       : NULL;
}

static size_t count(const char *s, char c)
{
	size_t n = 0;
	for (; *s; s++)
		n += *s == c;
	return n;
}

/* Undoes what lists do to From for DMARC. */
static struct mail_addr unmangle(struct arena *a, const struct header_set *h,
	const struct mail_opts *opts, struct mail *m, struct header_notes *notes)
{
	static const char *const original[] = {"X-Original-From", "X-Original-Sender"};
	struct mail_addr from = m->sender;
	if (!is_list_address(a, from.email, h, opts, m))
		return from;
	for (size_t i = 0; i < ARRAY_LEN(original); i++) {
		const struct header_field *f = header_first(h, original[i]);
		if (!f || !strchr(f->value, '@'))
			continue;
		struct mail_addr r =
			header_from(a, header_decode(a, f->value, notes), notes);
		if (!*r.email)
			r.email = header_squeeze(a, f->value);
		const char *name = without_via(a, from.name);
		if (!strcmp(r.name, r.email) && name)
			r.name = name;
		header_note(notes, "from_unmangled", original[i]);
		return r;
	}
	const char *name = without_via(a, from.name);
	const struct header_field *f = header_first(h, "Reply-To");
	if (name && f && count(f->value, '@') == 1) {
		struct mail_addr r =
			header_from(a, header_decode(a, f->value, notes), notes);
		if (!strcasecmp(r.name, name)) {
			header_note(notes, "from_unmangled", "Reply-To");
			return r;
		}
	}
	if (name) {
		from.name = name;
		header_note(notes, "from_unmangled", "the name only");
	}
	return from;
}

static void read_recipients(struct arena *a, const struct header_set *h, const char *name,
	struct mail_addr **ret, size_t *ret_n, struct header_notes *notes)
{
	size_t cap = 0;
	for (size_t i = 0; i < h->n; i++) {
		if (header_is(&h->fields[i], name))
			header_addresses(a, h->fields[i].value, MAIL_MAX_RECIPIENTS, ret,
				ret_n, &cap);
	}
	if (*ret_n == MAIL_MAX_RECIPIENTS)
		header_note(notes, "recipient_limit", name);
}

void people_read(struct arena *a, const struct header_set *h, const struct body *body,
	const struct mail_opts *opts, struct mail *m, struct header_notes *notes)
{
	read_lists(a, h, m);
	const struct header_field *f = header_last(h, "From");
	const char *raw = f ? f->value : body->part_from ? body->part_from : "";
	m->sender = header_from(a, header_decode(a, raw, notes), notes);
	m->poster = unmangle(a, h, opts, m, notes);
	m->author = m->poster;
	if (body->from && body->patch.len) {
		struct mail_addr r =
			header_from(a, header_decode(a, body->from, notes), notes);
		if (*r.email)
			m->author = r;
		else
			header_note(notes, "from_confusing",
				"the From in the text names no address");
	}
	read_recipients(a, h, "To", &m->to, &m->n_to, notes);
	read_recipients(a, h, "Cc", &m->cc, &m->n_cc, notes);
	const struct header_field *hint = header_first(h, "X-Patchwork-Hint");
	m->opted_out = hint && !strcasecmp(header_squeeze(a, hint->value), "ignore");
}

void people_robot(struct arena *a, const struct header_set *h,
	const struct mail_opts *opts, struct mail *m)
{
	const struct header_field *f = header_first(h, "Auto-Submitted");
	if (f && strncasecmp(f->value, "no", 2)) {
		m->robot_why = arena_printf(a, "Auto-Submitted: %.40s", f->value);
	} else if (m->posted.tip && !m->posted.reply) {
		m->robot_why = "a merge notice of the tip tree";
	}
	for (size_t i = 0; !m->robot_why && robot_senders[i]; i++) {
		if (strcasestr(m->sender.email, robot_senders[i]) ||
			strcasestr(m->sender.name, robot_senders[i]))
			m->robot_why = arena_printf(a, "From: %s", robot_senders[i]);
	}
	f = header_first(h, "X-Mailer");
	for (size_t i = 0; !m->robot_why && f && robot_mailers[i]; i++) {
		if (strcasestr(f->value, robot_mailers[i]))
			m->robot_why = arena_printf(a, "X-Mailer: %s", robot_mailers[i]);
	}
	f = header_first(h, "Precedence");
	if (!m->robot_why && f && !m->n_list_ids &&
		(!strcasecmp(f->value, "bulk") || !strcasecmp(f->value, "junk")))
		m->robot_why = arena_printf(a, "Precedence: %s", f->value);
	for (size_t i = 0; !m->robot_why && i < h->n; i++) {
		if (h->fields[i].name_len > 11 &&
			!strncasecmp(h->fields[i].name, "X-Wakelist-", 11))
			m->robot_why = "X-Wakelist header: our own mail";
	}
	if (!m->robot_why && list_has(opts->own_addresses, m->sender.email))
		m->robot_why = "our own mail";
	f = header_first(h, "Return-Path");
	if (!m->robot_why && f && !strcmp(header_squeeze(a, f->value), "<>"))
		m->robot_why = "Return-Path: <>";
	m->robot = m->robot_why != NULL;
}

void people_references(
	struct arena *a, const char *value, struct mail *m, struct header_notes *notes)
{
	const char **ids;
	size_t n;
	bool bare;
	msgid_list(a, value, &ids, &n, &bare);
	/* Only the newest thousand can matter; a hostile mail may name 60,000. */
	const char *first = n ? ids[0] : NULL;
	if (n > 1000) {
		ids += n - 1000;
		n = 1000;
	}
	const char **kept = ARENA_ARRAY(a, const char *, n + 1);
	size_t at = n + 1;
	for (size_t i = n; i-- > 0;) {
		bool seen = false;
		for (size_t k = at; k <= n && !seen; k++)
			seen = !strcmp(kept[k], ids[i]);
		if (!seen)
			kept[--at] = ids[i];
	}
	size_t left = n + 1 - at;
	m->references = kept + at;
	m->n_references = left;
	if (left <= MAIL_MAX_REFERENCES)
		return;
	header_note(notes, "references_limit", "the first and the last 199 were kept");
	m->references = kept + n + 1 - MAIL_MAX_REFERENCES;
	m->references[0] = first;
	m->n_references = MAIL_MAX_REFERENCES;
}
