/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * static.h - the pages: every file of the web folder is read at start (and on SIGHUP, by
 * the disk thread) and served from memory by its exact name. No path of a request ever
 * reaches the file system.
 */
#ifndef WL_SERVER_STATIC_H
#define WL_SERVER_STATIC_H

#include "base/base.h"

#include "base/err.h"

#define STATIC_FILE_MAX  (4 << 20)
#define STATIC_FILES_MAX 500

struct static_files;
struct static_entry {
	const char *path; /* "views/series.js" */
	const char *content_type;
	const void *p;
	size_t len;
	char etag[20]; /* with its quotes */
};

/* Blocking. ERR_NOT_FOUND when there is no index.html in it. */
int static_load(const char *folder, struct static_files **ret, struct err *e) MUST_CHECK;
void static_free(struct static_files *s); /* accepts NULL */
const struct static_entry *static_find(const struct static_files *s, const char *path);

#endif
