/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/orphan.h"

#include "base/err.h"
#include "base/file.h"
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>

#define PROC_FILE_MAX_BYTES (1 << 20)

static bool proc_read(const char *pid, const char *name, struct sbuf *s)
{
	char path[64];
	struct err e;

	snprintf(path, sizeof(path), "/proc/%.20s/%s", pid, name);
	sbuf_reset(s);
	return file_read(path, PROC_FILE_MAX_BYTES, s, &e) == 0;
}

static bool names(const struct sbuf *s, const char *path)
{
	size_t len = strlen(path);

	for (const char *p = s->buf, *end = s->buf + s->len; p < end; p += strlen(p) + 1)
		if (!strncmp(p, path, len) && (p[len] == '\0' || p[len] == '/'))
			return true;
	return false;
}

int orphans_kill(const char *path)
{
	CLEANUP(sbuf_release) struct sbuf s = SBUF_INIT;
	DIR *d = opendir("/proc");
	struct dirent *de;
	int n = 0;

	while (d && (de = readdir(d))) {
		if (de->d_name[0] < '1' || de->d_name[0] > '9' ||
			!proc_read(de->d_name, "comm", &s) ||
			strcmp(s.buf, "bwrap\n") != 0 ||
			!proc_read(de->d_name, "cmdline", &s) || !names(&s, path))
			continue;
		n += kill((pid_t)strtol(de->d_name, NULL, 10), SIGKILL) == 0;
	}
	if (d)
		closedir(d);
	return n;
}
