// SPDX-License-Identifier: GPL-2.0-or-later
/* compose.c - who gets the mail, what its fields say, and its bytes. */
#include "base/base.h"

#include "base/sbuf.h"
#include "base/sha256.h"
#include "report/compose.h"
#include "report/header.h"
#include <time.h>

#define REFERENCES_MAX 32 /* ids kept: the first and the newest */
#define BODY_LINE_MAX  998

struct compose {
	struct arena *a;
	const struct compose_in *in;
	struct compose_mail *mail;
	struct compose_addr *cc;
	size_t n_cc, cap_cc, cap_rcpt, cap_notes;
	struct err *e;
};

const char *compose_message_id(struct arena *a, enum compose_kind kind,
	const char *root_msgid, int series_version, int attempt, const char *domain)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	const char letter = "rcn"[kind];
	char hex[SHA256_HEX];

	sbuf_addf(
		&b, "wl1\n%c\n%s\n%d\n%d\n", letter, root_msgid, series_version, attempt);
	sha256_hex(b.buf, b.len, hex);
	return arena_printf(a, "wl1.%c.%.32s@%s", letter, hex, domain);
}

/* ---- checks ---- */

static int check_text(struct compose *c, const char *what, const char *s, bool needed)
{
	if (!s || !*s)
		return needed ? err_set(c->e, ERR_INVALID, "%s is missing", what) : 0;
	return header_check(what, s, c->e);
}

/* Addresses that a robot must not mail: stable lists, and ones that were masked. */
static bool is_unwanted(const char *addr)
{
	return strncasecmp(addr, "stable@", 7) == 0 ||
	       strncasecmp(addr, "stable-commits@", 15) == 0 || strstr(addr, "...") ||
	       strchr(addr, '*') != NULL;
}

static int check_input(struct compose *c)
{
	const struct compose_in *in = c->in;
	const struct {
		const char *what, *text;
		bool needed;
	} rows[] = {
		{"the root message-id", in->root_msgid, true},
		{"the answered message-id", in->message_id, true},
		{"our name", in->from.name, false},
		{"our domain", in->domain, true},
		{"the reply-to address", in->reply_to, false},
		{"the archive address", in->archive, false},
		{"the list's address", in->list_addr, false},
		{"the verdict", in->verdict, false},
		{"the run's address", in->run_url, false},
	};
	int status = 0;

	for (size_t i = 0; i < ARRAY_LEN(rows) && status == 0; i++)
		status = check_text(c, rows[i].what, rows[i].text, rows[i].needed);
	if (status == 0 && !header_is_msgid(in->root_msgid))
		status = err_set(c->e, ERR_INVALID, "the root message-id is none");
	if (status == 0 && !header_is_msgid(in->message_id))
		status = err_set(c->e, ERR_INVALID, "the answered message-id is none");
	if (status == 0 && !header_is_addr(in->from.addr))
		status = err_set(c->e, ERR_INVALID, "our own address is none");
	if (status == 0 && in->reply_to && !header_is_addr(in->reply_to))
		status = err_set(c->e, ERR_INVALID, "the reply-to address is none");
	if (status == 0 && !header_is_addr(in->author.addr))
		status = err_set(
			c->e, ERR_INVALID, "the author has no address to answer to");
	if (status == 0 && is_unwanted(in->author.addr))
		status = err_set(c->e, ERR_INVALID, "the author's address is masked");
	if (status == 0 && (!in->body || !*in->body))
		status = err_set(c->e, ERR_INVALID, "the mail has no body");
	if (status == 0 && strlen(in->body) > COMPOSE_SIZE_MAX)
		status = err_set(
			c->e, ERR_TOO_BIG, "the body is over %d bytes", COMPOSE_SIZE_MAX);
	return status;
}

/* ---- recipients ---- */

static bool same_addr(const char *a, const char *b)
{
	return a && b && strcasecmp(a, b) == 0;
}

static void note(struct compose *c, const char *addr, const char *why)
{
	*ARENA_PUSH(c->a, c->mail->notes, c->mail->n_notes, c->cap_notes) =
		arena_printf(c->a, "%.100s left out: %s", header_ascii(c->a, addr), why);
}

static bool has_rcpt(const struct compose *c, const char *addr)
{
	for (size_t i = 0; i < c->mail->n_rcpt; i++)
		if (same_addr(c->mail->rcpt[i], addr))
			return true;
	return false;
}

static void add_rcpt(struct compose *c, const char *addr)
{
	*ARENA_PUSH(c->a, c->mail->rcpt, c->mail->n_rcpt, c->cap_rcpt) = addr;
}

static void add_cc(struct compose *c, const struct compose_addr *x)
{
	if (!x->addr || same_addr(x->addr, c->in->from.addr) ||
		same_addr(x->addr, c->in->reply_to) || has_rcpt(c, x->addr))
		return;
	if (is_unwanted(x->addr) || !header_is_addr(x->addr)) {
		note(c, x->addr,
			is_unwanted(x->addr) ? "robots do not mail it" : "no address");
		return;
	}
	if (c->n_cc >= COMPOSE_CC_MAX) {
		note(c, x->addr, "over the limit of addresses in Cc");
		return;
	}
	*ARENA_PUSH(c->a, c->cc, c->n_cc, c->cap_cc) = (struct compose_addr){
		x->name ? header_clean(c->a, x->name) : NULL, x->addr};
	add_rcpt(c, x->addr);
}

/* To: the author. Cc: our archive, then, on the list only, the list and who was asked. */
static void choose_recipients(struct compose *c)
{
	const struct compose_in *in = c->in;

	add_rcpt(c, in->author.addr);
	if (in->archive)
		add_cc(c, &(struct compose_addr){NULL, in->archive});
	if (in->policy != COMPOSE_LIST)
		return;
	if (in->list_addr)
		add_cc(c, &(struct compose_addr){NULL, in->list_addr});
	for (size_t i = 0; i < in->n_to; i++)
		add_cc(c, &in->to[i]);
	for (size_t i = 0; i < in->n_cc; i++)
		add_cc(c, &in->cc[i]);
}

/* ---- fields ---- */

/* "Re: " once, whatever stood there. */
static const char *reply_subject(struct arena *a, const char *subject)
{
	const char *s = subject ? header_clean(a, subject) : "";

	while (*s == ' ')
		s++;
	if (strncasecmp(s, "re:", 3) == 0)
		for (s += 3; *s == ' ';)
			s++;
	return arena_printf(a, "Re: %s", *s ? s : "(no subject)");
}

static const char *date_text(struct arena *a, int64_t epoch_s)
{
	static const char *const days[] = {
		"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
		"Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t t = (time_t)epoch_s;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || tm.tm_year < 70 || tm.tm_year > 8099)
		return NULL;
	return arena_printf(a, "%s, %02d %s %04d %02d:%02d:%02d +0000", days[tm.tm_wday],
		tm.tm_mday, months[tm.tm_mon], tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
		tm.tm_sec);
}

/* Parent's References and its id; of very long chains the first id and the newest. */
static void add_references(struct compose *c, struct sbuf *b)
{
	const char **ids = NULL, *p = c->in->references ? c->in->references : "";
	const char *self = c->in->message_id;
	size_t n = 0, cap = 0, from;

	while ((p = strchr(p, '<'))) {
		size_t len = strcspn(p + 1, "> <");
		const char *id = arena_strndup(c->a, p + 1, len);

		if (p[1 + len] == '>' && header_is_msgid(id) && strcmp(id, self) != 0)
			*ARENA_PUSH(c->a, ids, n, cap) = id;
		p += 1 + len;
	}
	sbuf_adds(b, "References:");
	from = n > REFERENCES_MAX ? n - REFERENCES_MAX : 0;
	if (from)
		sbuf_addf(b, " <%s>\n", ids[0]);
	for (size_t i = from; i < n; i++)
		sbuf_addf(b, " <%s>\n", ids[i]);
	sbuf_addf(b, " <%s>\n", self);
}

static void add_addr_field(struct compose *c, struct sbuf *b, const char *field,
	const struct compose_addr *x, size_t n)
{
	struct header_line line;

	header_begin(&line, b, field);
	for (size_t i = 0; i < n; i++)
		header_addr(c->a, &line, x[i].name, x[i].addr, i + 1 < n);
	header_end(&line);
}

static void add_text_field(struct sbuf *b, const char *field, const char *text)
{
	struct header_line line;

	header_begin(&line, b, field);
	header_text(&line, text);
	header_end(&line);
}

static void add_fields(struct compose *c, struct sbuf *b, const char *date, bool ascii)
{
	const struct compose_in *in = c->in;
	struct compose_addr author = in->author;

	if (author.name)
		author.name = header_clean(c->a, author.name);
	add_addr_field(c, b, "From", &in->from, 1);
	add_addr_field(c, b, "To", &author, 1);
	if (c->n_cc)
		add_addr_field(c, b, "Cc", c->cc, c->n_cc);
	if (in->reply_to)
		sbuf_addf(b, "Reply-To: %s\n", in->reply_to);
	add_text_field(b, "Subject", c->mail->subject);
	sbuf_addf(b, "Date: %s\n", date);
	sbuf_addf(b, "Message-ID: <%s>\n", c->mail->message_id);
	sbuf_addf(b, "In-Reply-To: <%s>\n", in->message_id);
	add_references(c, b);
	sbuf_adds(b, "Auto-Submitted: auto-replied\n");
	sbuf_adds(b, "X-Patchwork-Hint: ignore\n");
	sbuf_addf(
		b, "X-Wakelist-Series: <%s>; v=%d\n", in->root_msgid, in->series_version);
	if (in->verdict)
		add_text_field(b, "X-Wakelist-Verdict", in->verdict);
	if (in->run_url)
		add_text_field(b, "X-Wakelist-Run", in->run_url);
	sbuf_adds(b, "MIME-Version: 1.0\n");
	sbuf_addf(b, "Content-Type: text/plain; charset=%s\n",
		ascii ? "us-ascii" : "utf-8");
	sbuf_addf(b, "Content-Transfer-Encoding: %s\n",
		ascii ? "7bit" : "quoted-printable");
}

/* ---- body ---- */

/* Whether the body can go as it is: ASCII text, lines of a sane length. */
static bool body_is_plain(const char *body)
{
	size_t column = 0;

	for (const unsigned char *p = (const unsigned char *)body; *p; p++) {
		column = *p == '\n' ? 0 : column + 1;
		if (*p > 0x7e || (*p < 0x20 && *p != '\n' && *p != '\t') ||
			column > BODY_LINE_MAX)
			return false;
	}
	return true;
}

static void add_plain(struct sbuf *b, const char *body)
{
	bool at_start = true;

	for (const char *p = body; *p; p++) {
		/* mbox files quote such a line, and patches would not survive it */
		if (at_start && strncmp(p, "From ", 5) == 0)
			sbuf_addc(b, ' ');
		at_start = *p == '\n';
		sbuf_addc(b, *p);
	}
	if (!at_start)
		sbuf_addc(b, '\n');
}

static void add_quoted_printable(struct sbuf *b, const char *body)
{
	const unsigned char *p = (const unsigned char *)body;
	size_t column = 0;

	for (; *p; p++) {
		bool last = !p[1] || p[1] == '\n';
		bool from = column == 0 && strncmp((const char *)p, "From ", 5) == 0;

		if (*p == '\n') {
			sbuf_addc(b, '\n');
			column = 0;
			continue;
		}
		if (column >= 72) {
			sbuf_adds(b, "=\n");
			column = 0;
		}
		if (*p == '=' || *p > 0x7e || *p < 0x20 || from ||
			(*p == ' ' && (last || column == 0)) ||
			(*p == '.' && column == 0)) {
			sbuf_addf(b, "=%02X", *p);
			column += 3;
		} else {
			sbuf_addc(b, (char)*p);
			column++;
		}
	}
	if (column)
		sbuf_addc(b, '\n');
}

int compose_reply(struct arena *a, const struct compose_in *in, struct compose_mail *ret,
	struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf b = SBUF_INIT;
	struct compose_mail mail = {0};
	struct compose c = {.a = a, .in = in, .mail = &mail, .e = e};
	const char *date;
	bool plain;
	int status = check_input(&c);

	if (status != 0)
		return err_wrap(e, "reply");
	choose_recipients(&c);
	date = date_text(a, in->date_epoch_s);
	if (!date)
		return err_set(e, ERR_INVALID, "reply: the date is out of range");
	mail.message_id = compose_message_id(
		a, in->kind, in->root_msgid, in->series_version, in->attempt, in->domain);
	mail.subject = reply_subject(a, in->subject);
	mail.mail_from = in->from.addr;
	plain = body_is_plain(in->body);
	add_fields(&c, &b, date, plain);
	sbuf_addc(&b, '\n');
	if (plain)
		add_plain(&b, in->body);
	else
		add_quoted_printable(&b, in->body);
	if (b.len > COMPOSE_SIZE_MAX)
		return err_set(e, ERR_TOO_BIG, "reply: %zu bytes; limit %d", b.len,
			COMPOSE_SIZE_MAX);
	mail.bytes = arena_strndup(a, b.buf, b.len);
	mail.len = b.len;
	*ret = mail;
	return 0;
}
