/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From by git's rule; To and Cc by GMime. */
#include "base/base.h"

#include "base/sbuf.h"
#include "mail/charset.h"
#include "mail/header.h"

#include <gmime/gmime.h>

#define MAX_MARKS      600 /* colons and comments in one To or Cc */
#define NAME_MAX_BYTES 60  /* a longer name is no name, says git */

/* Undoes quoted pairs and quotes, keeps comments with their brackets. */
static void unquote(const char *in, struct sbuf *out)
{
	bool quoted = false;
	int depth = 0;
	for (; *in; in++) {
		if (*in == '\\' && (quoted || depth)) {
			if (!in[1])
				break;
			in++;
			sbuf_addc(out, *in);
		} else if (*in == '"' && depth == 0) {
			quoted = !quoted;
		} else {
			if (!quoted && *in == '(')
				depth++;
			else if (!quoted && depth && *in == ')')
				depth--;
			sbuf_addc(out, *in);
		}
	}
}

static const char *sane_name(struct arena *a, const char *name, const char *email)
{
	size_t len = strlen(name);
	if (len == 0 || len > NAME_MAX_BYTES || strpbrk(name, "@<>"))
		return email;
	return arena_strdup(a, name);
}

/* "A B <root>": no at sign anywhere. */
static struct mail_addr from_bare(struct arena *a, const char *text)
{
	struct mail_addr r = {"", ""};
	const char *bra = strchr(text, '<');
	const char *ket = bra ? strchr(bra, '>') : NULL;
	if (!ket)
		return r;
	r.email = arena_strndup(a, bra + 1, (size_t)(ket - bra - 1));
	const char *name = arena_strndup(a, text, (size_t)(bra - text));
	r.name = sane_name(a, header_squeeze(a, name), r.email);
	return r;
}

/* Where the second mailbox begins ("a@x, b@y"), or NULL: a comma outside quotes, comments
 * and brackets with an address on both sides. */
static const char *second_mailbox(const char *text)
{
	bool quoted = false, at = false;
	int depth = 0;
	for (const char *p = text; *p; p++) {
		if (*p == '\\' && p[1]) {
			p++;
		} else if (*p == '"') {
			quoted = !quoted;
		} else if (!quoted && (*p == '(' || *p == '<')) {
			depth++;
		} else if (!quoted && depth && (*p == ')' || *p == '>')) {
			depth--;
		} else if (!quoted && depth == 0 && *p == ',' && at) {
			return strchr(p, '@') ? p : NULL;
		}
		at = at || *p == '@';
	}
	return NULL;
}

/* Splits text around the address that holds the at sign at offset at. */
static struct mail_addr from_at(struct arena *a, char *text, size_t at)
{
	struct mail_addr r = {"", ""};
	size_t start = at;
	while (start > 0) {
		char c = text[start - 1];
		if (header_isspace(c))
			break;
		if (c == '<') {
			text[start - 1] = ' ';
			break;
		}
		start--;
	}
	size_t len = strcspn(text + start, " \n\t\r\v\f>");
	r.email = arena_strndup(a, text + start, len);
	size_t skip = start + len + (text[start + len] ? 1 : 0);
	const char *rest = arena_printf(a, "%.*s%s", (int)start, text, text + skip);
	rest = header_squeeze(a, rest);
	size_t n = strlen(rest);
	if (n >= 2 && rest[0] == '(' && rest[n - 1] == ')')
		rest = arena_strndup(a, rest + 1, n - 2);
	r.name = sane_name(a, rest, r.email);
	return r;
}

struct mail_addr header_from(
	struct arena *a, const char *decoded, struct header_notes *notes)
{
	const char *text = header_squeeze_inner(a, decoded);
	const char *second = second_mailbox(text);
	if (second) {
		header_note(notes, "from_several", "the first mailbox was taken");
		text = arena_strndup(a, text, (size_t)(second - text));
	}
	CLEANUP(sbuf_release) struct sbuf f = SBUF_INIT;
	unquote(text, &f);
	const char *at = strchr(f.buf, '@');
	if (!at)
		return from_bare(a, text);
	const char *bra = strchr(at, '<');
	const char *in = bra ? strchr(bra, '@') : NULL;
	const char *ket = in ? strchr(in, '>') : NULL;
	if (ket && !memchr(bra + 1, '<', (size_t)(in - bra - 1))) {
		/* "A@B <a@x.org>": git would take A@B. */
		header_note(notes, "from_confusing", "the address in brackets was taken");
		struct mail_addr r;
		r.email = arena_strndup(a, bra + 1, (size_t)(ket - bra - 1));
		const char *name = arena_strndup(a, f.buf, (size_t)(bra - f.buf));
		r.name = sane_name(a, header_squeeze(a, name), r.email);
		return r;
	}
	return from_at(a, f.buf, (size_t)(at - f.buf));
}

static void add_list(struct arena *a, InternetAddressList *list, size_t max,
	struct mail_addr **ret, size_t *ret_n, size_t *ret_cap)
{
	for (int i = 0; i < internet_address_list_length(list); i++) {
		InternetAddress *ia = internet_address_list_get_address(list, i);
		if (INTERNET_ADDRESS_IS_GROUP(ia)) {
			InternetAddressList *members = internet_address_group_get_members(
				INTERNET_ADDRESS_GROUP(ia));
			if (members)
				add_list(a, members, max, ret, ret_n, ret_cap);
			continue;
		}
		if (*ret_n >= max)
			return;
		const char *name = internet_address_get_name(ia);
		const char *addr =
			internet_address_mailbox_get_addr(INTERNET_ADDRESS_MAILBOX(ia));
		struct mail_addr *m = ARENA_PUSH(a, *ret, *ret_n, *ret_cap);
		m->name = name ? arena_strdup(a, name) : "";
		m->email = addr ? arena_strdup(a, addr) : "";
	}
}

/* The usual "Name <addr>, addr": no quotes, comments, groups or encoded words. */
static bool add_plain(struct arena *a, const char *value, size_t max,
	struct mail_addr **ret, size_t *ret_n, size_t *ret_cap)
{
	if (strpbrk(value, "\"(\\:;") || strstr(value, "=?") ||
		!charset_is_ascii(value, strlen(value)))
		return false;
	for (const char *p = value; *p;) {
		size_t len = strcspn(p, ",");
		const char *item = header_squeeze(a, arena_strndup(a, p, len));
		p += len + (p[len] ? 1 : 0);
		if (!*item)
			continue;
		if (*ret_n >= max)
			return true;
		const char *bra = strchr(item, '<');
		const char *ket = bra ? strchr(bra, '>') : NULL;
		struct mail_addr *m = ARENA_PUSH(a, *ret, *ret_n, *ret_cap);
		if (ket) {
			const char *name = arena_strndup(a, item, (size_t)(bra - item));
			m->name = header_squeeze(a, name);
			m->email = arena_strndup(a, bra + 1, (size_t)(ket - bra - 1));
		} else {
			m->name = "";
			m->email = item;
		}
	}
	return true;
}

static size_t count_of(const char *s, char c)
{
	size_t n = 0;
	for (; *s; s++)
		n += *s == c;
	return n;
}

void header_addresses(struct arena *a, const char *value, size_t max,
	struct mail_addr **ret, size_t *ret_n, size_t *ret_cap)
{
	if (add_plain(a, value, max, ret, ret_n, ret_cap))
		return;
	/* Groups in groups cost the parser time by the square; nobody writes such. */
	if (count_of(value, ':') + count_of(value, '(') > MAX_MARKS)
		return;
	static gsize once;
	if (g_once_init_enter(&once)) {
		g_mime_init();
		g_once_init_leave(&once, 1);
	}
	InternetAddressList *list = internet_address_list_parse(NULL, value);
	if (!list)
		return;
	add_list(a, list, max, ret, ret_n, ret_cap);
	g_object_unref(list);
}
