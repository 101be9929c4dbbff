/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#define LINE_BYTES 4096
#define N_QUOTED   8
#define QUOTED_MAX 1024

static const char *const names[] = {"error", "warn", "info", "debug"};
static enum log_level threshold = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	threshold = level;
}

int log_parse_level(const char *name, enum log_level *ret_level)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i], name) == 0) {
			*ret_level = (enum log_level)i;
			return 0;
		}
	}
	return -1;
}

void log_event(enum log_level level, const char *ev, const char *fmt, ...)
{
	int saved_errno = errno;
	char line[LINE_BYTES];
	size_t len;
	va_list ap;
	int n;

	if (level > threshold)
		return;
	n = snprintf(line, sizeof(line), "level=%s ev=%s ", names[level], ev);
	len = n < 0 ? 0 : (size_t)n;
	if (len > sizeof(line) - 8)
		len = sizeof(line) - 8;
	va_start(ap, fmt);
	n = vsnprintf(line + len, sizeof(line) - 1 - len, fmt, ap);
	va_end(ap);
	if (n > 0)
		len += (size_t)n;
	if (len > sizeof(line) - 2) {
		len = sizeof(line) - 2;
		memcpy(line + len - 3, "...", 3);
	}
	if (len && line[len - 1] == ' ')
		len--;
	/* One event, one line, whatever a caller forgot to quote. */
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
			line[i] = ' ';
	line[len++] = '\n';
	/* One write, so that lines of several processes do not mix. */
	while (write(STDERR_FILENO, line, len) < 0 && errno == EINTR)
		;
	errno = saved_errno;
}

const char *log_q(const char *text)
{
	static _Thread_local char ring[N_QUOTED][QUOTED_MAX];
	static _Thread_local unsigned next;
	char *buf = ring[next++ % N_QUOTED];
	size_t len = 0;

	if (!text)
		text = "";
	buf[len++] = '"';
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (len > QUOTED_MAX - 10) {
			memcpy(buf + len, "...", 3);
			len += 3;
			break;
		}
		if (c == '"' || c == '\\') {
			buf[len++] = '\\';
			buf[len++] = (char)c;
		} else if (c == '\n') {
			buf[len++] = '\\';
			buf[len++] = 'n';
		} else if (c < 0x20 || c == 0x7f) {
			len += (size_t)snprintf(buf + len, 5, "\\x%02x", c);
		} else {
			buf[len++] = (char)c;
		}
	}
	buf[len++] = '"';
	buf[len] = '\0';
	return buf;
}
