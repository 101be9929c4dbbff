/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/body.h"
#include "mail/charset.h"
#include "mail/date.h"
#include "mail/facts.h"
#include "mail/header.h"
#include "mail/lost.h"
#include "mail/mail.h"
#include "mail/msgid.h"
#include "mail/people.h"
#include "mail/scan.h"

#include <ctype.h>
#include <strings.h>

static const char *const kind_names[] = {"other", "cover", "patch", "reply"};
static const char *const status_names[] = {
	"modified", "added", "deleted", "renamed", "copied", "mode"};

const char *mail_kind_name(enum mail_kind kind)
{
	return kind_names[kind];
}

const char *mail_status_name(enum mail_status status)
{
	return status_names[status];
}

bool mail_has_note(const struct mail *m, const char *code)
{
	for (size_t i = 0; i < m->n_notes; i++) {
		if (!strcmp(m->notes[i].code, code))
			return true;
	}
	return false;
}

struct parsing {
	struct arena *arena;
	const struct mail_opts *opts;
	struct mail *m;
	struct header_notes notes;
	struct header_set headers;
	struct body body;
	struct scan scan;
};

/* CR of CRLF off, one ">" of ">From " off, both only where asked and present. */
static struct mail_bytes normalise(
	struct arena *a, const char *buf, size_t len, const struct mail_opts *opts)
{
	/* Most mails hold no CR at all; memchr finds that out several times faster. */
	bool cr = !opts->keep_cr && memchr(buf, '\r', len) && memmem(buf, len, "\r\n", 2);
	bool quoted = opts->mboxrd && memmem(buf, len, ">From ", 6);
	if (!cr && !quoted)
		return (struct mail_bytes){buf, len};
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;
	for (const char *p = buf, *end = buf + len; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t l = (size_t)((nl ? nl + 1 : end) - p);
		const char *next = p + l;
		if (quoted && *p == '>') {
			const char *q = p;
			while (q < next && *q == '>')
				q++;
			if (next - q >= 5 && !memcmp(q, "From ", 5))
				p++, l--;
		}
		memmove(out + n, p, l);
		n += l;
		if (cr && nl && l >= 2 && p[l - 2] == '\r')
			out[--n - 1] = '\n';
		p = next;
	}
	out[n] = 0;
	return (struct mail_bytes){out, n};
}

static void read_headers(struct parsing *p, struct header_reader *r,
	struct mail_bytes *ret_end, struct body_type *type)
{
	struct header_field f;
	const char *start = r->p;
	size_t cap = 0;
	while (header_read_field(p->arena, r, &f, ret_end, &p->notes)) {
		if ((size_t)(r->p - start) > MAIL_MAX_HEADER ||
			p->headers.n >= MAIL_MAX_FIELDS) {
			header_note(&p->notes, "header_limit",
				"fields beyond it were not read");
			continue;
		}
		*(struct header_field *)ARENA_PUSH(
			p->arena, p->headers.fields, p->headers.n, cap) = f;
		body_type_read(p->arena, &f, type);
	}
	if (ret_end->p && *ret_end->p != '\n')
		header_note(
			&p->notes, "header_broken", "a line that is no field ended them");
}

static void read_ids(struct parsing *p)
{
	struct mail *m = p->m;
	size_t cap_alt = 0, cap_irt = 0;
	m->message_id = NULL;
	const struct header_field *refs = NULL;
	for (size_t i = 0; i < p->headers.n; i++) {
		const struct header_field *f = &p->headers.fields[i];
		const char **ids;
		size_t n;
		bool bare;
		if (header_is(f, "References"))
			refs = f;
		bool own = header_is(f, "Message-ID");
		if (!own && !header_is(f, "In-Reply-To"))
			continue;
		msgid_list(p->arena, f->value, &ids, &n, &bare);
		if (bare)
			header_note(&p->notes, "bare_msgid", ids[0]);
		for (size_t k = 0; k < n; k++) {
			if (!own) {
				if (m->n_in_reply_to < MAIL_MAX_REFERENCES)
					*(const char **)ARENA_PUSH(p->arena,
						m->in_reply_to, m->n_in_reply_to,
						cap_irt) = ids[k];
			} else if (!m->message_id) {
				m->message_id = ids[k];
			} else if (strcmp(m->message_id, ids[k]) && m->n_alt_ids < 16) {
				*(const char **)ARENA_PUSH(p->arena, m->alt_ids,
					m->n_alt_ids, cap_alt) = ids[k];
			}
		}
	}
	if (refs)
		people_references(p->arena, refs->value, m, &p->notes);
	m->parent = m->n_in_reply_to  ? m->in_reply_to[m->n_in_reply_to - 1]
		    : m->n_references ? m->references[m->n_references - 1]
				      : NULL;
}

/* Header, or what git takes instead: the in-body field when a patch follows. */
static const char *used(struct parsing *p, const char *inbody, const char *part,
	const char *name, bool *ret_inbody)
{
	*ret_inbody = inbody && p->body.patch.len > 0;
	if (*ret_inbody)
		return inbody;
	const struct header_field *f = header_last(&p->headers, name);
	return f ? f->value : part ? part : "";
}

static void read_subject(struct parsing *p)
{
	struct mail *m = p->m;
	struct arena *a = p->arena;
	bool inbody;
	const char *raw =
		used(p, p->body.subject, p->body.part_subject, "Subject", &inbody);
	const char *decoded = header_decode(a, raw, &p->notes);
	m->subject = header_squeeze(a, decoded);
	bool brackets = p->opts->keep_brackets;
	m->title = header_title(a, decoded, brackets);
	prefix_parse(a, m->subject, p->opts->branches, &m->prefix);
	m->posted = m->prefix;
	const struct header_field *f = header_last(&p->headers, "Subject");
	if (inbody && f) {
		const char *posted =
			header_squeeze(a, header_decode(a, f->value, &p->notes));
		prefix_parse(a, posted, p->opts->branches, &m->posted);
	}
	char *match = arena_strdup(a, m->prefix.title);
	size_t len = strlen(match);
	for (size_t i = 0; i < len; i++)
		match[i] = (char)tolower((unsigned char)match[i]);
	while (len && strchr(".,;:!? ", match[len - 1]))
		match[--len] = 0;
	m->match_title = match;
}

static void read_time(struct parsing *p)
{
	struct mail *m = p->m;
	bool inbody;
	const char *raw = used(p, p->body.date, p->body.part_date, "Date", &inbody);
	m->date = header_squeeze(p->arena, header_decode(p->arena, raw, &p->notes));
	m->received_at = p->opts->received_at;
	struct date d;
	if (date_parse(m->date, &d)) {
		m->time = d.time;
		m->offset = d.offset;
		if (d.zone_odd)
			header_note(&p->notes, "zone_odd", "beyond 14 hours");
		if (d.zone_bad)
			header_note(&p->notes, "zone_bad", "taken as +0000");
	} else {
		header_note(&p->notes, "date_bad", m->date);
		const struct header_field *f = header_first(&p->headers, "Received");
		const char *at = f ? strrchr(f->value, ';') : NULL;
		if (at && date_parse(at + 1, &d))
			m->time = d.time;
		else
			m->time = m->received_at;
	}
	m->order_time = m->time;
	bool lies = m->time < MAIL_EARLIEST ||
		    (m->received_at && (m->time > m->received_at + 86400 ||
					       m->time < m->received_at - 30 * 86400));
	if (lies && m->received_at)
		m->order_time = m->received_at;
	if (lies)
		header_note(
			&p->notes, "date_far", "the time of receipt orders this mail");
}

/* Facts of the diff; of the unjoined text where a flowed one is not sound. */
static void read_patch(struct parsing *p)
{
	struct mail *m = p->m;
	struct scan *s = &p->scan;
	scan_patch(p->arena, m->patch.p, m->patch.len, s);
	if (m->raw_patch.p && (s->corrupt || !s->n_hunks)) {
		struct scan raw;
		scan_patch(p->arena, m->raw_patch.p, m->raw_patch.len, &raw);
		if (!raw.corrupt && raw.n_hunks) {
			*s = raw;
			header_note(
				&p->notes, "flowed_raw", "the unjoined lines were read");
		}
	}
	m->files = s->files;
	m->n_files = s->n_files;
	m->n_hunks = s->n_hunks;
	m->patch_id = s->patch_id;
	m->repaired = s->repaired;
	m->all_cr = s->all_cr;
	m->corrupt = s->corrupt;
	if (memchr(m->patch.p, 0, m->patch.len))
		header_note(&p->notes, "nul_in_patch", "such a hunk cannot be applied");
	if (s->blank_repaired)
		header_note(&p->notes, "blank_context",
			"empty lines in hunks were read as context");
	if (s->sig_absorbed)
		header_note(&p->notes, "sig_absorbed", "a -- line ended the patch");
	if (s->corrupt)
		header_note(&p->notes, "hunk_counts", s->corrupt);
	if (s->refused)
		m->rejected = s->refused;
}

static bool answers(const struct mail *m)
{
	return m->n_in_reply_to > 0 || m->n_references > 0;
}

/* "Re: [PATCH v2] ..." that holds a whole patch of its sender's. */
static bool is_re_patch(const struct parsing *p)
{
	const struct mail *m = p->m;
	return m->posted.reply && !m->posted.forwarded && m->posted.patch &&
	       m->patch_id && p->scan.git_header && !facts_has_quote(m) &&
	       facts_signed_by(m, m->sender.email);
}

static bool is_reply(const struct parsing *p)
{
	const struct mail *m = p->m;
	if (m->posted.reply)
		return true;
	if (!answers(m))
		return false;
	if (facts_mostly_quoted(m, p->scan.first_hunk))
		return true;
	return !m->posted.patch && !m->posted.rfc && !m->posted.rft && !m->prefix.patch &&
	       m->posted.n == PREFIX_NONE;
}

static void decide_kind(struct parsing *p)
{
	struct mail *m = p->m;
	const struct prefix *x = &m->posted;
	bool diff = m->n_files > 0;
	m->kind = MAIL_OTHER;
	if (x->tip && !x->reply)
		return;
	if (is_re_patch(p)) {
		header_note(
			&p->notes, "re_patch", "a patch although its subject says Re");
		m->kind = MAIL_PATCH;
		/* The number in the header is of the mail that it answers. */
		if (m->prefix.patch || strcmp(m->prefix.title, m->posted.title) != 0)
			m->posted = m->prefix;
		return;
	}
	if (is_reply(p)) {
		m->kind = MAIL_REPLY;
		m->inline_diff = m->n_hunks > 0;
		return;
	}
	bool word = x->patch || x->rfc;
	bool stat = !diff && facts_has_diffstat(m);
	if (x->n == 0 || (!diff && word && x->n == PREFIX_NONE && stat))
		m->kind = MAIL_COVER;
	else if (diff)
		m->kind = MAIL_PATCH;
	else
		m->maybe_cover = x->n == PREFIX_NONE && (word || stat);
}

static void note_early_break(struct parsing *p)
{
	const struct mail *m = p->m;
	/* A second "---" before the first diff, or "diff -" that no hunk follows. */
	const char *s = m->patch.p, *end = s + m->patch.len;
	size_t n = 0;
	bool diff = m->patch.len > 6 && !memcmp(s, "diff -", 6);
	bool dashes = m->patch.len > 4 && !memcmp(s, "---\n", 4);
	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		const char *next = nl ? nl + 1 : end;
		if (next - s > 4 && !memcmp(s, "@@ -", 4))
			return;
		if (dashes && n && next - s == 4 && !memcmp(s, "---\n", 4)) {
			header_note(
				&p->notes, "early_break", "a second --- line follows");
			return;
		}
		if (dashes && next - s > 6 && !memcmp(s, "diff -", 6))
			return;
		if (++n > 40)
			break;
		s = next;
	}
	if (diff)
		header_note(&p->notes, "early_break", "no hunk follows the diff line");
}

static void read_text(struct parsing *p)
{
	struct mail *m = p->m;
	m->msg = p->body.msg;
	m->patch = p->body.patch;
	m->raw_patch = p->body.raw_patch;
	sha256_hex(m->msg.p, m->msg.len, m->message_sha256);
	sha256_hex(m->patch.p, m->patch.len, m->patch_sha256);
	if (p->body.too_big)
		m->rejected = "decoded text over 32 MiB";
	note_early_break(p);
	facts_trailers(p->arena, m);
	const struct header_field *f = header_first(&p->headers, "X-Change-ID");
	if (f && *f->value)
		m->change_id = header_squeeze(p->arena, f->value);
	facts_lines(p->arena, m);
}

/* Where From could be read, it may hold the other fields. */
static bool may_be_lost(const struct parsing *p)
{
	if (p->m->rejected)
		return !strcmp(p->m->rejected, MAIL_NO_FROM);
	return !header_first(&p->headers, "Subject") &&
	       !header_first(&p->headers, "Message-ID");
}

/* No line of it is where it was: no part begins, or all of it is behind the "From:" that
 * it began with. */
static void read_lost_body(struct parsing *p)
{
	const char *const fields[] = {p->body.from, p->body.subject, p->body.date};
	struct mail_bytes lost = p->body.partless;

	for (size_t i = 0; i < ARRAY_LEN(fields) && !lost.p; i++) {
		if (fields[i] && strstr(fields[i], " diff --git "))
			lost = (struct mail_bytes){fields[i], strlen(fields[i])};
	}
	if (lost.p)
		p->m->lost = (struct mail_bytes){
			arena_strndup(p->arena, lost.p, lost.len), lost.len};
}

/* text: the mail as it came. */
static void read_lost(struct parsing *p, struct mail_bytes text)
{
	struct mail *m = p->m;
	struct lost_header h;

	if (m->patch.len)
		return;
	read_lost_body(p);
	if (!may_be_lost(p))
		return;
	if (!lost_header_read(p->arena, text.p, text.len, &h))
		return;
	m->rejected = MAIL_NO_FROM;
	m->lost_id = h.id;
	m->lost_subject = header_squeeze(p->arena, h.subject);
	text.len -= (size_t)(h.text - text.p);
	m->lost =
		(struct mail_bytes){arena_strndup(p->arena, h.text, text.len), text.len};
	header_note(&p->notes, "header_folded", m->lost_id);
}

static void finish(struct parsing *p, struct mail_bytes text)
{
	struct mail *m = p->m;
	if (m->kind == MAIL_REPLY)
		facts_followups(p->arena, m);
	else if (m->posted.tip)
		facts_merge(p->arena, m);
	else
		facts_links(p->arena, m);
	if (!*m->author.email && !m->rejected)
		m->rejected = MAIL_NO_FROM;
	read_lost(p, text);
	m->notes = p->notes.v;
	m->n_notes = p->notes.n;
}

static void name_by_sum(struct parsing *p, const char *buf, size_t len)
{
	char hex[SHA256_HEX];
	sha256_hex(buf, len, hex);
	p->m->message_id = arena_printf(p->arena, "sha256-%s@wakelist.invalid", hex);
	header_note(&p->notes, "no_message_id", "");
}

/* Bytes up to the end of the header. */
static size_t head_len(const char *buf, size_t len)
{
	const char *end;

	if (len > MAIL_MAX_HEADER)
		len = MAIL_MAX_HEADER;
	end = memmem(buf, len, "\n\n", 2);
	if (!end)
		end = memmem(buf, len, "\n\r\n", 3);
	return end ? (size_t)(end - buf) + 1 : len;
}

int mail_parse(struct arena *a, const char *buf, size_t len, const struct mail_opts *opts,
	struct mail **ret_mail, struct err *e)
{
	static const struct mail_opts none = {.mboxrd = false};
	struct parsing p = {.arena = a, .opts = opts ? opts : &none};
	p.m = ARENA_NEW(a, struct mail);
	p.notes.arena = a;
	bool too_big = len > MAIL_MAX_BYTES;
	struct mail_bytes text =
		normalise(a, buf, too_big ? head_len(buf, len) : len, p.opts);
	struct header_reader r = {text.p, text.p + text.len};
	while (r.p < r.end && header_isspace(*r.p))
		r.p++;
	if (r.p == r.end && !too_big)
		return err_set(e, ERR_INVALID, "the mail is empty");
	struct body_type type = {NULL, "", "", false, false};
	struct mail_bytes first;
	read_headers(&p, &r, &first, &type);
	body_read(a, &type, first, &r, &p.notes, &p.body);
	read_ids(&p);
	if (!p.m->message_id)
		name_by_sum(&p, buf, len);
	people_read(a, &p.headers, &p.body, p.opts, p.m, &p.notes);
	read_subject(&p);
	read_time(&p);
	read_text(&p);
	read_patch(&p);
	decide_kind(&p);
	if (too_big) {
		p.m->kind = MAIL_OTHER;
		p.m->maybe_cover = false;
		p.m->rejected = "the mail is over 16 MiB";
		header_note(&p.notes, "too_big", "over 16 MiB, only its header was read");
	}
	people_robot(a, &p.headers, p.opts, p.m);
	finish(&p, text);
	*ret_mail = p.m;
	return 0;
}
