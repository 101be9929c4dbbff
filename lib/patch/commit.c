// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/jx.h"
#include "base/sbuf.h"
#include "patch/commit.h"

#include <inttypes.h>

/* What git strips from both ends of names and addresses */
static bool is_crud(unsigned char c)
{
	return c <= 32 || (c && strchr(".,:;<>\"\\'", c));
}

bool apply_text_ok(const char *text)
{
	bool is_empty = true;

	for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
		if (*p < 32 || *p == 127 || *p == '<' || *p == '>')
			return false;
		is_empty = is_empty && is_crud(*p);
	}
	return !is_empty && jx_is_utf8(text, strlen(text));
}

static const char *ident_clean(const char *text, struct arena *a)
{
	size_t len = strlen(text), n = 0;
	char *out;

	while (len && is_crud((unsigned char)text[len - 1]))
		len--;
	while (len && is_crud((unsigned char)*text)) {
		text++;
		len--;
	}
	out = arena_alloc(a, len + 1);
	for (size_t i = 0; i < len; i++) {
		if (text[i] != '\n' && text[i] != '<' && text[i] != '>')
			out[n++] = text[i];
	}
	out[n] = 0;
	return out;
}

static void add_ident(struct sbuf *s, const char *key, const char *name,
	const char *email, int64_t time_s, int offset_min)
{
	int abs = offset_min < 0 ? -offset_min : offset_min;

	sbuf_addf(s, "%s %s <%s> %" PRId64 " %c%02d%02d\n", key, name, email, time_s,
		offset_min < 0 ? '-' : '+', abs / 60, abs % 60);
}

/* Bytes of the valid character at p, else 0; as git's verify_utf8() judges them. */
static size_t utf8_len(const unsigned char *p, size_t left)
{
	size_t n = *p < 0x80       ? 1
		   : *p >> 5 == 6  ? 2
		   : *p >> 4 == 14 ? 3
		   : *p >> 3 == 30 ? 4
				   : 0;
	uint32_t c = n > 1 ? *p & (0x7fu >> n) : *p;
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (p[i] >> 6 != 2)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c & 0x1ff800) == 0xd800 ||
		(c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c <= 0xfdef))
		return 0;
	return n;
}

static bool add_utf8(struct sbuf *s, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text);
	bool repaired = false;

	while (left) {
		size_t n = utf8_len(p, left);

		if (n) {
			sbuf_add(s, p, n);
		} else {
			char two[2] = {
				(char)(0xc0 | *p >> 6), (char)(0x80 | (*p & 0x3f))};

			sbuf_add(s, two, 2);
			repaired = true;
			n = 1;
		}
		p += n;
		left -= n;
	}
	return repaired;
}

/* The last paragraph is all "Key: value" (or continuation) lines and not the title. */
static bool ends_in_trailers(const char *message)
{
	const char *end = message + strlen(message), *p;

	while (end > message && end[-1] == '\n')
		end--;
	p = memmem(message, (size_t)(end - message), "\n\n", 2);
	if (!p)
		return false;
	for (const char *q = p; q; q = memmem(q + 1, (size_t)(end - q - 1), "\n\n", 2))
		p = q;
	for (p += 2; p < end; p++) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		const char *stop = eol ? eol : end;
		const char *colon = memchr(p, ':', (size_t)(stop - p));
		bool key = colon && colon > p && colon + 1 < stop && colon[1] == ' ';

		for (const char *q = p; key && q < colon; q++)
			key = *q == '-' || (*q >= '0' && *q <= '9') ||
			      ((*q | 32) >= 'a' && (*q | 32) <= 'z');
		if (!key && *p != ' ' && *p != '\t' && *p != '[')
			return false;
		p = stop;
	}
	return true;
}

static void add_link(struct sbuf *s, const struct commit_spec *spec)
{
	const struct apply_patch *patch = spec->patch;

	if (!spec->link_prefix || !patch->message_id)
		return;
	if (!ends_in_trailers(patch->message))
		sbuf_addc(s, '\n');
	sbuf_addf(s, "Link: %s%s%s\n", spec->link_prefix,
		spec->link_prefix[0] &&
				spec->link_prefix[strlen(spec->link_prefix) - 1] == '/'
			? ""
			: "/",
		patch->message_id);
}

int commit_bytes(const struct commit_spec *spec, struct arena *a, const char **ret,
	size_t *ret_len, int64_t *ret_time_s, bool *ret_repaired, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	const struct apply_patch *p = spec->patch;
	const char *email = ident_clean(p->author_email ? p->author_email : "", a);
	const char *name = ident_clean(p->author_name ? p->author_name : "", a);
	int64_t when = p->time_s > spec->parent_time_s ? p->time_s : spec->parent_time_s;
	char hex[REPO_HEX];

	if (!*email && !*name)
		return err_set(e, ERR_INVALID, "the mail has no usable From");
	if (!*name)
		name = email;
	sbuf_addf(&s, "tree %s\n", git_oid_tostr(hex, sizeof(hex), &spec->tree));
	sbuf_addf(&s, "parent %s\n", git_oid_tostr(hex, sizeof(hex), &spec->parent));
	add_ident(&s, "author", name, email, p->time_s, p->offset_min);
	add_ident(&s, "committer", ident_clean(spec->committer_name, a),
		ident_clean(spec->committer_email, a), when, 0);
	sbuf_addc(&s, '\n');
	*ret_repaired = add_utf8(&s, p->message);
	add_link(&s, spec);
	*ret = arena_strndup(a, s.buf, s.len);
	*ret_len = s.len;
	*ret_time_s = when;
	return 0;
}
