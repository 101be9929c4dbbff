/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * logcheck.h - what a kernel said went wrong, from a whole console log. Pure.
 *
 * Understands lines of a serial console, dmesg, syslog and the journal (time stamps,
 * caller ids, levels, CR and colour codes are taken off), x86 and arm64 reports. One
 * report of the kernel is one event, however many lines start it: "BUG: unable to handle"
 * and "Oops:" are one oops; the panic that follows is another event.
 *
 * boots: user space was reached (the kernel started its init, or user space spoke), and
 * the kernel did not stop before it or for want of an init.
 */
#ifndef WL_RUNNERS_LOGCHECK_H
#define WL_RUNNERS_LOGCHECK_H

#include "base/jx.h"

#define LOGCHECK_TEXT_MAX   (64u << 20) /* bytes of a log: ERR_TOO_BIG above */
#define LOGCHECK_EVENTS_MAX 1000        /* more are dropped, and cut is set */
#define LOGCHECK_STACK_MAX  64
#define LOGCHECK_LINE_MAX   400 /* bytes of an event's text; the rest is dropped */

enum log_kind {
	LOG_KIND_PANIC,
	LOG_KIND_OOPS,
	LOG_KIND_WARN,
	LOG_KIND_LOCKDEP,
	LOG_KIND_RCU_STALL,
	LOG_KIND_SOFT_LOCKUP, /* hard lockups too */
	LOG_KIND_HUNG_TASK,
	LOG_KIND_KASAN, /* KFENCE and KMSAN too */
	LOG_KIND_KCSAN,
	LOG_KIND_OOM,
	LOG_KIND_REBOOT, /* the machine started again */
	LOG_N_KINDS
};
const char *log_kind_name(enum log_kind kind); /* "panic", "oops", ... */

struct log_check_event {
	enum log_kind kind;
	int64_t line;         /* from 1 */
	const char *text;     /* the line without its prefix; arena, any bytes */
	const char *function; /* where it happened; NULL: not said */
	const char **stack;   /* reliable frames, innermost first, names only */
	size_t n_stack;
};

struct log_check {
	bool boots;
	bool cut; /* more events than LOGCHECK_EVENTS_MAX */
	struct log_check_event *events;
	size_t n_events;
};

/* Any bytes. ERR_TOO_BIG. Results in the arena. */
int logcheck_parse(struct arena *a, const char *buf, size_t len, struct log_check **ret,
	struct err *e) MUST_CHECK;
/* {"v":1,"boots","cut","events":[{"kind","line","text","function","stack"}]}. Owner:
 * caller. */
json_t *logcheck_to_json(const struct log_check *c);

#endif
