/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base.h - first include of every file: attributes, sizes, banned functions.
 *
 * Broken invariants and exhausted memory abort (BUG, base_oom): every size that
 * comes from outside is capped before it is allocated, so neither is an answer to
 * bad input.
 */
#ifndef WL_BASE_BASE_H
#define WL_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define MUST_CHECK        __attribute__((warn_unused_result))
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#define CLEANUP(fn)       __attribute__((cleanup(fn)))
#define NORETURN          __attribute__((noreturn))
#define UNUSED            __attribute__((unused))
#define ARRAY_LEN(a)      (sizeof(a) / sizeof((a)[0]))

/* Logs the place and the text on stderr, then aborts. Never for bad input. */
void base_bug(const char *file, int line, const char *fmt, ...) NORETURN
	PRINTF_LIKE(3, 4);
#define BUG(...) base_bug(__FILE__, __LINE__, __VA_ARGS__)

/* malloc family that aborts when memory is exhausted; owner: caller, free(). */
void *base_alloc(size_t n_bytes);
void *base_zalloc(size_t n_bytes);
void *base_realloc(void *p, size_t n_bytes);
char *base_strdup(const char *s);

/* Cleanup helpers for the attribute: CLEANUP(base_freep) char *p = NULL; */
void base_freep(void *pp);   /* free(*pp) */
void base_closep(int *fd);   /* close(*fd) when >= 0 */
void base_fclosep(FILE **f); /* fclose(*f) when not NULL */

#ifndef WL_ALLOW_BANNED
#undef strcpy
#undef strcat
#undef strtok
#define strcpy(d, s)  wl_banned_strcpy
#define strcat(d, s)  wl_banned_strcat
#define strtok(s, d)  wl_banned_strtok
#define sprintf(...)  wl_banned_sprintf
#define vsprintf(...) wl_banned_vsprintf
#define gmtime(t)     wl_banned_gmtime
#define localtime(t)  wl_banned_localtime
#define ctime(t)      wl_banned_ctime
#define asctime(t)    wl_banned_asctime
#define mktemp(t)     wl_banned_mktemp
#define tmpnam(s)     wl_banned_tmpnam
#define popen(c, m)   wl_banned_popen
#endif

#endif
