/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>

static const struct err_row {
	enum err_code code;
	const char *name;
	enum err_outcome outcome;
} rows[] = {
	{ERR_OK, "ok", ERR_OUTCOME_FAIL},
	{ERR_NOT_FOUND, "not_found", ERR_OUTCOME_FAIL},
	{ERR_INVALID, "invalid", ERR_OUTCOME_FAIL},
	{ERR_CONFLICT, "conflict", ERR_OUTCOME_RETRY},
	{ERR_DENIED, "denied", ERR_OUTCOME_PARK},
	{ERR_TOO_BIG, "too_big", ERR_OUTCOME_FAIL},
	{ERR_BUSY, "busy", ERR_OUTCOME_RETRY},
	{ERR_UNAVAILABLE, "unavailable", ERR_OUTCOME_RETRY},
	{ERR_TIMEOUT, "timeout", ERR_OUTCOME_RETRY},
	{ERR_CANCELLED, "cancelled", ERR_OUTCOME_FAIL},
	{ERR_UNSUPPORTED, "unsupported", ERR_OUTCOME_FAIL},
	{ERR_INTERNAL, "internal", ERR_OUTCOME_PARK},
};

static const struct {
	int errnum;
	enum err_code code;
} errnos[] = {
	{ENOENT, ERR_NOT_FOUND},
	{ENOTDIR, ERR_NOT_FOUND},
	{EACCES, ERR_DENIED},
	{EPERM, ERR_DENIED},
	{EROFS, ERR_DENIED},
	{EEXIST, ERR_CONFLICT},
	{ENOTEMPTY, ERR_CONFLICT},
	{EISDIR, ERR_INVALID},
	{ELOOP, ERR_INVALID},
	{ENAMETOOLONG, ERR_INVALID},
	{EINVAL, ERR_INVALID},
	{E2BIG, ERR_TOO_BIG},
	{EFBIG, ERR_TOO_BIG},
	{EBUSY, ERR_BUSY},
	{ETXTBSY, ERR_BUSY},
	{EADDRINUSE, ERR_BUSY},
	{EAGAIN, ERR_UNAVAILABLE},
	{ENOSPC, ERR_UNAVAILABLE},
	{EDQUOT, ERR_UNAVAILABLE},
	{EMFILE, ERR_UNAVAILABLE},
	{ENFILE, ERR_UNAVAILABLE},
	{ENOMEM, ERR_UNAVAILABLE},
	{ECONNREFUSED, ERR_UNAVAILABLE},
	{ECONNRESET, ERR_UNAVAILABLE},
	{EPIPE, ERR_UNAVAILABLE},
	{ETIMEDOUT, ERR_TIMEOUT},
};

/* One line, whatever was printed; "..." where it did not fit. */
static void tidy(char *msg, size_t size, int len)
{
	for (char *p = msg; *p; p++)
		if (*p == '\n' || *p == '\r' || *p == '\t')
			*p = ' ';
	if (len >= 0 && (size_t)len >= size)
		memcpy(msg + size - 4, "...", 4);
}

static int set_text(struct err *e, enum err_code code, const char *fmt, va_list ap)
	PRINTF_LIKE(3, 0);
static int set_text(struct err *e, enum err_code code, const char *fmt, va_list ap)
{
	char msg[sizeof(e->msg)];
	int len;

	if (!e)
		return code;
	/* Through a copy: an argument may be e->msg itself. */
	len = vsnprintf(msg, sizeof(msg), fmt, ap);
	tidy(msg, sizeof(msg), len);
	memcpy(e->msg, msg, sizeof(msg));
	e->code = code;
	e->sqlstate[0] = '\0';
	return code;
}

/* In brackets: the name is a macro too. */
int(err_set)(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	set_text(e, code, fmt, ap);
	va_end(ap);
	return code;
}

int err_set_errno(struct err *e, int errnum, const char *fmt, ...)
{
	enum err_code code = ERR_INTERNAL;
	char reason[128], text[sizeof(e->msg)];
	va_list ap;

	for (size_t i = 0; i < ARRAY_LEN(errnos); i++)
		if (errnos[i].errnum == errnum)
			code = errnos[i].code;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_set(
		e, code, "%s: %s", text, strerror_r(errnum, reason, sizeof(reason)));
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char text[sizeof(e->msg)], old[sizeof(e->msg)];
	va_list ap;
	int len;

	if (!e)
		return ERR_INTERNAL;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	memcpy(old, e->msg, sizeof(old));
	len = snprintf(e->msg, sizeof(e->msg), "%s: %s", text, old);
	tidy(e->msg, sizeof(e->msg), len);
	return e->code;
}

static const struct err_row *find_row(enum err_code code)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].code == code)
			return &rows[i];
	return &rows[ARRAY_LEN(rows) - 1];
}

const char *err_code_name(enum err_code code)
{
	return find_row(code)->name;
}

enum err_outcome err_outcome(enum err_code code)
{
	return find_row(code)->outcome;
}
