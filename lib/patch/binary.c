// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/base.h"

#include "patch/binary.h"

#include <zlib.h>

static const char digits[] =
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	"!#$%&()*+-;<=>?@^_`{|}~";

/* Five digits at p to four bytes, most significant first. */
static bool five(const unsigned char *p, const signed char value[256], uint32_t *ret)
{
	uint64_t v = 0;

	for (int i = 0; i < 5; i++) {
		if (value[p[i]] < 0)
			return false;
		v = v * 85 + (uint64_t)value[p[i]];
	}
	*ret = (uint32_t)v;
	return v <= UINT32_MAX;
}

/* The lines: a letter for the number of bytes, then their digits. */
static int decode85(const struct diff_blob *b, unsigned char *out, size_t cap,
	size_t *ret_len, struct err *e)
{
	const unsigned char *p = (const unsigned char *)b->text, *end = p + b->text_len;
	signed char value[256];
	size_t n = 0;

	memset(value, -1, sizeof(value));
	for (int i = 0; i < 85; i++)
		value[(unsigned char)digits[i]] = (signed char)i;
	while (p < end) {
		const unsigned char *eol = memchr(p, '\n', (size_t)(end - p));
		size_t chars = eol ? (size_t)(eol - p) - 1 : 0, most = chars / 5 * 4,
		       bytes;

		if (*p >= 'A' && *p <= 'Z')
			bytes = (size_t)(*p - 'A') + 1;
		else if (*p >= 'a' && *p <= 'z')
			bytes = (size_t)(*p - 'a') + 27;
		else
			bytes = 0;
		if (!bytes || bytes > most || bytes + 4 <= most || n + bytes > cap)
			return err_set(e, ERR_INVALID, "the binary data is damaged");
		for (p++; bytes; p += 5) {
			uint32_t v;

			if (!five(p, value, &v))
				return err_set(
					e, ERR_INVALID, "the binary data is damaged");
			for (int shift = 24; shift >= 0 && bytes; shift -= 8, bytes--)
				out[n++] = (unsigned char)(v >> shift);
		}
		p = eol + 1;
	}
	*ret_len = n;
	return 0;
}

int binary_decode(const struct diff_blob *b, size_t cap_bytes, struct arena *a,
	unsigned char **ret, size_t *ret_len, struct err *e)
{
	unsigned char *packed = arena_alloc(a, b->text_len + 1), *out;
	size_t n;
	z_stream z = {0};
	int rc = decode85(b, packed, b->text_len, &n, e);

	if (rc)
		return rc;
	if (b->size_bytes > cap_bytes)
		return err_set(e, ERR_TOO_BIG, "%.1f MB of binary data",
			(double)b->size_bytes / 1e6);
	out = arena_alloc(a, (size_t)b->size_bytes + 1);
	z.next_in = packed;
	z.avail_in = (uInt)n;
	z.next_out = out;
	z.avail_out = (uInt)b->size_bytes + 1;
	if (inflateInit(&z) != Z_OK)
		BUG("zlib does not start");
	rc = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	if (rc != Z_STREAM_END || z.total_out != b->size_bytes)
		return err_set(e, ERR_INVALID, "the binary data is damaged");
	*ret = out;
	*ret_len = (size_t)b->size_bytes;
	return 0;
}

static bool varint(const unsigned char **p, const unsigned char *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (int shift = 0; *p < end && shift < 63; shift += 7) {
		unsigned char c = *(*p)++;

		v |= (uint64_t)(c & 0x7f) << shift;
		if (!(c & 0x80)) {
			*ret = v;
			return true;
		}
	}
	return false;
}

/* Operands of a copy: bits of op say which bytes follow. */
static bool copy_operands(unsigned char op, const unsigned char **p,
	const unsigned char *end, size_t *ret_from, size_t *ret_n)
{
	size_t v[2] = {0, 0};

	for (int i = 0; i < 7; i++) {
		if (!(op & (1 << i)))
			continue;
		if (*p == end)
			return false;
		v[i / 4] |= (size_t) * (*p)++ << (8 * (i % 4));
	}
	*ret_from = v[0];
	*ret_n = v[1] ? v[1] : 0x10000;
	return true;
}

int binary_delta(const unsigned char *delta, size_t delta_len, const char *base,
	size_t base_len, size_t cap_bytes, struct arena *a, char **ret, size_t *ret_len,
	struct err *e)
{
	const unsigned char *p = delta, *end = delta + delta_len;
	uint64_t from_size, to_size;
	size_t n = 0;
	char *out;

	if (!varint(&p, end, &from_size) || !varint(&p, end, &to_size))
		return err_set(e, ERR_INVALID, "the binary delta is damaged");
	if (from_size != base_len)
		return err_set(e, ERR_CONFLICT,
			"the binary delta is for a file of %llu bytes; the base has %zu",
			(unsigned long long)from_size, base_len);
	if (to_size > cap_bytes)
		return err_set(
			e, ERR_TOO_BIG, "%.1f MB of binary data", (double)to_size / 1e6);
	out = arena_alloc(a, (size_t)to_size + 1);
	while (p < end) {
		unsigned char op = *p++;
		size_t from = 0, len = op;
		bool copy = op & 0x80, good = op != 0;

		if (copy)
			good = copy_operands(op, &p, end, &from, &len) &&
			       from <= base_len && len <= base_len - from;
		else if (good)
			good = len <= (size_t)(end - p);
		if (!good || len > to_size - n)
			return err_set(e, ERR_INVALID, "the binary delta is damaged");
		memcpy(out + n, copy ? base + from : (const char *)p, len);
		n += len;
		p += copy ? 0 : len;
	}
	if (n != to_size)
		return err_set(e, ERR_INVALID, "the binary delta is damaged");
	out[n] = 0;
	*ret = out;
	*ret_len = n;
	return 0;
}
