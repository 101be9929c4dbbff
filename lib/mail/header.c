/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/charset.h"
#include "mail/header.h"

#include <ctype.h>
#include <strings.h>

void header_note(struct header_notes *notes, const char *code, const char *detail)
{
	for (size_t i = 0; i < notes->n; i++) {
		if (!strcmp(notes->v[i].code, code))
			return;
	}
	struct mail_note *n = ARENA_PUSH(notes->arena, notes->v, notes->n, notes->cap);
	n->code = code;
	n->detail = detail ? arena_strdup(notes->arena, detail) : "";
}

/* Next line without its newline; false at the end. */
static bool next_line(struct header_reader *r, struct mail_bytes *ret)
{
	if (r->p >= r->end)
		return false;
	const char *nl = memchr(r->p, '\n', (size_t)(r->end - r->p));
	ret->p = r->p;
	ret->len = (size_t)((nl ? nl : r->end) - r->p);
	r->p = nl ? nl + 1 : r->end;
	return true;
}

static void rtrim(struct mail_bytes *b)
{
	while (b->len && header_isspace(b->p[b->len - 1]))
		b->len--;
}

/* Length of the field name including the colon; 0 when the line is no field. */
static size_t field_name(const struct mail_bytes *line)
{
	for (size_t i = 0; i < line->len; i++) {
		unsigned char c = (unsigned char)line->p[i];
		if (c == ':')
			return i + 1;
		if (c < 33 || c > 126)
			break;
	}
	return 0;
}

static bool is_from_line(const struct mail_bytes *line)
{
	return (line->len >= 5 && !memcmp(line->p, "From ", 5)) ||
	       (line->len >= 6 && !memcmp(line->p, ">From ", 6));
}

bool header_read_field(struct arena *a, struct header_reader *r, struct header_field *ret,
	struct mail_bytes *ret_line, struct header_notes *notes)
{
	struct mail_bytes line;
	if (!next_line(r, &line)) {
		*ret_line = (struct mail_bytes){NULL, 0};
		return false;
	}
	rtrim(&line);
	size_t name = field_name(&line);
	if (!name && !is_from_line(&line)) {
		char *copy = arena_alloc(a, line.len + 2);
		memcpy(copy, line.p, line.len);
		copy[line.len] = '\n';
		copy[line.len + 1] = 0;
		*ret_line = (struct mail_bytes){copy, line.len + 1};
		return false;
	}
	/* First pass: how much room the unfolded value needs. */
	size_t need = line.len;
	struct header_reader ahead = *r;
	while (ahead.p < ahead.end && (*ahead.p == ' ' || *ahead.p == '\t')) {
		struct mail_bytes more;
		next_line(&ahead, &more);
		need += more.len;
	}
	size_t cap = need < MAIL_MAX_FIELD ? need : MAIL_MAX_FIELD;
	if (cap < need)
		header_note(notes, "header_limit", "a field over 64 KiB was cut");
	char *text = arena_alloc(a, cap + 1);
	size_t len = line.len < cap ? line.len : cap;
	memcpy(text, line.p, len);
	while (r->p < r->end && (*r->p == ' ' || *r->p == '\t')) {
		struct mail_bytes more;
		next_line(r, &more);
		/* The first byte becomes a blank, whatever white space it was. */
		size_t keep = more.len;
		while (keep > 1 && header_isspace(more.p[keep - 1]))
			keep--;
		if (keep == 1)
			continue;
		if (len < cap)
			text[len++] = ' ';
		for (size_t i = 1; i < keep && len < cap; i++)
			text[len++] = more.p[i];
	}
	text[len] = 0;
	if (name > len)
		name = len;
	if (memchr(text, 0, len))
		header_note(notes, "nul_in_header", "the rest of the line is lost");
	ret->name = text;
	ret->name_len = name ? name - 1 : 0;
	ret->value = text + name;
	while (header_isspace(*ret->value))
		ret->value++;
	return true;
}

bool header_is(const struct header_field *f, const char *name)
{
	return f->name_len == strlen(name) && !strncasecmp(f->name, name, f->name_len);
}

const char *header_skip_name(const char *line, const char *name)
{
	size_t len = strlen(name);
	if (strncasecmp(line, name, len) || line[len] != ':')
		return NULL;
	line += len + 1;
	while (header_isspace(*line))
		line++;
	return line;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void decode_q(const char *p, size_t len, struct sbuf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (p[i] == '=' && i + 1 == len)
			return;
		int hi = p[i] == '=' && i + 2 < len ? hex_digit(p[i + 1]) : -1;
		int lo = hi >= 0 ? hex_digit(p[i + 2]) : -1;
		if (lo >= 0) {
			sbuf_addc(out, (char)(hi << 4 | lo));
			i += 2;
		} else {
			sbuf_addc(out, p[i] == '_' ? ' ' : p[i]);
		}
	}
}

static void decode_b(const char *p, size_t len, struct sbuf *out)
{
	unsigned int acc = 0;
	int bits = 0;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];
		unsigned int v;
		if (c >= 'A' && c <= 'Z')
			v = c - 'A';
		else if (c >= 'a' && c <= 'z')
			v = c - 'a' + 26u;
		else if (c >= '0' && c <= '9')
			v = c - '0' + 52u;
		else if (c == '+')
			v = 62;
		else if (c == '/')
			v = 63;
		else
			continue;
		acc = acc << 6 | v;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			sbuf_addc(out, (char)(acc >> bits & 0xff));
		}
	}
}

/* Decodes the word that starts at "=?". Returns the byte behind it, NULL when it is
 * broken or its charset unknown. */
static const char *decode_word(const char *p, struct sbuf *out)
{
	const char *cs = p + 2;
	const char *q = strchr(cs, '?');
	if (!q || !q[1] || q[2] != '?')
		return NULL;
	const char *text = q + 3;
	const char *end = strstr(text, "?=");
	char kind = (char)tolower((unsigned char)q[1]);
	if (!end || (kind != 'q' && kind != 'b'))
		return NULL;
	CLEANUP(sbuf_release) struct sbuf raw = SBUF_INIT;
	if (kind == 'q')
		decode_q(text, (size_t)(end - text), &raw);
	else
		decode_b(text, (size_t)(end - text), &raw);
	char name[64];
	size_t len = strcspn(cs, "?*"); /* RFC 2231 allows "charset*language" */
	if (len >= sizeof(name))
		return NULL;
	memcpy(name, cs, len);
	name[len] = 0;
	struct charset c;
	charset_init(&c, name);
	bool ok = charset_add(&c, raw.buf, raw.len, out);
	charset_release(&c);
	return ok ? end + 2 : NULL;
}

const char *header_decode(struct arena *a, const char *value, struct header_notes *notes)
{
	bool ascii = charset_is_ascii(value, strlen(value));
	if (ascii && !strstr(value, "=?"))
		return value;
	CLEANUP(sbuf_release) struct sbuf out = SBUF_INIT;
	const char *in = value;
	for (const char *word; (word = strstr(in, "=?"));) {
		size_t blank = 0;
		while (header_isspace(in[blank]))
			blank++;
		/* White space between two words vanishes. */
		if (in + blank != word || in == value)
			sbuf_add(&out, in, (size_t)(word - in));
		in = decode_word(word, &out);
		if (!in) {
			header_note(notes, "encoded_word_bad", "kept as it came");
			sbuf_reset(&out);
			in = value;
			break;
		}
	}
	sbuf_adds(&out, in);
	size_t len = strlen(out.buf); /* a NUL from a word ends the value too */
	if (charset_is_utf8(out.buf, len))
		return arena_strndup(a, out.buf, len);
	header_note(notes, "header_8bit", "read as windows-1252");
	CLEANUP(sbuf_release) struct sbuf fixed = SBUF_INIT;
	charset_add_repaired(out.buf, len, &fixed);
	return arena_strndup(a, fixed.buf, fixed.len);
}

const char *header_squeeze_inner(struct arena *a, const char *text)
{
	char *out = arena_alloc(a, strlen(text) + 1);
	size_t n = 0;
	for (; *text; text++) {
		if (!header_isspace(*text))
			out[n++] = *text;
		else if (!header_isspace(text[1]))
			out[n++] = ' ';
	}
	out[n] = 0;
	return out;
}

const char *header_squeeze(struct arena *a, const char *text)
{
	const char *inner = header_squeeze_inner(a, text);
	if (*inner == ' ')
		inner++;
	size_t len = strlen(inner);
	if (len && inner[len - 1] == ' ')
		return arena_strndup(a, inner, len - 1);
	return inner;
}

const char *header_attr(struct arena *a, const char *value, const char *name_eq)
{
	const char *p = strcasestr(value, name_eq);
	if (!p)
		return NULL;
	p += strlen(name_eq);
	const char *ends = "; \t";
	if (*p == '"') {
		p++;
		ends = "\"";
	}
	return arena_strndup(a, p, strcspn(p, ends));
}

const char *header_title(struct arena *a, const char *subject, bool keep_brackets)
{
	CLEANUP(sbuf_release) struct sbuf kept = SBUF_INIT;
	for (bool again = true; again;) {
		again = false;
		if (!strncasecmp(subject, "re:", 3) && subject[3]) {
			subject += 3;
			again = true;
		} else if (*subject == ' ' || *subject == '\t' || *subject == ':') {
			subject++;
			again = true;
		} else if (*subject == '[' && strchr(subject, ']')) {
			const char *end = strchr(subject, ']') + 1;
			size_t len = (size_t)(end - subject);
			if (keep_brackets && !memmem(subject, len, "PATCH", 5)) {
				sbuf_add(&kept, subject, len);
				if (header_isspace(*end)) {
					sbuf_addc(&kept, ' ');
					end++;
				}
			}
			subject = end;
			again = true;
		}
	}
	if (!kept.len)
		return header_squeeze(a, subject);
	sbuf_adds(&kept, subject);
	return header_squeeze(a, kept.buf);
}
