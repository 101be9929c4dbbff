/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workers/jobio.h"

#include "base/file.h"
#include <errno.h>
#include <unistd.h>

int jobio_encode(struct sbuf *out, const json_t *j, struct err *e)
{
	CLEANUP(base_freep) char *text = jx_dump(j);
	size_t len = strlen(text);
	unsigned char head[JOBIO_HEAD];

	if (len > JOBIO_FRAME_MAX)
		return err_set(e, ERR_TOO_BIG, "a frame of %zu bytes, the limit is %zu",
			len, JOBIO_FRAME_MAX);
	for (size_t i = 0; i < JOBIO_HEAD; i++)
		head[i] = (unsigned char)(len >> (8 * (JOBIO_HEAD - 1 - i)));
	sbuf_add(out, head, sizeof(head));
	sbuf_add(out, text, len);
	return 0;
}

/* Length of the frame that starts here; 0 is never valid. */
static int head_length(const unsigned char *head, size_t *ret, struct err *e)
{
	size_t len = 0;

	for (size_t i = 0; i < JOBIO_HEAD; i++)
		len = len << 8 | head[i];
	if (len == 0)
		return err_set(e, ERR_INVALID, "an empty frame");
	if (len > JOBIO_FRAME_MAX)
		return err_set(e, ERR_INVALID, "a frame of %zu bytes, the limit is %zu",
			len, JOBIO_FRAME_MAX);
	*ret = len;
	return 0;
}

static int parse_body(const char *p, size_t len, json_t **ret, struct err *e)
{
	int status = jx_load(p, len, ret, e);

	if (status != 0)
		return err_wrap(e, "frame");
	if (!json_is_object(*ret)) {
		json_decref(*ret);
		*ret = NULL;
		return err_set(e, ERR_INVALID, "a frame that is no object");
	}
	return 0;
}

int jobio_decode(
	const char *buf, size_t len, json_t **ret, size_t *ret_used, struct err *e)
{
	size_t body;
	int status;

	if (len < JOBIO_HEAD)
		return 0;
	status = head_length((const unsigned char *)buf, &body, e);
	if (status != 0)
		return status;
	if (len - JOBIO_HEAD < body)
		return 0;
	status = parse_body(buf + JOBIO_HEAD, body, ret, e);
	if (status != 0)
		return status;
	*ret_used = JOBIO_HEAD + body;
	return 1;
}

static int read_all(int fd, void *buf, size_t len, struct err *e)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = read(fd, (char *)buf + done, len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_set_errno(e, errno, "reading a frame");
		if (n == 0)
			return err_set(e, ERR_UNAVAILABLE, "the peer is gone");
		done += (size_t)n;
	}
	return 0;
}

int jobio_read(int fd, json_t **ret, struct err *e)
{
	CLEANUP(base_freep) char *body = NULL;
	unsigned char head[JOBIO_HEAD];
	size_t len = 0;
	int status = read_all(fd, head, sizeof(head), e);

	if (status == 0)
		status = head_length(head, &len, e);
	if (status != 0)
		return status;
	body = base_alloc(len);
	status = read_all(fd, body, len, e);
	return status == 0 ? parse_body(body, len, ret, e) : status;
}

int jobio_write(int fd, const json_t *j, struct err *e)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	int status = jobio_encode(&s, j, e);

	if (status != 0)
		return status;
	if (file_write_all(fd, s.buf, s.len) != 0)
		return err_set_errno(e, errno, "writing a frame");
	return 0;
}

static int code_parse(const char *name, enum err_code *ret, struct err *e)
{
	for (int code = ERR_NOT_FOUND; code >= ERR_INTERNAL; code--)
		if (strcmp(name, err_code_name((enum err_code)code)) == 0) {
			*ret = (enum err_code)code;
			return 0;
		}
	return err_set(e, ERR_INVALID, "no such error code: %.40s", name);
}

static int progress_parse(json_t *frame, struct jobio_msg *ret, struct err *e)
{
	const char *type, *unit, *text;
	json_int_t v, done, total;
	int status = jx_unpack(frame, e, "progress frame",
		"{s:I, s:s, s:I, s:I, s:s, s:s !}", "v", &v, "t", &type, "done", &done,
		"total", &total, "unit", &unit, "text", &text);

	if (status != 0)
		return status;
	if (done < 0 || total < 0 || strlen(unit) > 40 || strlen(text) > 400)
		return err_set(e, ERR_INVALID, "progress frame: a value is out of range");
	ret->type = JOBIO_PROGRESS;
	ret->progress = jx_pack("{s:I, s:I, s:s, s:s}", "done", done, "total", total,
		"unit", unit, "text", text);
	return 0;
}

int jobio_msg_parse(json_t *frame, struct jobio_msg *ret, struct err *e)
{
	const char *type, *code;
	json_int_t v;
	int status = jx_unpack(frame, e, "frame", "{s:I, s:s}", "v", &v, "t", &type);

	if (status != 0)
		return status;
	if (v != 1)
		return err_set(e, ERR_INVALID, "frame: version %lld", (long long)v);
	memset(ret, 0, sizeof(*ret));
	if (strcmp(type, "progress") == 0)
		return progress_parse(frame, ret, e);
	if (strcmp(type, "result") == 0) {
		ret->type = JOBIO_RESULT;
		status = jx_unpack(frame, e, "result frame", "{s:I, s:s, s:o !}", "v", &v,
			"t", &type, "result", &ret->result);
		if (status == 0 && !json_is_object(ret->result))
			status = err_set(
				e, ERR_INVALID, "result frame: result is no object");
		return status;
	}
	if (strcmp(type, "error") == 0) {
		ret->type = JOBIO_ERROR;
		status = jx_unpack(frame, e, "error frame", "{s:I, s:s, s:s, s:s !}", "v",
			&v, "t", &type, "code", &code, "msg", &ret->text);
		return status == 0 ? code_parse(code, &ret->code, e) : status;
	}
	return err_set(e, ERR_INVALID, "frame: unknown type \"%.20s\"", type);
}
