/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * err.h - the one error type, owned by the caller.
 *
 * A fallible function returns 0, or a negative enum err_code after filling the
 * caller's struct err (last parameter, untouched on success). A code says what the
 * caller can do, not where it broke. Library code never logs an error it returns.
 */
#ifndef WL_BASE_ERR_H
#define WL_BASE_ERR_H

#include "base/base.h"

enum err_code {
	ERR_OK = 0,
	ERR_NOT_FOUND = -1,    /* what was asked for does not exist */
	ERR_INVALID = -2,      /* the input is wrong; same input, same answer */
	ERR_CONFLICT = -3,     /* somebody else was first, or states do not fit */
	ERR_DENIED = -4,       /* no right to do it */
	ERR_TOO_BIG = -5,      /* over a stated limit */
	ERR_BUSY = -6,         /* in use; try later */
	ERR_UNAVAILABLE = -7,  /* a peer is away; try later */
	ERR_TIMEOUT = -8,      /* a deadline passed */
	ERR_CANCELLED = -9,    /* a person or a newer version stopped it */
	ERR_UNSUPPORTED = -10, /* correct, but we do not do it */
	ERR_INTERNAL = -11,    /* our fault */
};

struct err {
	enum err_code code;
	char sqlstate[6]; /* set by lib/db only, else "" */
	char msg[512];    /* one sentence or clause, no newline, cut with "..." */
};

/* Fills e (may be NULL) and returns code: return err_set(e, ERR_INVALID, "..."); */
int err_set(struct err *e, enum err_code code, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The same; but the compiler sees that the code comes back, so that it does not take
 * "return err_set(...)" for a possible success and warn of results not set. */
#define err_set(e, code, ...)                                                            \
	({                                                                               \
		const enum err_code err_set_code = (code);                               \
		err_set((e), err_set_code, __VA_ARGS__);                                 \
		(int)err_set_code;                                                       \
	})

/* The same for a failed system call: "text: No such file or directory", with the code
 * that errnum stands for (a table, see err.c). */
int err_set_errno(struct err *e, int errnum, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Adds a prefix "text: " to e->msg, once, at a module's edge; returns e->code. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Stable lower-case name ("not_found"); used in JSON and logs. */
const char *err_code_name(enum err_code code);

/* What a job that failed with this code should become (a table, see err.c). */
enum err_outcome { ERR_OUTCOME_RETRY, ERR_OUTCOME_PARK, ERR_OUTCOME_FAIL };
enum err_outcome err_outcome(enum err_code code);

#endif
