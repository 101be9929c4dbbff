/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stats_eval.h - our values for one recorded set of inputs, under the keys of its
 * `expect` object. What lib/stats does not compute is absent from the answer.
 */
#ifndef WL_CLI_STATS_EVAL_H
#define WL_CLI_STATS_EVAL_H

#include "base/err.h"
#include "base/jx.h"

/* Reads a set; counts over 64 bits become reals. Owner of *ret: caller. */
int stats_eval_load(const char *buf, size_t len, json_t **ret, struct err *e) MUST_CHECK;
/* set: {"id","kind","input":{..}, ...}. ERR_INVALID for input that is no such set,
 * ERR_UNSUPPORTED for a kind that is not computed here. Owner of *ret: caller. */
int stats_eval(json_t *set, json_t **ret, struct err *e) MUST_CHECK;

#endif
