/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ctags.h - spans of functions by Universal Ctags, asked in its interactive mode inside
 * its own sandbox: the child reads texts from stdin, answers JSON on stdout, and seccomp
 * lets it do nothing else. Pure: what to run, what to write to it, how to read its
 * answer; spans.h owns the process.
 */
#ifndef WL_PLAN_CTAGS_H
#define WL_PLAN_CTAGS_H

#include "base/sbuf.h"
#include "plan/touch.h"

#define CTAGS_OUT_MAX_BYTES (64u << 20) /* of one run; the rest is cut */
#define CTAGS_SPANS_MAX     50000       /* of one text; over it the answer is no answer */
#define CTAGS_RUN_MS        20000
#define CTAGS_MEM_BYTES     (INT64_C(1) << 30)

extern const char *const ctags_argv[]; /* NULL terminated */

/* Files that are C to it, by name. */
bool ctags_reads(const char *path);
/* Adds one request. The text is not escaped: its length says where it ends. */
void ctags_ask(struct sbuf *in, const char *text, size_t len);

struct ctags_answer {
	struct touch_span *spans;
	size_t n;
	bool ok; /* the whole text was scanned */
};

/* Answers in the order of the requests; a child that died leaves the rest not ok. Lines
 * that make no sense are skipped. Number of texts answered, at most n_asked. Arena. */
size_t ctags_parse(struct arena *a, const char *out, size_t len, size_t n_asked,
	struct ctags_answer *ret);

#endif
