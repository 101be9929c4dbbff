/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * log.h - one logfmt line on stderr per event, at the edges only:
 *   level=info ev=job_done job=12 kind=apply ms=41
 * fmt is the logfmt tail; quote free text with log_q(). Mail bodies and tokens are
 * never logged.
 */
#ifndef WL_BASE_LOG_H
#define WL_BASE_LOG_H

#include "base/base.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

void log_set_level(enum log_level level);
int log_parse_level(const char *name, enum log_level *ret_level); /* 0, or -1 */
void log_event(enum log_level level, const char *ev, const char *fmt, ...)
	PRINTF_LIKE(3, 4);
/* Quoted and escaped copy of text in one of 8 rotating thread-local buffers of 1 KiB. */
const char *log_q(const char *text);

#define log_error(ev, ...) log_event(LOG_LEVEL_ERROR, ev, __VA_ARGS__)
#define log_warn(ev, ...)  log_event(LOG_LEVEL_WARN, ev, __VA_ARGS__)
#define log_info(ev, ...)  log_event(LOG_LEVEL_INFO, ev, __VA_ARGS__)
#define log_debug(ev, ...) log_event(LOG_LEVEL_DEBUG, ev, __VA_ARGS__)

#endif
