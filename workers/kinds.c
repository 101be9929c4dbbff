/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of what workers do, and the little that all rows share. */
#include "workers/kind.h"

#include "base/file.h"
#include "workers/analyse/analyse.h"
#include "workers/apply/apply.h"
#include "workers/blob/adopt.h"
#include "workers/ingest/ingest.h"
#include "workers/plan/plan.h"
#include "workers/reply/reply.h"
#include "workers/tree/tree.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define SECONDS INT64_C(1000)
#define MINUTES (60 * SECONDS)
#define MIB     (INT64_C(1) << 20)
#define GIB     (INT64_C(1) << 30)

const struct worker_op worker_ops[] = {
	{.kind = "tree",
		.op = "import",
		.deadline_ms = 30 * MINUTES,
		.mem_bytes = 6 * GIB,
		.file_bytes = 8 * GIB,
		.cpu_s = 1800,
		.binds = tree_import_binds,
		.run = tree_import_run,
		.check = tree_import_check},
	{.kind = "tree",
		.op = "fetch",
		.needs = NEED_NET,
		.deadline_ms = 60 * MINUTES,
		.mem_bytes = 6 * GIB,
		.file_bytes = 8 * GIB,
		.cpu_s = 3600,
		.own_clock = true,
		.binds = tree_fetch_binds,
		.run = tree_fetch_run,
		.check = tree_fetch_check},
	{.kind = "tree",
		.op = "base",
		.deadline_ms = 20 * MINUTES,
		.mem_bytes = 4 * GIB,
		.file_bytes = 8 * GIB,
		.cpu_s = 1200,
		.binds = tree_base_binds,
		.run = tree_base_run,
		.check = tree_base_check},
	{.kind = "tree",
		.op = "publish",
		.needs = NEED_BLOBS,
		.deadline_ms = 2 * MINUTES,
		.mem_bytes = 4 * GIB,
		.file_bytes = GIB,
		.cpu_s = 120,
		.binds = tree_publish_binds,
		.run = tree_publish_run,
		.check = tree_publish_check},
	{.kind = "ingest",
		.op = "poll",
		.needs = NEED_NET,
		.deadline_ms = 10 * MINUTES,
		.mem_bytes = 4 * GIB,
		.file_bytes = 2 * GIB,
		.cpu_s = 600,
		.own_clock = true,
		.binds = ingest_poll_binds,
		.run = ingest_poll_run,
		.check = ingest_poll_check},
	{.kind = "ingest",
		.op = "thread",
		.needs = NEED_NET,
		.deadline_ms = 3 * MINUTES,
		.mem_bytes = 2 * GIB,
		.file_bytes = 256 * MIB,
		.cpu_s = 120,
		.run = ingest_thread_run,
		.check = ingest_thread_check},
	{.kind = "ingest",
		.op = "mbox",
		.needs = NEED_BLOBS,
		.deadline_ms = 2 * MINUTES,
		.mem_bytes = 2 * GIB,
		.file_bytes = 64 * MIB,
		.cpu_s = 100,
		.run = ingest_mbox_run,
		.check = ingest_mbox_check},
	{.kind = "ingest",
		.op = "assemble",
		.needs = NEED_BLOBS,
		.deadline_ms = 5 * MINUTES,
		.mem_bytes = 4 * GIB,
		.file_bytes = MIB,
		.cpu_s = 300,
		.run = ingest_assemble_run,
		.check = ingest_assemble_check},
	{.kind = "apply",
		.op = "",
		.needs = NEED_BLOBS,
		.deadline_ms = 2 * MINUTES,
		.mem_bytes = 4 * GIB,
		.file_bytes = GIB,
		.cpu_s = 120,
		.binds = apply_binds,
		.run = apply_job_run,
		.check = apply_check},
	{.kind = "plan",
		.op = "",
		.needs = NEED_BLOBS,
		.deadline_ms = 3 * MINUTES,
		.mem_bytes = 4 * GIB,
		.file_bytes = GIB,
		.cpu_s = 120,
		.binds = plan_binds,
		.run = plan_job_run,
		.check = plan_job_check},
	{.kind = "analyse",
		.op = "",
		.deadline_ms = 2 * MINUTES,
		.mem_bytes = GIB,
		.file_bytes = MIB,
		.cpu_s = 120,
		.run = analyse_run,
		.check = analyse_check},
	{.kind = "reply",
		.op = "compose",
		.deadline_ms = 2 * MINUTES,
		.mem_bytes = GIB,
		.file_bytes = 4 * MIB,
		.cpu_s = 120,
		.run = reply_compose_run,
		.check = reply_compose_check},
	{.kind = "reply",
		.op = "send",
		.needs = NEED_NET | NEED_BLOBS,
		.deadline_ms = 6 * MINUTES,
		.mem_bytes = GIB,
		.file_bytes = MIB,
		.cpu_s = 60,
		.run = reply_send_run,
		.check = reply_send_check},
};
const size_t n_worker_ops = ARRAY_LEN(worker_ops);

const struct worker_op *worker_op_find(const char *kind, const char *op)
{
	for (size_t i = 0; i < n_worker_ops; i++)
		if (strcmp(worker_ops[i].kind, kind) == 0 &&
			strcmp(worker_ops[i].op, op) == 0)
			return &worker_ops[i];
	if (strcmp(kind, op_blob_adopt.kind) == 0 && strcmp(op, op_blob_adopt.op) == 0)
		return &op_blob_adopt;
	return NULL;
}

int job_bind_add(struct job_binds *b, const char *path, bool writable, struct err *e)
{
	size_t len = strlen(path);

	if (path[0] != '/' || strstr(path, "/../") ||
		(len >= 3 && strcmp(path + len - 3, "/..") == 0))
		return err_set(e, ERR_INVALID, "%.200s is no absolute path", path);
	if (b->n == JOB_BINDS_MAX)
		BUG("more than %d paths for one child", JOB_BINDS_MAX);
	b->v[b->n++] = (struct job_bind){arena_strdup(b->arena, path), writable};
	return 0;
}

int job_bind_folder(
	const struct work_paths *p, struct job_binds *b, const char *path, struct err *e)
{
	int status = file_mkdir_p(path, 0755, e);

	if (status != 0)
		return status;
	if (p->child_uid && lchown(path, p->child_uid, p->child_gid) != 0)
		return err_set_errno(e, errno, "%s", path);
	return job_bind_add(b, path, true, e);
}

static bool is_file_name(const char *s)
{
	size_t len = strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "0123456789._-");

	return len > 0 && len <= 100 && s[len] == '\0' && s[0] != '.';
}

int job_files_check(json_t *out, struct err *e)
{
	json_t *files = json_object_get(out, "files"), *f;
	size_t i;

	if (!files)
		return 0;
	if (!json_is_array(files) || json_array_size(files) > JOB_FILES_MAX)
		return err_set(e, ERR_INVALID,
			"result: \"files\" is no list of at most %d", JOB_FILES_MAX);
	json_array_foreach(
		files, i, f) if (!json_is_string(f) ||
				 !is_file_name(json_string_value(f))) return err_set(e,
		ERR_INVALID, "result: file %zu has no good name", i + 1);
	return 0;
}
