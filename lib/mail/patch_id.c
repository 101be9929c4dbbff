/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include "mail/patch_id.h"

#include <ctype.h>
#include <glib.h>

#define SHA1_BYTES 20

/* The id is the sum, with carry, of one SHA-1 a file; white space does not count. */
struct summer {
	GChecksum *sha;
	unsigned char sum[SHA1_BYTES];
	size_t n_bytes;         /* hashed in all */
	char pre[64], post[64]; /* ids of the index line, for binary files */
	/* Lines left in the hunk; -1: in a file's header. */
	int64_t before, after;
	bool binary;
};

static void flush(struct summer *s)
{
	guint8 digest[SHA1_BYTES];
	gsize len = sizeof(digest);
	g_checksum_get_digest(s->sha, digest, &len);
	g_checksum_reset(s->sha);
	unsigned int carry = 0;
	for (int i = 0; i < SHA1_BYTES; i++) {
		carry += (unsigned int)s->sum[i] + digest[i];
		s->sum[i] = (unsigned char)carry;
		carry >>= 8;
	}
}

static bool begins(const char *p, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);
	return len >= n && !memcmp(p, prefix, n);
}

/* git skips "commit " and "From " first; forty hex digits there begin another patch. */
static bool is_commit(const char *p, size_t len)
{
	size_t skip = begins(p, len, "commit ") ? 7 : begins(p, len, "From ") ? 5 : 0;
	if (len < skip + 40)
		return false;
	for (size_t i = skip; i < skip + 40; i++) {
		if (!isxdigit((unsigned char)p[i]))
			return false;
	}
	return true;
}

static void read_index(struct summer *s, const char *p, size_t len)
{
	const char *from = p + 6;
	const char *dots = memmem(from, len - 6, "..", 2);
	if (!dots)
		return;
	const char *to = dots + 2;
	size_t rest = (size_t)(p + len - to), n = 0;
	while (n < rest && to[n] != ' ' && to[n] != '\n')
		n++;
	size_t m = (size_t)(dots - from);
	if (m >= 41 || n >= 41)
		return;
	memcpy(s->pre, from, m);
	s->pre[m] = 0;
	memcpy(s->post, to, n);
	s->post[n] = 0;
}

/* "@@ -a,b +c,d": the counts; missing ones are 1. */
static void read_hunk(struct summer *s, const char *p, size_t len)
{
	const char *end = p + len;
	int64_t *const out[2] = {&s->before, &s->after};
	p += 4;
	for (int i = 0; i < 2; i++) {
		int64_t count = 1;
		while (p < end && isdigit((unsigned char)*p))
			p++;
		if (p < end && *p == ',') {
			count = 0;
			for (p++; p < end && isdigit((unsigned char)*p); p++) {
				if (count < 1000000000)
					count = count * 10 + (*p - '0');
			}
		}
		*out[i] = count;
		while (i == 0 && p < end && !isdigit((unsigned char)*p))
			p++;
	}
}

/* A line before the first hunk of a file. false: the patch is over. *ret_hash: it counts.
 */
static bool header_line(struct summer *s, const char *p, size_t len, bool *ret_hash)
{
	*ret_hash = false;
	if (begins(p, len, "GIT binary patch") || begins(p, len, "Binary files")) {
		s->binary = true;
		s->before = 0;
		g_checksum_update(s->sha, (const guchar *)s->pre, (gssize)strlen(s->pre));
		g_checksum_update(
			s->sha, (const guchar *)s->post, (gssize)strlen(s->post));
		flush(s);
		return true;
	}
	if (begins(p, len, "index ")) {
		read_index(s, p, len);
		return true;
	}
	*ret_hash = true;
	if (begins(p, len, "--- "))
		s->before = s->after = 1;
	else if (!isalpha((unsigned char)*p))
		return false;
	return true;
}

static void hash_line(struct summer *s, const char *p, size_t len)
{
	char buf[1024];
	size_t n = 0;
	for (size_t i = 0; i < len; i++) {
		if (isspace((unsigned char)p[i]))
			continue;
		buf[n++] = p[i];
		s->n_bytes++;
		if (n == sizeof(buf)) {
			g_checksum_update(s->sha, (const guchar *)buf, (gssize)n);
			n = 0;
		}
	}
	if (n)
		g_checksum_update(s->sha, (const guchar *)buf, (gssize)n);
}

/* false: the patch is over. */
static bool take_line(struct summer *s, const char *p, size_t len)
{
	if (begins(p, len, "\\ ") && len > 12)
		return true;
	/* Ends a patch; in front of one (a pasted "git show") it is skipped. */
	if (is_commit(p, len))
		return !s->n_bytes;
	if (!s->n_bytes && !begins(p, len, "diff "))
		return true;
	if (s->before == -1) {
		bool hash;
		if (!header_line(s, p, len, &hash))
			return false;
		if (!hash)
			return true;
	}
	if (s->binary) {
		if (begins(p, len, "diff ")) {
			s->binary = false;
			s->before = -1;
		}
		return true;
	}
	if (s->before == 0 && s->after == 0) {
		if (begins(p, len, "@@ -")) {
			read_hunk(s, p, len);
			return true;
		}
		if (!begins(p, len, "diff "))
			return false;
		flush(s);
		s->before = s->after = -1;
	}
	s->before -= *p == '-' || *p == ' ';
	s->after -= *p == '+' || *p == ' ';
	hash_line(s, p, len);
	return true;
}

const char *patch_id(struct arena *a, const char *p, size_t len)
{
	struct summer s = {
		.sha = g_checksum_new(G_CHECKSUM_SHA1), .before = -1, .after = -1};
	const char *end = p + len;
	while (p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl + 1 : end) - p);
		/* git looks at lines as strings. */
		const char *nul = memchr(p, 0, n);
		if (n && !take_line(&s, p, nul ? (size_t)(nul - p) : n))
			break;
		p += n;
	}
	flush(&s);
	g_checksum_free(s.sha);
	if (!s.n_bytes)
		return NULL;
	char hex[2 * SHA1_BYTES + 1];
	for (int i = 0; i < SHA1_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", s.sum[i]);
	return arena_strdup(a, hex);
}
