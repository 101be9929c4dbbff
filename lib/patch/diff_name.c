// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/diff_name.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* isspace() of the C locale, whatever the locale is */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static char *squash_slashes(char *name)
{
	char *to = name;

	for (const char *from = name; *from; from++) {
		if (from[0] == '/' && to > name && to[-1] == '/')
			continue;
		*to++ = *from;
	}
	*to = 0;
	return name;
}

/* "\303\244\n" of C quoting; *ret_after: past the closing quote. NULL: not well formed.
 */
static char *unquote(struct diff_text t, struct arena *a, const char **ret_after)
{
	const char *p = t.p + 1;
	char *out = arena_alloc(a, (size_t)(t.end - t.p) + 1), *to = out;

	for (; p < t.end; p++) {
		if (*p == '"') {
			*to = 0;
			if (ret_after)
				*ret_after = p + 1;
			return strlen(out) == (size_t)(to - out) ? out : NULL;
		}
		if (*p != '\\') {
			*to++ = *p;
			continue;
		}
		if (++p == t.end)
			return NULL;
		static const char from[] = "abfnrtv\\\"", is[] = "\a\b\f\n\r\t\v\\\"";
		const char *hit = memchr(from, *p, sizeof(from) - 1);

		if (hit) {
			*to++ = is[hit - from];
		} else if (*p >= '0' && *p <= '3' && t.end - p >= 3 && p[1] >= '0' &&
			   p[1] <= '7' && p[2] >= '0' && p[2] <= '7') {
			*to++ = (char)((p[0] - '0') << 6 | (p[1] - '0') << 3 |
				       (p[2] - '0'));
			p += 2;
		} else {
			return NULL;
		}
	}
	return NULL;
}

static char *name_quoted(struct diff_text t, int strip, struct arena *a)
{
	char *name = unquote(t, a, NULL);

	for (; name && strip > 0; strip--) {
		name = strchr(name, '/');
		if (name)
			name++;
	}
	return name ? squash_slashes(name) : NULL;
}

/* fixed: t.end is where the name ends; else white space ends it (TAB only if tab_ends).
 */
static char *name_common(struct diff_text t, const char *dflt, int strip, bool tab_ends,
	bool fixed, struct arena *a)
{
	const char *start = strip == 0 ? t.p : NULL, *p = t.p;

	while (p < t.end) {
		char c = *p;

		if (!fixed && is_space(c) && c != ' ' && (c != '\t' || tab_ends))
			break;
		p++;
		if (c == '/' && !--strip)
			start = p;
	}
	if (!start || p == start || memchr(start, 0, (size_t)(p - start)))
		return dflt ? squash_slashes(arena_strdup(a, dflt)) : NULL;

	size_t len = (size_t)(p - start);

	if (dflt && strlen(dflt) < len && !strncmp(start, dflt, strlen(dflt)))
		return squash_slashes(arena_strdup(a, dflt));
	return squash_slashes(arena_strndup(a, start, len));
}

char *diff_name_git(struct diff_text t, int strip, struct arena *a)
{
	char *name = t.p < t.end && *t.p == '"' ? name_quoted(t, strip, a) : NULL;

	return name ? name : name_common(t, NULL, strip, true, false, a);
}

char *diff_name_whole(struct diff_text t, int strip, struct arena *a)
{
	char *name = t.p < t.end && *t.p == '"' ? name_quoted(t, strip, a) : NULL;

	return name ? name : name_common(t, NULL, strip, false, false, a);
}

/* Does the text ending at end match pattern ('d' a digit, '.' any sign, else itself)? */
static size_t tail_len(const char *p, const char *end, const char *pattern)
{
	size_t n = strlen(pattern);

	if ((size_t)(end - p) < n)
		return 0;
	for (size_t i = 0; i < n; i++) {
		char c = end[(ptrdiff_t)i - (ptrdiff_t)n];

		if (pattern[i] == 'd' ? !is_digit(c)
				      : (pattern[i] == 's' ? c != '+' && c != '-'
							   : c != pattern[i]))
			return 0;
	}
	return n;
}

/* " 19:41:17.620000023" */
static size_t fraction_len(const char *p, const char *end)
{
	const char *q = end;

	while (q > p && is_digit(q[-1]))
		q--;
	if (q == end || q == p || q[-1] != '.')
		return 0;

	size_t n = tail_len(p, q - 1, " dd:dd:dd");

	return n ? n + (size_t)(end - q) + 1 : 0;
}

/* Length of a white space and date at the line's end; 0: none. */
static size_t stamp_len(struct diff_text t)
{
	const char *end = t.end;
	size_t n;

	if (t.p == t.end || !is_digit(end[-1]))
		return 0;
	n = tail_len(t.p, end, " sdddd");
	end -= n ? n : tail_len(t.p, end, " sdd:dd");
	n = tail_len(t.p, end, " dd:dd:dd");
	end -= n ? n : fraction_len(t.p, end);
	n = tail_len(t.p, end, "dddd-dd-dd");
	if (!n)
		n = tail_len(t.p, end, "dd-dd-dd");
	if (!n)
		return 0;
	end -= n;
	if (end == t.p)
		return 0;
	if (end[-1] == '\t')
		return (size_t)(t.end - end) + 1;
	if (end[-1] != ' ')
		return 0;
	while (end > t.p && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return (size_t)(t.end - end);
}

char *diff_name_traditional(
	struct diff_text t, const char *dflt, int strip, struct arena *a)
{
	if (t.p < t.end && *t.p == '"') {
		char *name = name_quoted(t, strip, a);

		if (name)
			return name;
	}

	size_t n = stamp_len(t);

	if (!n)
		return name_common(t, dflt, strip, true, false, a);
	t.end -= n;
	return name_common(t, dflt, strip, false, true, a);
}

/* Past the first slash, or NULL. */
static const char *skip_component(const char *p, const char *end)
{
	const char *slash = memchr(p, '/', (size_t)(end - p));

	return slash && slash != p ? slash + 1 : NULL;
}

/* The second name begins with a quote. */
static char *header_second_quoted(
	const char *name, const char *quote, const char *end, struct arena *a)
{
	char *second = unquote((struct diff_text){quote, end}, a, NULL);

	if (!second)
		return NULL;
	second = strchr(second, '/');
	if (!second || !*++second)
		return NULL;

	size_t len = strlen(second);

	if (len < (size_t)(quote - name) && !memcmp(second, name, len) &&
		is_space(name[len]))
		return arena_strdup(a, second);
	return NULL;
}

static char *header_first_quoted(struct diff_text t, struct arena *a)
{
	const char *p;
	char *first = unquote(t, a, &p), *second;

	if (!first)
		return NULL;
	first = strchr(first, '/');
	if (!first)
		return NULL;
	first++;
	while (p < t.end && is_space(*p))
		p++;
	if (p == t.end)
		return NULL;
	if (*p == '"') {
		second = unquote((struct diff_text){p, t.end}, a, NULL);
		second = second ? strchr(second, '/') : NULL;
		return second && !strcmp(second + 1, first) ? first : NULL;
	}
	p = skip_component(p, t.end);
	if (!p || (size_t)(t.end - p) != strlen(first) ||
		memcmp(p, first, strlen(first)) != 0)
		return NULL;
	return first;
}

char *diff_name_header(struct diff_text t, struct arena *a)
{
	if (t.p < t.end && *t.p == '"')
		return header_first_quoted(t, a);

	const char *name = skip_component(t.p, t.end);

	if (!name)
		return NULL;

	const char *quote = memchr(name, '"', (size_t)(t.end - name));

	if (quote)
		return header_second_quoted(name, quote, t.end, a);
	/* A name counts only if it is there twice, in the same form. */
	for (const char *p = name; p < t.end; p++) {
		if (*p != ' ' && *p != '\t')
			continue;
		const char *second = skip_component(p + 1, t.end);

		if (!second)
			return NULL;
		if (t.end - second == p - name &&
			!memcmp(name, second, (size_t)(p - name)) &&
			!memchr(name, 0, (size_t)(p - name)))
			return arena_strndup(a, name, (size_t)(p - name));
	}
	return NULL;
}

bool diff_name_is_dev_null(struct diff_text t)
{
	static const char null[] = "/dev/null";
	size_t n = sizeof(null) - 1;

	return (size_t)(t.end - t.p) >= n && !memcmp(t.p, null, n) &&
	       (t.p + n == t.end || is_space(t.p[n]));
}

/* Two digits at p, or -1. */
static int two(const char *p, const char *end)
{
	if (end - p < 2 || !is_digit(p[0]) || !is_digit(p[1]))
		return -1;
	return (p[0] - '0') * 10 + (p[1] - '0');
}

bool diff_name_has_epoch(struct diff_text t)
{
	const char *p = memrchr(t.p, '\t', (size_t)(t.end - t.p));
	int epoch_hour, hour, minute, zone_h, zone_m;

	if (!p || t.end - p < 12)
		return false;
	p++;
	if (!memcmp(p, "1969-12-31 ", 11))
		epoch_hour = 24;
	else if (!memcmp(p, "1970-01-01 ", 11))
		epoch_hour = 0;
	else
		return false;
	p += 11;
	hour = two(p, t.end);
	if (hour < 0 || hour > 29 || t.end - p < 8 || p[2] != ':' ||
		memcmp(p + 5, ":00", 3))
		return false;
	minute = two(p + 3, t.end);
	if (minute < 0 || minute > 59)
		return false;
	p += 8;
	if (p < t.end && *p == '.') {
		const char *zeros = ++p;

		while (p < t.end && *p == '0')
			p++;
		if (p == zeros)
			return false;
	}
	if (t.end - p < 6 || p[0] != ' ' || (p[1] != '+' && p[1] != '-'))
		return false;
	zone_h = two(p + 2, t.end);

	const char *q = p[4] == ':' ? p + 5 : p + 4;

	zone_m = two(q, t.end);
	if (zone_h < 0 || zone_m < 0 || q + 2 != t.end)
		return false;

	int zone = (zone_h * 60 + zone_m) * (p[1] == '-' ? -1 : 1);

	return hour * 60 + minute - zone == epoch_hour * 60;
}
