// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "base/sbuf.h"
#include "patch/explain.h"

#include <ctype.h>

#define CLOSEST_LINES 12
#define TEXT_MAX      60
#define TEXT_BEFORE   16 /* bytes that a quote shows before what differs */

/* Bytes of the UTF-8 character at p, 0: none. */
static size_t utf8_len(const char *p, size_t left)
{
	unsigned char c = (unsigned char)*p;
	size_t n = c < 0x80                ? 1
		   : c >= 0xc2 && c < 0xe0 ? 2
		   : c >= 0xe0 && c < 0xf0 ? 3
					   : 0;

	if (c >= 0xf0 && c < 0xf5)
		n = 4;
	if (!n || n > left)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if (((unsigned char)p[i] & 0xc0) != 0x80)
			return 0;
	}
	return n;
}

static char *clean(const char *p, size_t len, size_t max, struct arena *a)
{
	char *out = arena_alloc(a, max + 8);
	size_t n = 0;

	for (size_t i = 0; i < len;) {
		size_t k = utf8_len(p + i, len - i);

		if (n + (k ? k : 1) > max) {
			memcpy(out + n, "...", 3);
			n += 3;
			break;
		}
		if (k == 1 && ((unsigned char)p[i] < 0x20 || p[i] == 0x7f)) {
			out[n++] = p[i] == '\t' && max > TEXT_MAX ? '\t' : ' ';
		} else if (!k) {
			out[n++] = '?';
		} else {
			memcpy(out + n, p + i, k);
			n += k;
		}
		i += k ? k : 1;
	}
	out[n] = 0;
	return out;
}

static bool is_blank_byte(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

struct text {
	const char *p;
	size_t len;
};

static struct text trim(const char *p, size_t len)
{
	while (len && is_blank_byte(*p)) {
		p++;
		len--;
	}
	while (len && is_blank_byte(p[len - 1]))
		len--;
	return (struct text){p, len};
}

const char *explain_text(const char *p, size_t len, struct arena *a)
{
	struct text t = trim(p, len);

	return clean(t.p, t.len, TEXT_MAX, a);
}

/* The lines of the old side, n_lines - n_added of them. */
static const struct diff_line **old_lines(const struct diff_hunk *h, struct arena *a)
{
	const struct diff_line **v =
		ARENA_ARRAY(a, const struct diff_line *, h->n_lines + 1);
	size_t n = 0;

	for (uint32_t k = 0; k < h->n_lines; k++) {
		if (h->lines[k].origin != '+')
			v[n++] = &h->lines[k];
	}
	return v;
}

static bool equal_at(const struct image *img, size_t at, const struct diff_line *l)
{
	return at < img->n && img->lines[at].len == l->len &&
	       !memcmp(img->lines[at].p, l->p, l->len);
}

static void add_line(
	struct sbuf *s, char sign, const char *p, size_t len, struct arena *a)
{
	bool nl = len && p[len - 1] == '\n';

	sbuf_addc(s, sign);
	sbuf_adds(s, clean(p, len - nl, 200, a));
	sbuf_addc(s, '\n');
}

static const char *quote(const char *p, size_t len, struct arena *a)
{
	const char *text = explain_text(p, len, a);

	return *text ? arena_printf(a, "\"%s\"", text) : "a blank line";
}

/* A cut text from a little before byte at on. */
static const char *quote_from(struct text t, size_t at, struct arena *a)
{
	at = at > TEXT_BEFORE ? at - TEXT_BEFORE : 0;
	while (at && ((unsigned char)t.p[at] & 0xc0) == 0x80)
		at--;
	return arena_printf(
		a, "\"%s%s\"", at ? "..." : "", clean(t.p + at, t.len - at, TEXT_MAX, a));
}

/* Two lines whose texts differ, so that they look different: where what is cut off makes
 * the difference, from a little before it on. */
static void quote_both(struct text want, struct text have, struct arena *a,
	const char **ret_want, const char **ret_have)
{
	size_t at = 0;

	*ret_want = quote(want.p, want.len, a);
	*ret_have = quote(have.p, have.len, a);
	if (strcmp(*ret_want, *ret_have) != 0)
		return;
	while (at < want.len && at < have.len && want.p[at] == have.p[at])
		at++;
	*ret_want = quote_from(want, at, a);
	*ret_have = quote_from(have, at, a);
}

static bool is_blank(const struct diff_line *l)
{
	for (uint32_t i = 0; i < l->len; i++) {
		if (!is_blank_byte(l->p[i]))
			return false;
	}
	return true;
}

/* The first line that differs; one with text before blank ones, since it says more.
 * n_old: none differs. */
static size_t first_difference(
	const struct image *img, const struct diff_line **old, size_t n_old, size_t start)
{
	size_t first = n_old;

	for (size_t i = 0; i < n_old; i++) {
		if (equal_at(img, start + i, old[i]))
			continue;
		if (!is_blank(old[i]))
			return i;
		if (first == n_old)
			first = i;
	}
	return first;
}

/* From two lines above the first difference. */
static const char *closest_text(const struct image *img, const struct diff_line **old,
	size_t n_old, size_t start, size_t first, struct arena *a)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	int n = 0;

	for (size_t i = first > 2 ? first - 2 : 0; i < n_old && n < CLOSEST_LINES; i++) {
		const struct diff_line *l = old[i];

		if (equal_at(img, start + i, l)) {
			add_line(&s, ' ', l->p, l->len, a);
			n++;
			continue;
		}
		if (n + 2 > CLOSEST_LINES)
			break;
		add_line(&s, '-', l->p, l->len, a);
		n++;
		if (start + i < img->n) {
			add_line(&s, '+', img->lines[start + i].p,
				img->lines[start + i].len, a);
			n++;
		}
	}
	return arena_strndup(a, s.buf, s.len);
}

/* The lines are there, but not where the hunk must be. */
static const char *anchored(const struct image *img, const struct diff_hunk *h,
	uint32_t k, uint32_t n, size_t start, struct arena *a)
{
	size_t n_old = h->n_lines - h->n_added, left = img->n - start - n_old;

	for (size_t i = 0; i < n_old; i++) {
		if (img->lines[start + i].written)
			return arena_printf(a,
				"hunk %u of %u needs line %zu, which an earlier hunk of "
				"the patch wrote",
				k, n, start + i + 1);
	}
	if (!h->trailing && left)
		return arena_printf(a,
			"hunk %u of %u is for the end of the file, but the base has %zu "
			"more line%s after line %zu",
			k, n, left, left == 1 ? "" : "s", start + n_old);
	return arena_printf(a,
		"hunk %u of %u is for the top of the file, but the base has its lines at "
		"%zu",
		k, n, start + 1);
}

/* Bytes of a blank at p, one that cannot be seen included (no-break and zero-width
 * space, byte order mark); 0: none. */
static size_t blank_len(const char *p, const char *end)
{
	static const char *const odd[] = {"\xc2\xa0", "\xe2\x80\x8b", "\xef\xbb\xbf"};

	if (p < end && isspace((unsigned char)*p))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		size_t n = strlen(odd[i]);

		if ((size_t)(end - p) >= n && !memcmp(p, odd[i], n))
			return n;
	}
	return 0;
}

static bool same_but_blanks(
	const char *p, const char *p_end, const char *q, const char *q_end)
{
	for (;;) {
		for (size_t n; (n = blank_len(p, p_end)) != 0;)
			p += n;
		for (size_t n; (n = blank_len(q, q_end)) != 0;)
			q += n;
		if (p == p_end || q == q_end)
			return p == p_end && q == q_end;
		if (*p++ != *q++)
			return false;
	}
}

/* The line of the base is l with a CR before its line end. */
static bool lacks_cr(const struct diff_line *l, const struct image_line *have)
{
	return l->len && have->len == l->len + 1 && l->p[l->len - 1] == '\n' &&
	       !memcmp(have->p + l->len - 1, "\r\n", 2) &&
	       !memcmp(have->p, l->p, l->len - 1);
}

static enum explain_blanks blanks_that_differ(
	const struct image *img, const struct diff_line **old, size_t n_old, size_t at)
{
	bool differ = false, cr = true;

	if (at > img->n || n_old > img->n - at)
		return BLANKS_NO;
	for (size_t i = 0; i < n_old; i++) {
		const struct image_line *have = &img->lines[at + i];

		if (equal_at(img, at + i, old[i]))
			continue;
		differ = true;
		cr = cr && lacks_cr(old[i], have);
		if (!same_but_blanks(old[i]->p, old[i]->p + old[i]->len, have->p,
			    have->p + have->len))
			return BLANKS_NO;
	}
	return !differ ? BLANKS_NO : cr ? BLANKS_CR : BLANKS_DIFFER;
}

/* What two lines that differ look like in words, and how they differ where that cannot be
 * seen. */
static const char *words_of_two(const struct diff_line *l, const struct image_line *have,
	const char **ret_want, const char **ret_have, struct arena *a)
{
	struct text want = trim(l->p, l->len), found = trim(have->p, have->len);

	if (same_but_blanks(l->p, l->p + l->len, have->p, have->p + have->len)) {
		*ret_want = quote(want.p, want.len, a);
		*ret_have = quote(found.p, found.len, a);
		return lacks_cr(l, have) ? " (with CR LF as its line end)"
					 : " (white space differs)";
	}
	quote_both(want, found, a, ret_want, ret_have);
	return strcmp(*ret_want, *ret_have) ? "" : " (bytes differ that are not text)";
}

void explain_hunk(struct image *img, const struct diff_hunk *h, uint32_t k, uint32_t n,
	const struct hunk_place *place, struct arena *a, struct explain_hunk *ret)
{
	size_t n_old = h->n_lines - h->n_added, first = 0;
	const struct diff_line **old = old_lines(h, img->a), *l;
	int64_t start;

	*ret = (struct explain_hunk){.at = -1};
	if (place->fit == HUNK_NO_CONTEXT) {
		ret->error = arena_printf(a,
			"hunk %u of %u has no context (made with -U0), so its place "
			"would "
			"be a guess",
			k, n);
		return;
	}
	if (place->fit == HUNK_TOO_LONG) {
		ret->error =
			arena_printf(a, "hunk %u of %u takes too long to place", k, n);
		return;
	}
	start = hunk_closest(img, h, place->expected);
	if (start < 0 && n_old && place->expected <= img->n &&
		n_old <= img->n - place->expected &&
		first_difference(img, old, n_old, place->expected) == n_old)
		start = (int64_t)place->expected;
	ret->blanks = blanks_that_differ(
		img, old, n_old, start < 0 ? place->expected : (size_t)start);
	if (start < 0 && ret->blanks) /* no line is equal, and all are alike */
		start = (int64_t)place->expected;
	ret->at = start;
	if (start < 0) {
		l = old[0];
		ret->error =
			l ? arena_printf(a,
				    "hunk %u of %u expects %s near line %zu; the "
				    "base has nothing like it",
				    k, n, quote(l->p, l->len, a), place->expected + 1)
			  : arena_printf(a,
				    "hunk %u of %u is for an empty file; the base "
				    "has %zu lines",
				    k, n, img->n);
		return;
	}
	first = first_difference(img, old, n_old, (size_t)start);
	if (first == n_old) {
		ret->error = anchored(img, h, k, n, (size_t)start, a);
		return;
	}
	l = old[first];
	ret->closest = closest_text(img, old, n_old, (size_t)start, first, a);
	if ((size_t)start + first >= img->n) {
		ret->error = arena_printf(a,
			"hunk %u of %u expects %s near line %zu; the base ends at "
			"line "
			"%zu",
			k, n, quote(l->p, l->len, a), place->expected + first + 1,
			img->n);
		return;
	}
	const struct image_line *have = &img->lines[(size_t)start + first];
	const char *want_text, *have_text;
	const char *differ = words_of_two(l, have, &want_text, &have_text, a);

	ret->error = arena_printf(a,
		"hunk %u of %u expects %s near line %zu; the base has %s at %zu%s", k, n,
		want_text, place->expected + first + 1, have_text,
		(size_t)start + first + 1, differ);
}
