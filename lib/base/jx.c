/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/jx.h"

#include "base/file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

int jx_load(const char *buf, size_t len, json_t **ret, struct err *e)
{
	json_error_t je;
	json_t *j;

	if (len == 0)
		return err_set(e, ERR_INVALID, "JSON line 1 column 1: nothing is there");
	j = json_loadb(buf, len, JSON_REJECT_DUPLICATES, &je);
	if (!j && strstr(je.text, "JSON_ALLOW_NUL"))
		return err_set(e, ERR_INVALID,
			"JSON line %d column %d: \\u0000 is not taken", je.line,
			je.column);
	if (!j)
		return err_set(e, ERR_INVALID, "JSON line %d column %d: %s", je.line,
			je.column, je.text);
	*ret = j;
	return 0;
}

bool jx_is_utf8(const char *p, size_t len)
{
	json_t *j = json_stringn(p, len);

	json_decref(j);
	return j != NULL;
}

int jx_load_file(const char *path, size_t cap_bytes, json_t **ret, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	int status = file_read(path, cap_bytes, &s, e);

	if (status != 0)
		return status;
	status = jx_load(s.buf, s.len, ret, e);
	return status == 0 ? 0 : err_wrap(e, "%s", path);
}

/* The key whose value stands at byte end of an unpack format: jansson names a missing
 * or unknown key, but not the one of a wrong type. Every argument is a pointer. */
static const char *key_at(const char *fmt, size_t end, va_list ap)
{
	struct {
		bool is_object, want_key;
		const char *key;
	} stack[32];
	size_t depth = 0;
	const char *key = NULL;

	for (size_t i = 0; fmt[i] && i < end; i++) {
		bool in_object = depth && stack[depth - 1].is_object;

		switch (fmt[i]) {
		case '{':
		case '[':
			if (depth == ARRAY_LEN(stack))
				return NULL;
			if (in_object)
				stack[depth - 1].want_key = true;
			stack[depth].is_object = fmt[i] == '{';
			stack[depth].want_key = true;
			stack[depth++].key = key;
			break;
		case '}':
		case ']':
			if (depth)
				depth--;
			break;
		case 's':
			if (in_object && stack[depth - 1].want_key) {
				key = va_arg(ap, const char *);
				stack[depth - 1].want_key = false;
				break;
			}
			(void)va_arg(ap, void *);
			if (fmt[i + 1] == '%')
				(void)va_arg(ap, void *);
			if (in_object)
				stack[depth - 1].want_key = true;
			break;
		case 'i':
		case 'I':
		case 'b':
		case 'f':
		case 'F':
		case 'o':
		case 'O':
			(void)va_arg(ap, void *);
			/* fall through */
		case 'n':
			if (in_object)
				stack[depth - 1].want_key = true;
			break;
		default:
			break;
		}
	}
	return key;
}

int jx_unpack(json_t *root, struct err *e, const char *what, const char *fmt, ...)
{
	va_list ap, again;
	json_error_t je;
	const char *key = NULL;
	int status;

	va_start(ap, fmt);
	va_copy(again, ap);
	status = json_vunpack_ex(root, &je, 0, fmt, ap);
	va_end(ap);
	if (status != 0 && json_error_code(&je) == json_error_invalid_format)
		BUG("jx_unpack(%s): %s in \"%s\"", what, je.text, fmt);
	if (status != 0 && json_error_code(&je) == json_error_wrong_type &&
		je.position > 0)
		key = key_at(fmt, (size_t)je.position - 1, again);
	va_end(again);
	if (status == 0)
		return 0;
	if (key)
		return err_set(e, ERR_INVALID, "%s: key \"%s\": %s", what, key, je.text);
	if (json_error_code(&je) == json_error_end_of_input_expected) {
		/* "2 object item(s) left unpacked: NAME, NAME" */
		key = strstr(je.text, "unpacked: ");
		return err_set(e, ERR_INVALID, "%s: unknown key \"%s\"", what,
			key ? key + strlen("unpacked: ") : je.text);
	}
	return err_set(e, ERR_INVALID, "%s: %s", what, je.text);
}

json_t *jx_pack(const char *fmt, ...)
{
	json_error_t je;
	json_t *j;
	va_list ap;

	va_start(ap, fmt);
	j = json_vpack_ex(&je, 0, fmt, ap);
	va_end(ap);
	if (!j)
		BUG("jx_pack: %s at %d of \"%s\"", je.text, je.position, fmt);
	return j;
}

char *jx_dump(const json_t *j)
{
	char *text = json_dumps(j, JSON_COMPACT | JSON_ENCODE_ANY);

	if (!text)
		BUG("jx_dump: not a JSON value");
	return text;
}

static json_t *or_die(json_t *j)
{
	if (!j)
		BUG("out of memory for a JSON value");
	return j;
}

json_t *jx_id(int64_t id)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, id);
	return or_die(json_string(text));
}

int jx_id_parse(const char *s, int64_t *ret, struct err *e)
{
	char *end;
	long long v;

	if (!s || !*s || strspn(s, "0123456789") != strlen(s))
		return err_set(e, ERR_INVALID, "not an id: \"%.40s\"", s ? s : "");
	errno = 0;
	v = strtoll(s, &end, 10);
	if (errno || *end)
		return err_set(e, ERR_INVALID, "not an id: \"%.40s\"", s);
	*ret = v;
	return 0;
}

/* Bytes of the well-formed sequence at p, or 0 with the length of the bad part. */
static size_t utf8_len(const unsigned char *p, size_t left, size_t *ret_bad)
{
	unsigned char lo = 0x80, hi = 0xbf;
	size_t n, i;

	*ret_bad = 1;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0)
		lo = 0xa0; /* overlong */
	else if (p[0] == 0xed)
		hi = 0x9f; /* surrogates */
	else if (p[0] == 0xf0)
		lo = 0x90;
	else if (p[0] == 0xf4)
		hi = 0x8f; /* over U+10FFFF */
	for (i = 1; i < n; i++, lo = 0x80, hi = 0xbf) {
		if (i == left || p[i] < lo || p[i] > hi) {
			*ret_bad = i;
			return 0;
		}
	}
	return n;
}

json_t *jx_text(const char *p, size_t len)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;

	for (size_t i = 0; i < len;) {
		const unsigned char *u = (const unsigned char *)p + i;
		size_t bad, n = utf8_len(u, len - i, &bad);

		if (!n)
			sbuf_adds(&s, "\xef\xbf\xbd");
		else if (u[0])
			sbuf_add(&s, u, n);
		i += n ? n : bad;
	}
	return or_die(json_stringn(s.buf, s.len));
}

json_t *jx_str_or_null(const char *s)
{
	return s ? jx_text(s, strlen(s)) : json_null();
}
