/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/base.h"

#include <stdarg.h>
#include <unistd.h>

void base_bug(const char *file, int line, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(stderr, "level=error ev=bug at=%s:%d text=\"%s\"\n", file, line, text);
	fflush(stderr);
	abort();
}

static void *or_die(void *p, size_t n_bytes)
{
	if (!p)
		BUG("out of memory: %zu bytes", n_bytes);
	return p;
}

void *base_alloc(size_t n_bytes)
{
	return or_die(malloc(n_bytes ? n_bytes : 1), n_bytes);
}

void *base_zalloc(size_t n_bytes)
{
	return or_die(calloc(1, n_bytes ? n_bytes : 1), n_bytes);
}

void *base_realloc(void *p, size_t n_bytes)
{
	return or_die(realloc(p, n_bytes ? n_bytes : 1), n_bytes);
}

char *base_strdup(const char *s)
{
	return or_die(strdup(s), strlen(s) + 1);
}

void base_freep(void *pp)
{
	void **p = pp;

	free(*p);
	*p = NULL;
}

void base_closep(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void base_fclosep(FILE **f)
{
	if (*f)
		fclose(*f);
	*f = NULL;
}
