/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * buildlog.h - what `make` of a kernel printed: steps for progress, errors and warnings.
 * Pure; any bytes.
 */
#ifndef WL_RUNNERS_BUILDLOG_H
#define WL_RUNNERS_BUILDLOG_H

#include "base/jx.h"

#define BUILDLOG_ERRORS_MAX   20 /* first ones kept */
#define BUILDLOG_WARNINGS_MAX 200
#define BUILDLOG_TEXT_MAX     300 /* bytes of one message */

struct build_issue {
	const char *path; /* inside the source tree where it lies there; NULL: not said */
	int line;         /* 0: not said */
	const char *text; /* without path, line and "error:" */
};

struct build_log {
	int n_steps;    /* lines "  CC  x.o", "  LD  y" ... */
	int n_compiles; /* of them CC and AS */
	struct build_issue *errors, *warnings;
	size_t n_errors, n_warnings; /* kept */
	int errors_total, warnings_total;
	const char *stopped; /* first "*** ... Error" of make without its number; NULL */
	bool starved; /* the machine ran out of memory or disk: says nothing of the code
		       */
};

/* src: the source folder, taken off paths; may be NULL. Arena. */
struct build_log *buildlog_parse(
	struct arena *a, const char *buf, size_t len, const char *src);
/* True for a line of progress; counts steps while make still runs. */
bool buildlog_is_step(const char *line, size_t len);
/* Warnings of now that are not in base: same path and text, whatever the line. Arena. */
void buildlog_new_warnings(struct arena *a, const struct build_log *now,
	const struct build_issue *base, size_t n_base, struct build_issue **ret,
	size_t *ret_n);
/* [{"path","line","text"}]; owner: caller. */
json_t *buildlog_issues_json(const struct build_issue *v, size_t n);
int buildlog_issues_from_json(struct arena *a, json_t *j, struct build_issue **ret,
	size_t *ret_n, struct err *e) MUST_CHECK;

#endif
