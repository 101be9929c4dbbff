/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kinds.c - the table of kinds, and what they share. */
#include "runners/kinds.h"
#include "base/base.h"

#include "base/clock.h"
#include "base/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

const struct job_kind *const job_kinds[] = {&kind_build, &kind_boot, &kind_null, NULL};

const struct job_kind *job_kind_find(const char *name)
{
	for (size_t i = 0; job_kinds[i]; i++)
		if (!strcmp(job_kinds[i]->name, name))
			return job_kinds[i];
	return NULL;
}

/* Not durable on purpose: the next one comes soon, and rename keeps it whole. */
void job_progress(struct job_env *env, int64_t done, int64_t total, const char *unit,
	const char *text)
{
	static int64_t last_ns;
	int64_t now = clock_mono_ns();
	CLEANUP(base_freep) char *dump = NULL;
	const char *path, *tmp;
	json_auto_t *j = NULL;
	FILE *f;

	if (last_ns && now - last_ns < NS_PER_S)
		return;
	last_ns = now;
	path = arena_printf(env->a, "%s/progress.json", env->dir);
	tmp = arena_printf(env->a, "%s.new", path);
	j = jx_pack("{s:I, s:I, s:s, s:s}", "done", (json_int_t)done, "total",
		(json_int_t)total, "unit", unit, "text", text);
	dump = jx_dump(j);
	f = fopen(tmp, "we");
	if (!f)
		return;
	fputs(dump, f);
	if (fclose(f) || rename(tmp, path))
		unlink(tmp);
}

void job_note(struct job_env *env, const char *fmt, ...)
{
	FILE *f = fopen(arena_printf(env->a, "%s/log", env->dir), "ae");
	va_list ap;

	if (!f)
		return;
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	fclose(f);
}

int job_kernel(struct job_env *env, const char *sha, const char **ret, struct err *e)
{
	const char *path = arena_printf(env->a, "%s/kernels/%s", env->cache.dir, sha);
	char got[SHA256_HEX];
	int r;

	if (!sha256_is_hex(sha))
		return err_set(
			e, ERR_INVALID, "\"%.70s\" is no SHA-256 of a kernel", sha);
	*ret = path;
	if (!access(path, R_OK) && !sha256_file_hex(path, got, NULL, e) &&
		!strcmp(got, sha))
		return 0;
	r = api_blob_get(env->api, sha, path, e);
	return r ? err_wrap(e, "while fetching the kernel") : 0;
}

int job_put_text(struct job_env *env, const char *name, const char *text,
	char ret_sha[SHA256_HEX], struct err *e)
{
	const char *path = arena_printf(env->a, "%s/%s", env->dir, name);
	int r = file_write_atomic(path, text, strlen(text), 0644, e);

	return r ? r : api_blob_put(env->api, path, ret_sha, e);
}
