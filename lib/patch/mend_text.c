// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/mend_text.h"

static size_t line_len(const char *p, const char *end)
{
	const char *nl = memchr(p, '\n', (size_t)(end - p));

	return nl ? (size_t)(nl - p) + 1 : (size_t)(end - p);
}

static bool starts(const char *p, size_t n, const char *text)
{
	size_t k = strlen(text);

	return n >= k && !memcmp(p, text, k);
}

/* Bytes of "> > " at p, 0: none. */
static size_t mark_len(const char *p, size_t n)
{
	size_t k = 0;

	while (k < n && p[k] == '>')
		k += k + 1 < n && p[k + 1] == ' ' ? 2 : 1;
	return k;
}

/* Bytes of the mark of the block in front of a line; the last blank may be gone from an
 * empty one. n + 1: the line is not of the block. */
static size_t same_mark(const char *p, size_t n, const char *mark, size_t mark_n)
{
	if (n >= mark_n && !memcmp(p, mark, mark_n))
		return mark_n;
	if (mark[mark_n - 1] == ' ' && n == mark_n && p[n - 1] == '\n' &&
		!memcmp(p, mark, mark_n - 1))
		return mark_n - 1;
	return n + 1;
}

uint32_t mend_stat_line(const char *p, size_t n)
{
	uint32_t files = 0;
	size_t k = 1;

	if (!n || *p != ' ')
		return 0;
	while (k < n && p[k] >= '0' && p[k] <= '9' && files < 100000)
		files = files * 10 + (uint32_t)(p[k++] - '0');
	return starts(p + k, n - k, " file") ? files : 0;
}

bool mend_unquote(
	const char *p, size_t len, struct arena *a, struct mend_text *ret, bool *ret_more)
{
	const char *end = p + len, *mark = NULL;
	size_t mark_n = 0, n = 0;
	uint32_t line = 1, files = 0;
	char *out = NULL;
	bool over = false;

	*ret_more = false;
	for (size_t l; p < end; p += l, line++) {
		size_t k;

		l = line_len(p, end);
		if (!mark) {
			k = mark_len(p, l);
			if (k && mend_stat_line(p + k, l - k))
				files = mend_stat_line(p + k, l - k);
			if (!k || !starts(p + k, l - k, "diff --git "))
				continue;
			mark = p;
			mark_n = k;
			out = arena_alloc(a, (size_t)(end - p) + 1);
			ret->line = line;
		}
		k = same_mark(p, l, mark, mark_n);
		if (over || k > l) {
			over = true;
			k = mark_len(p, l);
			*ret_more |= k && (starts(p + k, l - k, "diff --git ") ||
						  starts(p + k, l - k, "@@ -"));
			continue;
		}
		memcpy(out + n, p + k, l - k);
		n += l - k;
	}
	if (!mark)
		return false;
	out[n] = 0;
	ret->p = out;
	ret->len = n;
	ret->n_files = files;
	return true;
}

/* A header without hunks, in one line; NULL: none. */
static const char *folded_header(const char *p, size_t l)
{
	static const char *const next[] = {" old mode ", " new file mode ",
		" deleted file mode ", " similarity index ", " rename from ", " index "};
	const char *at = memmem(p, l, "diff --git ", 11);

	for (size_t i = 0; at && i < ARRAY_LEN(next); i++) {
		if (memmem(at, (size_t)(p + l - at), next[i], strlen(next[i])))
			return at;
	}
	return NULL;
}

bool mend_folded(const char *p, size_t len, struct mend_text *ret)
{
	static const char *const heads[] = {"diff --git ", "--- "};
	uint32_t line = 1;

	if (memmem(p, len, "\n@@ -", 5) || memmem(p, len, "\n> @@ -", 7))
		return false;
	for (const char *end = p + len; p < end; line++) {
		size_t l = line_len(p, end);
		const char *hunk = memmem(p, l, " @@ -", 5), *at;

		for (size_t i = 0; hunk && i < ARRAY_LEN(heads); i++) {
			at = memmem(p, (size_t)(hunk - p), heads[i], strlen(heads[i]));
			if (!at || !memmem(at, (size_t)(hunk - at), " +++ ", 5))
				continue;
			*ret = (struct mend_text){at, (size_t)(p + l - at), line, 0};
			return true;
		}
		at = folded_header(p, l);
		if (at) {
			*ret = (struct mend_text){at, (size_t)(p + l - at), line, 0};
			return true;
		}
		p += l;
	}
	return false;
}

static int hex_value(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
				      : -1;
}

#define SOFT_BREAK_MIN 70 /* bytes of a line that is broken by "=" at its end */

/* What the "=" of a line say: codes (n), or that it is no quoted-printable (false). */
static bool read_codes(const char *p, size_t l, uint32_t *n)
{
	size_t end = l && p[l - 1] == '\n' ? l - 1 : l;

	for (size_t i = 0; i < end; i++) {
		if (p[i] != '=')
			continue;
		if (i + 1 == end) {
			*n += end >= SOFT_BREAK_MIN;
		} else if (i + 2 < end && hex_value(p[i + 1]) >= 0 &&
			   hex_value(p[i + 2]) >= 0) {
			++*n;
			i += 2;
		} else {
			return false;
		}
	}
	return true;
}

uint32_t mend_qp_line(const char *p, size_t len)
{
	uint32_t line = 1, first = 0, n = 0;
	bool in_hunk = false;

	for (const char *end = p + len; p < end; line++) {
		size_t l = line_len(p, end);

		if (starts(p, l, "diff --git ") || starts(p, l, "Index: ") ||
			starts(p, l, "--=20\n") || starts(p, l, "-- \n"))
			in_hunk = false;
		if (in_hunk && !read_codes(p, l, &n))
			return 0;
		if (n && !first)
			first = line;
		in_hunk |= starts(p, l, "@@ -");
		p += l;
	}
	return first;
}

void mend_qp_decode(const char *p, size_t len, struct arena *a, struct mend_text *ret)
{
	char *out = arena_alloc(a, len + 1);
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (p[i] != '=') {
			out[n++] = p[i];
		} else if (i + 1 < len && p[i + 1] == '\n') {
			i++;
		} else if (i + 2 < len && hex_value(p[i + 1]) >= 0 &&
			   hex_value(p[i + 2]) >= 0) {
			out[n++] = (char)(hex_value(p[i + 1]) << 4 | hex_value(p[i + 2]));
			i += 2;
		} else {
			out[n++] = p[i];
		}
	}
	out[n] = 0;
	*ret = (struct mend_text){out, n, 1, 0};
}
