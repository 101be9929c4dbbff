/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/body.h"
#include "mail/charset.h"

#include <ctype.h>
#include <strings.h>

#define MAX_FLOWED ((size_t)64 << 10) /* bytes of soft-broken lines looked at again */

enum transfer { TRANSFER_PLAIN, TRANSFER_QP, TRANSFER_BASE64 };
enum inbody { INBODY_FROM, INBODY_SUBJECT, INBODY_DATE, INBODY_N };

static const char *const inbody_names[INBODY_N] = {"From", "Subject", "Date"};

struct walk {
	struct arena *arena;
	struct header_reader *r;
	struct header_notes *notes;
	/* Boundaries with their "--" in front; depth 0: not a multipart. */
	const char *boundaries[MAIL_MAX_NESTING];
	size_t depth;
	size_t n_leaves;
	/* The current part. */
	enum transfer transfer;
	struct charset charset;
	bool flowed, delsp;
	bool single; /* the mail is one part that is not flowed, whatever comes */
	/* base64 bits carried inside one line only, as git does. */
	struct sbuf prev;     /* an unfinished decoded or flowed line */
	struct sbuf decoded;  /* scratch: one line after transfer decoding */
	struct sbuf line;     /* scratch: one line of text */
	struct sbuf raw_line; /* of an encoded flowed part, on its way to raw_patch */
	/* Output. */
	struct sbuf msg, patch, raw_patch;
	bool in_patch;
	bool flowed_patch;
	bool stop;
	/* In-body headers. */
	bool header_stage;
	int pending; /* enum inbody of the header being collected, -1 none */
	struct sbuf collected;
	const char *inbody[INBODY_N];
	const char *parts[INBODY_N];
	struct body *out;
};

void body_type_read(struct arena *a, const struct header_field *f, struct body_type *t)
{
	if (header_is(f, "Content-Transfer-Encoding")) {
		t->transfer = f->value;
		return;
	}
	if (!header_is(f, "Content-Type"))
		return;
	const char *v = f->value;
	const char *boundary = header_attr(a, v, "boundary=");
	if (boundary)
		t->boundary = boundary;
	const char *charset = header_attr(a, v, "charset=");
	/* git forgets a charset when a later Content-Type names none. */
	t->charset = charset ? charset : "";
	const char *format = header_attr(a, v, "format=");
	t->flowed = format && !strcasecmp(format, "flowed");
	const char *delsp = header_attr(a, v, "delsp=");
	t->delsp = delsp && !strcasecmp(delsp, "yes");
}

static void part_begin(struct walk *w, const struct body_type *t)
{
	w->transfer = TRANSFER_PLAIN;
	if (strcasestr(t->transfer, "base64"))
		w->transfer = TRANSFER_BASE64;
	else if (strcasestr(t->transfer, "quoted-printable"))
		w->transfer = TRANSFER_QP;
	charset_release(&w->charset);
	charset_init(&w->charset, t->charset);
	w->flowed = t->flowed;
	w->delsp = t->delsp;
}

static bool push_boundary(struct walk *w, const char *boundary)
{
	if (w->depth >= MAIL_MAX_NESTING - 1) {
		header_note(w->notes, "part_limit", "parts nested deeper than 5");
		return false;
	}
	w->boundaries[w->depth++] = arena_printf(w->arena, "--%s", boundary);
	return true;
}

static bool is_boundary(const struct walk *w, const char *p, size_t len)
{
	if (!w->depth)
		return false;
	const char *b = w->boundaries[w->depth - 1];
	size_t n = strlen(b);
	return len >= n && !memcmp(p, b, n);
}

/* Next line with its newline, false at the end. */
static bool next_line(struct walk *w, struct mail_bytes *ret)
{
	struct header_reader *r = w->r;
	if (r->p >= r->end)
		return false;
	const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));
	ret->p = r->p;
	ret->len = (size_t)((nl ? nl + 1 : r->end) - r->p);
	r->p += ret->len;
	return true;
}

/* "---" alone, "--- name", "diff -", "Index: ": the message ends here. */
static bool is_patch_start(const char *p, size_t len)
{
	if (len >= 6 && !memcmp(p, "diff -", 6))
		return true;
	if (len >= 7 && !memcmp(p, "Index: ", 7))
		return true;
	if (len < 4 || memcmp(p, "---", 3))
		return false;
	if (p[3] == ' ' && len > 4 && !header_isspace(p[4]))
		return true;
	for (size_t i = 3; i < len && header_isspace(p[i]); i++) {
		if (p[i] == '\n')
			return true;
	}
	return false;
}

static void flush_inbody(struct walk *w)
{
	if (w->pending < 0)
		return;
	const char *v = header_skip_name(w->collected.buf, inbody_names[w->pending]);
	if (v)
		w->inbody[w->pending] = arena_strdup(w->arena, v);
	w->pending = -1;
	sbuf_reset(&w->collected);
}

/* ">From <40 hex> Mon Sep 17 00:00:00 2001", left by format-patch. */
static bool is_escaped_separator(const char *p, size_t len)
{
	static const char tail[] = " Mon Sep 17 00:00:00 2001\n";
	if (len != 6 + 40 + sizeof(tail) - 1 || memcmp(p, ">From ", 6))
		return false;
	for (size_t i = 6; i < 46; i++) {
		if (!strchr("0123456789abcdef", p[i]))
			return false;
	}
	return !memcmp(p + 46, tail, sizeof(tail) - 1);
}

/* True when the line (NUL terminated) belongs to the headers at the start of the text. */
static bool take_inbody(struct walk *w, const char *p, size_t len)
{
	if (w->pending >= 0 && (*p == ' ' || *p == '\t')) {
		if (w->collected.len && w->collected.buf[w->collected.len - 1] == '\n')
			sbuf_setlen(&w->collected, w->collected.len - 1);
		if (w->collected.len + len <= MAIL_MAX_FIELD)
			sbuf_add(&w->collected, p, len);
		return true;
	}
	flush_inbody(w);
	if (len > 5 && !memcmp(p, ">From", 5) && header_isspace(p[5]))
		return is_escaped_separator(p, len);
	if (len > 7 && !memcmp(p, "[PATCH]", 7) && header_isspace(p[7])) {
		w->inbody[INBODY_SUBJECT] = arena_strndup(w->arena, p, len);
		return true;
	}
	for (int i = 0; i < INBODY_N; i++) {
		if (w->inbody[i] || !header_skip_name(p, inbody_names[i]))
			continue;
		w->pending = i;
		sbuf_add(&w->collected, p, len);
		return true;
	}
	return false;
}

/* Appends the line to msg in UTF-8. */
static void convert_line(struct walk *w, const char *p, size_t len, struct sbuf *out)
{
	bool ascii = charset_is_ascii(p, len);
	if (w->charset.narrow && !ascii && charset_is_utf8(p, len))
		header_note(w->notes, "charset_doubtful", w->charset.name);
	if (charset_add(&w->charset, p, len, out))
		return;
	header_note(w->notes, "charset_repaired", w->charset.name);
	if (charset_is_utf8(p, len))
		sbuf_add(out, p, len);
	else
		charset_add_repaired(p, len, out);
}

static void take_patch(struct walk *w, const char *p, size_t len)
{
	sbuf_add(&w->patch, p, len);
	if (w->flowed)
		w->flowed_patch = true;
}

/* One decoded line; NUL terminated behind len while headers may stand there. */
static void take_line(struct walk *w, const char *p, size_t len)
{
	if (w->msg.len + w->patch.len + len > MAIL_MAX_TEXT) {
		w->out->too_big = true;
		w->stop = true;
		return;
	}
	if (w->in_patch) {
		take_patch(w, p, len);
		return;
	}
	if (w->header_stage) {
		if (len == 0 || (len == 1 && *p == '\n')) {
			if (w->pending >= 0) {
				flush_inbody(w);
				w->header_stage = false;
			}
			return;
		}
		w->header_stage = take_inbody(w, p, len);
		if (w->header_stage)
			return;
	}
	size_t start = w->msg.len;
	convert_line(w, p, len, &w->msg);
	if (!is_patch_start(w->msg.buf + start, w->msg.len - start))
		return;
	w->in_patch = true;
	take_patch(w, w->msg.buf + start, w->msg.len - start);
	sbuf_setlen(&w->msg, start);
}

/* The same text without joining flowed lines; kept beside the patch only. */
static void take_raw(struct walk *w, const char *p, size_t len)
{
	if (w->single || (!w->in_patch && !w->raw_patch.len && !is_patch_start(p, len)))
		return;
	if (w->raw_patch.len + len <= MAIL_MAX_TEXT)
		sbuf_add(&w->raw_patch, p, len);
}

static void flush_prev(struct walk *w)
{
	if (!w->prev.len)
		return;
	/* take_line may not touch prev, so hand it a buffer of its own. */
	struct sbuf held = w->prev;
	sbuf_init(&w->prev);
	take_line(w, held.buf, held.len);
	sbuf_release(&held);
}

/* Undoes format=flowed: soft breaks joined, stuffing off. text is scratch. */
static void take_flowed(struct walk *w, struct sbuf *text)
{
	size_t len = text->len;
	if (len && text->buf[len - 1] == '\n') {
		len--;
		if (len && text->buf[len - 1] == '\r')
			len--;
	}
	if (len == 3 && !memcmp(text->buf, "-- ", 3)) {
		flush_prev(w);
		if (w->transfer == TRANSFER_PLAIN)
			take_raw(w, text->buf, text->len);
		take_line(w, text->buf, text->len);
		return;
	}
	char *p = text->buf;
	size_t n = text->len;
	if (len && *p == ' ') {
		p++;
		n--;
		len--;
	}
	if (w->transfer == TRANSFER_PLAIN)
		take_raw(w, p, n);
	if (len && p[len - 1] == ' ') {
		if (w->prev.len + len <= MAIL_MAX_TEXT)
			sbuf_add(&w->prev, p, len - (w->delsp ? 1 : 0));
		header_note(w->notes, "flowed", "soft line breaks were joined");
		return;
	}
	if (!w->prev.len) {
		take_line(w, p, n);
		return;
	}
	sbuf_add(&w->prev, p, n);
	flush_prev(w);
}

static void take_text(struct walk *w, const char *p, size_t len)
{
	if (w->flowed) {
		sbuf_reset(&w->line);
		sbuf_add(&w->line, p, len);
		take_flowed(w, &w->line);
		return;
	}
	if (len >= 2 && p[len - 2] == '\r' && p[len - 1] == '\n')
		header_note(w->notes, "quoted_cr", "lines end in CR LF after decoding");
	take_raw(w, p, len);
	take_line(w, p, len);
}

static int base64_value(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void decode_base64(const char *p, size_t len, struct sbuf *out)
{
	unsigned int acc = 0;
	int bits = 0;
	for (size_t i = 0; i < len; i++) {
		int v = base64_value((unsigned char)p[i]);
		if (v < 0)
			continue;
		acc = acc << 6 | (unsigned int)v;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			sbuf_addc(out, (char)(acc >> bits & 0xff));
		}
		acc &= 0xffff;
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void decode_qp(const char *p, size_t len, struct sbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] != '=') {
			sbuf_addc(out, p[i]);
			continue;
		}
		if (i + 1 >= len || p[i + 1] == '\n')
			return; /* a soft break */
		int hi = hex_value(p[i + 1]);
		int lo = hi >= 0 && i + 2 < len ? hex_value(p[i + 2]) : -1;
		if (lo < 0) {
			sbuf_addc(out, '=');
			continue;
		}
		sbuf_addc(out, (char)(hi << 4 | lo));
		i += 2;
	}
}

/* Keeps a transfer-decoded flowed part as lines that are only unstuffed. */
static void take_raw_bytes(struct walk *w, const char *p, size_t len)
{
	while (len) {
		const char *nl = memchr(p, '\n', len);
		size_t n = nl ? (size_t)(nl + 1 - p) : len;
		if (w->raw_line.len + n <= MAIL_MAX_LINE)
			sbuf_add(&w->raw_line, p, n);
		p += n;
		len -= n;
		if (!nl)
			return;
		size_t skip = *w->raw_line.buf == ' ' && w->raw_line.len > 1;
		take_raw(w, w->raw_line.buf + skip, w->raw_line.len - skip);
		sbuf_reset(&w->raw_line);
	}
}

/* The end of a part: what it held back is a line. */
static void flush_part(struct walk *w)
{
	take_raw(w, w->raw_line.buf, w->raw_line.len);
	sbuf_reset(&w->raw_line);
	flush_prev(w);
}

/* All lines of a decoded text; what stands behind the last newline is held in prev. */
static void take_lines(struct walk *w, char *p, size_t len)
{
	while (len && !w->stop) {
		char *nl = memchr(p, '\n', len);
		if (!nl) {
			sbuf_add(&w->prev, p, len);
			return;
		}
		/* Lines are looked at as strings: end this one for the moment. */
		size_t n = (size_t)(nl + 1 - p);
		char saved = p[n];
		p[n] = 0;
		take_text(w, p, n);
		p[n] = saved;
		p += n;
		len -= n;
	}
}

/*
 * A line of a base64 or quoted-printable part: none, one or many lines of text. What is
 * held of the text before, be it half a line or a soft break, goes in front of the
 * decoded bytes and is looked at again, as git does it.
 */
static void take_encoded(struct walk *w, const char *p, size_t len)
{
	if (w->flowed && w->prev.len > MAX_FLOWED)
		flush_prev(w);
	size_t held = w->prev.len;
	if (w->transfer == TRANSFER_BASE64)
		decode_base64(p, len, &w->prev);
	else
		decode_qp(p, len, &w->prev);
	size_t n = w->prev.len - held;
	if (w->prev.len > MAIL_MAX_TEXT) {
		w->stop = w->out->too_big = true;
		return;
	}
	if (w->flowed)
		take_raw_bytes(w, w->prev.buf + held, n);
	if (!memchr(w->prev.buf + held, '\n', n))
		return;
	struct sbuf text = w->prev;
	w->prev = w->decoded;
	w->decoded = text;
	sbuf_reset(&w->prev);
	take_lines(w, w->decoded.buf, w->decoded.len);
}

static bool find_boundary(struct walk *w, struct mail_bytes *line)
{
	while (next_line(w, line)) {
		if (is_boundary(w, line->p, line->len))
			return true;
	}
	return false;
}

static void read_part_headers(struct walk *w, struct mail_bytes *ret_end)
{
	struct body_type t = {NULL, "", "", false, false};
	struct header_field f;
	size_t n = 0;
	while (header_read_field(w->arena, w->r, &f, ret_end, w->notes)) {
		if (++n > MAIL_MAX_FIELDS)
			continue;
		for (int i = 0; i < INBODY_N; i++) {
			if (!w->parts[i] && header_is(&f, inbody_names[i]))
				w->parts[i] = f.value;
		}
		body_type_read(w->arena, &f, &t);
	}
	part_begin(w, &t);
	if (t.boundary && !push_boundary(w, t.boundary))
		w->stop = true;
}

/*
 * line is a boundary line: closes parts and opens the next. Leaves the first line of the
 * part's text in line; false when the mail is over.
 */
static bool pass_boundary(struct walk *w, struct mail_bytes *line)
{
	for (;;) {
		size_t n = strlen(w->boundaries[w->depth - 1]);
		if (line->len >= n + 2 && !memcmp(line->p + n, "--", 2)) {
			w->depth--;
			/* git adds one newline for each closing boundary, and ends at the
			 * outermost. */
			take_line(w, "\n", 1);
			if (!w->depth || w->stop || !find_boundary(w, line))
				return false;
			continue;
		}
		if (++w->n_leaves > MAIL_MAX_LEAVES) {
			header_note(w->notes, "part_limit", "more than 100 parts");
			return false;
		}
		size_t depth = w->depth;
		struct mail_bytes end;
		read_part_headers(w, &end);
		if (w->stop || !next_line(w, line))
			return false;
		/* An inner boundary right here is not seen by git; we do see it. */
		if (w->depth == depth || !is_boundary(w, line->p, line->len))
			return true;
		header_note(w->notes, "nested_multipart", "parts in a part were read");
	}
}

/* A mail without parts and encoding: behind the first line of the patch all is patch.
 * line is the second, inside the reader's bytes. false: too long, go line by line. */
static bool take_rest(struct walk *w, const struct mail_bytes *line)
{
	const char *p = line->p;
	size_t len = (size_t)(w->r->end - p);
	if (w->msg.len + w->patch.len + len > MAIL_MAX_TEXT)
		return false;
	sbuf_grow(&w->patch, len);
	take_patch(w, p, len);
	if (memchr(p, '\r', len) && memmem(p, len, "\r\n", 2))
		header_note(w->notes, "quoted_cr", "lines end in CR LF");
	w->r->p = w->r->end;
	return true;
}

static void walk_lines(struct walk *w, struct mail_bytes line)
{
	for (bool more = true; more && !w->stop; more = next_line(w, &line)) {
		if (is_boundary(w, line.p, line.len)) {
			flush_part(w);
			if (!pass_boundary(w, &line))
				return;
			/* The first line of a part always gets its newline. */
			if (line.len == 0 || line.p[line.len - 1] != '\n') {
				char *copy = arena_alloc(w->arena, line.len + 2);
				memcpy(copy, line.p, line.len);
				copy[line.len] = '\n';
				copy[line.len + 1] = 0;
				line = (struct mail_bytes){copy, line.len + 1};
			}
		}
		if (w->transfer != TRANSFER_PLAIN) {
			take_encoded(w, line.p, line.len);
			continue;
		}
		if (w->single && w->in_patch && take_rest(w, &line))
			break;
		if (!w->header_stage && !w->flowed) {
			take_text(w, line.p, line.len);
			continue;
		}
		/* Header lines are looked at as strings. */
		sbuf_reset(&w->decoded);
		sbuf_add(&w->decoded, line.p, line.len);
		take_text(w, w->decoded.buf, w->decoded.len);
	}
	flush_part(w);
}

static struct mail_bytes keep(struct arena *a, const struct sbuf *s)
{
	return (struct mail_bytes){arena_strndup(a, s->buf, s->len), s->len};
}

void body_read(struct arena *a, const struct body_type *top, struct mail_bytes first,
	struct header_reader *r, struct header_notes *notes, struct body *ret)
{
	memset(ret, 0, sizeof(*ret));
	struct walk w = {.arena = a, .r = r, .notes = notes, .out = ret};
	struct sbuf *const bufs[] = {&w.prev, &w.decoded, &w.line, &w.raw_line, &w.msg,
		&w.patch, &w.raw_patch, &w.collected};
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		sbuf_init(bufs[i]);
	w.header_stage = true;
	w.pending = -1;
	w.single = !top->boundary && !top->flowed;
	part_begin(&w, top);
	bool go = first.p != NULL;
	if (top->boundary) {
		struct mail_bytes all = {r->p, (size_t)(r->end - r->p)};
		push_boundary(&w, top->boundary);
		go = find_boundary(&w, &first);
		if (!go && all.len) {
			ret->partless = all;
			header_note(notes, "parts_lost",
				"the boundary of its parts stands on no line");
		}
	}
	if (go)
		walk_lines(&w, first);
	flush_inbody(&w);
	ret->msg = keep(a, &w.msg);
	ret->patch = keep(a, &w.patch);
	if (w.flowed_patch)
		ret->raw_patch = keep(a, &w.raw_patch);
	ret->from = w.inbody[INBODY_FROM];
	ret->subject = w.inbody[INBODY_SUBJECT];
	ret->date = w.inbody[INBODY_DATE];
	ret->part_from = w.parts[INBODY_FROM];
	ret->part_subject = w.parts[INBODY_SUBJECT];
	ret->part_date = w.parts[INBODY_DATE];
	charset_release(&w.charset);
	for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
		sbuf_release(bufs[i]);
}
